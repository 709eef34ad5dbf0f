"""The main table of a result as rows of plain values, and as a pandas frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from calipers.comparison.advice import Advice
from calipers.comparison.compare import Comparison
from calipers.comparison.folds_and_datasets import DatasetComparison, FoldComparison
from calipers.comparison.trend import Trend
from calipers.decisions.calibrate import Calibration
from calipers.decisions.decision_curve import DecisionCurve
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.tables import frame_of
from calipers.evaluation.worst_rows import WorstRows
from calipers.gating.gate import GateResult
from calipers.inference.estimate import Estimate
from calipers.inference.power import Power
from calipers.report.explanation import Explanation
from calipers.report.metric_list import MetricList
from calipers.settings import Label
from calipers.validation.bias_variance import BiasVariance
from calipers.validation.bootstrap_validation import BootstrapValidation
from calipers.validation.cluster_selection import ClusterSelection
from calipers.validation.cross_validation import Validation
from calipers.validation.selection import Selection
from calipers.validation.sweep import Sweep

if TYPE_CHECKING:
    import pandas as pd

    from calipers.result import AnyResult

Row = dict[str, Any]
OF_ESTIMATE = ("value", "low", "high", "level", "method", "n", "reason", "flags")
LABELS = ("class",)  # columns of labels, which stay as they are: pandas would turn True beside 1 into 1.0


def to_frame(result: AnyResult) -> pd.DataFrame:
    """The rows of a result as a pandas frame."""
    table = rows(result)
    names = list(table[0]) if table else []
    columns = {name: [row[name] for row in table] for name in names}
    return frame_of(columns, as_they_are=LABELS)


def rows(result: AnyResult) -> list[Row]:
    """The table of a result, every row with the same columns."""
    return next(function for kind, function in ROWS.items() if isinstance(result, kind))(result)


def _of(estimate: Estimate) -> Row:
    e = estimate
    values = float(e), e.low, e.high, e.level, e.method, e.n, e.reason, "; ".join(e.flags)
    return dict(zip(OF_ESTIMATE, values, strict=True))


def evaluation_rows(ev: Evaluation) -> list[Row]:
    """One row per metric: of all rows first (class is None), then of each class, and of each slice, as column=value."""
    parts: list[tuple[Mapping[str, Estimate], Label | None, str | None]] = [(ev, None, None)]
    parts += [(estimates, label, None) for label, estimates in ev.classes.items()]
    parts += [(part, None, f"{column}={value}") for column, values in ev.by.items() for value, part in values.items()]
    sliced = [{"slice": place} if ev.by else {} for _, _, place in parts]  # a column only where there are slices
    every = [
        ({"metric": name, "class": label, **place}, e)
        for (estimates, label, _), place in zip(parts, sliced, strict=True)
        for name, e in estimates.items()
    ]
    summarised = any(e.bracket[0] < e.bracket[1] for _, e in every)  # and these only where some value has a bracket
    names = ("bracket_low", "bracket_high") if summarised else ()
    return [{**what, **_of(e), **dict(zip(names, e.bracket, strict=False))} for what, e in every]


def comparison_rows(comparison: Comparison) -> list[Row]:
    """One row for each metric and pair of models: of all rows, then of each slice, as column=value."""
    table = _differences(comparison)
    if comparison.by:
        table = [{"slice": None, **row} for row in table]
    for column, slices in comparison.by.items():
        for value, part in slices.items():
            table += [{"slice": f"{column}={value}", **row} for row in _differences(part)]
    return table


def _differences(comparison: Comparison) -> list[Row]:
    table = []
    for name in comparison:
        for d in comparison[name].values():
            row = {key: value for key, value in d.__dict__.items() if key != "noninferiority_of_baseline"}
            candidate, baseline = row.pop("measured")
            values = {"value_of_candidate": candidate, "value_of_baseline": baseline}
            table.append({"metric": name, "candidate": d.candidate, "baseline": d.baseline, **values, **row,
                          "verdict": d.verdict})  # fmt: skip
    return table


def fold_comparison_rows(comparison: FoldComparison) -> list[Row]:
    """One row: the difference over folds."""
    chances = ("better", "equal", "worse") if comparison.probabilities is not None else ()
    names = ("difference", "low", "high", "level", "pvalue", "method", "folds", "verdict")
    row = {name: getattr(comparison, name) for name in names}
    return [row | {f"probability_{name}": getattr(comparison.probabilities, name) for name in chances}]


def dataset_comparison_rows(comparison: DatasetComparison) -> list[Row]:
    """One row per model, best first: its mean rank, and its p-value against each other model."""
    order = sorted(comparison.ranks, key=lambda name: comparison.ranks[name])
    both = dict(comparison.pairs) | {(b, a): p for (a, b), p in comparison.pairs.items()}
    return [
        {"model": name, "mean_rank": comparison.ranks[name]}
        | {f"p_against_{other}": both.get((name, other), math.nan) for other in order}
        for name in order
    ]


def gate_rows(result: GateResult) -> list[Row]:
    """One row per check."""
    return [
        {"answer": c.answer, "required": c.required, "value": c.value, "low": c.low, "high": c.high,
         "pvalue": math.nan if c.pvalue is None else c.pvalue, "notes": "; ".join(c.notes)}
        for c in result.checks
    ]  # fmt: skip


def validation_rows(validation: Validation) -> list[Row]:
    """One row per metric: its mean over folds, pooled, of training rows, the gap to them, and each fold's value."""
    pooled, gaps = {} if validation.unpooled else validation.pooled(), validation.gap
    side_columns = {"pooled": pooled, "train": validation.train, "gap": gaps}
    table = []
    for name, average in validation.averaged().items():
        gap, row = gaps.get(name), {"metric": name, **_of(validation[name])}
        del row["flags"]
        row |= {key: float(column[name]) if name in column else math.nan for key, column in side_columns.items()}
        row |= {"gap_low": math.nan if gap is None else gap.low, "gap_high": math.nan if gap is None else gap.high}
        values = zip(validation.folds, average.values.tolist(), strict=True)
        table.append(row | {f"fold_{fold.number}": value for fold, value in values})
    return table


