"""Topics in texts: short and longer documents, topics that are one and a mixture that is none."""

from dataclasses import dataclass
from functools import cache

import numpy as np

import calipers as cal
from trials.cells import Answer, Ready, Trial, answer
from trials.promises import Promise

METRICS = ("c_v", "c_npmi", "c_uci", "u_mass")
WORDS, TOPICS, LISTED, WHOLE = 400, 8, 8, 20_000  # of the vocabulary, of the model, of a topic; documents in all
FEW = 1000  # documents, below which pairs of the mixture are often not seen together


@cache
def population(length: int) -> tuple[list[list[str]], list[list[str]]]:
    """Documents of a model of topics, and the lists of its most frequent words; the last list has a word of each."""
    rng = np.random.default_rng(1)
    names = [f"w{i}" for i in range(WORDS)]
    common = rng.gamma(0.5, 0.3, WORDS)
    weights = np.array([common + 6 * np.where(np.arange(WORDS) // 20 == t, rng.gamma(1, 1, WORDS), 0)
                        for t in range(TOPICS)])  # fmt: skip
    upto = np.cumsum(weights / weights.sum(1, keepdims=True), 1)
    documents = []
    for _ in range(WHOLE):
        of = rng.choice(TOPICS, max(3, rng.poisson(length)), p=rng.dirichlet(np.full(TOPICS, 0.15)))
        drawn = zip(of, rng.random(len(of)), strict=True)
        places = [min(WORDS - 1, int(np.searchsorted(upto[t], x))) for t, x in drawn]
        documents.append([names[at] for at in places])
    topics = [[names[i] for i in np.argsort(-row)[:LISTED]] for row in weights]
    return documents, [*topics, [topic[-1] for topic in topics]]


@dataclass(frozen=True)
class Texts:
    """Samples of n documents; the truth is the value of all documents."""

    name: str
    length: int
    n: int
    level: float = 0.95

    def ready(self) -> Ready:
        documents, topics = population(self.length)
        truths = _estimates(cal.evaluate_topics(topics, documents, METRICS))

        def ask(rng: np.random.Generator) -> dict[str, Answer]:
            sample = [documents[i] for i in rng.integers(0, len(documents), self.n)]
            found = _estimates(cal.evaluate_topics(topics, sample, METRICS, level=self.level))
            return {key: answer(found[key], float(truths[key])) for key in found}

        return Ready(ask, dict.fromkeys(truths, Promise(few=self.n < FEW, wide=True)))


def _estimates(ev: cal.Evaluation) -> dict[str, cal.Estimate]:
    """The mean over topics, a topic, and the mixture, of each metric."""
    first, *_, last = ev.classes.values()
    parts = {"mean of topics": ev, "first topic": first, "mixture": last}
    return {f"{name}, {part}": values[name] for part, values in parts.items() for name in METRICS}


def parts() -> dict[str, list[Trial]]:
    return {
        f"documents of about {length} tokens": [Texts(f"{length} tokens, {n} documents", length, n) for n in sizes]
        for length, sizes in ((40, (100, 400, 2000)), (150, (400,)))
    }
