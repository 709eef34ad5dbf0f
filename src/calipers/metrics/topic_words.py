"""What formulas of topics look at: shares of windows of texts, lists of words, and sums of log-likelihoods."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.cached import lazy
from calipers.metrics.values import Number
from calipers.remarks import Remark
from calipers.statistics.word_counts import WordCounts

Array = npt.NDArray[Any]
EPSILON = 1e-12  # added to a probability before its logarithm, as Röder et al. (2015) and gensim do
LOWEST = float(np.log(EPSILON))


@dataclass(frozen=True, eq=False)
class TopicWindows:
    """The words of one topic in windows of texts, over leading axes.

    shares: the share of windows that have both words of a pair, and on the diagonal those that have the word.
    """

    shares: Array

    @lazy
    def pairs(self) -> tuple[Array, Array]:
        """Which words are paired: each with every word before it."""
        return np.tril_indices(self.shares.shape[-1], -1)

    @property
    def words(self) -> Array:
        """The share of windows that have each word."""
        return np.diagonal(self.shares, axis1=-2, axis2=-1)

    @property
    def together(self) -> Array:
        """The share of windows that have both words of each pair."""
        return self.shares[(..., *self.pairs)]

    @property
    def first(self) -> Array:
        """The share of windows that have the more important word of each pair."""
        return self.words[..., self.pairs[1]]

    @property
    def second(self) -> Array:
        """The share of windows that have the less important word of each pair."""
        return self.words[..., self.pairs[0]]

    @lazy
    def npmi(self) -> Array:
        """The normalised pointwise mutual information of each pair."""
        return npmi(self.together, self.first, self.second)

    @property
    def similarity(self) -> Array:
        """The cosine of the context vector of each word, its NPMI with the words of the topic, and their sum.

        A word that never occurs says nothing of the others: its vector is 0, and so is its similarity.
        """
        vectors: Array = np.zeros(self.shares.shape)
        later, earlier = self.pairs
        seen = (self.first > 0) & (self.second > 0)
        vectors[..., later, earlier] = vectors[..., earlier, later] = np.where(seen, self.npmi, 0.0)
        itself = np.arange(self.words.shape[-1])
        vectors[..., itself, itself] = self.words > 0
        topic = np.asarray(vectors.sum(-2))
        product = (vectors * topic[..., None, :]).sum(-1)
        length = np.linalg.norm(vectors, axis=-1) * np.linalg.norm(topic, axis=-1)[..., None]
        return np.where(length > 0, product / np.where(length > 0, length, 1.0), 0.0)


class TopicSupport(TopicWindows):
    """The words of one topic in whole documents, for what only more documents can change."""


def pmi(together: Array, first: Array, second: Array) -> Array:
    """The logarithm of how many times more often than by chance words are together; lowest if one never occurs."""
    seen = (first > 0) & (second > 0)
    chance = np.where(seen, first * second, 1.0)
    return np.where(seen, np.log((together + EPSILON) / chance), LOWEST)


def npmi(together: Array, first: Array, second: Array) -> Array:
    """PMI as a share of the most that it can be: 1 for words that are always together, -1 if one never occurs.

    The small constant can take it above 1 by a millionth; words that are together in every window have no surprise
    that could be shared, and 0 / 0 is 1.
    """
    most = -np.log(np.where(together < 1, together + EPSILON, 0.5))
    return np.where(together < 1, np.minimum(pmi(together, first, second) / most, 1.0), 1.0)


@dataclass(frozen=True, eq=False)
class TopicLists:
    """The words of topics, of all or of one (`index`) against the others."""

    topics: tuple[tuple[str, ...], ...]
    index: int | None = None

    @lazy
    def topics_with_word(self) -> Array:
        """For each word of each topic, how many topics have it."""
        times: dict[str, int] = {}
        for topic in self.topics:
            for word in topic:
                times[word] = times.get(word, 0) + 1
        mine = self.topics if self.index is None else (self.topics[self.index],)
        return np.array([times[word] for topic in mine for word in topic])

    @lazy
    def _pairs(self) -> tuple[Array, Array]:
        sets = [set(topic) for topic in self.topics]
        pairs = [(a, b) for a, b in combinations(range(len(sets)), 2) if self.index in (None, a, b)]
        both = [(len(sets[a] & sets[b]), len(sets[a] | sets[b])) for a, b in pairs]
        shared, either = np.array(both, np.float64).reshape(-1, 2).T
        return shared, either

    @property
    def shared(self) -> Array:
        """For each pair of topics, how many words both have."""
        return self._pairs[0]

    @property
    def either(self) -> Array:
        """For each pair of topics, how many words at least one has."""
        return self._pairs[1]


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The sum of the log-likelihoods of documents and how many tokens these have, over leading axes."""

    log_likelihood: Number
    tokens: Number


