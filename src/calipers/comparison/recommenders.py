"""Recommenders on the same users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from calipers.arguments import refuse_unknown
from calipers.comparison.paired_bootstrap import Model
from calipers.data.recommendations import read
from calipers.errors import InputError
from calipers.evaluation.evaluate_recommendations import Options, of_recommendations, recommendation_settings
from calipers.metrics.calling import AskedMetrics
from calipers.settings import Settings


def read_recommenders(
    truth: Any, recommenders: Mapping[str, Any], metrics: AskedMetrics | None, rules: Mapping[str, Any], level: float,
    seed: int,
) -> tuple[dict[str, Model], Settings]:  # fmt: skip
    """The evaluation of each recommender, all with the users that any of them has, so that lists can be paired.

    A user without a list from one of them has an empty one there.
    """
    refuse_unknown("evaluate_recommendations", rules, [field.name for field in fields(Options)])
    options = Options(**rules)
    settings = recommendation_settings(metrics, options, level=level, seed=seed)
    known, given = options.pairs(truth, "truth"), options.given
    runs: dict[str, Any] = {}
    for name, recommendations in recommenders.items():
        try:
            runs[str(name)] = options.pairs(recommendations, "recommendations")
        except InputError as error:
            raise InputError("recommendation.of_recommender", name=str(name), error=error) from None
    users = tuple({user for run in runs.values() for user in run.user_labels})
    items = tuple({item for run in runs.values() for item in run.item_labels})
    models = {}
    for name, run in runs.items():
        try:
            everything = read(known, run, given, options.how(users, items))
        except InputError as error:
            raise InputError("recommendation.of_recommender", name=name, error=error) from None
        # Of the rankings only the number of users is read: what is paired are the values of users.
        models[name] = Model(everything.rankings, of_recommendations(settings, everything))  # type: ignore[arg-type]
    return models, settings
