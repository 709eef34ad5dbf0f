"""Methods that papers name, as they are published: not the defaults, so nothing is promised, and the tables say how far
they are off."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, ndtr

import calipers as cal
from trials.cells import Answer, Ready
from trials.draws import Generator
from trials.promises import TEST, UNJUDGED

OF_TEST = replace(TEST, judged=False)
RECALL, FALSE_ALARMS = 0.8, 0.2


@dataclass(frozen=True)
class Ratios:
    """Woolf's and Simel's intervals, and Wilson's with continuity correction, of labels."""

    n: int
    share: float
    level: float = 0.95

    @property
    def name(self) -> str:
        return f"labels, {self.n} rows, {self.share:.0%} positive"

    def ready(self) -> Ready:
        truths = {
            "diagnostic_odds_ratio, woolf": RECALL / (1 - RECALL) / (FALSE_ALARMS / (1 - FALSE_ALARMS)),
            "lr_plus, simel": RECALL / FALSE_ALARMS, "lr_minus, simel": (1 - RECALL) / (1 - FALSE_ALARMS),
            "recall, wilson-cc": RECALL,
        }  # fmt: skip
        how = {key.split(", ")[0]: key.split(", ")[1] for key in truths}

        def ask(rng: Generator) -> dict[str, Answer]:
            y = (rng.random(self.n) < self.share).astype(int)
            flagged = (rng.random(self.n) < np.where(y, RECALL, FALSE_ALARMS)).astype(int)
            ev = cal.evaluate(y, flagged, labels=[0, 1], positive=1, metrics=[*how], interval=how)
            each = {key: ev[key.split(", ")[0]] for key in truths}
            return {key: Answer(e.low == e.low, e.low <= truths[key] <= e.high) for key, e in each.items()}

        return Ready(ask, dict.fromkeys(truths, UNJUDGED))


@dataclass(frozen=True)
class Numbers:
    """Fisher's z of normal and of log-normal numbers."""

    n: int
    level: float = 0.95

    @property
    def name(self) -> str:
        return f"numbers, {self.n} rows"

    def ready(self) -> Ready:
        truths = {"pearson, fisher-z, normal": 0.6, "pearson, fisher-z, log-normal": (np.exp(0.6) - 1) / (np.e - 1)}

        def ask(rng: Generator) -> dict[str, Answer]:
            x = rng.normal(size=self.n)
            y = 0.6 * x + 0.8 * rng.normal(size=self.n)
            out = {}
            for (key, truth), columns in zip(truths.items(), ((x, y), (np.exp(x), np.exp(y))), strict=True):
                e = cal.metrics.pearson(*columns, interval="fisher-z")
                out[key] = Answer(e.low == e.low, e.low <= truth <= e.high)
            return out

        return Ready(ask, dict.fromkeys(truths, UNJUDGED))


@dataclass(frozen=True)
class Areas:
    """Hanley and McNeil's interval, and DeLong's unpaired tests of equal areas."""

    n: int
    shift: float
    level: float = 0.95

    @property
    def name(self) -> str:
        return f"areas, {self.n} and {3 * self.n} rows, normal scores {self.shift} apart"

    def ready(self) -> Ready:
        truth = float(ndtr(self.shift / np.sqrt(2)))
        keys = {"roc_auc, hanley-mcneil": UNJUDGED, "delong": OF_TEST, "delong-z": OF_TEST}

        def rows(rng: Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
            y = np.arange(n) % 2
            return y, expit(self.shift * y + rng.normal(size=n))

        def ask(rng: Generator) -> dict[str, Answer]:
            first, second = (cal.evaluate(*rows(rng, n), metrics=["roc_auc"]) for n in (self.n, 3 * self.n))
            e = cal.metrics.roc_auc(*rows(rng, self.n), interval="hanley-mcneil")
            out = {"roc_auc, hanley-mcneil": Answer(e.low == e.low, e.low <= truth <= e.high)}
            for method in ("delong", "delong-z"):
                p = cal.compare_independent(first, second, method=method)["roc_auc"].pvalue
                out[method] = Answer(p == p, p < 1 - self.level)
            return out

        return Ready(ask, keys)


@dataclass(frozen=True)
class Differences:
    """Hodges and Lehmann's interval, and the sign test of differences around 0."""

    n: int
    level: float = 0.95

    @property
    def name(self) -> str:
        return f"{self.n} differences with heavy tails"

    def ready(self) -> Ready:
        def ask(rng: Generator) -> dict[str, Answer]:
            zeros, d = np.zeros(self.n), rng.standard_t(3, self.n)
            located = cal.compare_folds(zeros, d, method="hodges-lehmann")
            sign = cal.compare_folds(zeros, d, method="sign").pvalue
            return {
                "hodges-lehmann": Answer(True, located.low <= 0 <= located.high),
                "wilcoxon": Answer(True, located.pvalue < 1 - self.level),
                "sign": Answer(True, sign < 1 - self.level),
            }

        return Ready(ask, {"hodges-lehmann": UNJUDGED, "wilcoxon": OF_TEST, "sign": OF_TEST})


def parts() -> dict[str, list]:
    return {
        "intervals": [*(Ratios(n, share) for n in (60, 300) for share in (0.5, 0.15)), Numbers(20), Numbers(100)],
        "areas": [Areas(n, shift) for n in (40, 120) for shift in (1.0, 2.5)],
        "differences": [Differences(10), Differences(30)],
    }
