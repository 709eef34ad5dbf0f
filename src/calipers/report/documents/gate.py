"""The document of a gate: the verdict, what it counts as, and every check."""

from __future__ import annotations

from typing import Any, get_args

from calipers.choices import Inconclusive
from calipers.gating.checks import FAIL, OPEN, PASS, Check
from calipers.gating.gate import GateResult
from calipers.remarks import Remark, with_codes
from calipers.report.documents.values import SHARE, Fields, demand

AGAINST = ("", "paired", "unpaired")
UNITS = ("rows", "queries", "users")


def contents(result: GateResult) -> dict[str, Any]:
    """The settings, the verdict and the checks."""
    return {
        "settings": {"level": result.level, "inconclusive": result.inconclusive},
        "verdict": result.verdict,
        "outcome": result.outcome,
        "rows": result.rows,
        "fail_level": result.fail_level,
        **with_codes({"notes": result.notes}),
        "checks": [check.to_dict() for check in result.checks],
    }


def restored(fields: Fields) -> GateResult:
    """The gate that a document describes; its verdict follows from its checks."""
    settings = fields.part("settings")
    result = GateResult(
        tuple(map(_check, fields.parts("checks"))),
        fields.count("rows"),
        settings.level(),
        fields.level("fail_level"),
        fields.texts("notes"),
        settings.choice("inconclusive", (None, *get_args(Inconclusive))),
    )
    for name in ("verdict", "outcome"):
        value = fields.value(name)
        demand(value == getattr(result, name), name, value, Remark("report.as_the_checks"))
    return result


def _check(fields: Fields) -> Check:
    value, low, high = (fields.number(name, null=True) for name in ("value", "low", "high"))
    demand(not low > high, fields.where, [low, high], Remark("report.bounds_in_order"))
    against, without = fields.choice("against", AGAINST), fields.value("pvalue") is None
    return Check(
        fields.text("required"),
        fields.choice("answer", (PASS, FAIL, OPEN)),
        value,
        low,
        high,
        fields.level(),
        fields.count("n"),
        fields.text("method"),
        None if fields.value("more_rows") is None else fields.count("more_rows"),
        fields.texts("notes"),
        against,
        None if without and against != "paired" else fields.number("pvalue", SHARE, null=True),
        fields.choice("unit", UNITS),
    )
