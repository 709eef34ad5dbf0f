"""What topics and the texts that they are measured in give away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from calipers.findings.base import Number, rule
from calipers.statistics.word_counts import DOCUMENT

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

Findings = Iterator[Mapping[str, Number]]
MOST = 0.5  # of the words, or of the pairs of words
EXAMPLES = 5  # words that are named


@rule("warning", "topics", tests=False)
def topics_share_words(ev: Evaluation) -> Findings:
    """{pairs} {pairs:pair of topics has|pairs of topics have} most words in common; the most similar ones are {first}
    and {second}, which share {shared} of {words} words.

    A reader sees them as one topic: fit fewer topics, merge them, or remove words that are common everywhere.
    """
    sets = [set(topic) for topic in ev.views.topic_texts.counts.topics]
    similar = []
    for b, other in enumerate(sets):
        for a, mine in enumerate(sets[:b]):
            shared, words = len(mine & other), min(len(mine), len(other))
            if words > 1 and shared > MOST * words:
                similar.append((shared / len(mine | other), a, b, shared, words))
    if similar:
        _, a, b, shared, words = max(similar, key=lambda pair: (pair[0], -pair[1], -pair[2]))
        yield {
            "pairs": len(similar), "first": str(ev.labels[a]), "second": str(ev.labels[b]), "shared": shared,
            "words": words,
        }  # fmt: skip


@rule("warning", "topics", tests=False)
def topics_without_support(ev: Evaluation) -> Findings:
    """{topics} {topics:topic has|topics have} little support in the texts. {topic} has the least: {unseen} of
    {pairs} pairs of its words never occur together in a document.

    The coherence of these topics depends on the constant that is added to probabilities of 0: measure it on more or
    longer texts, and check that the texts are split into the same tokens as for the model.
    """
    counts = ev.views.topic_texts.counts
    if DOCUMENT not in counts.sizes:
        return
    summed = counts.counts[counts.sizes.index(DOCUMENT)].sum(0)
    weak = []
    for at, columns in enumerate(counts.vocabulary.columns):
        together = summed[columns[np.tril_indices(len(columns), -1)]]
        unseen = int(np.count_nonzero(together == 0))
        if len(together) and unseen > MOST * len(together):
            weak.append((unseen / len(together), -at, unseen, len(together)))
    if weak:
        _, at, unseen, pairs = max(weak)
        yield {"topics": len(weak), "topic": str(ev.labels[-at]), "unseen": unseen, "pairs": pairs}


@rule("warning", "topics", tests=False)
def words_not_in_texts(ev: Evaluation) -> Findings:
    """{count} of the {words} words of the topics {count:does|do} not occur in any document, such as {examples:names}.

    Prepare the texts as for the model: the same lower case, stems and word pairs. The words stay in their topics and
    lower the coherence.
    """
    counts = ev.views.topic_texts.counts
    if not counts.sizes:
        return
    words = counts.vocabulary.words
    seen = counts.counts[0].sum(0)[1 : 1 + len(words)]
    missing = [word for word, count in zip(words, seen, strict=True) if count == 0]
    if missing:
        yield {"count": len(missing), "words": len(words), "examples": "\n".join(missing[:EXAMPLES])}
