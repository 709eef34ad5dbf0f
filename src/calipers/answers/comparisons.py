"""Comparisons: which model leads on each metric, and which others cannot be distinguished from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from calipers.answers.base import Card, Number
from calipers.answers.classes import group_of
from calipers.comparison.differences import EQUIVALENT, OPEN, about
from calipers.inference.estimate import Estimate, Interval
from calipers.metrics.base import CATALOGUE

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.comparison.differences import Difference
    from calipers.tasks import Task

BEST, WORSE, UNKNOWN = "best", "worse", "unknown"
STATES = {OPEN: "open", EQUIVALENT: "equivalent"}
# The metric that answers a question about classes: the first of these that was compared.
USUAL = {
    "ranking": ("roc_auc", "average_precision"), "decisions": ("balanced_accuracy", "f1", "mcc", "accuracy"),
    "probabilities": ("log_loss", "brier", "ece"),
}  # fmt: skip
MOST = 3  # cards


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
    usual = facts.usual_metric(scored=True)  # of labels, the metric of scores is not listed
    directed = [m.name for m in comparison.listed if m.metric.better]
    return usual if usual in directed else directed[0] if directed else next(iter(comparison))


def cards(comparison: Comparison) -> Iterator[Card]:
    """The deciding metric, then one metric of each other question; of numbers and rankings the first metrics."""
    every = (standing(comparison, name) for name in _metrics(comparison))
    for found in islice((found for found in every if found is not None), MOST):
        yield _of_two(comparison, found) if len(found.states) == 2 else _of_many(comparison, found)


def _metrics(comparison: Comparison) -> list[str]:
    facts, first = _facts(comparison), deciding(comparison)
    directed = [m for m in comparison.listed if m.metric.better]
    if not (facts.one_class or facts.label_sets):
        return list(dict.fromkeys([first, *(m.name for m in directed)]))
    chosen = [first]
    for question in USUAL:
        mine = {m.metric.name: m.name for m in directed if group_of(m.metric) == question}
        if question != _group(comparison, first):
            chosen += [mine[name] for name in (*USUAL[question], *mine) if name in mine][:1]
    return chosen


def _facts(comparison: Comparison) -> Task:
    return next(iter(comparison.models.values())).schema.facts


def _group(comparison: Comparison, metric: str) -> str:
    """The question that a metric is about; empty where there are no classes."""
    facts = _facts(comparison)
    return group_of(CATALOGUE[metric].metric) if facts.one_class or facts.label_sets else ""


def _of_two(comparison: Comparison, found: Standing) -> Card:
    """The candidate against the baseline: the paired difference, with 0 as its mark."""
    baseline, candidate = comparison.models
    leader, other = found.states
    d = comparison[found.metric][candidate, baseline]
    numbers: dict[str, Number] = {
        "group": _group(comparison, found.metric), "unit": _facts(comparison).unit, "leader": leader, "other": other,
        "candidate": candidate, "baseline": baseline, "value": found.values[leader], "than": found.values[other],
    }  # fmt: skip
    numbers |= {} if math.isnan(d.adjusted) else {"p": d.adjusted}
    numbers |= {"more": about(d.more_rows)} if d.outcome == OPEN and d.more_rows else {}
    won = "candidate" if leader == candidate else "baseline"
    state = found.states[other]
    estimate = Estimate(
        d.difference, n=comparison.rows, level=d.level, interval=lambda: Interval(d.low, d.high, d.method)
    )
    return Card("compared", won if state == WORSE else state, found.metric, estimate, 0.0, numbers)


def _of_many(comparison: Comparison, found: Standing) -> Card:
    """The best model and its interval, with the value of the second as the mark."""
    worse, level = found.those(WORSE), found.those("open", "equivalent", UNKNOWN)
    leader, second = list(found.states)[:2]
    numbers: dict[str, Number] = {
        "group": _group(comparison, found.metric), "leader": leader, "second": second, "count": len(found.states) - 1,
        "value": found.values[leader], "than": found.values[second], "worse": "\n".join(worse),
        "level": "\n".join(level),
    }  # fmt: skip
    code = "best" if not level else "leads" if worse else "level"
    return Card("compared", code, found.metric, comparison.models[leader][found.metric], found.values[second], numbers)
