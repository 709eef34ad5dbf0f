"""Measures of rankings under each definition of their name: gains, ideal orders, denominators, ties, empty queries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.choices import MissingQueries, Ties
from calipers.data.rankings import Rankings
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.names import render
from calipers.metrics.ranking import step_of
from calipers.report.definitions import Definition
from calipers.settings import NO_RELEVANT
from calipers.statistics.queries import QueryGains

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

Array = npt.NDArray[Any]
# By what is chosen, then by how ties are broken. Where nothing is tied, a tool's way with ties does not matter.
USERS: dict[str, dict[str, tuple[str, ...]]] = {
    "linear_all": {"id": ("trec_eval", "ir_measures"), "order": ("ranx ndcg",)},
    "exponential_all": {"order": ("ranx ndcg_burges",)},
    "linear_retrieved": {"mean": ("scikit-learn ndcg_score", "torchmetrics RetrievalNormalizedDCG")},
    "exponential_one": {"order": ("LightGBM ndcg",)},
    "by_relevant": {"id": ("trec_eval", "ir_measures"), "order": ("ranx map",)},
    "by_least": {"order": ("LightGBM map",)},
    "by_hits": {"order": ("torchmetrics RetrievalMAP",)},
    "first_relevant": {"id": ("trec_eval recip_rank", "ir_measures RR"), "order": ("ranx mrr",)},
    "first_ten": {"order": ("MS MARCO",)},
    "grade_2": {"id": ("TREC Deep Learning",)},
    "missing_skip": {"id": ("trec_eval without -c", "pytrec_eval")},
}


def of_rankings(ev: Evaluation, measure: Measure) -> list[Definition]:
    """Every definition of a measure of rankings; none where the documents are not kept, or there is one only."""
    ranked, give = None if not ev.is_live else ev.views.rankings, OWN.get(measure.metric.name)
    if ranked is None or give is None:
        return []
    every = [d for d in give(ranked, measure) if not math.isnan(d.value)]
    every += [d for d in _queries(ranked, measure) if not math.isnan(d.value)]
    return every if len(every) > 1 else []


def _gains(ranked: Rankings, measure: Measure) -> Iterator[Definition]:
    """nDCG: of grades or of powers of 2, against the best order of all judged documents or of the retrieved ones."""
    own = _own_pool(ranked)
    for ideal, one in (("all", ranked), ("retrieved", own)):
        for gain in ("linear", "exponential"):
            yield from _over_ties(one, f"{gain}_{ideal}", _with(measure, gain=gain))
    ones = replace(own, rules=replace(own.rules, no_relevant="one"))  # which is LightGBM's way
    yield from _over_ties(ones, "exponential_one", _with(measure, gain="exponential"))


def _precisions(ranked: Rankings, measure: Measure) -> Iterator[Definition]:
    """MAP: divided by the relevant documents, by at most k of them, or by those found."""
    k = float(measure.parameters.get("k", math.inf))
    yield from _over_ties(ranked, "by_relevant", _with(measure, denominator="relevant"))
    if k < math.inf:
        yield from _over_ties(ranked, "by_least", _with(measure, denominator="min"))
    whole = _with(measure, denominator="relevant")
    recall = CATALOGUE[render("recall_at", {n: v for n, v in whole.parameters.items() if n in ("k", "rel")})]
    for rule, read in _orders(ranked):
        if rule == "mean" and k < math.inf:
            continue  # of a tie that the cutoff divides, the mean over orders is no ratio of means
        precisions, hits = (_each(read, m) for m in (whole, recall))
        values = np.divide(precisions, hits, out=np.zeros_like(hits), where=hits != 0)
        yield _definition(ranked, "by_hits", rule, values)
    yield from _graded(ranked, measure)


def _first(ranked: Rankings, measure: Measure) -> Iterator[Definition]:
    """MRR: down to the end or to the tenth document."""
    k = float(measure.parameters.get("k", math.inf))
    own = {math.inf: "first_relevant", 10: "first_ten"}.get(k, "first_cut")
    yield from _over_ties(ranked, own, measure, k=f"{k:g}")
    if k == math.inf:
        yield from _over_ties(ranked, "first_ten", _with(measure, k=10))
    else:
        whole = {name: value for name, value in measure.parameters.items() if name != "k"}
        yield from _over_ties(ranked, "first_relevant", CATALOGUE[render("mrr", whole)])
    yield from _graded(ranked, measure)


def _graded(ranked: Rankings, measure: Measure) -> Iterator[Definition]:
    """Where there are grades, tracks differ in the one from which on a document is relevant."""
    if ranked.most >= 2 and measure.parameters.get("rel", 1) == 1:
        yield from _over_ties(ranked, "grade_2", _with(measure, rel=2))


def _queries(ranked: Rankings, measure: Measure) -> Iterator[Definition]:
    """Queries that the run lacks, or that have no relevant document, under the rules that were not asked for."""
    rules = ranked.rules
    if ranked.missing.any():
        queries: MissingQueries = "skip" if rules.missing_queries == "zero" else "zero"
        yield _one(replace(ranked, rules=replace(rules, missing_queries=queries)), f"missing_{queries}", measure)
    counts = QueryGains.of(ranked, {measure.name: step_of(measure, ranked.most)}).count("relevant")
    if (counts == 0).any():
        for other in (rule for rule in NO_RELEVANT if rule != rules.no_relevant):
            yield _one(replace(ranked, rules=replace(rules, no_relevant=other)), f"no_relevant_{other}", measure)


def _over_ties(ranked: Rankings, key: str, measure: Measure, **placeholders: Any) -> Iterator[Definition]:
    for rule, read in _orders(ranked):
        yield _definition(ranked, key, rule, _each(read, measure), **placeholders)


def _orders(ranked: Rankings) -> Iterator[tuple[str, Rankings]]:
    """The order of the documents, and where some are tied the mean over their orders; the requested one first."""
    own: Ties = "id" if ranked.rules.ties == "id" else "order"
    both: tuple[Ties, ...] = ("mean", own) if ranked.rules.ties == "mean" else (own, "mean")
    for rule in both if ranked.tied is not None else (own,):
        yield rule, replace(ranked, rules=replace(ranked.rules, ties=rule))


def _one(ranked: Rankings, key: str, measure: Measure) -> Definition:
    return Definition(key, _mean(_each(ranked, measure)), _users(key, None))


def _definition(ranked: Rankings, key: str, rule: str, values: Array, **placeholders: Any) -> Definition:
    if ranked.tied is None:
        return Definition(key, _mean(values), _users(key, None), placeholders)
    return Definition(key, _mean(values), _users(key, rule), placeholders, (f"ties_{rule}",))


def _users(key: str, rule: str | None) -> tuple[str, ...]:
    """The tools with this definition; all of them where no rule of ties is named."""
    known = USERS.get(key, {})
    return tuple(user for ties, users in known.items() if rule in (None, ties) for user in users)


def _each(ranked: Rankings, measure: Measure) -> Array:
    return QueryGains.of(ranked, {measure.name: step_of(measure, ranked.most)}).of_measure(measure.name)


def _mean(values: Array) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _with(measure: Measure, **parameters: Any) -> Measure:
    return CATALOGUE[render(measure.metric.name, {**measure.parameters, **parameters})]


def _own_pool(ranked: Rankings) -> Rankings:
    """As if only the retrieved documents had been judged."""
    judged = ~np.isnan(ranked.gains)
    ends = np.concatenate(([0], np.cumsum(judged)))[ranked.starts]
    return replace(ranked, pool_starts=ends, pool=np.ascontiguousarray(ranked.gains[judged]))


OWN: dict[str, Callable[[Rankings, Measure], Iterator[Definition]]] = {
    "ndcg": _gains, "map": _precisions, "mrr": _first,
}  # fmt: skip
