"""Writes frozen.json: coherence of topics by gensim 4.4, of small made-up texts.

    pip install gensim==4.4.0
    python tests/known/topics/make.py

gensim forgets a word when its first occurrence leaves a window although a second one is still in it
(WordOccurrenceAccumulator._slide_window). `distinct` has no token twice in a document, so that gensim is right as
it is; of `repeated` both are written: gensim as it is, and with every window looked at anew.
"""

import json
from pathlib import Path

import numpy as np
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel
from gensim.topic_coherence.text_analysis import WordOccurrenceAccumulator

MEASURES = ("u_mass", "c_uci", "c_npmi", "c_v")
TOPICS, WORDS = 6, 8


def texts(seed, repeated):
    """Documents about one or two of the topics, of 1 to 200 tokens."""
    rng = np.random.default_rng(seed)
    names = np.array([f"{i:03d}" for i in range(300)])
    documents = []
    for length in rng.integers(1, 200, 50):
        weights = np.ones(300)
        for topic in rng.integers(0, TOPICS, 2):
            weights[topic * WORDS : (topic + 1) * WORDS] = 30
        documents.append(rng.choice(names, length, repeated, weights / weights.sum()).tolist())
    topics = [names[t * WORDS : (t + 1) * WORDS].tolist() for t in range(TOPICS)]
    topics.append([t[0] for t in topics] + ["200", "201"])  # mixed, and rare words
    return documents, [topic[: 3 + at] for at, topic in enumerate(topics)]


def coherence(documents, topics, measure, **options):
    dictionary = Dictionary(documents)
    corpus = [dictionary.doc2bow(d) for d in documents]
    found = []
    for topic in topics:  # one at a time: gensim cuts all lists to the length of the first
        model = CoherenceModel(
            topics=[topic], texts=documents, corpus=corpus, dictionary=dictionary, coherence=measure, topn=len(topic),
            processes=1, **options,
        )  # fmt: skip
        found.append(float(model.get_coherence_per_topic()[0]))
    return found


def every_window_anew(self, window, doc_num):
    self._uniq_words[:] = False
    self._uniq_words[np.unique(window)] = True


def main():
    cases = {}
    for name, repeated in (("distinct", False), ("repeated", True)):
        documents, topics = texts(7, repeated)
        asked = {m: {} for m in MEASURES} | {"c_v(window=25)": {"window_size": 25}}
        case = {"documents": [" ".join(d) for d in documents], "topics": topics}
        case["gensim"] = {m: coherence(documents, topics, m.partition("(")[0], **o) for m, o in asked.items()}
        if repeated:
            as_it_is = WordOccurrenceAccumulator._slide_window
            WordOccurrenceAccumulator._slide_window = every_window_anew
            case["right"] = {m: coherence(documents, topics, m.partition("(")[0], **o) for m, o in asked.items()}
            WordOccurrenceAccumulator._slide_window = as_it_is
        cases[name] = case
    Path(__file__).with_name("frozen.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
