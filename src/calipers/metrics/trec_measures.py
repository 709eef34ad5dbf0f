"""Measures of rankings that trec_eval and papers on judgements have, and for incomplete judgements."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.errors import InputError
from calipers.metrics.base import metric
from calipers.metrics.left_out import LeftOut
from calipers.metrics.ranking import INF, NO_QUERIES, UNIT, checked_grade, down_to_cutoff, persistence
from calipers.metrics.values import QueryMean
from calipers.remarks import Remark
from calipers.statistics.queries import QueryGains, Step

Array = npt.NDArray[Any]
LEAST = 0.00001  # the smallest average precision in trec_eval: otherwise one query of 0 would make the mean 0
TENTHS = {f"iprec_at_recall_{tenth / 10:.2f}": f"iprec_at_recall(recall={tenth / 10:g})" for tenth in range(11)}


def _whole(kind: str) -> Any:
    """The request to the kernel of a measure of the whole list."""
    return lambda rel=1.0: (kind, INF, checked_grade(rel), 0.0)


def _at_recall(rel: float = 1.0, recall: float = 0.5) -> Step:
    if not 0 <= recall <= 1:
        raise InputError("metrics.not_a_recall", recall=f"{recall:g}")
    return "iprec", INF, checked_grade(rel), float(recall)


def _of_sets(rel: float = 1.0, beta: float = 1.0) -> Step:
    if not 0 < beta < INF:
        raise InputError("metrics.not_a_beta", beta=f"{beta:g}")
    return "set_f", INF, checked_grade(rel), beta**2


@metric(title="geometric MAP",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_whole("map"), aliases=("GMAP",),
        formula="exp(mean(log(maximum({average_precision}, 0.00001))))",
        reference="Robertson 2006, CIKM 78-83; a query of 0 counts as 0.00001, as in trec_eval")
def gm_map(v: Array, *, rel: float = 1.0) -> LeftOut:
    """Geometric mean over queries of their average precision: difficult queries count more than in MAP.

    Caution: Queries without a relevant document found dominate it: each of them counts as 0.00001.
    """
    logs = np.log(np.maximum(v, LEAST))
    value = float(np.exp(logs.mean())) if len(v) else np.nan
    return LeftOut(value, len(v), lambda: np.exp((logs.sum() - logs) / (len(logs) - 1)), "queries")


@metric(title="interpolated precision at recall",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_at_recall, shorthands=TENTHS,
        formula="max({precision} * ({found} >= {needed}))", reference=Remark("metrics.reference_interpolated"))
def iprec_at_recall(v: Array, *, rel: float = 1.0, recall: float = 0.5) -> QueryMean:
    """Highest precision at any rank where this recall is reached; 0 if it is never reached.

    Caution: It can only fall as recall rises, because it looks at all later ranks too.
    """
    return QueryMean.of(v)


@metric(title="11-point average precision",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_whole("eleven"),
        aliases=("11pt_avg", "eleven_point_average"), formula="mean({interpolated})",
        reference=Remark("metrics.reference_interpolated"))
def eleven_point_precision(v: Array, *, rel: float = 1.0) -> QueryMean:
    """Mean of the interpolated precision at the recall levels 0, 0.1, ..., 1.

    Caution: It is not MAP, which has no interpolation; do not compare the two.
    """
    return QueryMean.of(v)


@metric(title="relative precision",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=down_to_cutoff("relative"),
        aliases=("relative_p",), cutoffs=("rprec", "r_precision"),
        formula="sum({relevant}) / minimum({k}, {all_relevant})")
def relative_precision(v: Array, *, k: float = INF, rel: float = 1.0) -> QueryMean:
    """Relevant documents among the first k, divided by the most that can be there: k, or all relevant documents.

    Caution: It is precision for some queries and recall for others, depending on how many documents are relevant.
    """
    return QueryMean.of(v)


@metric(title="F of the retrieved set",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_of_sets,
        formula="(1 + {beta}**2) * sum({relevant}) / ({retrieved} + {beta}**2 * {all_relevant})",
        reference=Remark("metrics.reference_set_f"))
def set_f(v: Array, *, rel: float = 1.0, beta: float = 1.0) -> QueryMean:
    """Weighted harmonic mean of precision and recall of all retrieved documents, in any order.

    Caution: It depends on how many documents were retrieved: use it only if that number was chosen for each query.
    """
    return QueryMean.of(v)


@metric(title="inferred AP",
        over=QueryGains, better="higher", bounds=UNIT, undefined=NO_QUERIES, step=_whole("infap"),
        aliases=("inferred_average_precision",),
        formula="sum({relevant} * (1 + {pooled_above} * {relevant_share_above}) / {rank}) / {all_relevant}",
        reference=Remark("metrics.reference_infap"))
def infap(v: Array, *, rel: float = 1.0) -> QueryMean:
    """Average precision estimated from judgements of a random sample of the pool; documents of the pool that were not
    sampled have a relevance of minus 1.

    Caution: It is only for a random sample of the pool. If all of the pool is judged, it is MAP.
    """
    return QueryMean.of(v)


@metric(title="RBP residual",
        over=QueryGains, better="lower", bounds=UNIT, undefined=NO_QUERIES, step=persistence("residual"),
        formula="(1 - {p}) * sum({unjudged} * {p} ** ({rank} - 1)) + {p} ** {depth}",
        reference="Moffat and Zobel (2008)")
def rbp_residual(v: Array, *, k: float = INF, rel: float = 1.0, p: float = 0.8) -> QueryMean:
    """How much RBP could rise if all unjudged documents, and all below the cutoff, were relevant.

    Caution: It describes the judgements rather than the ranking: a large value means that RBP is not known well.
    """
    return QueryMean.of(v)
