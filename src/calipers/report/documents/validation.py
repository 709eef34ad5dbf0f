"""The document of a cross-validation: every metric in each fold, averaged, pooled, and on training rows."""

from __future__ import annotations

from typing import Any

from calipers.answers import answer_over_folds
from calipers.cached import given
from calipers.data.schema import Schema
from calipers.remarks import Remark, plain, with_codes
from calipers.report.documents.absent import Absent
from calipers.report.documents.answers import read_answer
from calipers.report.documents.evaluation import measured, metrics_alone, read_positive
from calipers.report.documents.folds import (
    failures_values,
    problem_values,
    read_average,
    read_failures,
    read_named,
    read_problem,
    read_splits,
    read_tested,
    splits_values,
    tested_values,
    values_alone,
)
from calipers.report.documents.values import UNBOUNDED, Fields, demand, tagged
from calipers.settings import Settings
from calipers.tasks import TASKS
from calipers.validation.averages import Average
from calipers.validation.cross_validation import Validation
from calipers.validation.fold import Fold
from calipers.validation.nested import Nested

METHODS = ("rows", "folds", "nested")


def contents(validation: Validation) -> dict[str, Any]:
    """Every metric in each fold, averaged, pooled, on training rows; never a row of the data."""
    gaps, train, averaged, first = validation.gap, validation.train, validation.averaged(), validation.folds[0]
    tested = None if len(validation.folds) == 1 or validation.method == "folds" else validation.out_of_fold
    positive = first.evaluation.positive
    return {
        "settings": {"seed": validation.seed, "level": validation.level, "method": validation.method},
        "task": validation.task,
        "labels": tagged(first.evaluation.labels),
        "positive": None if positive is None else tagged((positive,)),
        "problem": problem_values(validation.problem),
        "model": validation.model,
        "rows": validation.rows,
        "splits": splits_values(validation.splits),
        "factors": tested_values(tested),
        "nested_fits": None if validation.inner is None else validation.inner.fits,
        "about": {"what": validation.about, "training_rows": validation.trained, "interval": validation.method},
        **with_codes({"cv": validation.cv, "notes": validation.notes}),
        "metrics": {
            name: {
                **validation[name].to_dict(),
                "pooled": None if validation.unpooled else validation.pooled()[name].to_dict(),
                "train": train[name].to_dict() if name in train else None,
                "gap": gaps[name].to_dict() if name in gaps else None,
                "folds": averaged[name].to_dict(),
            }
            for name in validation
        },
        "folds": [
            {"number": f.number, "train": len(f.train), "test": len(f.test), "seconds": plain(f.seconds)}
            for f in validation.folds
        ],
        "failures": failures_values(validation.failures),
        "answer": answer_over_folds(validation).to_dict(),
        "findings": [finding.to_dict() for finding in validation.findings],
    }


def restored(fields: Fields) -> Validation:
    """The cross-validation that a document describes, without rows, models and predictions."""
    settings, splits, problem = (fields.part(name) for name in ("settings", "splits", "problem"))
    parts, metrics, level = read_splits(splits), read_named(fields, "metrics"), settings.level()
    demand(bool(metrics), "metrics", {}, Remark("report.not_empty"))
    folds, rows, labels = fields.parts("folds"), fields.count("rows"), fields.labels("labels")
    demand(bool(folds), "folds", [], Remark("report.not_empty"))
    tested = read_tested(fields, "factors", parts.ratio, level)
    method = settings.choice("method", METHODS)
    needless = len(folds) == 1 or method == "folds"
    demand(needless == (tested is None), "factors", fields.value("factors"), Remark("report.factors_of_rows"))
    known = {measure.name: measured(part, measure) for measure, part in metrics.items()}
    fits = None if fields.value("nested_fits") is None else fields.count("nested_fits")
    own = not (parts.alone or len(folds) == 1 or fits is not None)  # the estimate is that of the average
    averaged = {
        measure.name: read_average(part.part("folds"), measure, known[measure.name], len(folds), parts, tested, own=own)
        for measure, part in metrics.items()
    }
    schema = Schema(fields.choice("task", TASKS), labels, read_positive(fields, labels))
    train = {m.name: measured(p.part("train"), m) for m, p in metrics.items() if p.value("train") is not None}
    gap = {m.name: p.part("gap").estimate(UNBOUNDED) for m, p in metrics.items() if p.value("gap") is not None}
    absent: Any = Absent()
    inner = None if fits is None else given(Nested(absent, absent, absent, len(folds)), fits=fits)
    validation = Validation(
        read_problem(problem), absent, parts,
        tuple(_fold(part, at, averaged, level, schema, has_train=bool(train)) for at, part in enumerate(folds)),
        read_failures(fields, "failures"), settings.count("seed"), level, fields.text("model"),
        method=method, inner=inner, known=known,
    )  # fmt: skip
    recorded = {"rows": rows, "notes": fields.texts("notes"), "train": train, "gap": gap, "findings": fields.findings()}
    given(validation, **recorded, _averaged=averaged, out_of_fold=absent if tested is None else tested)
    if validation.unpooled:
        return validation
    pooled = {m.name: measured(part.part("pooled"), m) for m, part in metrics.items()}
    answer = read_answer(fields.part("answer")) if "answer" in fields else None
    together = metrics_alone(pooled, Settings(level=level), rows=rows, schema=schema, answer=answer)
    return given(validation, _pooled=together)


def _fold(
    fields: Fields, at: int, averaged: dict[str, Average], level: float, schema: Schema, *, has_train: bool
) -> Fold:
    absent: Any = Absent()
    train: Any = Absent(fields.count("train"))
    test: Any = Absent(fields.count("test"))
    values = {name: float(average.values[at]) for name, average in averaged.items()}
    ev, on_training = values_alone(values, len(test), level, schema), absent if has_train else None
    number, seconds = fields.count("number"), fields.number("seconds", null=True)
    return Fold(number, train, test, absent, ev, on_training, absent, seconds)
