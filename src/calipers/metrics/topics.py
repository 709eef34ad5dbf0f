"""Topic models: how well the words of a topic belong together in texts, and how different topics are."""

from __future__ import annotations

import numpy as np

from calipers.metrics.base import metric
from calipers.metrics.topic_words import EPSILON, LOWEST, Likelihood, TopicLists, TopicSupport, TopicWindows, pmi
from calipers.metrics.values import Number, Without
from calipers.remarks import Remark

SHARE, SIGNED, EVERY = (0.0, 1.0), (-1.0, 1.0), (-float("inf"), float("inf"))
SHOWN = {"topics": (None,)}
ONE_WORD, ONE_TOPIC = Remark("topics.one_word"), Remark("topics.one_topic")
LISTS_ALONE = Remark("topics.lists_alone")
RODER = "Röder, Both and Hinneburg 2015, WSDM 399-408"


@metric(title="C_v coherence", over=TopicWindows, better="higher", bounds=SIGNED, headline=SHOWN,
        formula="mean({similarity})", undefined=ONE_WORD, reference=RODER, aliases=("coherence_cv",))
def c_v(t: TopicWindows, *, window: int = 110) -> Number:
    """How similar the contexts of the words of a topic are: the mean cosine of the NPMI vector of each word and that of
    the topic, in sliding windows.

    Caution: Words that are rare or never occur together can also have similar contexts: read it with C_NPMI.
    """
    return t.similarity.mean(-1)


@metric(title="C_NPMI coherence", over=TopicWindows, better="higher", bounds=SIGNED, headline=SHOWN,
        formula="mean(log(({together} + {epsilon}) / ({first} * {second})) / -log({together} + {epsilon}))",
        undefined=ONE_WORD, aliases=("npmi", "coherence_npmi"),
        reference=Remark("metrics.reference_npmi"))
def c_npmi(t: TopicWindows, *, window: int = 10) -> Number:
    """Mean normalised pointwise mutual information of the pairs of words of a topic, in sliding windows: 0 if words are
    independent, 1 if they always occur together.

    Caution: Pairs that never occur together depend on a small constant; a note gives their number.
    """
    return t.npmi.mean(-1)


@metric(title="C_UCI coherence", over=TopicWindows, better="higher", bounds=EVERY, headline=SHOWN,
        formula="mean(log(({together} + {epsilon}) / ({first} * {second})))", undefined=ONE_WORD,
        aliases=("uci", "coherence_uci"),
        reference=Remark("metrics.reference_uci"))
def c_uci(t: TopicWindows, *, window: int = 10) -> Number:
    """Mean pointwise mutual information of the pairs of words of a topic, in sliding windows.

    Caution: One pair that never occurs together lowers it by more than all others can raise it.
    """
    return pmi(t.together, t.first, t.second).mean(-1)


@metric(title="U_Mass coherence", over=TopicWindows, better="higher", bounds=(-float("inf"), 0.0), headline=SHOWN,
        formula="mean(log(({together} + {epsilon}) / {first}))", undefined=ONE_WORD,
        aliases=("umass", "coherence_umass"),
        reference=Remark("metrics.reference_umass"))
def u_mass(t: TopicWindows) -> Number:
    """Average logarithm of the probability that a document with one word of the topic also contains a less important
    one.

    Caution: Common words make it high without belonging together; compare only models of the same texts.
    """
    known = t.first > 0
    values = np.log((t.together + EPSILON) / np.where(known, t.first, 1.0))
    return np.where(known, np.minimum(values, 0.0), LOWEST).mean(-1)


@metric(over=TopicSupport, better="lower", bounds=SHARE, formula="mean({together} == 0)", undefined=ONE_WORD,
        percent=True)
def unseen_pairs(t: TopicSupport) -> Number:
    """Fraction of the pairs of words of a topic that never occur together in a document.

    Caution: It falls with the number of documents; compare only models of the same texts.
    """
    return (t.together == 0).mean(-1)


@metric(over=TopicLists, better="higher", bounds=SHARE, headline=SHOWN, formula="mean(1 / {topics_with_word})",
        undefined=ONE_TOPIC, aliases=("diversity",), reference="Dieng, Ruiz and Blei 2020, TACL 8:439-453")
def topic_diversity(t: TopicLists) -> Number:
    """Fraction of distinct words among the words of all topics; for one topic, the average over its words of 1 / the
    number of topics that contain the word.

    Caution: It depends on the number of words per topic; compare only lists of the same length.
    """
    return Without(float(np.mean(1 / t.topics_with_word)), LISTS_ALONE, resampled=False)


@metric(over=TopicLists, better="lower", bounds=SHARE, headline=SHOWN, formula="mean({shared} / {either})",
        undefined=ONE_TOPIC)
def topic_overlap(t: TopicLists) -> Number:
    """Average over pairs of topics of the fraction of their words that both contain (Jaccard index).

    Caution: A few nearly identical topics hardly change the average of many pairs: look at the largest overlap too.
    """
    return Without(float(np.mean(t.shared / t.either)), LISTS_ALONE, resampled=False)


@metric(over=TopicLists, better="lower", bounds=SHARE, formula="max({shared} / {either})", undefined=ONE_TOPIC)
def largest_overlap(t: TopicLists) -> Number:
    """Largest fraction of words that two topics have in common (Jaccard index).

    Caution: It grows with the number of topics, since there are more pairs.
    """
    return Without(float(np.max(t.shared / t.either)), LISTS_ALONE, resampled=False)


@metric(over=Likelihood, better="lower", bounds=(0.0, float("inf")), headline=SHOWN,
        formula="exp(-{log_likelihood} / {tokens})", undefined=Remark("topics.no_tokens"))
def perplexity(t: Likelihood) -> Number:
    """Inverse of the geometric mean probability that the model assigns to a token of held-out documents.

    Caution: Compare only models with the same vocabulary and the same tokens; it does not show whether people
    understand the topics.
    """
    return np.exp(-t.log_likelihood / t.tokens)
