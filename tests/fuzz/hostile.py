"""What no caller should pass, and some callers do: odd cells, odd columns, odd options."""

from __future__ import annotations

import datetime
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from draws import Draw, Problem

# Cells that files, databases and notebooks produce where a number or a label is expected.
CELLS: tuple[Callable[[], Any], ...] = (
    lambda: None, lambda: math.nan, lambda: math.inf, lambda: -math.inf, lambda: 1e308, lambda: -1e308, lambda: 5e-324,
    lambda: 1e-58, lambda: 1e200, lambda: -0.0, lambda: 10**400, lambda: -(2**63), lambda: 2**64, lambda: "",
    lambda: "\x00", lambda: "é" * 1000, lambda: "nan", lambda: "None", lambda: "1.0", lambda: "1", lambda: "01",
    lambda: "\ud800", lambda: "‮", lambda: Decimal("0.5"), lambda: Decimal("NaN"), lambda: Fraction(1, 3), lambda: 1j,
    object, lambda: b"x", lambda: bytearray(b"x"), lambda: [1], list, dict, lambda: {1}, lambda: True,
    lambda: np.float32(0.5), lambda: np.float16("inf"), lambda: np.longdouble(0.1), lambda: np.int8(-1),
    lambda: np.str_("x"), lambda: np.datetime64("NaT"), lambda: np.datetime64("2026-01-01"), lambda: pd.NA,
    lambda: pd.NaT,
    lambda: datetime.date(2026, 1, 1), lambda: datetime.timedelta(1), lambda: pd.Interval(0, 1), lambda: (1, 2),
    lambda: int, lambda: len, lambda: ..., lambda: 0.5, lambda: 2, lambda: -1,
)  # fmt: skip


def _broadcast() -> Any:
    return np.broadcast_to(np.array([0.5]), (5,))


def _generator() -> Any:
    return (x for x in (0, 1, 1))


