"""Formulas over topics and the texts that their words occur in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.blocked import Blocked
from calipers.metrics.over.base import View
from calipers.metrics.topic_words import EPSILON, Likelihood, TopicLists, TopicSupport, TopicWindows
from calipers.metrics.values import Answer, Value, Without
from calipers.metrics.views import Unavailable, Views
from calipers.remarks import Remark
from calipers.statistics.word_counts import DOCUMENT

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.resampling.bootstrap import Acceleration, Bootstrap

Array = npt.NDArray[Any]


class OfTopics(View):
    """What views of topics have in common."""

    section, taken = "Topic models", "topics"
    own_symbols = ("together", "first", "second", "tokens")
    of_topics = True

    def blocked(self, measure: Measure, views: Views, index: int | None) -> Blocked:
        """The value, and what it is without each block of documents."""
        texts = views.topic_texts

        def left_out() -> tuple[Array, Array]:
            with np.errstate(all="ignore"):
                return self.values_at(measure, views, index, texts.each_left_out), texts.block_shares

        return Blocked(float(self.values_at(measure, views, index, texts.every)), left_out)

    def values_at(self, measure: Measure, views: Views, index: int | None, times: Array) -> Array:
        """The measure where each block of documents counts so many times; the last axis of `times` is the blocks."""
        raise NotImplementedError

    def drawn(self, bootstrap: Bootstrap, measure: Measure, value: Value) -> tuple[Array, Acceleration]:
        """Blocks of documents are drawn again, with their counts."""
        of = partial(self.values_at, measure, bootstrap.views, bootstrap.index)
        return bootstrap.of_blocks(of, bootstrap.views.topic_texts.each_left_out)


class OfWindows(OfTopics, over=TopicWindows):
    """How the words of a topic occur together; over all topics, the mean of those with two words."""

    by_topic = True

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of one topic, or the mean of all."""
        topics = views.topic_texts.counts.topics
        missing = views.topic_texts.missing(size_of(measure, views), index)
        short = sum(len(topic) < 2 for topic in topics)
        if (len(topics[index]) < 2) if index is not None else short == len(topics):
            return Answer(Without(np.nan, measure.metric.undefined))
        flags = (Remark("topics.left_out", count=short),) if short and index is None else ()
        return Answer(self.found(measure, views, index), "", (*flags, *missing))

    def found(self, measure: Measure, views: Views, index: int | None) -> Value:
        """The value for inference."""
        return self.blocked(measure, views, index)

    def values_at(self, measure: Measure, views: Views, index: int | None, times: Array) -> Array:
        """The formula of one topic, or the mean over topics."""
        texts, size = views.topic_texts, size_of(measure, views)
        every = range(len(views.topic_texts.counts.topics)) if index is None else (index,)
        several = [topic for topic in every if len(views.topic_texts.counts.topics[topic]) > 1]
        each = (measure.formula(texts.windows(topic, size, times)) for topic in several)
        return np.asarray(sum(each) / len(several))

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """The shares of the windows of a topic; over all topics there are too many."""
        if index is None:
            return {}
        texts = views.topic_texts
        seen = texts.windows(index, size_of(measure, views), texts.every)
        shares = {name: getattr(seen, name) for name in ("together", "first", "second", "similarity")}
        return {**shares, "epsilon": EPSILON}


class OfSupport(OfWindows, over=TopicSupport):
    """Which words of a topic occur together at all, which more documents can only make more."""

    def found(self, measure: Measure, views: Views, index: int | None) -> Value:
        """The value, without an interval."""
        value = self.values_at(measure, views, index, views.topic_texts.every)
        return Without(float(value), Remark("topics.more_documents"), resampled=False)


class OfLists(OfTopics, over=TopicLists):
    """The words of topics, whatever the texts are."""

    by_topic = True

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all topics, or of one against the others."""
        topics = views.topic_texts.counts.topics
        if len(topics) < 2:
            return Answer(Without(np.nan, measure.metric.undefined))
        return Answer(measure.formula(TopicLists(topics, index)))

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """Words and topics counted."""
        lists = TopicLists(views.topic_texts.counts.topics, index)
        return {name: getattr(lists, name) for name in ("topics_with_word", "shared", "either")}


class OfLikelihood(OfTopics, over=Likelihood):
    """What a model says of held-out documents."""

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all documents."""
        counts = views.topic_texts.counts
        if index is not None:
            raise Unavailable(Remark("topics.of_all_topics"))
        if not counts.scored.any():
            raise Unavailable(Remark("topics.no_likelihood"))
        if not counts.scored_tokens.any():
            return Answer(Without(np.nan, measure.metric.undefined))
        return Answer(self.blocked(measure, views, index))

    def values_at(self, measure: Measure, views: Views, index: int | None, times: Array) -> Array:
        """The formula over the sums."""
        return np.asarray(measure.formula(views.topic_texts.likelihood(times)))

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """The sums."""
        seen = views.topic_texts.likelihood(views.topic_texts.every)
        return {"log_likelihood": seen.log_likelihood, "tokens": seen.tokens}


def window_of(measure: Measure) -> int:
    """The size of the windows that a measure looks at; 0 for whole documents."""
    parameters = {**measure.metric.parameters, **measure.parameters}
    return int(parameters.get("window", DOCUMENT))


def size_of(measure: Measure, views: Views) -> int:
    """The size of its windows, which must have been counted."""
    size = window_of(measure)
    if size not in views.topic_texts.counts.sizes:
        raise Unavailable(Remark("topics.window_not_counted", window=size, names=[measure.name]))
    return size
