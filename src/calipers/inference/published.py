"""Published tests by name, in the place of those that differences have by default."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from calipers.choices import McNemar
from calipers.inference.contrast import Contrast
from calipers.inference.paired import MCNEMAR, WAYS
from calipers.remarks import Remark, code_of, core


def _normal(c: Contrast) -> Contrast:
    return replace(c, df=math.inf, skew=0.0, skew_error=0.0, method=_with_z(c.method))


def _with_z(method: str) -> str:
    if isinstance(method, Remark) and method.code == "inference.grouped":
        return Remark("inference.grouped", method=_with_z(method.values["method"]))
    return Remark("inference.delong_z")


def _textbook(c: Contrast) -> Contrast:
    assert c.rows is not None or c.count is not None
    rows = len(c.rows) if c.count is None and c.rows is not None else c.count
    method = Remark("inference.textbook", method=c.method)
    return replace(c, df=float(rows or 0) - 1.0, skew=0.0, skew_error=0.0, unseen=0.0, method=method)


def _mcnemar(way: McNemar) -> Callable[[Any], Contrast]:
    df = 1.0 if way in ("asymptotic", "corrected") else math.nan
    return lambda c: replace(c, way=way, df=df, method=MCNEMAR[way])


# Published tests by name: the methods of contrasts that can have them, and how these change.
PUBLISHED: dict[str, tuple[tuple[str, ...], Callable[[Any], Contrast]]] = {
    "delong-z": (("inference.delong_t",), _normal),
    "paired-t": (("inference.paired_t", "inference.paired_t_losses"), _textbook),
    **{f"mcnemar-{way}": (tuple(method.code for method in MCNEMAR.values()), _mcnemar(way)) for way in WAYS},
}


def published(name: str, contrast: Contrast) -> Contrast | None:
    """The contrast by a published test of this name; None where it does not fit.

    >>> published("delong-z", Contrast(0.02, 0.01, 9.0, Remark("inference.delong_t"))).df
    inf
    >>> published("delong-z", Contrast(0.02, 0.01, 9.0, Remark("inference.paired_t"))) is None
    True
    """
    methods, change = PUBLISHED[name]
    return change(contrast) if code_of(core(contrast.method)) in methods else None
