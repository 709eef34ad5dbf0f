"""The documents of a recalibration, which is also the saved map, and of decision curves."""

from __future__ import annotations

from dataclasses import fields as dataclass_fields
from typing import Any

import numpy as np

from calipers.cached import given
from calipers.decisions.calibrate import METRICS, Calibration, Change
from calipers.decisions.decision_curve import Benefit, BenefitDifference, DecisionCurve
from calipers.decisions.maps import METHODS, ProbabilityMap
from calipers.evaluation.curve import Curve
from calipers.remarks import Remark, plain, with_codes
from calipers.report.documents.values import SHARE, Fields, demand, tagged

COLUMNS = ("begin", "end", "score", "outcome", "rows", "low", "high")


def contents_of_calibration(result: Calibration) -> dict[str, Any]:
    """The map, the changes and both curves."""
    return {
        "settings": {"method": result.method, "level": result.level, "seed": result.seed},
        "map": result.map.values(),
        "positive": None if result.positive is None else tagged([result.positive]),
        "rows": result.rows,
        **with_codes({"notes": result.notes}),
        "changes": {name: with_codes(change.__dict__) for name, change in result.items()},
        "curves": {name: {key: plain(curve[key].tolist()) for key in COLUMNS} for name, curve in result.curves.items()},
        "findings": [finding.to_dict() for finding in result.findings],
    }


def restored_of_calibration(fields: Fields) -> Calibration:
    """The recalibration that a document describes: its map can be applied."""
    settings = fields.part("settings")
    method = settings.choice("method", tuple(METHODS))
    changes = {name: _change(part, name) for name, part in fields.named("changes")}
    demand(tuple(changes) == METRICS, "changes", list(changes), Remark("report.so_many", count=len(METRICS)))
    positive = None if fields.value("positive") is None else fields.labels("positive")[0]
    curves = {name: _curve(fields.part("curves").part(name)) for name in ("before", "after")}
    result = Calibration(
        _map(method, fields.part("map")), changes, curves, fields.count("rows"), settings.level(),
        settings.count("seed"), positive, fields.texts("notes"),
    )  # fmt: skip
    return given(result, findings=fields.findings())


def _map(method: str, fields: Fields) -> ProbabilityMap:
    kind = METHODS[method]
    names = [field.name for field in dataclass_fields(kind)]
    right = sorted(fields.values) == sorted(names)
    demand(right, fields.where, sorted(fields.values), Remark("report.one_of", known=names))
    values: dict[str, Any] = {
        name: fields.numbers(name) if isinstance(fields.value(name), list) else fields.number(name) for name in names
    }
    lists = [value for value in values.values() if isinstance(value, list)]
    right = all(lists) and len({len(each) for each in lists}) <= 1
    demand(right, fields.where, [len(each) for each in lists], Remark("report.not_empty"))
    return kind.of_values(values)


def _change(fields: Fields, name: str) -> Change:
    numbers = {key: fields.number(key, null=True) for key in ("before", "after", "difference", "low", "high")}
    return Change(name, **numbers, pvalue=fields.number("pvalue", SHARE, null=True), method=fields.text("method"))


def _curve(fields: Fields) -> Curve:
    return Curve("calibration", {key: np.array(fields.numbers(key)) for key in COLUMNS}, "score", "outcome")


def contents_of_decision_curve(result: DecisionCurve) -> dict[str, Any]:
    """The net benefit at every threshold, by model, and the differences."""
    return {
        "settings": {"level": result.level},
        "positive": tagged([result.positive]),
        "rows": result.rows,
        "prevalence": result.prevalence,
        **with_codes({"notes": result.notes}),
        "thresholds": result.thresholds.tolist(),
        "models": {name: _columns(each, ("value", "low", "high")) for name, each in result.models.items()},
        "differences": [
            {"candidate": d.candidate, "baseline": d.baseline, **_columns(d, ("value", "low", "high", "pvalue"))}
            for d in result.differences.values()
        ],
    }


def _columns(each: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: plain([float(f"{x:.8g}") for x in getattr(each, name)]) for name in names}


def restored_of_decision_curve(fields: Fields) -> DecisionCurve:
    """The curves that a document describes."""
    thresholds = np.array(fields.numbers("thresholds", SHARE))
    demand(len(thresholds) > 0, "thresholds", [], Remark("report.not_empty"))
    models = {name: Benefit(*_read(part, len(thresholds), 3)) for name, part in fields.named("models")}
    demand(bool(models), "models", {}, Remark("report.not_empty"))
    names = (*models, "default")
    each = [
        BenefitDifference(
            part.choice("candidate", names), part.choice("baseline", names), *_read(part, len(thresholds), 4)
        )
        for part in fields.parts("differences")
    ]
    return DecisionCurve(
        thresholds, models, {(d.candidate, d.baseline): d for d in each}, fields.number("prevalence", SHARE),
        fields.count("rows"), fields.part("settings").level(), fields.labels("positive")[0], fields.texts("notes"),
    )  # fmt: skip


def _read(fields: Fields, length: int, count: int) -> list[Any]:
    columns = [np.array(fields.numbers(name)) for name in ("value", "low", "high", "pvalue")[:count]]
    for column in columns:
        demand(len(column) == length, fields.where, len(column), Remark("report.so_many", count=length))
    return columns