class Refuses:
    """An array-like object whose conversion fails."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("this array stays on the device")

    def __len__(self) -> int:
        return 3


class Lies:
    """A sequence that claims another length than it has."""

    def __len__(self) -> int:
        return 10

    def __getitem__(self, index: int) -> int:
        if index > 2:
            raise IndexError(index)
        return index % 2


# Whole arguments in the place of a column.
WHOLES: tuple[Callable[[], Any], ...] = (
    lambda: None, lambda: 5, lambda: 0.5, lambda: "abc", lambda: "", lambda: b"abc", list, tuple, dict, set, object,
    lambda: [[]], lambda: [[], []], lambda: [[1], [2, 3]], lambda: [[[0, 1]]], lambda: {"a": [1, 2]}, lambda: {1, 2},
    _generator, _broadcast, Refuses, Lies, lambda: np.zeros((2, 0)), lambda: np.zeros((0, 2)), lambda: np.zeros(0),
    lambda: np.array(3), lambda: np.zeros((2, 2, 2)), lambda: range(5), lambda: len, lambda: memoryview(b"\0\1\1"),
    lambda: np.ma.array([0, 1, 1], mask=[0, 1, 0]), lambda: np.array([(0, 1.0)], dtype=[("a", int), ("b", float)]),
    lambda: np.array(["2026-01-01", "NaT"], "datetime64[D]"), lambda: np.array([1, 2], "timedelta64[s]"),
    lambda: np.array([1j, 2]), lambda: np.array([b"a", b"b"]), lambda: np.array([0, 1], ">i4"), lambda: np.eye(3),
    lambda: np.array([0.1, 0.9], np.float16), lambda: np.array([0.1, 0.9], np.longdouble),
    lambda: pd.Series(dtype=object),
    lambda: pd.DataFrame(), lambda: pd.DataFrame({"a": [0, 1]}), lambda: pl.DataFrame({"a": [0, 1], "b": [0.1, 0.9]}),
    lambda: pd.Series([0, 1, None], dtype="Int64"), lambda: pd.Series([True, None], dtype="boolean"),
    lambda: pd.Series([0, 1], index=["x", "x"]), lambda: pd.Series(pd.date_range("2026", periods=3)),
    lambda: pd.cut(pd.Series([1, 2, 3]), 2), lambda: pl.Series([[1], [0, 1]]), lambda: pl.Series([None, None]),
    lambda: pa.array([1, None, 0]), lambda: pa.array(["a", None]), lambda: pa.table({"a": [0, 1]}), lambda: pa.nulls(3),
    lambda: pa.array([[1], []]), lambda: pa.array(["a", "b", "a"]).dictionary_encode(), lambda: pd.Index([0, 1, 1]),
    lambda: np.random.default_rng(0).integers(0, 2, (4, 4)), lambda: [None, None], lambda: [math.nan] * 3,
    lambda: {"a": 1},
    lambda: [lambda: 0], lambda: "predictions.csv",
)  # fmt: skip

DTYPES = ("float16", "float32", ">f8", "<f4", "longdouble", "int8", "uint64", "bool", "U", "S", "object", "complex128")

METHODS = (
    "wilson", "clopper-pearson", "jeffreys", "agresti-coull", "wald", "normal", "t", "delta", "delong", "percentile",
    "basic", "bca", "grouped", "hanley-mcneil", "", "nothing", None,
)  # fmt: skip
NAMES_OF_METRICS = (
    "accuracy", "f1", "f1_macro", "roc_auc", "ece(bins=5)", "ece(bins=inf)", "ece(bins=nan)", "ece(bins=0)",
    "ece(bins=-3)",
    "ece(bins=1e9)", "fbeta(beta=1e200)", "fbeta(beta=0)", "fbeta(beta=-1)", "top_k@2", "top_k@99999999999", "ndcg@10",
    "mae", "r2", "pinball(alpha=2)", "huber(delta=-1)", "tweedie_deviance(power=nan)", "partial_auc(max_fpr=0)", "map",
    "log_loss", "brier", "mcc", "kappa", "cost", "cost(fp=nan)", "hamming_loss", "roc_auc_ovo", "nonsense", "", "f1@",
    "median_ae", "max_error", "adjusted_r2(features=1000)", "agreement_low(share=2)", "hosmer_lemeshow_p", "lr_plus",
)  # fmt: skip
OPTIONS: dict[str, tuple[Any, ...]] = {
    "threshold": (0.0, 1.0, -1, math.nan, math.inf, -math.inf, "x", "0.5", [0.5], None, True, 1j, object()),
    "level": (0, 1, 95, math.nan, 0.5, 1e-12, 1 - 1e-12, 1 - 1e-16, "0.95", None, [0.9], -1),
    "positive": (0, 1, True, "yes", "zzz", None, 1.0, math.nan, [1], object(), b"yes", 2**70),
    "labels": ((0, 1), (1, 0), (0,), (), ("a", "b"), (0, 0), (0, 1, 2, 3), "ab", 5, (None, 1), [[0], [1]], (0, "a"),
    (1.5, 2)),
    "metrics": (*([name] for name in NAMES_OF_METRICS), "", "f1", [], [None], [5], len, {"f1"}, ["f1", "f1"]),
    "missing": ("error", "drop", "skip", None, 1),
    "task": ("binary", "multiclass", "multilabel", "regression", "ranking", "x", "", None, 1),
    "interval": (*METHODS, {"roc_auc": "delong"}, {"f1": "wilson"}, {"zzz": "bca"}, {"f1": None}, ["bca"], 5),
    "seed": (0, 1, -1, 2**63, 2**62, 1.5, None, "x", True, math.nan),
    "replicates": (10, 25, 0, -1, 1.5, None, "x", True),
    "weights": ("w", 1, [1], [-1.0] * 5, [0.0] * 5, [math.nan] * 5, [1e308] * 5, [5e-324] * 5, {"a": 1}, lambda: 1),
    "by": ("region", ["region"], {"r": [1, 2]}, {1: [1]}, {}, [], 5, lambda row: row, {"r": None}, {"": ["a"] * 5}),
    "groups": ("patient", 1, [0] * 5, [None] * 5, [math.nan] * 5, [[1]] * 5, {"a": [1]}, object()),
    "truth": ("y", ["y"], "", 5, None),
    "pred": ("p", ["p"], "", 5, None),
    "score": ([0.1, 0.9], "s", 0.5, [[0.1, 0.9]], [], [None], {"a": [0.1]}, object()),
}  # fmt: skip


def hostile(draw: Draw, case: Problem) -> Problem:
    """The problem with one to three things wrong or odd in it."""
    made = replace(case, options=dict(case.options), ordinary=False)
    for _ in range(draw.integer(1, 3)):
        made = draw.pick(CHANGES)(draw, made)
    return made


def _column(draw: Draw, case: Problem) -> str:
    present = [name for name in ("truth", "pred", "score", "weights") if getattr(case, name) is not None]
    return draw.pick(present) if present else "truth"


def _odd_cell(draw: Draw, case: Problem) -> Problem:
    name = _column(draw, case)
    values = getattr(case, name)
    if not isinstance(values, list) or not values:
        return case
    values = [list(row) if isinstance(row, list) else row for row in values]
    for _ in range(draw.pick((1, 1, 2, len(values)))):
        at, cell = draw.integer(0, len(values) - 1), draw.pick(CELLS)()
        if isinstance(values[at], list) and values[at] and draw.chance(0.8):
            values[at][draw.integer(0, len(values[at]) - 1)] = cell
        else:
            values[at] = cell
    return replace(case, **{name: values})


def _odd_whole(draw: Draw, case: Problem) -> Problem:
    return replace(case, **{draw.pick(("truth", "pred", "score", "weights")): draw.pick(WHOLES)()})


def _odd_length(draw: Draw, case: Problem) -> Problem:
    name = _column(draw, case)
    values = getattr(case, name)
    if not isinstance(values, list):
        return case
    return replace(
        case, **{name: draw.pick((values[:-1], values * 2, values[:1], [], [values], [[v] for v in values]))}
    )


def _odd_dtype(draw: Draw, case: Problem) -> Problem:
    name = _column(draw, case)
    dtype = draw.pick(DTYPES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return replace(case, **{name: np.array(getattr(case, name)).astype(dtype)})
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return case


def _odd_option(draw: Draw, case: Problem) -> Problem:
    name = draw.pick(list(OPTIONS))
    value = draw.pick(OPTIONS[name])
    if name in ("weights", "score"):
        return replace(case, **{name: value})
    return replace(case, options={**case.options, name: value})


def _fewer_options(draw: Draw, case: Problem) -> Problem:
    return replace(case, options={k: v for k, v in case.options.items() if draw.chance(0.5)})


def _extreme_numbers(draw: Draw, case: Problem) -> Problem:
    name, factor = _column(draw, case), draw.pick((1e-300, 1e-58, 1e150, 1e200, 1e307, -1.0, 0.0, math.inf))
    values = getattr(case, name)
    if not isinstance(values, list) or not all(isinstance(v, (int, float)) for v in values):
        return case
    return replace(case, **{name: [v * factor if abs(v) < 2**1023 else v for v in values]})


CHANGES = (_odd_cell, _odd_cell, _odd_whole, _odd_length, _odd_dtype, _odd_option, _odd_option, _odd_option,
           _fewer_options, _extreme_numbers)  # fmt: skip