@dataclass(frozen=True, eq=False)
class TopicTexts:
    """The counts of texts by block: what a formula sees of all, without each block, and in samples of blocks."""

    counts: WordCounts

    @lazy
    def filled(self) -> Array:
        """The blocks that have documents."""
        return np.flatnonzero(self.counts.documents)

    @lazy
    def block_shares(self) -> Array:
        """The share of the documents that each of these blocks has."""
        return np.asarray(self.counts.documents[self.filled] / self.counts.rows)

    @property
    def each_left_out(self) -> Array:
        """How often each block counts, where one is left out: a row for each block."""
        return 1.0 - np.eye(len(self.filled))

    @property
    def every(self) -> Array:
        """How often each block counts, where all do."""
        return np.ones(len(self.filled))

    def windows(self, topic: int, size: int, times: Array) -> TopicWindows:
        """The words of a topic in windows of a size, where blocks count so many times."""
        counts = self.counts.counts[self.counts.sizes.index(size)]
        columns = self.counts.vocabulary.columns[topic]
        below = np.tril_indices(len(columns))  # the table is symmetric
        sums = times @ counts[np.ix_(self.filled, np.append(columns[below], 0))]
        shares = np.empty((*times.shape[:-1], *columns.shape))
        shares[(..., *below)] = shares[(..., *below[::-1])] = sums[..., :-1] / sums[..., -1:]
        return TopicWindows(shares)

    def missing(self, size: int, index: int | None) -> tuple[str, ...]:
        """Remarks on words that never occur, and pairs that occur together never, in one block only, or always.

        Without the block of a pair that no other block has, the small constant decides: its interval can be one-sided.
        """
        counted = self.counts.counts[self.counts.sizes.index(size)]
        summed, blocks = counted.sum(0), np.count_nonzero(counted, axis=0)
        topics = self.counts.vocabulary.columns
        asked = topics if index is None else (topics[index],)
        tables = [summed[columns] for columns in asked]
        places = np.concatenate([columns[np.tril_indices(len(columns), -1)] for columns in asked])
        pairs = summed[places]
        unseen = sum(int(np.count_nonzero(np.diagonal(table) == 0)) for table in tables)
        alone = int(np.sum(blocks[places] == 1)) if len(self.filled) > 1 else 0
        counts = {"topics.words_unseen": unseen, "topics.pairs_unseen": int(np.sum(pairs == 0)),
                  "topics.pairs_in_one_block": alone,
                  "topics.pairs_everywhere": int(np.sum((pairs == summed[0]) & (pairs > 0)))}  # fmt: skip
        totals = sum(map(len, tables)), len(pairs), len(pairs), len(pairs)
        return tuple(
            Remark(code, count=count, total=total)
            for (code, count), total in zip(counts.items(), totals, strict=True) if count
        )

    def likelihood(self, times: Array) -> Likelihood:
        """The log-likelihoods, where blocks count so many times."""
        counts = self.counts
        return Likelihood(times @ counts.log_likelihood[self.filled], times @ counts.scored_tokens[self.filled])
