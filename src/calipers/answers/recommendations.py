"""Recommended items: how many users have a relevant one, how users differ, how much of the catalogue is shown."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from calipers.answers.base import Card
from calipers.answers.rankings import spread
from calipers.errors import InputError, UnknownName
from calipers.inference.estimate import Estimate

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

FIRST = 10  # recommendations


def cards(ev: Evaluation) -> Iterator[Card]:
    """Users with a relevant item, the spread over users, and the part of the catalogue that is recommended."""
    hit = _known(ev, f"success@{FIRST}")
    if hit is not None:
        numbers = {"hits": round(hit * ev.rows), "queries": ev.rows, "k": FIRST}
        yield Card("hits", "measured", f"success@{FIRST}", hit, numbers=numbers)
    yield from spread(ev, "users")
    covered = _known(ev, f"catalogue_coverage@{FIRST}")
    if covered is not None:
        yield Card("catalogue", "measured", f"catalogue_coverage@{FIRST}", covered,
                   numbers={"share": float(covered), "k": FIRST})  # fmt: skip


def _known(ev: Evaluation, name: str) -> Estimate | None:
    try:
        found = ev[name]
    except (InputError, UnknownName):
        return None
    return None if math.isnan(found) else found
