"""The documents of a power calculation and of an advice on tests."""

from __future__ import annotations

from typing import Any, get_args

from calipers.comparison.advice import Advice
from calipers.inference.power import Power, Solved
from calipers.remarks import with_codes
from calipers.report.documents.values import SHARE, Fields


def contents_of_power(answer: Power) -> dict[str, Any]:
    """The rows, the difference they see, how often, and what was assumed."""
    names = ("rows", "difference", "power", "given", "solved")
    return {"settings": {"level": answer.level}, **with_codes({name: getattr(answer, name) for name in names})}


def restored_of_power(fields: Fields) -> Power:
    """The calculation that a document describes."""
    difference, often = fields.number("difference", null=True), fields.number("power", SHARE)
    level, given = fields.part("settings").level(), fields.text("given")
    solved: Solved = fields.choice("solved", get_args(Solved)) if "solved" in fields else "rows"
    return Power(fields.count("rows"), difference, often, level, given, solved)


def contents_of_advice(answer: Advice) -> dict[str, Any]:
    """The test, the call and the reasons."""
    return {"settings": {}, **with_codes({"test": answer.test, "call": answer.call, "why": answer.why})}


def restored_of_advice(fields: Fields) -> Advice:
    """The advice that a document describes."""
    return Advice(fields.text("test"), fields.text("call"), fields.texts("why"))
