"""Rankings: means over queries of what the order of their documents is worth. The formulas are those of one query.

Symbols: gain and rank of the documents down to the cutoff, relevant (1 from grade `rel` on), all_relevant (how many the
judgements hold); ideal and ideal_rank of all judged documents in their best order.
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from calipers.choices import Denominator, Gain
from calipers.errors import InputError
from calipers.metrics.base import Measure, metric
from calipers.metrics.values import Proportion, QueryMean
from calipers.remarks import Remark
from calipers.statistics.queries import QueryGains, Step

Array = npt.NDArray[Any]
INF = float("inf")
UNIT, OPEN = (0.0, 1.0), (0.0, INF)
NO_QUERIES = Remark("metrics.no_queries")
HEADLINE = ("ndcg@10", "map", "mrr", "p@10", "recall@100", "success@1")
GAINS: tuple[str, ...] = get_args(Gain)
DENOMINATORS: tuple[str, ...] = get_args(Denominator)


def _of(kind: str) -> Any:
    """What the kernel is asked for by a measure with a cutoff and a grade that counts as relevant."""
    return lambda k=INF, rel=1.0: (kind, float(k), _grade(rel), 0.0)


def _gained(kind: str) -> Any:
    return lambda k=INF, gain="linear": (kind, float(k), 1.0, float(_one_of("gain", gain, GAINS)))


def _grade(rel: float) -> float:
    if not 0 < rel < INF:
        raise InputError("metrics.not_a_grade", rel=f"{rel:g}")
    return float(rel)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> int:
    if value not in allowed:
        raise InputError("metrics.unknown_value", name=name, value=value, known=allowed)
    return allowed.index(value)


def _persisting(k: float = INF, rel: float = 1.0, p: float = 0.8) -> Step:
    if not 0 < p < 1:
        raise InputError("metrics.not_a_persistence", p=f"{p:g}")
    return "rbp", float(k), _grade(rel), p


def _stopping(k: float = INF, most: float = 0.0) -> Step:
    if not 0 <= most <= 1000:
        raise InputError("metrics.not_a_greatest_grade", most=f"{most:g}")
    return "err", float(k), 1.0, most


def _precisions(k: float = INF, rel: float = 1.0, denominator: str = "relevant") -> Step:
    return "map", float(k), _grade(rel), float(_one_of("denominator", denominator, DENOMINATORS))


def step_of(measure: Measure, most: float) -> Step:
    """What the kernel is asked for; `most` is the greatest grade that the judgements hold."""
    assert measure.metric.step is not None
    kind, k, rel, extra = measure.metric.step(**measure.parameters)
    return kind, k, rel, extra or most if kind == "err" else extra


@metric(title="nDCG",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_gained("ndcg"), aliases=("nDCG",),
        formula="sum({gain} / log2({rank} + 1)) / sum({ideal} / log2({ideal_rank} + 1))",
        reference=Remark("metrics.reference_ndcg"))
def ndcg(v: Array, *, k: float = INF, gain: str = "linear") -> QueryMean:
    """The discounted gain of the first k documents, as a share of that of the best order of all judged ones.

    Misleads when judgements are few: documents without one count as not relevant, however good they are.
    """
    return QueryMean.of(v)


@metric(title="DCG",
        over=QueryGains, better="higher", bounds=OPEN, undefined=NO_QUERIES, step=_gained("dcg"), aliases=("DCG",),
        formula="sum({gain} / log2({rank} + 1))")
def dcg(v: Array, *, k: float = INF, gain: str = "linear") -> QueryMean:
    """The sum of gains of the first k documents, each divided by log2(rank + 1).

    Misleads when queries differ: one with many relevant documents gains more than one with few, in any order.
    """
    return QueryMean.of(v)


@metric(title="ideal DCG",
        over=QueryGains, better="", bounds=OPEN, undefined=NO_QUERIES, step=_gained("idcg"), aliases=("IDCG",),
        formula="sum({ideal} / log2({ideal_rank} + 1))")
def idcg(v: Array, *, k: float = INF, gain: str = "linear") -> QueryMean:
    """The discounted gain that the best order of all judged documents would have.

    Misleads when read as quality: it depends on the judgements alone, not on the run.
    """
    return QueryMean.of(v)


@metric(title="cumulative gain",
        over=QueryGains, better="higher", bounds=OPEN, undefined=NO_QUERIES, step=_gained("cg"), aliases=("CG",),
        formula="sum({gain})")
def cg(v: Array, *, k: float = INF, gain: str = "linear") -> QueryMean:
    """The sum of gains of the first k documents.

    Misleads when the order matters: the first document counts as much as the k-th.
    """
    return QueryMean.of(v)


@metric(title="mean average precision",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_precisions, aliases=("MAP",),
        cutoffs=("ap", "average_precision", "mAP"),
        formula="sum({relevant} * {precision}) / {all_relevant}",
        reference=Remark("metrics.reference_map"))
def map(v: Array, *, k: float = INF, rel: float = 1.0, denominator: str = "relevant") -> QueryMean:
    """Mean average precision: the mean of precisions at the ranks of the relevant documents, 0 for those not found.

    Misleads when readers look at the first few documents: relevant ones far down still count.
    """
    return QueryMean.of(v)


@metric(title="mean reciprocal rank",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_of("mrr"),
        aliases=("rr", "recip_rank", "reciprocal_rank"), formula="max({relevant} / {rank})")
def mrr(v: Array, *, k: float = INF, rel: float = 1.0) -> QueryMean:
    """Mean reciprocal rank: 1 / rank of the first relevant document, 0 where there is none.

    Misleads when one answer is not enough: nothing after the first relevant document counts.
    """
    return QueryMean.of(v)


@metric(title="precision among the first k",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_of("p"), cutoffs=("precision",),
        formula="sum({relevant}) / {k}")
def p(v: Array, *, k: float = INF, rel: float = 1.0) -> QueryMean:
    """The share of relevant documents among the first k, counted as k also where fewer were retrieved.

    Misleads when a query has fewer than k relevant documents: then no order reaches 1.
    """
    return QueryMean.of(v)


@metric(title="recall among the first k",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_of("recall"),
        cutoffs=("recall", "r"), formula="sum({relevant}) / {all_relevant}")
def recall_at(v: Array, *, k: float = INF, rel: float = 1.0) -> QueryMean:
    """The share of the relevant documents that are among the first k.

    Misleads when a query has more than k relevant documents: then no order reaches 1.
    """
    return QueryMean.of(v)


@metric(title="success among the first k",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_of("success"),
        aliases=("hit", "hit_rate", "hits"), formula="max({relevant})")
def success(v: Array, *, k: float = INF, rel: float = 1.0) -> QueryMean | Proportion:
    """The share of queries with a relevant document among the first k.

    Misleads when one hit is not enough: it does not count how many, nor where.
    """
    whole = np.isin(v, (0.0, 1.0)).all()  # not so where the mean over orders of tied documents is taken
    return Proportion(np.float64(v.sum()), np.float64(len(v))) if whole else QueryMean.of(v)


@metric(title="R-precision",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES,
        step=lambda rel=1.0: ("rprec", INF, _grade(rel), 0.0), aliases=("r_precision",),
        formula="sum({relevant} * ({rank} <= {all_relevant})) / {all_relevant}")
def rprec(v: Array, *, rel: float = 1.0) -> QueryMean:
    """R-precision: the share of relevant documents among the first R, R being how many there are.

    Misleads when few documents are relevant: with one, it only asks whether that one comes first.
    """
    return QueryMean.of(v)


@metric(title="expected reciprocal rank",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_stopping, aliases=("ERR",),
        formula="sum({reached} * {stopped} / {rank})",
        reference=Remark("metrics.reference_err"))
def err(v: Array, *, k: float = INF, most: float = 0.0) -> QueryMean:
    """Expected reciprocal rank at which a reader stops, who stops at a grade with (2^grade - 1) / 2^most.

    Misleads when grades of two data sets differ: the greatest grade decides how surely a reader stops.
    """
    return QueryMean.of(v)


@metric(title="rank-biased precision",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_persisting, aliases=("RBP",),
        formula="(1 - {p}) * sum({relevant} * {p} ** ({rank} - 1))", reference="Moffat and Zobel (2008)")
def rbp(v: Array, *, k: float = INF, rel: float = 1.0, p: float = 0.8) -> QueryMean:
    """Rank-biased precision: relevant documents seen by a reader who goes on to the next with probability p.

    Misleads when p is left unsaid: patient and hasty readers rank systems differently.
    """
    return QueryMean.of(v)


@metric(title="bpref",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES,
        step=lambda rel=1.0: ("bpref", INF, _grade(rel), 0.0),
        reference=Remark("metrics.reference_bpref"),
        formula="sum({relevant} * (1 - {others_above} / {others_bound})) / {all_relevant}")
def bpref(v: Array, *, rel: float = 1.0) -> QueryMean:
    """How rarely documents judged not relevant stand above relevant ones; those without judgement do not count.

    Misleads when few documents are judged not relevant: then hardly anything can stand above a relevant one.
    """
    return QueryMean.of(v)
