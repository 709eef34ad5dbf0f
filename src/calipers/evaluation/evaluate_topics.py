"""`evaluate_topics`: the topics of a model in texts, each measure with its interval over documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from calipers.arguments import named_arguments
from calipers.choices import IntervalMethod
from calipers.data import frames
from calipers.data import texts as reading
from calipers.data import topics as topic_lists
from calipers.data.schema import Schema
from calipers.data.texts import Document, TextPart
from calipers.data.topics import Topics, Vocabulary
from calipers.errors import InputError
from calipers.evaluation.evaluate import with_origin
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.of_batch import demand, known_methods, of_evidence, raise_interval_error
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.calling import AskedMetrics
from calipers.metrics.over.topics import window_of
from calipers.settings import Settings, metric_names
from calipers.statistics.combine import Evidence
from calipers.statistics.word_counts import SIZES, WordCounts

TASK = "topics"


@named_arguments
def evaluate_topics(
    topics: Any,
    texts: Any,
    metrics: AskedMetrics | None = None,
    *,
    vectorizer: Any = None,
    top: int | None = None,
    log_likelihood: Any = None,
    tokens: Any = None,
    level: float = 0.95,
    interval: IntervalMethod | Mapping[str, IntervalMethod] | None = None,
    seed: int = 0,
    replicates: int = 1000,
    model: str | None = None,
    source: str | Sequence[str] | None = None,
) -> Evaluation:
    """Evaluate the topics of a topic model: coherence in texts, diversity and overlap, and perplexity.

    - topics: a list of words per topic, the most important word first; a mapping from names to such lists; a model of
      gensim; a model of scikit-learn with vectorizer=, or a pipeline of both; or the path of a file with one topic per
      line.
    - texts: a list of tokens per document, prepared as for the model. An iterable is read once and not kept; the path
      of a file with one document per line works too. With a vectorizer, texts can be strings, which it splits.
    - metrics: the metrics to show; "c_v(window=50)" sets the size of the sliding window.
    - vectorizer: the vectorizer of a scikit-learn model, or the list of its terms.
    - top: how many words of each topic are used; by default 10 of a model, and all of a list.
    - log_likelihood: the natural logarithm of the probability that the model gives to each document, for perplexity.
    - tokens: the number of tokens of each log-likelihood, if the model does not know all words; by default all tokens.
    - level, interval, seed, replicates, model, source: as in `evaluate`. Intervals show the variation over documents;
      they do not include other topics that the model could have found.

    >>> texts = [["cat", "dog", "fur"], ["sun", "moon"], ["dog", "cat"], ["moon", "sun", "sky"]]
    >>> ev = evaluate_topics([["cat", "dog"], ["sun", "moon"]], texts, ["c_npmi", "topic_diversity"])
    >>> float(ev["c_npmi"]), float(ev["topic_diversity"])
    (1.0, 1.0)
    """
    frames.refuse_results((topics, texts), "evaluate_topics(topics, texts)")
    settings = topic_settings(metrics, level=level, interval=interval, seed=seed, replicates=replicates)
    read = topic_lists.read(_from_file(topics), vectorizer, top)
    listed = None if settings.metrics is None else tuple(CATALOGUE[name] for name in settings.metrics)
    for name, column in (("log_likelihood", log_likelihood), ("tokens", tokens)):
        if column is not None and (isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Iterable)):
            raise InputError("topics.not_one_per_document", name=name, value=column)
    documents = _documents(texts, log_likelihood)
    vocabulary = Vocabulary(read.words)
    counts = counted(reading.parts(vocabulary, documents, read.analyzer, tokens), listed)
    return with_origin(of_counts(settings, read, listed, counts), model, source)


def topic_settings(metrics: AskedMetrics | None, **rest: Any) -> Settings:
    """The question, its metrics all of topics."""
    settings = known_methods(Settings(metrics=metric_names(metrics), **rest))
    for measure in (CATALOGUE[name] for name in settings.metrics or ()):
        if not measure.metric.view.of_topics:
            known = [m.name for m in CATALOGUE if m.view.of_topics]
            raise InputError("topics.not_a_metric", metric=str(measure), known=known)
        window = float({**measure.metric.parameters, **measure.parameters}.get("window", 1))
        if not window.is_integer() or window < 1:
            raise InputError("topics.not_a_window", metric=str(measure))
    return settings


def counted(parts: Iterable[TextPart], listed: tuple[Measure, ...] | None = None) -> WordCounts:
    """The counts of all parts, in the windows that the measures look at."""
    sizes = SIZES if listed is None else tuple(sorted({window_of(m) for m in listed}))
    counts = WordCounts.empty()
    for part in parts:
        counts = counts.merge(WordCounts.of(part, sizes))
    if not counts.rows:
        raise InputError("topics.no_texts")
    return counts


def of_counts(
    settings: Settings, topics: Topics, listed: tuple[Measure, ...] | None, counts: WordCounts
) -> Evaluation:
    """The evaluation of topics whose words were counted."""
    schema = Schema(TASK, topics.names)
    measures = _headline(counts) if listed is None else listed
    evaluation = of_evidence(settings, schema, measures, Evidence.holding(counts), notes=topics.notes)
    if listed is not None:
        demand(evaluation)
    raise_interval_error(settings, evaluation)
    return evaluation


def _headline(counts: WordCounts) -> tuple[Measure, ...]:
    """The measures of a first table; perplexity where log-likelihoods are known."""
    shown = [m.with_parameters({}) for m in CATALOGUE if m.headline.get(TASK)]
    return tuple(m for m in shown if m.metric.view.by_topic or counts.scored.any())


def _from_file(topics: Any) -> Any:
    if not isinstance(topics, (str, os.PathLike)):
        return topics
    from calipers.files import texts as files

    return files.topics(topics)


def _documents(texts: Any, likelihoods: Any) -> Iterator[Document]:
    if not isinstance(texts, (str, os.PathLike)):
        return reading.documents(texts, likelihoods)
    from calipers.files import texts as files

    found = files.documents(texts)
    return found if likelihoods is None else reading.documents((each.tokens for each in found), likelihoods)
