"""How often the 95 % intervals hold the truth: python benchmarks/coverage_trials.py [WORD ...] [--samples N] [--write].

Every metric with its default method, and with every other method that `interval=` offers, over n = 30, 100, 1000,
prevalence 0.5, 0.1, 0.02 and a weak and a strong scorer, then shapes that are hard for areas. The truth is the same
metric of the whole population. WORDs choose settings by their name; --write puts the tables into docs/coverage.md.
"""

import argparse
import zlib
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import calipers as cal
from calipers.inference.intervals import RESAMPLED, fitting
from calipers.metrics.base import CATALOGUE
from calipers.metrics.resolve import resolve
from calipers.metrics.values import Area, Calibration, Combination, FScore, Mean, PrecisionArea, Proportion, Value
from populations import SHAPES, binary, labelled, several, shaped

LEVEL, LEAST, MOST = 0.95, 93.0, 98.0
SIZES, SHARES, STRENGTHS = (30, 100, 1000), (0.5, 0.1, 0.02), ("weak", "strong")
RESTATED = 0.2
PAGE = Path(__file__).parents[1] / "docs/coverage.md"

NAMES = {
    "binary": """accuracy precision recall specificity npv f1 fbeta(beta=2) fbeta(beta=0.5) jaccard balanced_accuracy
        youden_j markedness mcc kappa g_mean lift lr_plus lr_minus diagnostic_odds_ratio roc_auc average_precision
        log_loss brier ece mce""",
    "restated": "precision npv accuracy f1 mcc roc_auc average_precision log_loss brier",
    "several": """accuracy balanced_accuracy mcc kappa f1(average=macro) f1(average=weighted) precision(average=macro)
        roc_auc(average=macro) roc_auc(average=micro) average_precision(average=macro) average_precision(average=micro)
        roc_auc_ovo log_loss brier ece""",
    "labelled": """f1(average=macro) f1(average=micro) precision(average=macro) recall(average=macro)
        roc_auc(average=macro) average_precision(average=macro) subset_accuracy hamming_loss jaccard_of_rows f1_of_rows
        ranking_loss""",
    "shapes": "roc_auc average_precision",
}
MAKERS = {"binary": binary, "restated": binary, "several": several, "labelled": labelled, "shapes": shaped}


@dataclass(frozen=True)
class Found:
    """What the samples of one setting gave for one metric and method, in per cent of those that had an interval."""

    metric: str
    method: str
    setting: tuple[str, str, float, int]
    coverage: float
    flagged: float
    undefined: float
    expected: float
    inside: bool

    @property
    def good(self) -> bool:
        """Whether the promise is kept; calibration errors may be covered more often."""
        most = 100.0 if self.metric in ("ece", "mce") else MOST
        return not self.inside or LEAST <= self.coverage <= most


def rests_on(name: str, value: Value, whole: cal.Evaluation, restated: bool) -> tuple[float, float]:
    """How often the rarest outcome that a metric rests on is expected, and how often it has to be.

    `whole` is the population with the weight of the sample, so that its counts are the expected ones.
    """
    views = whole.views
    if isinstance(value, Calibration):
        return np.inf, 0.0
    if views.task == "multilabel" and "micro" in name:
        return 0.0, 5.0  # takes the labels of a row as independent, and always says so
    if isinstance(value, (Proportion, Combination)) and not restated:
        parts = [value] if isinstance(value, Proportion) else [part for _, part in value.parts]
        return min(min(float(p.hits), float(p.trials - p.hits)) for p in parts), 5.0
    if isinstance(value, FScore):
        return float(min(value.tp, value.fp + value.fn)), 5.0
    base = name.partition("(")[0]
    columns = [views.samples] if views.task == "binary" else views.class_scores.columns
    smaller = [min(c.positives, c.negatives) for c in columns]
    if isinstance(value, Mean) or base in ("log_loss", "brier"):
        return min(smaller), 10.0
    if isinstance(value, PrecisionArea) or base == "average_precision":
        return min(c.positives for c in columns), 50.0
    if isinstance(value, Area) or base in ("roc_auc", "roc_auc_ovo"):
        wrong = [1 - c.areas.pairs2 / (2 * c.positives * c.negatives) for c in columns]
        return min(s * w for s, w in zip(smaller, wrong, strict=True)), 5.0
    cells = np.stack(views.one_vs_rest.counts) if views.task == "multilabel" else views.confusion.cells
    return float(cells.min()), 5.0


