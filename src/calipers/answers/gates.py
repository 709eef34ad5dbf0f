"""Gates: how many requirements are not met, not decided, and met."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from calipers.answers.base import Card, Number
from calipers.comparison.differences import about
from calipers.gating.checks import FAIL, OPEN, PASS

if TYPE_CHECKING:
    from calipers.gating.gate import GateResult

NAMED = 3  # requirements that a card names


def cards(result: GateResult) -> Iterator[Card]:
    """A card for each answer that was given, what needs attention first."""
    for answer in (FAIL, OPEN, PASS):
        checks = [check for check in result.checks if check.answer == answer]
        if not checks:
            continue
        names = "\n".join(check.required for check in checks[:NAMED])
        numbers: dict[str, Number] = {"count": len(checks), "of": len(result.checks), "names": names}
        numbers["left"] = max(0, len(checks) - NAMED)
        more = [check.more_rows for check in checks if check.more_rows]
        # The number that is enough for the last of them is enough for all.
        if answer == OPEN and len(more) == len(checks):
            numbers |= {"more": about(max(more)), "unit": checks[0].unit}
        yield Card("requirements", answer, numbers=numbers)
