"""In how many windows of texts the words of topics occur, alone and in pairs: coherence is a formula over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from calipers import _native
from calipers.cached import lazy
from calipers.data.texts import BLOCKS
from calipers.data.topics import Vocabulary
from calipers.errors import InputError
from calipers.statistics.base import Array, Statistic

DOCUMENT = 0  # the size of a window that is the whole document
SIZES = (DOCUMENT, 10, 110)


@dataclass(frozen=True, eq=False)
class WordCounts(Statistic):
    """Counts by block of documents, so that leaving out a block shows how they vary between documents.

    topics: the words of each topic. sizes: of the windows, in tokens; 0 is the whole document. counts: by size and
    block, how many windows there are, how many have each word, and how many have each pair of words of one topic.
    documents: of each block. tokens: of each block. scored: how many documents have a log-likelihood; scored_tokens,
    log_likelihood: their tokens and their sum.
    """

    topics: tuple[tuple[str, ...], ...]
    sizes: tuple[int, ...]
    counts: Array
    documents: Array
    tokens: Array
    scored: Array
    scored_tokens: Array
    log_likelihood: Array

    @classmethod
    def of(cls, batch: Any, sizes: Sequence[int] = SIZES) -> Self:
        """Count the windows of these sizes in the documents of a `TextPart`."""
        lengths, blocks, known = np.diff(batch.ends, prepend=0), batch.blocks, ~np.isnan(batch.log_likelihood)
        starts, partners = batch.vocabulary.partners

        def summed(values: Array) -> Array:
            return np.bincount(blocks, values, BLOCKS)

        counted = [
            _native.count_windows(batch.codes, batch.ends, blocks, BLOCKS, size, starts, partners) for size in sizes
        ]
        counts = np.array(counted, np.int64).reshape(len(sizes), BLOCKS, batch.vocabulary.width)
        return cls(
            batch.vocabulary.topics,
            tuple(sizes),
            counts,
            np.bincount(blocks, minlength=BLOCKS),
            summed(lengths).astype(np.int64),
            summed(known).astype(np.int64),
            summed(np.where(known, batch.scored_tokens, 0.0)).astype(np.int64),
            summed(np.where(known, batch.log_likelihood, 0.0)),
        )

    @classmethod
    def empty(cls) -> Self:
        """No documents."""
        none, no_sum = np.zeros(BLOCKS, np.int64), np.zeros(BLOCKS)
        return cls((), (), np.zeros((0, BLOCKS, 1), np.int64), none, none, none, none, no_sum)

    @property
    def rows(self) -> int:
        """How many documents there are."""
        return int(self.documents.sum())

    @lazy
    def vocabulary(self) -> Vocabulary:
        """The words and pairs that are counted."""
        return Vocabulary(self.topics)

    def merge(self, other: Self) -> Self:
        """Add the counts; they must be of the same topics and windows."""
        if not self.rows or not other.rows:
            return self if self.rows else other
        if (self.topics, self.sizes) != (other.topics, other.sizes):
            raise InputError("topics.other_topics")
        mine, theirs = self._sums(), other._sums()
        return type(self)(self.topics, self.sizes, *(a + b for a, b in zip(mine, theirs, strict=True)))

    def scale(self, factor: int) -> Self:
        """Every count times `factor`."""
        if not factor:
            return self.empty()
        return type(self)(self.topics, self.sizes, *(each * factor for each in self._sums()))

    def _sums(self) -> tuple[Array, ...]:
        return self.counts, self.documents, self.tokens, self.scored, self.scored_tokens, self.log_likelihood
