"""Calibration metrics, the top rows, thresholds judged on other rows, and net benefit with its differences."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import expit

import calipers as cal
from trials.cells import MANY, Answer, Columns, Ready, Rows, drawn
from trials.draws import BINARY, Generator, labels
from trials.promises import PLAIN, Promise

WIDE = Promise(wide=True)


def logistic(base: float, spread: float, slope: float, shift: float, rng: Generator) -> Columns:
    """True log odds are normal; those that are given are shift + slope times the true ones."""
    x = base + spread * rng.normal(size=MANY)
    return {"y": labels(rng, expit(x)), "p": expit(shift + slope * x)}


def bent(rng: Generator) -> Columns:
    """Probabilities that are right in the middle and too low at both ends."""
    p = rng.beta(1.2, 2.0, MANY)
    return {"y": labels(rng, np.clip(p + 0.1 * np.cos(2 * np.pi * p), 0, 1)), "p": p}


POPULATIONS: dict[str, Callable[[Generator], Columns]] = {
    "calibrated": partial(logistic, -0.8, 1.2, 1.0, 0.0),
    "twice too extreme": partial(logistic, -0.8, 1.2, 2.0, 0.0),
    "too high, rare": partial(logistic, -2.5, 1.0, 1.0, 0.7),
    "bent": bent,
}
# Not looked at when methods were chosen.
FINAL: dict[str, Callable[[Generator], Columns]] = {
    "too timid": partial(logistic, 0.3, 2.0, 0.5, 0.2),
    "extreme and too low": partial(logistic, -1.5, 1.6, 1.5, -0.6),
}
METRICS = "calibration_slope calibration_intercept calibration_in_the_large nagelkerke_r2"
TOP = "top_precision(fraction=0.1) top_recall(fraction=0.1) top_lift(fraction=0.2)"
SIZES = (100, 400)


@dataclass(frozen=True)
class Smooth:
    """The integrated calibration index, whose interval allows for any shape of the gaps."""

    name: str
    whole: Callable[[Generator], Columns]
    n: int
    level: float = 0.95

    def ready(self) -> Ready:
        whole = self.whole(np.random.default_rng(1))
        pick, truth = drawn(whole, self.n), float(cal.evaluate(whole["y"], whole["p"], **BINARY)["ici"])

        def ask(rng: Generator) -> dict[str, Answer]:
            columns = pick(rng)
            e = cal.evaluate(columns["y"], columns["p"], **BINARY)["ici"]
            return {"integrated_calibration_index": Answer(True, e.low <= truth <= e.high)}

        return Ready(ask, {"integrated_calibration_index": WIDE})


@dataclass(frozen=True)
class Thresholds:
    """`best_threshold(...).cross_fitted` against the value that the threshold of the sample has in the population."""

    name: str
    whole: Callable[[Generator], Columns]
    n: int
    level: float = 0.95

    def ready(self) -> Ready:
        whole = self.whole(np.random.default_rng(1))
        pick, every = drawn(whole, self.n), cal.evaluate(whole["y"], whole["p"], **BINARY)
        table = every.curve("sweep")
        rising = table.threshold[::-1]

        def ask(rng: Generator) -> dict[str, Answer]:
            columns = pick(rng)
            ev = cal.evaluate(columns["y"], columns["p"], **BINARY)
            out = {}
            f1, cost = ev.best_threshold("f1"), ev.best_threshold(cost={"fp": 1, "fn": 5})
            for key, best, of in (("f1, cross-fitted", f1, _f1), ("cost, cross-fitted", cost, _cost)):
                at = len(rising) - 1 - int(np.searchsorted(rising, float(best)))
                truth = of(*(float(table[name][at]) for name in ("tp", "fp", "fn", "tn")))
                e = best.cross_fitted
                out[key] = Answer(True, e.low <= truth <= e.high)
            return out

        return Ready(ask, {"f1, cross-fitted": PLAIN, "cost, cross-fitted": PLAIN})


def _f1(tp: float, fp: float, fn: float, tn: float) -> float:
    return 2 * tp / (2 * tp + fp + fn)


def _cost(tp: float, fp: float, fn: float, tn: float) -> float:
    return (fp + 5 * fn) / (tp + fp + fn + tn)


@dataclass(frozen=True)
class Benefit:
    """Bands of net benefit and of paired differences at three thresholds; the other model is a noisy copy."""

    name: str
    whole: Callable[[Generator], Columns]
    n: int
    level: float = 0.95

    def ready(self) -> Ready:
        rng = np.random.default_rng(1)
        whole = self.whole(rng)
        x = np.log(whole["p"]) - np.log1p(-whole["p"])
        whole["q"] = expit(x + 0.7 * rng.normal(size=MANY))
        pick, at = drawn(whole, self.n), (0.1, 0.25, 0.5)
        truth = cal.decision_curve(whole["y"], {"p": whole["p"], "q": whole["q"]}, thresholds=at, positive=1)
        apart = truth.difference("q", "p")

        def ask(rng: Generator) -> dict[str, Answer]:
            columns = pick(rng)
            models = {"p": columns["p"], "q": columns["q"]}
            curve = cal.decision_curve(columns["y"], models, thresholds=at, positive=1, labels=[0, 1])
            d, out = curve.difference("q", "p"), {}
            for i, t in enumerate(at):
                low, high = curve["p"].low[i], curve["p"].high[i]
                out[f"net benefit at {t}"] = Answer(True, bool(low <= truth["p"].value[i] <= high))
                out[f"difference at {t}"] = Answer(True, bool(d.low[i] <= apart.value[i] <= d.high[i]))
            return out

        return Ready(ask, {f"{what} at {t}": WIDE for t in at for what in ("net benefit", "difference")})


def parts() -> dict[str, list[Rows | Smooth | Thresholds | Benefit]]:
    def each(kind: Callable, populations: dict, **more: str) -> list:  # type: ignore[type-arg]
        return [kind(f"{name}, {n} rows", whole, n, **more) for name, whole in populations.items() for n in SIZES]

    every = {"": POPULATIONS, ", final check": FINAL}
    found: dict[str, list[Rows | Smooth | Thresholds | Benefit]] = {}
    for end, populations in every.items():
        found[f"slope, intercept and R²{end}"] = each(partial(Rows, metrics=METRICS, how=BINARY), populations)
        found[f"top rows{end}"] = each(partial(Rows, metrics=TOP, how=BINARY), populations)
        found[f"integrated calibration index{end}"] = each(Smooth, populations)
        found[f"thresholds on other rows{end}"] = each(Thresholds, populations)
        found[f"net benefit{end}"] = each(Benefit, populations)
    return found
