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


def down_to_cutoff(kind: str) -> Any:
    """The request to the kernel of a measure with a cutoff and a lowest relevant grade."""
    return lambda k=INF, rel=1.0: (kind, float(k), checked_grade(rel), 0.0)


def _gained(kind: str) -> Any:
    return lambda k=INF, gain="linear": (kind, float(k), 1.0, float(_one_of("gain", gain, GAINS)))


def checked_grade(rel: float) -> float:
    """The smallest relevant grade, if it can be one."""
    if not 0 < rel < INF:
        raise InputError("metrics.not_a_grade", rel=f"{rel:g}")
    return float(rel)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> int:
    if value not in allowed:
        raise InputError("metrics.unknown_value", name=name, value=value, known=allowed)
    return allowed.index(value)


def persistence(kind: str) -> Any:
    """The same by a measure of a user who continues with probability p."""

    def step(k: float = INF, rel: float = 1.0, p: float = 0.8) -> Step:
        if not 0 < p < 1:
            raise InputError("metrics.not_a_persistence", p=f"{p:g}")
        return kind, float(k), checked_grade(rel), p

    return step


def _stopping(k: float = INF, most: float = 0.0) -> Step:
    if not 0 <= most <= 1000:
        raise InputError("metrics.not_a_greatest_grade", most=f"{most:g}")
    return "err", float(k), 1.0, most


def _precisions(k: float = INF, rel: float = 1.0, denominator: str = "relevant") -> Step:
    return "map", float(k), checked_grade(rel), float(_one_of("denominator", denominator, DENOMINATORS))


def step_of(measure: Measure, most: float) -> Step:
    """The request to the kernel; `most` is the highest grade of the judgements."""
    assert measure.metric.step is not None
    kind, k, rel, extra = measure.metric.step(**measure.parameters)
    return kind, k, rel, extra or most if kind == "err" else extra


@metric(title="nDCG",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_gained("ndcg"), aliases=("nDCG",),
        formula="sum({gain} / log2({rank} + 1)) / sum({ideal} / log2({ideal_rank} + 1))",
        reference=Remark("metrics.reference_ndcg"))
def ndcg(v: Array, *, k: float = INF, gain: str = "linear") -> QueryMean:
    """Discounted cumulative gain of the first k documents, divided by that of the best possible order of all judged
    documents.

    Caution: Unjudged documents count as not relevant: with few judgements, good systems can score low.
    """
    return QueryMean.of(v)


@metric(title="DCG",
        over=QueryGains, better="higher", bounds=OPEN, undefined=NO_QUERIES, step=_gained("dcg"), aliases=("DCG",),
        formula="sum({gain} / log2({rank} + 1))")
def dcg(v: Array, *, k: float = INF, gain: str = "linear") -> QueryMean:
    """Sum of the gains of the first k documents, each divided by log2(rank + 1).

    Caution: Queries with many relevant documents score higher than queries with few, in any order.
    """
    return QueryMean.of(v)


@metric(title="ideal DCG",
        over=QueryGains, better="", bounds=OPEN, undefined=NO_QUERIES, step=_gained("idcg"), aliases=("IDCG",),
        formula="sum({ideal} / log2({ideal_rank} + 1))")
def idcg(v: Array, *, k: float = INF, gain: str = "linear") -> QueryMean:
    """Discounted cumulative gain of the best possible order of all judged documents.

    Caution: It depends on the judgements only, not on the run.
    """
    return QueryMean.of(v)


@metric(title="cumulative gain",
        over=QueryGains, better="higher", bounds=OPEN, undefined=NO_QUERIES, step=_gained("cg"), aliases=("CG",),
        formula="sum({gain})")
def cg(v: Array, *, k: float = INF, gain: str = "linear") -> QueryMean:
    """Sum of the gains of the first k documents.

    Caution: It ignores the order: the first document counts the same as the k-th.
    """
    return QueryMean.of(v)


@metric(title="MAP",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_precisions, aliases=("MAP",),
        cutoffs=("ap", "average_precision", "mAP"),
        formula="sum({relevant} * {precision}) / {all_relevant}",
        reference=Remark("metrics.reference_map"))
