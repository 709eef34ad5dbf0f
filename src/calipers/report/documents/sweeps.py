"""The document of a learning curve or a validation curve: every metric at each place, over folds and fold by fold."""

from __future__ import annotations

import math
from typing import Any, get_args

from calipers.cached import given
from calipers.choices import SimplerEnd
from calipers.metrics.base import Measure
from calipers.remarks import Remark, plain, with_codes
from calipers.report.documents.absent import Absent
from calipers.report.documents.folds import (
    average_of,
    problem_values,
    read_named,
    read_problem,
    read_splits,
    read_table,
    read_tested,
    splits_values,
    tested_values,
)
from calipers.report.documents.values import UNBOUNDED, Fields, demand
from calipers.validation.curves import LearningCurve, ValidationCurve
from calipers.validation.pooling import OutOfFold
from calipers.validation.splits import Splits
from calipers.validation.sweep import FailedFit, Line, Sweep


def contents(sweep: Sweep) -> dict[str, Any]:
    """The places, and every metric on test rows and on training rows at each of them."""
    simpler = {"simpler": sweep.simpler} if isinstance(sweep, ValidationCurve) else {}
    return {
        "settings": {"seed": sweep.seed, "level": sweep.level, **simpler},
        "problem": problem_values(sweep.problem),
        "model": sweep.model,
        "axis": sweep.axis,
        "places": [_place(at) for at in sweep.places],
        "rows": sweep.rows,
        "grouped": sweep.grouped,
        "splits": splits_values(sweep.splits),
        "factors": [tested_values(one) for one in sweep.tested],
        "seconds": plain(sweep.seconds),
        "about": {"what": "procedure" if len(sweep.splits) > 1 else "model", "training_rows": sweep.splits.trained},
        **with_codes({"cv": sweep.cv, "notes": sweep.notes}),
        "metrics": {
            name: {
                "test": [e.to_dict() for e in line.test],
                "train": [e.to_dict() for e in line.train],
                "gap": [e.to_dict() for e in line.gap],
                "folds": [plain(average.values.tolist()) for average in line.tested],
            }
            for name, line in sweep.items()
        },
        "train_folds": {
            name: [plain(average.values.tolist()) for average in line.train_averages] for name, line in sweep.items()
        },
        "failures": [
            with_codes({"place": one.place, "at": _place(one.at), "fold": one.fold, "error": one.error})
            for one in sweep.misses
        ],
        "findings": [finding.to_dict() for finding in sweep.findings],
    }


def restored(fields: Fields) -> Sweep:
    """The curve that a document describes, without the rows."""
    settings, splits = fields.part("settings"), read_splits(fields.part("splits"))
    places = tuple(fields.items("places"))
    right = bool(places) and all(isinstance(at, (str, int, float, type(None))) for at in places)
    demand(right, "places", list(places), Remark("report.not_empty"))
    each = enumerate(fields.items("factors", len(places)))
    level, factors = settings.level(), Fields({str(at): value for at, value in each}, "factors")
    tested = [read_tested(factors, str(at), splits.ratio, level) for at in range(len(places))]
    metrics, trained = read_named(fields, "metrics"), fields.part("train_folds")
    demand(bool(metrics), "metrics", {}, Remark("report.not_empty"))
    lines = {measure.name: _line(part, trained, measure, places, splits, tested) for measure, part in metrics.items()}
    absent: Any = Absent()
    facts = (
        fields.text("axis"), places, absent, tuple(_miss(part, places) for part in fields.parts("failures")),
        tuple(metrics), read_problem(fields.part("problem")), absent, splits, settings.count("seed"), level,
        fields.text("model"), fields.texts("notes"),
    )  # fmt: skip
    sweep: Sweep
    if fields.value("kind") == LearningCurve.kind:
        demand(all(type(at) is int and at > 0 for at in places), "places", list(places), Remark("report.above_0"))
        sweep = LearningCurve(*facts)
    else:
        sweep = ValidationCurve(*facts, settings.choice("simpler", (None, *get_args(SimplerEnd))))
    seconds = fields.numbers("seconds", (0.0, math.inf))
    demand(len(seconds) == len(places), "seconds", seconds, Remark("report.so_many", count=len(places)))
    recorded = {"rows": fields.count("rows"), "grouped": fields.flag("grouped"), "seconds": tuple(seconds)}
    return given(sweep, **recorded, tested=tuple(tested), findings=fields.findings(), _lines=lines)


def _line(
    fields: Fields, trained: Fields, measure: Measure, places: tuple[Any, ...], splits: Splits,
    tested: list[OutOfFold | None],
) -> Line:  # fmt: skip
    count, bounds = len(places), measure.metric.bounds
    test, train = ([part.estimate(bounds) for part in fields.parts(name, count)] for name in ("test", "train"))
    gap = [part.estimate(UNBOUNDED) for part in fields.parts("gap", count if measure.metric.better else 0)]
    on_test = read_table(fields, "folds", count, len(splits))
    on_training = read_table(trained, measure.name, count, len(splits))
    line = Line(
        places,
        tuple(average_of(v, measure, e, splits, t) for v, e, t in zip(on_test, test, tested, strict=True)),
        tuple(average_of(v, measure, e, splits) for v, e in zip(on_training, train, strict=True)),
    )
    return given(line, test=tuple(test), train=tuple(train), gap=tuple(gap))


def _miss(fields: Fields, places: tuple[Any, ...]) -> FailedFit:
    place = fields.count("place")
    demand(place < len(places), fields.place("place"), place, Remark("report.from_to", low=0, high=len(places) - 1))
    return FailedFit(place, places[place], fields.count("fold"), fields.text("error"))


def _place(value: Any) -> Any:
    """A place as JSON can hold it: numbers, words and null; other values as text."""
    value = value.item() if hasattr(value, "item") else value
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)
