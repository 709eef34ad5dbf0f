"""What lists of recommendations give away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from calipers.findings.base import Number, at_level, rule
from calipers.metrics.exposures import Exposures
from calipers.metrics.views import Unavailable
from calipers.statistics.recommended import RecommendedLists

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

Findings = Iterator[Mapping[str, Number]]
TASK = "recommendation"
SOME = 20  # users
FOUND = 0.99  # of users whose list has all that is relevant for them
SEEN, SERVED, SAME, LIFT = 0.01, 0.95, 0.02, 0.2


def _lists(ev: Evaluation) -> RecommendedLists:
    lists = ev.views.evidence.get(RecommendedLists)
    if lists is None or np.count_nonzero(lists.sizes) < SOME:
        raise Unavailable("too few lists")
    return lists


@rule("warning", TASK, tests=False)
def sampled_candidates(ev: Evaluation) -> Findings:
    """The lists look like sampled candidates: {found:percent} of the lists contain every relevant item of the user,
    although they have only {size} of {items} items. Ranking metrics of sampled candidates are biased.

    Rank all items of the catalogue. With a few sampled negatives per user (1 positive and 99 negatives, for example),
    metrics are too high, and even the order of recommenders can change (Krichene and Rendle 2020).
    """
    lists, gains = _lists(ev), ev.views.queries
    retrieved, relevant = gains.count("retrieved"), gains.count("relevant")
    users = (relevant > 0) & (retrieved > 0)
    if np.count_nonzero(users) < SOME:
        return
    hits = lists.sums(lists.relevant)[lists.tested][users]
    found, size = float(np.mean(hits >= relevant[users])), int(np.median(retrieved[users]))
    alike = float(np.mean(retrieved[users] == size))
    more = float(np.mean(retrieved[users] > relevant[users]))
    if found >= FOUND and alike >= FOUND and more >= FOUND and 2 * size <= len(lists.items):
        yield {"found": found, "size": size, "items": len(lists.items)}


@rule("warning", TASK, tests=False)
def same_items_for_everyone(ev: Evaluation) -> Findings:
    """All users have nearly the same recommendations: two users have {shared:percent} of their first {k:count} items in
    common on average.

    Compare the recommender with a list of the most popular items: it should be better than that. Check that users were
    not mixed up and that the model uses the user at all.
    """
    lists = _lists(ev).first(10)
    personal = Exposures(lists).personalisation.value
    if personal < SAME and lists.sizes.max() < len(lists.items):
        yield {"shared": 1 - personal, "k": int(lists.sizes.max())}


@rule("warning", TASK, tests=False)
def users_without_recommendations(ev: Evaluation) -> Findings:
    """{count} of the {users} users in the truth {count:has|have} no recommendations ({share:percent}).

    State how these users are counted; here missing_users={rule}. A recommender that serves only easy users looks better
    if the others are left out.
    """
    coverage, rules = at_level(ev, "user_coverage", 0.99), ev.settings.ranking
    if coverage.n >= SOME and coverage.high < SERVED and rules is not None:
        count = round((1 - float(coverage)) * coverage.n)
        yield {"count": count, "users": coverage.n, "share": 1 - float(coverage), "rule": rules.missing_queries}


@rule("note", TASK, tests=False)
def seen_items_recommended(ev: Evaluation) -> Findings:
    """{share:percent} of the recommended items ({count} of {total}) were already in the user's own history.

    If users want new items only, remove them with seen="drop": the truth usually cannot contain them, so they only
    take up places in the lists.
    """
    lists = _lists(ev)
    if lists.seen > SEEN * len(lists.codes):
        yield {"share": lists.seen / len(lists.codes), "count": lists.seen, "total": len(lists.codes)}


@rule("note", TASK, tests=False)
def popular_items_preferred(ev: Evaluation) -> Findings:
    """Recommended items are {lift:percent} more popular than the items in the users' own histories (99% confidence
    interval {low:percent} to {high:percent}).

    Also report the ranking metrics for users with unusual histories, and compare with a list of the most popular items.
    """
    lift = at_level(ev, "popularity_lift@10", 0.99)
    if _lists(ev).rows and lift.low > LIFT:
        yield {"lift": float(lift), "low": lift.low, "high": lift.high}
