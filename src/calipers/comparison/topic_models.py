"""Topic models on the same texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from calipers.arguments import refuse_unknown
from calipers.comparison.paired_bootstrap import Model
from calipers.data.batch import Batch
from calipers.errors import InputError
from calipers.evaluation.evaluate_topics import evaluate_topics, topic_settings
from calipers.evaluation.evaluation import Evaluation
from calipers.metrics.calling import AskedMetrics
from calipers.settings import Settings

SHARED, OF_EACH = ("top", "vectorizer"), ("log_likelihood", "tokens")


def read_topic_models(
    texts: Any, models: Mapping[str, Any], metrics: AskedMetrics | None, rules: Mapping[str, Any], level: float,
    seed: int,
) -> tuple[dict[str, Model], Settings]:  # fmt: skip
    """The evaluation of each model on the same documents, which are in the same blocks for all of them."""
    refuse_unknown("evaluate_topics", rules, (*SHARED, *OF_EACH))
    for name in OF_EACH:
        if name in rules and not (isinstance(rules[name], Mapping) and set(rules[name]) == set(models)):
            raise InputError("topics.likelihoods_of_models", name=name, models=list(map(str, models)))
    texts = list(texts) if isinstance(texts, Iterator) else texts  # each model reads them
    evaluations = {}
    for name, topics in models.items():
        options = {each: rules[each] for each in SHARED if each in rules}
        options |= {each: rules[each][name] for each in OF_EACH if each in rules}
        try:
            evaluations[str(name)] = evaluate_topics(topics, texts, metrics, **options, level=level, seed=seed)
        except InputError as error:
            raise InputError("topics.of_model", name=str(name), error=error) from None
    _refuse_other_documents(evaluations)
    # Documents have no truth, and only their number is read: what is paired are the counts of blocks.
    by_name = {name: Model(Batch(ev.schema, np.zeros(ev.rows, np.uint8)), ev) for name, ev in evaluations.items()}
    return by_name, topic_settings(metrics, level=level, seed=seed)


def _refuse_other_documents(evaluations: Mapping[str, Evaluation]) -> None:
    """Vectorizers of models may split texts in different ways: then blocks do not have the same documents."""
    counts = {name: ev.views.topic_texts.counts for name, ev in evaluations.items()}
    first = next(iter(counts.values()))
    for name, each in counts.items():
        if (each.documents != first.documents).any() or (each.tokens != first.tokens).any():
            raise InputError("topics.other_documents", first=next(iter(counts)), second=name)