def map(v: Array, *, k: float = INF, rel: float = 1.0, denominator: str = "relevant") -> QueryMean:
    """Mean average precision: the mean of the precision at the ranks of the relevant documents, 0 for those not
    retrieved.

    Caution: Relevant documents far down the list still count, although users may never see them.
    """
    return QueryMean.of(v)


@metric(title="MRR",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=down_to_cutoff("mrr"),
        aliases=("rr", "recip_rank", "reciprocal_rank"), formula="max({relevant} / {rank})")
def mrr(v: Array, *, k: float = INF, rel: float = 1.0) -> QueryMean:
    """Mean reciprocal rank: 1 / rank of the first relevant document, 0 if there is none.

    Caution: Nothing after the first relevant document counts.
    """
    return QueryMean.of(v)


@metric(title="precision",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=down_to_cutoff("p"),
        cutoffs=("precision",), formula="sum({relevant}) / {k}")
def p(v: Array, *, k: float = INF, rel: float = 1.0) -> QueryMean:
    """Fraction of relevant documents among the first k, divided by k even if fewer were retrieved.

    Caution: A query with fewer than k relevant documents can never reach 1.
    """
    return QueryMean.of(v)


@metric(title="recall",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=down_to_cutoff("recall"),
        cutoffs=("recall", "r"), formula="sum({relevant}) / {all_relevant}")
def recall_at(v: Array, *, k: float = INF, rel: float = 1.0) -> QueryMean:
    """Fraction of the relevant documents that are among the first k.

    Caution: A query with more than k relevant documents can never reach 1.
    """
    return QueryMean.of(v)


@metric(title="success",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=down_to_cutoff("success"),
        aliases=("hit", "hit_rate", "hits"), formula="max({relevant})")
def success(v: Array, *, k: float = INF, rel: float = 1.0) -> QueryMean | Proportion:
    """Fraction of queries with a relevant document among the first k.

    Caution: It ignores how many relevant documents there are, and where.
    """
    whole = np.isin(v, (0.0, 1.0)).all()  # not so where the mean over orders of tied documents is taken
    return Proportion(np.float64(v.sum()), np.float64(len(v))) if whole else QueryMean.of(v)


@metric(title="R-precision",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES,
        step=lambda rel=1.0: ("rprec", INF, checked_grade(rel), 0.0), aliases=("r_precision",),
        formula="sum({relevant} * ({rank} <= {all_relevant})) / {all_relevant}")
def rprec(v: Array, *, rel: float = 1.0) -> QueryMean:
    """R-precision: fraction of relevant documents among the first R, where R is the number of relevant documents.

    Caution: If only one document is relevant, only the first rank counts.
    """
    return QueryMean.of(v)


@metric(title="ERR",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_stopping, aliases=("ERR",),
        formula="sum({reached} * {stopped} / {rank})",
        reference=Remark("metrics.reference_err"))
def err(v: Array, *, k: float = INF, most: float = 0.0) -> QueryMean:
    """Expected reciprocal rank of the document at which a user stops; the user stops at a document with probability
    (2^grade - 1) / 2^most.

    Caution: Do not compare data sets with different grades: the highest grade sets the stopping probability.
    """
    return QueryMean.of(v)


@metric(title="RBP",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=persistence("rbp"), aliases=("RBP",),
        formula="(1 - {p}) * sum({relevant} * {p} ** ({rank} - 1))", reference="Moffat and Zobel (2008)")
def rbp(v: Array, *, k: float = INF, rel: float = 1.0, p: float = 0.8) -> QueryMean:
    """Rank-biased precision: relevant documents seen by a user who continues to the next document with probability p.

    Caution: Always state p: patient and impatient users rank systems differently.
    """
    return QueryMean.of(v)


@metric(title="bpref",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES,
        step=lambda rel=1.0: ("bpref", INF, checked_grade(rel), 0.0),
        reference=Remark("metrics.reference_bpref"),
        formula="sum({relevant} * (1 - {others_above} / {others_bound})) / {all_relevant}")
def bpref(v: Array, *, rel: float = 1.0) -> QueryMean:
    """How rarely documents judged not relevant are ranked above relevant ones; unjudged documents do not count.

    Caution: It is unreliable if few documents are judged not relevant.
    """
    return QueryMean.of(v)
