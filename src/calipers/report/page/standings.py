"""Which model leads on each metric, and which others cannot be told from it, by the tests of a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from calipers.comparison.differences import EQUIVALENT, OPEN
from calipers.metrics.base import CATALOGUE

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.comparison.differences import Difference

BEST, WORSE, UNKNOWN = "best", "worse", "unknown"
STATES = {OPEN: "open", EQUIVALENT: "equivalent"}


@dataclass(frozen=True)
class Standing:
    """The models on one metric, best first. states: "best" for the first, and what the test against it says of the
    others: "worse", "open", "equivalent" or "unknown"."""

    metric: str
    values: Mapping[str, float]
    states: Mapping[str, str]

    @property
    def leader(self) -> str:
        """The model with the best value."""
        return next(iter(self.states))

    def those(self, *states: str) -> list[str]:
        """The models of these states."""
        return [name for name, state in self.states.items() if state in states]

    @property
    def is_clear(self) -> bool:
        """Whether the leader is better than every other model."""
        return len(self.those(WORSE)) == len(self.states) - 1


def standing(comparison: Comparison, metric: str) -> Standing | None:
    """The models on a metric; None where it does not say what is better, or fewer than two models have it."""
    better = CATALOGUE[metric].metric.better
    values = {name: float(ev[metric]) for name, ev in comparison.models.items()}
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    if not better or len(known) < 2:
        return None
    order = sorted(known, key=lambda name: known[name], reverse=better == "higher")
    rest = [name for name in values if name not in known]
    leader = order[0]
    states = {name: _state(comparison[metric][name, leader], leader) for name in [*order[1:], *rest]}
    return Standing(metric, values, {leader: BEST, **states})


def _state(d: Difference, leader: str) -> str:
    return WORSE if d.winner == leader else STATES.get(d.outcome, "open" if d.winner else UNKNOWN)


def standings(comparison: Comparison, most: int) -> list[Standing]:
    """The standings of the first metrics, the deciding one before the others."""
    names = dict.fromkeys([deciding(comparison), *islice(comparison, most)])
    return [found for name in names if (found := standing(comparison, name)) is not None]


def deciding(comparison: Comparison) -> str:
    """The metric that models are sorted by: the primary one, else the usual one of the task, else the first."""
    if comparison.primary is not None:
        return comparison.primary
    facts = next(iter(comparison.models.values())).schema.facts
    usual = facts.usual_metric(scored="roc_auc" in comparison)
    directed = [m.name for m in comparison.listed if m.metric.better]
    return usual if usual in directed else directed[0] if directed else next(iter(comparison))
