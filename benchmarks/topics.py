"""Coherence C_v of 100 topics in 20,000 documents: Calipers against gensim, which must agree to 1e-9.

pip install gensim==4.4.0
python benchmarks/topics.py [--documents 20000] [--topics 100]

No token is twice in a document, since gensim's sliding window forgets a word whose first occurrence leaves the window
(docs/topics.md); both sides get the same lists of tokens, and both read them. gensim runs once, in one process, and
takes about a minute; Calipers runs three times on one thread and on all.
"""

import argparse
import os
import time

import numpy as np
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel

import calipers as cal
from calipers import _native
from timing import machine

VOCABULARY, WORDS, LENGTH = 20_000, 10, 130
FROM_TOPICS = 0.2  # the share of tokens that are words of the topics of a document


def made(documents, topics):
    """Documents about two topics each, about 130 tokens long, and the words of the topics."""
    rng = np.random.default_rng(0)
    names = np.array([f"w{i:05}" for i in range(VOCABULARY)])
    words = names[: topics * WORDS].reshape(topics, WORDS)
    texts = []
    for length in rng.poisson(LENGTH, documents):
        of = words[rng.choice(topics, 2, replace=False)].ravel()
        listed = of[rng.random(len(of)) < FROM_TOPICS * LENGTH / len(of) / 2]
        tokens = np.unique(np.concatenate((listed, names[rng.integers(0, VOCABULARY, length - len(listed))])))
        texts.append(rng.permutation(tokens).tolist())
    return texts, words.tolist()


def by_gensim(texts, topics):
    """C_v of each topic, in one process."""
    dictionary = Dictionary(texts)
    model = CoherenceModel(topics=topics, texts=texts, dictionary=dictionary, coherence="c_v", topn=WORDS, processes=1)
    return model.get_coherence_per_topic()


def by_calipers(texts, topics):
    """C_v of each topic; the interval of the mean too."""
    ev = cal.evaluate_topics(topics, texts, ["c_v"])
    assert ev["c_v"].low <= ev["c_v"] <= ev["c_v"].high
    return [float(topic["c_v"]) for topic in ev.classes.values()]


def timed(call, *arguments):
    """The answer, its seconds and its processor time, which other work on the machine changes less."""
    start, before = time.perf_counter(), time.process_time()
    answer = call(*arguments)
    return answer, time.perf_counter() - start, time.process_time() - before


def main():
    """Measure both, compare, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--topics", type=int, default=100)
    options = parser.parse_args()
    texts, topics = made(options.documents, options.topics)
    ours = {}
    for threads in (1, len(os.sched_getaffinity(0))):
        os.environ["CALIPERS_THREADS"] = str(threads)
        assert _native.threads() == threads
        (found, *_), *_ = runs = [timed(by_calipers, texts, topics) for _ in range(3)]
        ours[threads] = min(run[1] for run in runs), min(run[2] for run in runs)
        print(f"Calipers, threads: {threads}: {ours[threads][0]:.2f} s, CPU {ours[threads][1]:.2f} s", flush=True)
    theirs, seconds, cpu = timed(by_gensim, texts, topics)
    apart = float(np.abs(np.subtract(found, theirs)).max())
    print(f"gensim, 1 process: {seconds:.1f} s, CPU {cpu:.1f} s; the largest difference of a topic: {apart:.1e}")
    assert apart < 1e-9
    for threads, (least, least_cpu) in ours.items():
        print(f"Calipers, threads: {threads}: {seconds / least:.0f}x as fast, {cpu / least_cpu:.0f}x less CPU")
    print(machine())


if __name__ == "__main__":
    main()
