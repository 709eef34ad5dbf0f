"""Thresholds in the shell: a number, the rule that chooses one, or one number for each model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from calipers.cli.usage import WrongUse, WrongValue

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation


class NumberOrRule(click.ParamType):  # type: ignore[type-arg]  # generic only in newer versions
    """A number, or the name of the metric that a threshold is to be best for."""

    name = "NUMBER|METRIC"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        """The number, or the text where it is none."""
        try:
            return float(value)
        except ValueError:
            return str(value)


def check_rule(rule: str) -> None:
    """Refuses a rule that names no metric."""
    from calipers.errors import UnknownName
    from calipers.metrics import named

    try:
        _ = rule == "corner" or named(rule)
    except UnknownName:
        raise WrongUse("cli.not_a_rule", text=rule) from None


def at_best(ev: Evaluation, rule: str, again: Callable[[float], Evaluation]) -> Evaluation:
    """The evaluation at the best threshold for a rule, with a note on what the rule reaches on other rows.

    again: evaluates the rows at a threshold.
    """
    from calipers.errors import InputError
    from calipers.metrics.base import CATALOGUE
    from calipers.remarks import Remark

    best = ev.best_threshold(rule)
    title = CATALOGUE[best.rule].metric.title if best.rule in CATALOGUE else best.rule
    values: dict[str, Any] = {"rule": title, "value": best.value}
    note = Remark("evaluation.threshold_chosen_here", **values)
    try:
        other = best.cross_fitted
        if not math.isnan(other.low):  # the distance to the corner has no interval
            ends = {"low": other.low, "high": other.high, "other": float(other)}
            note = Remark("evaluation.threshold_chosen", **values, **ends, percent=100 * other.level)
    except InputError:  # too few rows to choose on a part of them, or a rule without a value at one threshold
        pass
    chosen = again(float(best))
    return replace(chosen, notes=(*chosen.notes, note))


def of_models(ctx: click.Context, param: click.Parameter, parts: Sequence[str]) -> float | dict[str, float] | None:
    """One number for all models, or MODEL=NUMBER for each."""
    each: dict[str, float] = {}
    for part in parts:
        name, equals, number = part.rpartition("=")
        try:
            each[name if equals else ""] = float(number)
        except ValueError:
            raise WrongValue("cli.not_a_threshold", text=part) from None
    if "" in each and len(each) > 1:
        raise WrongValue("cli.not_a_threshold", text=" ".join(parts))
    return each.get("", each or None)
