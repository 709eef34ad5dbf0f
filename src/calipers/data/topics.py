"""Topics: lists of words, or a model that has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.cached import lazy
from calipers.errors import InputError
from calipers.remarks import Remark

Array = npt.NDArray[Any]
SHOWN = 3  # words in the name of a topic that has no name of its own
TOP = 10  # words of a topic that are read from a model, as Röder et al. (2015) take them


@dataclass(frozen=True)
class Topics:
    """The words of each topic, the most important first; no word is twice in a topic.

    names: what the topics are called. notes: how they were read. analyzer: splits a text into tokens as the model's
    vectorizer does; None where there is none.
    """

    words: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    analyzer: Callable[[str], list[str]] | None = None


@dataclass(frozen=True)
class Vocabulary:
    """The words of topics and the pairs of words that are in one topic: what is counted in texts."""

    topics: tuple[tuple[str, ...], ...]

    @lazy
    def words(self) -> tuple[str, ...]:
        """Every word of a topic once, sorted."""
        return tuple(sorted({word for topic in self.topics for word in topic}))

    @lazy
    def codes(self) -> dict[str, int]:
        """The code of each word."""
        return {word: code for code, word in enumerate(self.words)}

    @lazy
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Every pair of words of one topic once, as codes, sorted."""
        coded = (sorted(self.codes[word] for word in topic) for topic in self.topics)
        return tuple(sorted({(a, b) for codes in coded for i, a in enumerate(codes) for b in codes[i + 1 :]}))

    @lazy
    def partners(self) -> tuple[Array, Array]:
        """Where the pairs of each word begin, and the second words of the pairs."""
        first, second = np.array(self.pairs, np.int64).reshape(-1, 2).T
        return np.searchsorted(first, np.arange(len(self.words) + 1)), np.ascontiguousarray(second)

    @lazy
    def columns(self) -> tuple[Array, ...]:
        """For each topic, where the counts of its words (on the diagonal) and of its pairs of words are in a row of
        counts: windows, then words, then pairs.
        """
        places = {pair: 1 + len(self.words) + at for at, pair in enumerate(self.pairs)}
        tables = []
        for topic in self.topics:
            codes = [self.codes[word] for word in topic]
            table = [[1 + a if a == b else places[min(a, b), max(a, b)] for b in codes] for a in codes]
            tables.append(np.array(table, np.intp))
        return tuple(tables)

    @property
    def width(self) -> int:
        """How many counts there are: of windows, words and pairs."""
        return 1 + len(self.words) + len(self.pairs)


def read(topics: Any, vectorizer: Any = None, top: int | None = None) -> Topics:
    """Topics as lists of words, a mapping from names to them, a model of gensim, or one of scikit-learn with its
    vectorizer.

    >>> read([["cat", "dog"], ["sun", "moon"]]).words
    (('cat', 'dog'), ('sun', 'moon'))
    """
    if top is not None and (isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1):
        raise InputError("topics.not_a_number_of_words", value=top)
    steps = getattr(topics, "steps", None)
    if isinstance(steps, list) and len(steps) > 1:  # a pipeline of a vectorizer and a decomposition
        vectorizer, topics = vectorizer or steps[0][1], steps[-1][1]
    analyzer = None
    if hasattr(topics, "components_"):
        if vectorizer is None:
            raise InputError("topics.no_vectorizer", kind=type(topics).__name__)
        listed = _most_weighted(topics.components_, _terms(vectorizer), top or TOP)
    elif hasattr(topics, "get_topics") and not isinstance(topics, type):
        listed = _of_model(topics, top)
    else:
        listed = topics
    if vectorizer is not None:
        analyzer = _analyzer(vectorizer)
    named = _named(listed)
    words, notes = [], []
    for name, topic in named:
        kept, twice = _words(name, topic)
        words.append(kept[:top])
        notes += [Remark("topics.word_twice", topic=name, words=twice)] if twice else []
    names = tuple(name for name, _ in named)
    if len(set(names)) < len(names):
        raise InputError("topics.name_twice", name=next(name for name in names if names.count(name) > 1))
    if not isinstance(listed, Mapping):
        names = tuple(f"{name}: {' '.join(topic[:SHOWN])}" for name, topic in zip(names, words, strict=True))
    return Topics(tuple(words), names, tuple(notes), analyzer)


def _terms(vectorizer: Any) -> list[str]:
    if isinstance(vectorizer, (list, tuple, np.ndarray)):
        return [str(term) for term in vectorizer]
    if not hasattr(vectorizer, "get_feature_names_out"):
        raise InputError("topics.not_a_vectorizer", kind=type(vectorizer).__name__)
    return [str(term) for term in vectorizer.get_feature_names_out()]


def _analyzer(vectorizer: Any) -> Callable[[str], list[str]] | None:
    return vectorizer.build_analyzer() if hasattr(vectorizer, "build_analyzer") else None


def _of_model(model: Any, top: int | None) -> Any:
    """The topics of a model that has `get_topics`: gensim's have weights of all words, BERTopic's have lists."""
    found = model.get_topics()
    if isinstance(found, Mapping):
        return {str(name): list(words)[: top or TOP] for name, words in found.items()}
    terms = getattr(model, "id2word", None)
    if terms is None:
        raise InputError("topics.no_dictionary", kind=type(model).__name__)
    weights = np.asarray(found)
    return _most_weighted(weights, [terms[at] for at in range(weights.shape[1])], top or TOP)


def _most_weighted(weights: Any, terms: Sequence[str], top: int) -> list[list[str]]:
    table = np.asarray(weights, np.float64)
    if table.ndim != 2 or table.shape[1] != len(terms):
        raise InputError("topics.other_vocabulary", shape=table.shape, count=len(terms))
    return [[terms[at] for at in map(int, np.argsort(-row, kind="stable")[:top])] for row in table]


def _named(topics: Any) -> list[tuple[str, Any]]:
    """The topics with their names: those of a mapping, the numbers that gensim shows beside them, or their places."""
    if isinstance(topics, (str, bytes)) or not isinstance(topics, Iterable) or hasattr(topics, "to_text"):
        raise InputError("topics.not_topics", kind=type(topics).__name__)
    if isinstance(topics, Mapping):
        listed = [(str(name), topic) for name, topic in topics.items()]
    else:
        each = list(topics)
        numbered = bool(each) and all(isinstance(t, tuple) and len(t) == 2 and _is_number(t[0]) for t in each)
        listed = [(str(t[0]), t[1]) for t in each] if numbered else [(str(at), t) for at, t in enumerate(each)]
    if not listed:
        raise InputError("topics.no_topics")
    return listed


def _words(name: str, topic: Any) -> tuple[tuple[str, ...], list[str]]:
    """The words of a topic, each once, and those that it has more than once."""
    if isinstance(topic, (str, bytes)):
        raise InputError("topics.topic_is_text", topic=name, value=topic)
    if isinstance(topic, Mapping) or not isinstance(topic, Iterable):
        raise InputError("topics.topic_not_a_list", topic=name, kind=type(topic).__name__)
    words = [_word(each) for each in topic]
    if not words:
        raise InputError("topics.empty_topic", topic=name)
    for word in words:
        if not isinstance(word, str):
            raise InputError("topics.not_a_word", topic=name, value=word, kind=type(word).__name__)
    once = dict.fromkeys(map(str, words))
    return tuple(once), [word for word in once if words.count(word) > 1]


def _word(each: Any) -> Any:
    """The word of a pair of word and weight, as models list them."""
    return each[0] if isinstance(each, (tuple, list)) and len(each) == 2 and _is_number(each[1]) else each


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