def bootstrap_rows(validation: BootstrapValidation) -> list[Row]:
    """One row per metric: by the method asked for, with its interval, and by each method."""
    return [{"metric": name, **_of(validation[name]), **validation.estimates(name)} for name in validation]


def selection_rows(selection: Selection) -> list[Row]:
    """One row per model: its mean over folds, its value on training rows, and in how many folds it was chosen."""
    return [
        {"model": name, "chosen": name == selection.choice, **_of(c.average.estimate),
         "train": float(c.train_average.estimate), "chosen_in_folds": c.times}
        for name, c in selection.candidates.items()
    ]  # fmt: skip


def cluster_selection_rows(selection: ClusterSelection) -> list[Row]:
    """One row per number of clusters."""
    return [
        {"k": c.k, "chosen": c.k == selection.choice, **{f"silhouette_{k}": v for k, v in _of(c.silhouette).items()},
         **{f"stability_{k}": v for k, v in _of(c.stability).items()}}
        for c in selection.candidates
    ]  # fmt: skip


def sweep_rows(sweep: Sweep) -> list[Row]:
    """One row for each metric at each place of a sweep: `training_rows`, or `param_C` for a parameter called C."""
    axis = sweep.axis if sweep.kind == "learning_curve" else f"param_{sweep.axis}"
    table = []
    for name in sweep:
        columns = {key: values for key, values in sweep.curve(name).items() if key != "at"}
        for at, place in enumerate(sweep.places):
            table.append({"metric": name, axis: place, **{key: values[at] for key, values in columns.items()}})
    return table


def bias_variance_rows(bias_variance: BiasVariance) -> list[Row]:
    """One row for each part of a loss."""
    table = [{"part": name, **_of(e)} for name, e in bias_variance.items()]
    return [{key: value for key, value in row.items() if key != "flags"} for row in table]


def power_rows(answer: Power) -> list[Row]:
    """One row."""
    return [dict(answer.__dict__)]


def advice_rows(answer: Advice) -> list[Row]:
    """One row per reason."""
    return [{"test": answer.test, "call": answer.call, "why": why} for why in answer.why]


def explanation_rows(explanation: Explanation) -> list[Row]:
    """One row per fact, way and definition."""
    parts = {"fact": explanation.facts, "way": explanation.ways, "definition": explanation.definitions}
    return [{"part": part, "name": name, "text": text} for part, pairs in parts.items() for name, text in pairs]


def metric_rows(metrics: MetricList) -> list[Row]:
    """One row per metric."""
    from calipers.report.documents.metric_list import facts

    each = (facts(measure) for measure in metrics.measures)
    return [{k: ", ".join(v) if isinstance(v, list) else v for k, v in row.items()} for row in each]


def worst_rows(worst: WorstRows) -> list[Row]:
    """One row for each, labels of a set as one text."""
    return [{k: ", ".join(map(str, v)) if isinstance(v, tuple) else v for k, v in row.items()} for row in worst.rows()]


def calibration_rows(result: Calibration) -> list[Row]:
    """One row per metric."""
    return [dict(change.__dict__) for change in result.values()]


def decision_curve_rows(result: DecisionCurve) -> list[Row]:
    """One row per model and threshold."""
    return [
        {"model": name, "threshold": t, "net_benefit": value, "low": low, "high": high}
        for name, each in result.items()
        for t, value, low, high in zip(
            *(column.tolist() for column in (result.thresholds, each.value, each.low, each.high)), strict=True
        )
    ]


def trend_rows(trend: Trend) -> list[Row]:
    """One row for each metric of each slice in each period: its estimate, and its difference to the baseline."""
    table = []
    for line in trend.every_line:
        for period in trend.periods:
            d = line.against.get(period.label)
            tests = {
                "difference": d.difference, "difference_low": d.low, "difference_high": d.high, "pvalue": d.pvalue,
                "adjusted": d.adjusted, "outcome": d.outcome,
            } if d is not None else dict.fromkeys(("difference", "difference_low", "difference_high", "pvalue",
                                                   "adjusted"), math.nan) | {"outcome": "baseline"}  # fmt: skip
            part = "" if line.part is None else str(line.part)
            where = {"metric": line.metric, "column": line.column or "", "slice": part}
            table.append({**where, "period": period.label, **_of(line.estimates[period.label]), **tests})
    return table


ROWS: dict[type[AnyResult], Callable[[Any], list[Row]]] = {
    Evaluation: evaluation_rows,
    Comparison: comparison_rows,
    FoldComparison: fold_comparison_rows,
    DatasetComparison: dataset_comparison_rows,
    GateResult: gate_rows,
    Calibration: calibration_rows,
    DecisionCurve: decision_curve_rows,
    Validation: validation_rows,
    BootstrapValidation: bootstrap_rows,
    Selection: selection_rows,
    ClusterSelection: cluster_selection_rows,
    Sweep: sweep_rows,
    BiasVariance: bias_variance_rows,
    Power: power_rows,
    Advice: advice_rows,
    Explanation: explanation_rows,
    MetricList: metric_rows,
    WorstRows: worst_rows,
    Trend: trend_rows,
}
