"""Recommendations, checked and in rank order: a ranking of the users with truth, and the lists of all users."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.choices import Seen, UnknownItems
from calipers.data import item_facts, labels
from calipers.data.item_facts import Features, History
from calipers.data.item_pairs import ByUser, Coded, Places, Pool, refuse_repeated
from calipers.data.rankings import Rankings
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.settings import Label, Rules

Array = npt.NDArray[Any]


PLAIN = Rules()


class Given(NamedTuple):
    """What is known besides the truth and the recommendations."""

    catalogue: Any = None
    history: Coded | None = None
    features: Features | None = None


@dataclass(frozen=True)
class Reading:
    """How recommendations are read.

    min_rating: the lowest rating that counts as relevant; None takes ratings as grades. users: those of all
    recommenders that are compared, so that their lists are of the same users; items: the items that these recommend.
    """

    rules: Rules = PLAIN
    min_rating: float | None = None
    seen: Seen = "keep"
    unknown_items: UnknownItems = "error"
    users: tuple[Label, ...] = ()
    items: tuple[Label, ...] = ()


@dataclass(frozen=True, eq=False)
class Recommendations:
    """What was read. The lists are those of `users`, the first of whom are the users of the rankings.

    codes: recommended items as places in `items`, the catalogue. rated: the place of the user, the rating and the score
    of the pairs that have both; None without ratings or scores. The rest as in `RecommendedLists`.
    """

    rankings: Rankings
    users: tuple[Label, ...]
    items: tuple[Label, ...]
    starts: Array
    codes: Array
    relevant: Array
    popularity: Array
    history_users: int
    profile: Array
    vectors: Array
    taste: Array
    seen: int
    rated: tuple[Array, Array, Array] | None
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.rankings)

    @property
    def grades(self) -> float:
        """The greatest relevance; above 1 where ratings are grades."""
        return self.rankings.most


def read(truth: Coded, run: Coded, given: Given, how: Reading) -> Recommendations:
    """Truth and recommendations in rank order; raises an error for pairs that cannot be evaluated."""
    for pairs in (truth, run):
        if not len(pairs):
            raise InputError("recommendation.no_pairs", name=pairs.name)
    if set(truth.user_labels).isdisjoint(run.user_labels):
        examples = [list(map(repr, pairs.user_labels[:3])) for pairs in (truth, run)]
        raise InputError("recommendation.no_common_user", truth=examples[0], recommendations=examples[1])
    past, tested = given.history, len(truth.user_labels)
    users = Places((*truth.user_labels, *_beyond(truth.user_labels, run.user_labels, how.users)))
    catalogue, source = item_facts.catalogue(given.catalogue, truth, run, past, how.items)
    notes = [Remark("recommendation.catalogue_size", items=len(catalogue), source=source)]
    run, left = _in_catalogue(run, catalogue, how)
    notes += [Remark("recommendation.unknown_items_dropped", count=left)] if left else []
    outside = len(set(truth.item_labels).difference(catalogue))
    notes += [Remark("recommendation.truth_outside_catalogue", items=outside)] if outside else []
    # The catalogue first: what is in it has the same code in both.
    before = () if past is None else past.item_labels
    items = Places((*catalogue, *_beyond(catalogue, truth.item_labels, before)))
    truth, run = truth.among(users, items), run.among(users, items)
    history, shelves, dropped = None, None, 0
    if past is not None:
        history = History.of(past.among(Places(past.user_labels), items), len(items.labels))
        notes += [Remark("recommendation.history_repeated", count=history.repeated)] if history.repeated else []
        past = history.pairs.among(users, items)
        shelves = ByUser.of(past)
        if how.seen == "drop":
            truth, run, dropped = _without_seen(truth, run, shelves)
            notes += [Remark("recommendation.seen_drop", count=dropped)] if dropped else []
    ranked, lists = _ranked(truth, run, tested, how)
    codes, seen = run.items[lists.order], 0
    if shelves is not None and how.seen == "keep":
        seen = int(np.count_nonzero(shelves.has_lists(lists.starts, codes)))
        notes += [Remark("recommendation.seen_keep", count=seen)] if seen else []
    known = _Known(users.labels, catalogue, history, past, given.features)
    return _described(ranked, lists, codes, known, truth, run, seen, tuple(notes))


def _beyond(known: tuple[Label, ...], *others: tuple[Label, ...]) -> list[Label]:
    """The labels that only others have, in order; labels of different types are an error."""
    every: set[Label] = set().union(*others)
    every.difference_update(known)
    return [] if not every else sorted(set(labels.union(*others)).difference(known))


def _in_catalogue(run: Coded, catalogue: tuple[Label, ...], how: Reading) -> tuple[Coded, int]:
    """The recommendations of items of the catalogue, and how many others were left out."""
    known = set(catalogue)
    if known.issuperset(run.item_labels):
        return run, 0
    unknown = np.array([item not in known for item in run.item_labels])
    rows = unknown[run.items]
    if how.unknown_items == "error":
        row = int(rows.argmax())
        raise InputError("recommendation.unknown_items", count=int(rows.sum()), row=row, **run.quoted(row))
    if rows.all():
        raise InputError("recommendation.all_unknown", name=run.name)
    return run.take(~rows), int(rows.sum())


def _without_seen(truth: Coded, run: Coded, shelves: ByUser) -> tuple[Coded, Coded, int]:
    """Truth and recommendations without what a user had in the history, and how many recommendations it was."""
    seen = shelves.has(run)
    truth, run = truth.take(~shelves.has(truth)), run.take(~seen)
    if not len(truth) or not len(run):
        raise InputError("recommendation.all_seen")
    return truth, run, int(np.count_nonzero(seen))


class _Lists(NamedTuple):
    """The items of each user, best first: row of each, relevance (NaN if not in the truth) and rating."""

    starts: Array
    order: Array
    grades: Array
    ratings: Array
    scores: Array


def _ranked(truth: Coded, run: Coded, tested: int, how: Reading) -> tuple[Rankings, _Lists]:
    """The lists of all users, and the ranking of those with truth."""
    if truth.numbers is None and how.min_rating is not None:
        raise InputError("recommendation.no_ratings", value=how.min_rating)
    ratings = np.ones(len(truth)) if truth.numbers is None else truth.numbers
    if np.isnan(ratings).any():
        raise InputError("recommendation.rating_missing", row=int(np.isnan(ratings).argmax()))
    if how.min_rating is None and (ratings < 0).any():
        row = int((ratings < 0).argmax())
        raise InputError("recommendation.rating_negative", row=row, value=float(ratings[row]))
    scores = -np.arange(len(run), dtype=np.float64) if run.numbers is None else np.ascontiguousarray(run.numbers)
    if np.isnan(scores).any():
        raise InputError("recommendation.score_of_item_missing", count=int(np.isnan(scores).sum()),
                         **run.quoted(int(np.isnan(scores).argmax())))  # fmt: skip
    rules = replace(how.rules, ties="order" if run.in_order else how.rules.ties or "id")
    pool = Pool.of(truth, ratings)
    by_id = rules.ties == "id"
    starts, found, tied, ties, again, order, _ = _native.rank_rows(
        run.users, len(run.user_labels), scores, run.ids, by_id, None, pool.judgements, True
    )
    refuse_repeated(run, again)
    grades, judged = (_graded(numbers, how.min_rating) for numbers in (found, pool.numbers))
    end = starts[tested]
    ranked = Rankings(
        run.user_labels[:tested], starts[: tested + 1], grades[:end], tied[:end] if ties else None,
        pool.starts[: tested + 1], judged, np.diff(starts[: tested + 1]) == 0, rules,
        len(run.user_labels) - tested,
    )  # fmt: skip
    return ranked, _Lists(starts, order, grades, found, scores)


def _graded(ratings: Array, least: float | None) -> Array:
    """Relevance: the ratings themselves, or 1 from the lowest relevant rating on."""
    if least is None:
        return ratings
    return np.where(np.isnan(ratings), np.nan, (ratings >= least).astype(np.float64))


class _Known(NamedTuple):
    """Users, items and what is known about them."""

    users: tuple[Label, ...]
    catalogue: tuple[Label, ...]
    history: History | None
    past: Coded | None
    features: Features | None


def _described(
    ranked: Rankings, lists: _Lists, codes: Array, known: _Known, truth: Coded, run: Coded, seen: int,
    notes: tuple[str, ...],
) -> Recommendations:  # fmt: skip
    """Everything that was read, with what is known about the items."""
    users, catalogue, history, past, features = known
    none, vectors, taste = np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0))
    if features is not None:
        used = [catalogue[code] for code in np.flatnonzero(np.bincount(codes)).tolist()]
        vectors = features.vectors(run.item_labels, used)
        taste = taste if past is None else item_facts.tastes(past, len(users), vectors)
    rated = None
    if truth.numbers is not None and run.numbers is not None and not run.in_order:
        both = np.flatnonzero(~np.isnan(lists.ratings))
        at = np.searchsorted(lists.starts, both, side="right") - 1
        rated = at, lists.ratings[both], lists.scores[lists.order[both]]
    return Recommendations(
        ranked,
        users,
        catalogue,
        lists.starts,
        codes,
        lists.grades >= 1,
        none.astype(np.int64) if history is None else history.popularity[: len(catalogue)],
        0 if history is None else history.users,
        none if history is None or past is None else history.profile(past, len(users)),
        vectors[: len(catalogue)],
        taste,
        seen,
        rated,
        notes,
    )
