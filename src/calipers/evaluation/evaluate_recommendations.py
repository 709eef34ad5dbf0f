"""`evaluate_recommendations`: lists of items for users, each measure with its interval over the users."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from calipers.arguments import named_arguments
from calipers.choices import IntervalMethod, MissingQueries, NoRelevant, Seen, Ties, UnknownItems
from calipers.data import frames
from calipers.data.item_pairs import Coded
from calipers.data.recommendations import Given, Reading, Recommendations, read
from calipers.data.schema import Schema
from calipers.errors import InputError
from calipers.evaluation import recommendation_tables as tables
from calipers.evaluation.estimates import estimate
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.of_batch import known_methods, raise_interval_error
from calipers.metrics.base import CATALOGUE
from calipers.metrics.calling import AskedMetrics
from calipers.metrics.ranking import step_of
from calipers.metrics.recommendation import HEADLINE, WITH_BOTH, WITH_HISTORY, WITH_ITEMS
from calipers.metrics.views import Views
from calipers.remarks import Remark
from calipers.settings import ABSENT, NO_RELEVANT, Label, Rules, Settings, metric_names, number
from calipers.statistics.combine import Evidence
from calipers.statistics.queries import QueryGains
from calipers.statistics.recommended import RatingErrors, RecommendedLists


@named_arguments
def evaluate_recommendations(
    truth: Any,
    recommendations: Any,
    metrics: AskedMetrics | None = None,
    *,
    catalogue: Any = None,
    history: Any = None,
    items: Any = None,
    user: str | None = None,
    item: str | None = None,
    rating: str | None = None,
    score: str | None = None,
    rank: str | None = None,
    min_rating: float | None = None,
    seen: Seen = "keep",
    unknown_items: UnknownItems = "error",
    ties: Ties | None = None,
    missing_users: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
    level: float = 0.95,
    interval: IntervalMethod | Mapping[str, IntervalMethod] | None = None,
    seed: int = 0,
    replicates: int = 1000,
) -> Evaluation:
    """Evaluate the items that users were recommended. Ranking metrics are means over the users with truth; metrics of
    lists use all users with recommendations.

    - truth: the items that each user liked: a data frame or file with the columns user=, item= and optionally rating=
      (found by their usual names), nested dicts {user: {item: rating}}, lists {user: [item, ...]}, or a sparse matrix
      with a row per user and a column per item.
    - recommendations: the same, with score= or rank=; without either, the items of a user are best first.
    - catalogue: the items that could be recommended; by default those of the history, or of truth and recommendations.
    - history: what users had before, in the same forms as truth: for novelty, popularity and serendipity.
    - items: features of the items, for diversity and serendipity: a data frame or file with a column of items, a dict
      {item: vector}, or a matrix with a row per item.
    - min_rating: the lowest rating that counts as relevant; by default, ratings are grades of relevance.
    - seen: recommended items from the user's own history are counted ("keep") or removed ("drop").
    - unknown_items: recommended items outside the catalogue are an "error" or removed ("drop").
    - ties: as in `evaluate_ranking`, by item ID; missing_users: users with truth but without recommendations count as
      "zero", or "skip"; no_relevant: users without a relevant item count as "zero" or "one", or "skip".
    - level, interval, seed, replicates: as in `evaluate`.

    >>> truth = {"ann": ["a", "b"], "bob": ["c"], "cat": ["a"]}
    >>> shown = {"ann": ["a", "d"], "bob": ["a", "c"], "cat": ["b", "d"]}
    >>> ev = evaluate_recommendations(truth, shown, ["recall@2", "catalogue_coverage@2"], catalogue=list("abcdefgh"))
    >>> round(float(ev["recall@2"]), 3), float(ev["catalogue_coverage@2"])
    (0.5, 0.5)
    """
    frames.refuse_results((truth, recommendations), "evaluate_recommendations(truth, recommendations)")
    rules = {
        "catalogue": catalogue, "history": history, "items": items, "user": user, "item": item, "rating": rating,
        "score": score, "rank": rank, "min_rating": min_rating, "seen": seen, "unknown_items": unknown_items,
        "ties": ties, "missing_users": missing_users, "no_relevant": no_relevant,
    }  # fmt: skip
    how: dict[str, Any] = {"level": level, "interval": interval, "seed": seed, "replicates": replicates}
    return evaluate_with(truth, recommendations, metrics, rules, **how)


def evaluate_with(
    truth: Any, recommendations: Any, metrics: AskedMetrics | None, rules: Mapping[str, Any], **rest: Any
) -> Evaluation:
    """The evaluation with these options; rest: level, interval, seed and replicates."""
    options = Options(**rules)
    settings = recommendation_settings(metrics, options, **rest)
    known, shown = options.pairs(truth, "truth"), options.pairs(recommendations, "recommendations")
    return of_recommendations(settings, read(known, shown, options.given, options.how()))


@dataclass(frozen=True)
class Options:
    """The arguments of `evaluate_recommendations` that say what is known and how it is read."""

    catalogue: Any = None
    history: Any = None
    items: Any = None
    user: str | None = None
    item: str | None = None
    rating: str | None = None
    score: str | None = None
    rank: str | None = None
    min_rating: float | None = None
    seen: Seen = "keep"
    unknown_items: UnknownItems = "error"
    ties: Ties | None = None
    missing_users: MissingQueries = "zero"
    no_relevant: NoRelevant = "zero"
    reading: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, known in (("seen", get_args(Seen)), ("unknown_items", get_args(UnknownItems)),
                            ("missing_users", ABSENT)):  # fmt: skip
            if getattr(self, name) not in [*known]:
                raise InputError("recommendation.unknown_choice", name=name, value=getattr(self, name), known=[*known])
        if self.min_rating is not None:
            object.__setattr__(self, "min_rating", number("min_rating", self.min_rating))

    @property
    def rules(self) -> Rules:
        """The rules of the ranking of each user."""
        return Rules(self.ties, "zero", self.missing_users, self.no_relevant)

    def how(self, users: tuple[Label, ...] = (), items: tuple[Label, ...] = ()) -> Reading:
        """How recommendations are read, beside others of these users and items."""
        return Reading(self.rules, self.min_rating, self.seen, self.unknown_items, users, items)

    def pairs(self, value: Any, name: str) -> Coded:
        """Truth, recommendations or history as codes."""
        return tables.pairs(value, name, self._named, self.reading)

    @property
    def given(self) -> Given:
        """Catalogue, history and features of items as they are read."""
        catalogue = self.catalogue
        if isinstance(catalogue, os.PathLike) or (isinstance(catalogue, str) and os.path.isfile(catalogue)):
            catalogue = tables.items_of_file(catalogue, self._named, self.reading)
        history = None if self.history is None else self.pairs(self.history, "history")
        items = None if self.items is None else tables.features(self.items, self._named, self.reading)
        return Given(catalogue, history, items)

    @property
    def _named(self) -> dict[str, str]:
        columns = ((name, getattr(self, name)) for name in ("user", "item", "rating", "score", "rank"))
        return {name: column for name, column in columns if column is not None}


def recommendation_settings(metrics: AskedMetrics | None, options: Options, **rest: Any) -> Settings:
    """The question, its metrics all of rankings or of lists."""
    settings = known_methods(Settings(metrics=metric_names(metrics), ranking=options.rules, **rest))
    for name in settings.metrics or ():
        view = CATALOGUE[name].metric.view
        if not view.of_queries and not view.of_lists:
            measured = (m.name for m in CATALOGUE if m.view.of_queries or m.view.of_lists)
            known = [f"{name.removesuffix('_at')}@k" if name.endswith("_at") else name for name in measured]
            raise InputError("recommendation.not_of_lists", metric=name, known=known)
        if not view.of_lists:
            step_of(CATALOGUE[name], 0.0)  # a parameter that is not known is refused before anything is read
    return settings


def of_recommendations(settings: Settings, known: Recommendations) -> Evaluation:
    """The evaluation of recommendations that were read."""
    listed = tuple(CATALOGUE[name] for name in settings.metrics or _usual(known))
    steps = {m.name: step_of(m, known.rankings.most) for m in listed if not m.metric.view.of_lists}
    gains = QueryGains.of(known.rankings, steps)
    evidence = Evidence.holding(gains, RecommendedLists.of(known), RatingErrors.of(known))
    settings = replace(settings, ranking=known.rankings.rules)
    schema = Schema("recommendation", scored=True, ranking=settings.ranking)
    views = Views(evidence, schema, rankings=known.rankings)
    evaluation = Evaluation(views, settings, listed, schema=schema, notes=_notes(settings, known, gains),
                            rows=gains.rows)  # fmt: skip
    if settings.metrics is not None:
        for measure in listed:
            evaluation.known[measure.name] = estimate(
                measure, views, settings, strict=True, bootstrap=evaluation._bootstrap
            )
    raise_interval_error(settings, evaluation)
    return evaluation


def _usual(known: Recommendations) -> tuple[str, ...]:
    """The metrics of a first table: those of lists need what was given."""
    past, features = bool(len(known.popularity)), bool(known.vectors.size)
    more = (*(WITH_HISTORY if past else ()), *(WITH_ITEMS if features else ()))
    return (*HEADLINE, *more, *(WITH_BOTH if past and features else ()))


def _notes(settings: Settings, known: Recommendations, gains: QueryGains) -> tuple[str, ...]:
    rules = settings.ranking
    assert rules is not None
    notes = list(known.notes)
    if missing := int(gains.missing.sum()):
        rule = ABSENT[rules.missing_queries]
        notes.append(Remark("recommendation.without_list", count=missing, rule=rule))
    if known.rankings.unknown:
        notes.append(Remark("recommendation.without_truth", count=known.rankings.unknown))
    if empty := int((gains.count("relevant") == 0).sum()):
        rule = NO_RELEVANT[rules.no_relevant]
        notes.append(Remark("recommendation.without_relevant", count=empty, rule=rule))
    if known.grades > 1:
        notes.append(Remark("recommendation.ratings_as_grades", highest=known.grades))
    return tuple(notes)
