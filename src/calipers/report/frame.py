"""Results as rows of a table, and as pandas frames."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from calipers.comparison.compare import Comparison
from calipers.errors import MissingExtra
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.estimate import Estimate
from calipers.settings import Label

if TYPE_CHECKING:
    from calipers.validation.bias_variance import BiasVariance
    from calipers.validation.cross_validation import Validation
    from calipers.validation.sweep import Sweep

COLUMNS = ("metric", "class", "value", "low", "high", "level", "method", "n", "reason", "flags")


def rows(result: Evaluation | Comparison | Validation) -> list[dict[str, Any]]:
    """The table of a result: one row a metric; of a comparison, one for each metric and pair of models."""
    if isinstance(result, Evaluation):
        return evaluation_rows(result)
    return comparison_rows(result) if isinstance(result, Comparison) else folds_rows(result)


def evaluation_rows(ev: Evaluation) -> list[dict[str, Any]]:
    """One row a metric: of all rows first (class is None), then of each class."""
    parts = [(ev, None), *((estimates, label) for label, estimates in ev.classes.items())]
    return [dict(zip(COLUMNS, row, strict=True)) for estimates, label in parts for row in _rows(estimates, label)]


def comparison_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """One row for each metric and pair of models."""
    table = []
    for name in comparison:
        for d in comparison[name].values():
            row = {key: value for key, value in d.__dict__.items() if key != "noninferiority_of_baseline"}
            candidate, baseline = row.pop("measured")
            values = {"value_of_candidate": candidate, "value_of_baseline": baseline}
            table.append({"metric": name, "candidate": d.candidate, "baseline": d.baseline, **values, **row,
                         "verdict": d.verdict})  # fmt: skip
    return table


def to_frame(ev: Evaluation) -> Any:
    """The rows of an evaluation as a pandas frame."""
    pd = _pandas()
    rows = evaluation_rows(ev)
    columns = {name: [row[name] for row in rows] for name in COLUMNS}
    # As objects: pandas would turn None beside integers into NaN, and True beside 1 into 1.0.
    columns["class"] = pd.Series(columns["class"], dtype=object)
    return pd.DataFrame(columns)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise MissingExtra("to_frame() needs pandas: pip install pandas") from None
    return pandas


def _rows(estimates: Mapping[str, Estimate], label: Label | None) -> list[tuple[Any, ...]]:
    return [
        (name, label, float(e), e.low, e.high, e.level, e.method, e.n, e.reason, "; ".join(e.flags))
        for name, e in estimates.items()
    ]


def folds_frame(validation: Validation) -> Any:
    """The rows of a validation as a pandas frame."""
    return _pandas().DataFrame(folds_rows(validation))


def folds_rows(validation: Validation) -> list[dict[str, Any]]:
    """One row a metric: its mean over folds, pooled, of training rows, the gap to them, and its value in each fold."""
    pooled, train, gaps = {} if validation.unpooled else validation.pooled(), validation.train, validation.gap
    side_columns = {"pooled": pooled, "train": train, "gap": gaps}
    table = []
    for name, average in validation.averaged().items():
        e, gap = validation[name], gaps.get(name)
        row = {"metric": name, **dict(zip(COLUMNS[2:-1], _rows({name: e}, None)[0][2:-1], strict=True))}
        row |= {key: float(column[name]) if name in column else math.nan for key, column in side_columns.items()}
        row |= {"gap_low": math.nan if gap is None else gap.low, "gap_high": math.nan if gap is None else gap.high}
        table.append(
            row | {f"fold_{f.number}": v for f, v in zip(validation.folds, average.values.tolist(), strict=True)}
        )
    return table


def sweep_frame(sweep: Sweep) -> Any:
    """One row for each metric at each place of a sweep: `training_rows`, or `param_C` for a parameter called C."""
    pd = _pandas()
    where, parts = sweep.axis if sweep.kind == "learning_curve" else f"param_{sweep.axis}", []
    for name in sweep:
        columns = dict(sweep.curve(name))
        at = pd.Series(list(sweep.places), dtype=object).infer_objects()
        parts.append(pd.DataFrame({"metric": name, where: at, **{k: v for k, v in columns.items() if k != "at"}}))
    return pd.concat(parts, ignore_index=True)


def parts_frame(bias_variance: BiasVariance) -> Any:
    """One row for each part of a loss."""
    rows = [(name, float(e), e.low, e.high, e.level, e.method, e.n, e.reason) for name, e in bias_variance.items()]
    return _pandas().DataFrame(rows, columns=["part", *COLUMNS[2:-1]])
