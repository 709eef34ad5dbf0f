"""Evaluations of different rows: `compare_independent` on known differences and true nulls, `trend` on true nulls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit, ndtri

import calipers as cal
from trials.cells import Answer, Ready, Tests
from trials.draws import Generator
from trials.promises import PLAIN, TEST, Promise

Sample = tuple[np.ndarray, np.ndarray]
Draw = Callable[[Generator, int], Sample]
OF_SCORES = "accuracy recall f1 roc_auc average_precision brier log_loss"
OF_NUMBERS = "mse mae bias"
TRUTH = 200_000  # rows of which a population is: its values are the truth


def scores(share: float, auc: float, rng: Generator, n: int) -> Sample:
    """Calibrated scores of two classes with normal scores of this AUC."""
    y = (rng.random(n) < share).astype(int)
    y[:2] = 0, 1
    shift = float(np.sqrt(2) * ndtri(auc))
    return y, expit(shift * (shift * y + rng.normal(size=n)) - shift**2 / 2 + np.log(share / (1 - share)))


def outliers(share: float, rng: Generator, n: int) -> Sample:
    """One in ten positives looks like a negative."""
    y, p = scores(share, 0.95, rng, n)
    return y, np.where((y == 1) & (rng.random(n) < 0.1), rng.random(n) * 0.2, p)


def numbers(kind: str, rng: Generator, n: int) -> Sample:
    y = rng.lognormal(0, 1, n)
    error = rng.normal(size=n)
    if kind == "long tails":
        error = rng.lognormal(0, 0.7, n) * error
    return y, y + error


@dataclass(frozen=True)
class Apart:
    """`compare_independent` on samples of two populations: whether intervals of differences cover the true ones."""

    name: str
    draws: tuple[Draw, Draw]
    n: tuple[int, int]
    metrics: str
    few: str = ""  # metrics that rest on fewer rows than the promise asks for
    level: float = 0.95

    def ready(self) -> Ready:
        names, rng = self.metrics.split(), np.random.default_rng(1)
        whole = [cal.evaluate(*draw(rng, TRUTH), metrics=names, task=self.task) for draw in self.draws]
        true = {name: float(whole[1][name]) - float(whole[0][name]) for name in names}

        def ask(rng: Generator) -> dict[str, Answer]:
            both = [cal.evaluate(*draw(rng, n), metrics=names, task=self.task)
                    for draw, n in zip(self.draws, self.n, strict=True)]  # fmt: skip
            found = cal.compare_independent(*both, metrics=names)
            return {name: Answer(d.low == d.low, bool(d.low <= true[name] <= d.high)) for name in names
                    for d in [found[name]]}  # fmt: skip

        few = Promise(few=True)
        return Ready(ask, {name: few if name in self.few.split() else PLAIN for name in names})

    @property
    def task(self) -> str:
        return "regression" if "mse" in self.metrics else "binary"


@dataclass(frozen=True)
class Periods:
    """`trend` on periods that are alike: whether a trend is found, and whether any period differs from the first."""

    name: str
    draw: Callable[[Generator], Mapping[int, cal.Evaluation]]
    metrics: str
    vary: bool = False  # by more than sampling error, which the tests of single periods do not know
    level: float = 0.95

    def ready(self) -> Ready:
        names = self.metrics.split()

        def ask(rng: Generator) -> dict[str, Answer]:
            found = cal.trend(self.draw(rng), metrics=names)
            smallest = min((d.adjusted for name in names for d in found[name].against.values()), default=1.0)
            each = {f"trend, {name}": Answer(True, bool(found[name].pvalue < 0.05)) for name in names}
            return {**each, "any period": Answer(True, bool(smallest < 0.05))}

        promises = dict.fromkeys([f"trend, {name}" for name in names], TEST)
        return Ready(ask, {**promises, "any period": Promise(test=True, judged=not self.vary)})


def alike(draw: Draw, sizes: tuple[int, ...], names: str, rng: Generator) -> dict[int, cal.Evaluation]:
    task = "regression" if "mse" in names else "binary"
    each = (cal.evaluate(*draw(rng, n), metrics=names.split(), task=task) for n in sizes)
    return dict(enumerate(each))


def counted(sizes: tuple[int, ...], share: float, between: float, rng: Generator) -> dict[int, cal.Evaluation]:
    """Recall of so many positives; `between`: the correlation within a period, which makes periods vary."""
    periods = {}
    for at, n in enumerate(sizes):
        p = share if not between else rng.beta(share * (1 / between - 1), (1 - share) * (1 / between - 1))
        hits = int(rng.binomial(n, p))
        periods[at] = cal.evaluate_counts(tp=hits, fn=n - hits, fp=10, tn=90, metrics=["recall"])
    return periods


def parts() -> dict[str, list]:
    same, worse = partial(scores, 0.3, 0.85), partial(scores, 0.3, 0.75)
    rare, strong = partial(scores, 0.1, 0.8), partial(scores, 0.3, 0.95)
    plain, tails = partial(numbers, "normal"), partial(numbers, "long tails")
    apart = [
        Apart("two alike, 100 and 100 rows", (same, same), (100, 100), OF_SCORES, "average_precision"),
        Apart("two alike, 60 and 600 rows", (same, same), (60, 600), OF_SCORES, "average_precision"),
        Apart("AUC 0.85 and 0.75, 200 and 200 rows", (same, worse), (200, 200), OF_SCORES),
        Apart("AUC 0.95 and 0.85, 300 and 100 rows", (strong, same), (300, 100), OF_SCORES, "average_precision"),
        Apart("10 % positive, 400 and 400 rows", (rare, rare), (400, 400), OF_SCORES, "average_precision recall f1"),
        Apart("numbers, 60 and 200 rows", (plain, plain), (60, 200), OF_NUMBERS),
        Apart("long tails, 200 and 60 rows", (tails, tails), (200, 60), OF_NUMBERS),
        Apart("normal and long tails, 100 and 100 rows", (plain, tails), (100, 100), OF_NUMBERS),
    ]
    grown = tuple(range(20, 220, 25))
    days = [
        Periods("7 periods of 20 positives, recall 0.9", partial(counted, (20,) * 7, 0.9, 0.0), "recall"),
        Periods("7 periods of 60 positives, recall 0.5", partial(counted, (60,) * 7, 0.5, 0.0), "recall"),
        Periods("30 periods of 40 positives, recall 0.8", partial(counted, (40,) * 30, 0.8, 0.0), "recall"),
        Periods("8 growing periods, recall 0.9", partial(counted, grown, 0.9, 0.0), "recall"),
        Periods("7 periods that vary, recall 0.7", partial(counted, (200,) * 7, 0.7, 0.02), "recall", vary=True),
        Periods("30 periods that vary, recall 0.7", partial(counted, (100,) * 30, 0.7, 0.03), "recall", vary=True),
        Periods("7 periods of 100 rows, AUC 0.85", partial(alike, same, (100,) * 7, "roc_auc"), "roc_auc"),
        Periods("8 growing periods, AUC 0.95", partial(alike, strong, grown, "roc_auc f1"), "roc_auc f1"),
        Periods("7 periods of 80 numbers", partial(alike, plain, (80,) * 7, "mse"), "mse"),
        Periods("8 growing periods, long tails", partial(alike, tails, grown, "mse mae"), "mse mae"),
    ]
    return {"differences": apart, "periods": days}


def held_out() -> list:
    """Kept for a last look: nothing was chosen on these."""
    shaped, few = partial(outliers, 0.25), partial(outliers, 0.15)
    mixed = tuple(int(n) for n in np.tile([40, 120, 260], 4))
    return [
        Apart(
            "outliers among positives, 150 and 300 rows", (shaped, shaped), (150, 300), OF_SCORES, "average_precision"
        ),
        Apart("outliers and none, 250 and 250 rows", (shaped, partial(scores, 0.25, 0.8)), (250, 250), OF_SCORES),
        Periods("12 periods of three sizes, outliers", partial(alike, few, mixed, "roc_auc recall"), "roc_auc recall"),
        Periods("5 periods of 30 positives, recall 0.97", partial(counted, (30,) * 5, 0.97, 0.0), "recall"),
        Periods(
            "14 periods that vary, falling sizes",
            partial(counted, tuple(range(280, 0, -20)), 0.85, 0.04),
            "recall",
            vary=True,
        ),
        Tests("Welch and MOVER, gamma losses, 25 and 250 rows", partial(gamma, 25, 250), ("compare_independent",)),
    ]


def gamma(n: int, m: int, rng: Generator) -> Mapping[str, float]:
    both = [cal.evaluate(np.zeros(k), rng.gamma(0.5, 1, k) ** 0.5, task="regression", metrics=["mse"]) for k in (n, m)]
    return {"compare_independent": cal.compare_independent(*both, metrics=["mse"])["mse"].pvalue}
