"""Lists of recommended items: what they cover, how they differ, and how they relate to what users had before.

Ranking metrics (metrics/ranking.py) measure the same lists against the truth of each user.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.base import metric
from calipers.metrics.exposures import Exposures
from calipers.metrics.left_out import LeftOut
from calipers.metrics.values import Proportion, QueryMean
from calipers.remarks import Remark
from calipers.statistics.recommended import RatingErrors, RecommendedLists

Array = npt.NDArray[Any]
INF = float("inf")
UNIT, OPEN, COSINE = (0.0, 1.0), (0.0, INF), (0.0, 2.0)
NO_LISTS, NO_RATED = Remark("recommendation.no_lists"), Remark("recommendation.no_rated_items")
TWO_LISTS, TWO_ITEMS = Remark("recommendation.two_lists"), Remark("recommendation.two_items_per_list")
NO_PROFILES = Remark("recommendation.no_profiles")
# What a first table shows: always; with history=; with items=; with both.
HEADLINE = ("ndcg@10", "recall@10", "p@10", "map@10", "success@10", "user_coverage", "catalogue_coverage@10",
            "exposure_gini@10", "exposure_entropy@10", "personalisation@10")  # fmt: skip
WITH_HISTORY = ("novelty@10", "average_popularity@10", "popularity_lift@10")
WITH_ITEMS, WITH_BOTH = ("intra_list_diversity@10",), ("serendipity@10",)


@metric(title="user coverage", over=RecommendedLists, better="higher", bounds=UNIT, undefined=NO_LISTS,
        formula="{served} / {tested}")
def user_coverage(r: RecommendedLists) -> Proportion:
    """Fraction of the users in the truth who have at least one recommendation.

    Caution: It says nothing about whether the recommendations are good.
    """
    tested = r.sizes[r.tested]
    return Proportion(np.float64(np.count_nonzero(tested)), np.float64(len(tested)))


@metric(title="catalogue coverage", over=Exposures, better="higher", bounds=UNIT, undefined=NO_LISTS,
        aliases=("catalog_coverage", "item_coverage"), formula="sum({exposure} > 0) / {catalogue}",
        reference="Shani and Gunawardana (2011)")
def catalogue_coverage(e: Exposures, *, k: float = INF) -> LeftOut:
    """Fraction of the items of the catalogue that are recommended to at least one user.

    Caution: It grows with the number of users and with k: compare recommenders on the same users.
    """
    return e.coverage


@metric(title="Gini of exposure", over=Exposures, better="lower", bounds=UNIT, undefined=NO_LISTS,
        aliases=("gini_exposure", "gini_index"),
        formula="sum((2 * {place} - {catalogue} - 1) * {sorted_exposure}) / ({catalogue} * sum({exposure}))",
        reference="Shani and Gunawardana (2011)")
def exposure_gini(e: Exposures, *, k: float = INF) -> LeftOut:
    """How unequally the items of the catalogue are recommended: 0 if all are recommended equally often, near 1 if only
    a few are recommended.

    Caution: With fewer recommendations than items it cannot be 0. Items that are never recommended count, so it depends
    on the catalogue.
    """
    return e.gini


@metric(title="entropy of exposure", over=Exposures, better="higher", bounds=OPEN, undefined=NO_LISTS,
        aliases=("distributional_coverage",), formula="-sum({exposure_share} * log2({exposure_share}))",
        reference="Shani and Gunawardana (2011)")
def exposure_entropy(e: Exposures, *, k: float = INF) -> LeftOut:
    """Entropy of the distribution of recommendations over items, in bits: log2(n) if n items are recommended equally
    often.

    Caution: With few users it grows with their number: compare recommenders on the same users.
    """
    return e.entropy


@metric(over=Exposures, better="higher", bounds=UNIT, undefined=TWO_LISTS, aliases=("personalization",),
        formula="1 - mean({list_similarity})")
def personalisation(e: Exposures, *, k: float = INF) -> LeftOut:
    """How much lists differ between users, 1 minus the mean cosine similarity of two lists: 0 if all users have the
    same items, 1 if no two users have an item in common.

    Caution: Random recommendations have a high value.
    """
    return e.personalisation


@metric(title="popularity lift", over=Exposures, better="", bounds=(-1.0, INF), undefined=NO_PROFILES,
        aliases=("delta_gap",), formula="mean({list_popularity}) / mean({history_popularity}) - 1",
        reference="Abdollahpouri et al. (2019)")
def popularity_lift(e: Exposures, *, k: float = INF) -> LeftOut:
    """How much more popular the recommended items are than those in the users' own histories, relative to the latter:
    0 if equally popular.

    Caution: Popularity is counted in the same history. Users without history are left out.
    """
    return e.lift


@metric(title="average popularity", over=RecommendedLists, better="", bounds=UNIT, undefined=NO_LISTS,
        each=lambda e: e.mean_popularity, aliases=("arp",), formula="mean({item_popularity})")
def average_popularity(v: Array, *, k: float = INF) -> QueryMean:
    """Average, over the items of a list, of the fraction of users in the history who have the item.

    Caution: Popular items are often relevant: read it together with a ranking metric.
    """
    return QueryMean.of(v)


@metric(over=RecommendedLists, better="higher", bounds=OPEN, undefined=NO_LISTS, each=lambda e: e.information,
        aliases=("self_information",), formula="mean(-log2({interaction_share}))",
        reference="Castells, Vargas and Wang (2011)")
def novelty(v: Array, *, k: float = INF) -> QueryMean:
    """Average self-information of the items of a list, in bits: -log2 of the item's fraction of the interactions in the
    history.

    Caution: Items that are not in the history are left out. Random recommendations have a high value.
    """
    return QueryMean.of(v)


@metric(title="intra-list diversity", over=RecommendedLists, better="higher", bounds=COSINE, undefined=TWO_ITEMS,
        each=lambda e: e.diversity, aliases=("ild",), formula="1 - mean({pair_similarity})",
        reference="Smyth and McClave (2001)")
def intra_list_diversity(v: Array, *, k: float = INF) -> QueryMean:
    """How different the items of a list are: 1 minus the mean cosine similarity of the features of two items.

    Caution: It depends on the features and on their scale. Random recommendations have a high value.
    """
    return QueryMean.of(v)


@metric(over=RecommendedLists, better="higher", bounds=COSINE, undefined=NO_PROFILES, each=lambda e: e.serendipity,
        formula="mean({relevant_item} * (1 - {history_similarity}))", reference="Zhang et al. (2012)")
def serendipity(v: Array, *, k: float = INF) -> QueryMean:
    """Average, over the items of a list, of 1 minus the mean cosine similarity to the items of the user's history; 0
    for items that are not relevant.

    Caution: Only known relevant items count, so a surprising item that the user would like counts as 0.
    """
    return QueryMean.of(v)


@metric(title="rating MAE", over=RatingErrors, better="lower", bounds=OPEN, undefined=NO_RATED,
        formula="mean(abs({rating_error}))")
def rating_mae(r: Array) -> Any:
    """Mean absolute error of the predicted ratings of the items that a user rated and the recommender scored.

    Caution: Users rate items that they chose, so it says little about the items that a recommender would choose.
    """
    return r[..., 1] / r[..., 0]


@metric(title="rating RMSE", over=RatingErrors, better="lower", bounds=OPEN, undefined=NO_RATED,
        formula="sqrt(mean({rating_error} ** 2))")
def rating_rmse(r: Array) -> Any:
    """Root mean squared error of the predicted ratings of the items that a user rated and the recommender scored.

    Caution: A recommender with a lower RMSE does not necessarily have better lists.
    """
    return np.sqrt(r[..., 2] / r[..., 0])


@metric(title="rating bias", over=RatingErrors, better="", bounds=(-INF, INF), undefined=NO_RATED,
        formula="mean({rating_error})")
def rating_bias(r: Array) -> Any:
    """Mean error of the predicted ratings: above 0 if they are too high.

    Caution: Errors of opposite sign cancel.
    """
    return r[..., 3] / r[..., 0]


@metric(title="rating R²", over=RatingErrors, better="higher", bounds=(-INF, 1.0), undefined=NO_RATED,
        formula="1 - sum({rating_error} ** 2) / sum(({rating} - mean({rating})) ** 2)")
def rating_r2(r: Array) -> Any:
    """Fraction of the variance of the ratings that the predicted ratings explain.

    Caution: It is negative if always predicting the mean rating would be better.
    """
    return 1 - r[..., 2] / (r[..., 5] - r[..., 4] ** 2 / r[..., 0])
