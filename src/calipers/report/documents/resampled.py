"""The document of a model over resamples: every metric by every method and in each replicate."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.cached import given
from calipers.data.schema import Schema
from calipers.remarks import Remark, plain, with_codes
from calipers.report.documents.absent import Absent
from calipers.report.documents.evaluation import measured, read_positive
from calipers.report.documents.folds import (
    failures_values,
    problem_values,
    read_failures,
    read_named,
    read_problem,
    values_alone,
)
from calipers.report.documents.values import SHARE, Fields, demand, tagged
from calipers.tasks import TASKS
from calipers.validation.bootstrap_validation import (
    BY_REPLICATE,
    BY_ROW,
    METHODS,
    BootstrapValidation,
    Figures,
    Replicate,
)


def contents(validation: BootstrapValidation) -> dict[str, Any]:
    """Every metric by the method asked for, and what the other methods are made of."""
    own = validation.whole.own
    return {
        "settings": {"method": validation.method, "seed": validation.seed, "level": validation.level},
        "task": own.task,
        "labels": tagged(own.labels),
        "positive": None if own.positive is None else tagged((own.positive,)),
        "problem": problem_values(validation.problem),
        "model": validation.model,
        "replicates": len(validation.replicates),
        "rows": validation.rows,
        "distinct": validation.distinct,
        "never_out": validation.never_out,
        "about": {"what": "procedure", "training_rows": validation.rows},
        **with_codes({"notes": validation.notes}),
        "metrics": {
            name: {
                **validation[name].to_dict(),
                "estimates": {method: plain(value) for method, value in validation.estimates(name).items()},
                "no_information": plain(validation.chance(name)),
                "overfitting_rate": plain(validation.overfitting_rate(name)),
                "out_of_bag_form": validation.how_left_out(name),
                "replicates": plain(validation.each(name).tolist()),
            }
            for name in validation
        },
        "failures": failures_values(validation.failures),
    }


def restored(fields: Fields) -> BootstrapValidation:
    """The model over resamples that a document describes, without the rows and the models."""
    settings, problem, count = fields.part("settings"), read_problem(fields.part("problem")), fields.count("replicates")
    level, rows, metrics = settings.level(), fields.count("rows"), read_named(fields, "metrics")
    method, task = settings.choice("method", METHODS), fields.choice("task", TASKS)
    figures = {measure.name: _figures(part, count) for measure, part in metrics.items()}
    labels = fields.labels("labels")
    schema = Schema(task, labels, read_positive(fields, labels))
    own = values_alone({name: each.estimates["resubstitution"] for name, each in figures.items()}, rows, level, schema)
    absent: Any = Absent()
    replicates: Any = Absent(count)
    validation = BootstrapValidation(
        problem, absent, Replicate(0, absent, absent, absent, absent, own, absent), replicates,
        read_failures(fields, "failures"), settings.count("seed"), level, fields.text("model"), method,
        known={(method, measure.name): measured(part, measure) for measure, part in metrics.items()}, figures=figures,
    )  # fmt: skip
    recorded = {"rows": rows, "distinct": fields.number("distinct", SHARE), "never_out": fields.count("never_out")}
    return given(validation, **recorded, notes=fields.texts("notes"))


def _figures(fields: Fields, count: int) -> Figures:
    by = fields.part("estimates")
    form, each = fields.choice("out_of_bag_form", (BY_ROW, BY_REPLICATE)), fields.numbers("replicates")
    demand(len(each) == count, fields.place("replicates"), len(each), Remark("report.so_many", count=count))
    estimates = {method: by.number(method, null=True) for method in by.values}
    demand(estimates.keys() >= set(METHODS), by.where, list(estimates), Remark("report.one_of", known=list(METHODS)))
    return Figures(estimates, fields.number("no_information", null=True), form == BY_ROW, np.array(each, np.float64))