def methods(names: list[str], whole: cal.Evaluation) -> dict[str, list[str]]:
    """The metrics that each method other than the default fits; bootstraps are left to their own trials."""
    found = defaultdict(list)
    for name in names:
        for method in fitting(resolve(CATALOGUE[name], whole.views).value)[1:]:
            if method not in RESAMPLED:
                found[method].append(name)
    return found


def settings() -> list[tuple[str, str, float, int]]:
    plain = [
        (kind, strength, share, n)
        for kind in ("binary", "restated", "several", "labelled")
        for n in reversed(SIZES)
        for share in SHARES
        for strength in STRENGTHS
    ]
    hard = [("shapes", shape, share, n) for shape in SHAPES for n, share in ((120, 0.5), (150, 0.7), (1000, 0.05))]
    return plain + hard


def trial(samples: int, setting: tuple[str, str, float, int], others: bool = True) -> list[Found]:
    """All metrics of one setting, with their defaults and with the other methods that fit them."""
    kind, name, share, n = setting
    population, names = MAKERS[kind](name, share), NAMES[kind].split()
    rng = np.random.default_rng(zlib.crc32(repr(setting).encode()))
    whole = population.truth(n, metrics=names)
    at = whole.at(prevalence=RESTATED) if kind == "restated" else whole
    truths = {name: float(at[name]) for name in names}
    ends = defaultdict(list)
    asked = {"": names} | (methods(names, whole) if others else {})
    for _ in range(samples):
        rows = population.draw(rng, n)
        for method, measured in asked.items():
            try:
                ev = population.evaluate(rows, metrics=measured, level=LEVEL, interval=method or None)
            except cal.InputError:  # a sample so small that the method fits none of them
                continue
            if kind == "restated":
                if not 0 < rows["truth"].sum() < n:
                    continue
                ev = ev.at(prevalence=RESTATED)
            for metric in measured:
                found = ev[metric]
                truth = truths[metric] if metric != "mce" else occupied_mce(whole, ev)
                low, high = found.low, found.high
                ends[metric, method].append((low <= truth <= high, low == low, bool(found.flags), found.method))
    out = []
    for (metric, _), seen in ends.items():
        held, known, flagged = (np.array(column, float) for column in list(zip(*seen, strict=True))[:3])
        if not known.any():
            continue
        used = [m for _, known, _, m in seen if known]
        value = resolve(CATALOGUE[metric], whole.views).value
        expected, needed = rests_on(metric, value, whole, kind == "restated")
        out.append(
            Found(
                metric,
                max(set(used), key=used.count),
                setting,
                100 * held.sum() / known.sum(),
                100 * float(flagged[known > 0].mean()),
                100 * (1 - float(known.sum()) / samples),
                expected,
                expected >= needed,
            )
        )
    return out


def occupied_mce(whole: cal.Evaluation, ev: cal.Evaluation) -> float:
    """The largest true gap among the bins that the sample filled: of others it says nothing."""
    true, seen = (e.curve("calibration", bins=15) for e in (whole, ev))
    gaps = dict(zip(true.begin, abs(true.outcome - true.score), strict=True))
    return float(max(gaps.get(begin, 0.0) for begin in seen.begin))


def run(words: list[str], samples: int) -> list[Found]:
    asked = [s for s in settings() if not words or any(word in repr(s) for word in words)]
    with ProcessPoolExecutor(2) as pool:
        found: list[Found] = []
        for part in pool.map(partial(trial, samples), asked):
            found += part
            for f in part:
                if not f.good:
                    print(f"{f.coverage:.1f} {f.metric} ({f.method}) {f.setting} expected {f.expected:.1f}", flush=True)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    from coverage_page import text, written

    tables = text(run(given.words, given.samples), given.samples)
    print(tables)
    if given.write:
        written(PAGE, "coverage", tables)
