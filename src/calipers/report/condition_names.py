"""What metrics with a condition are called, and what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers.metrics.conditions import BestValue
from calipers.metrics.names import number_text

if TYPE_CHECKING:
    from calipers.report.language import Language


def of_best(lang: Language, best: BestValue, what: str) -> str:
    """A text of a metric at the best threshold under a condition: its name, its meaning or its caution."""
    if what == "caution":
        return lang.say("explain.best_caution")
    condition = f"{lang.name(best.other)} {best.condition.op} {lang.local(number_text(best.condition.number))}"
    key = "explain.best_meaning" if what == "meaning" else "report.at_condition"
    return lang.say(key, name=lang.name(best.measure), condition=condition)
