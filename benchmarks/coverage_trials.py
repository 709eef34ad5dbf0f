"""How often the 95 % intervals hold the truth: python benchmarks/coverage_trials.py [WORD ...] [--samples N] [--write].

Every metric with its default method, and with every other method that `interval=` offers, over n = 30, 100, 1000,
prevalence 0.5, 0.1, 0.02 and a weak and a strong scorer, then shapes that are hard for areas. The truth is the same
metric of the whole population. WORDs choose settings by their name; --write puts the tables into docs/coverage.md.

Bootstraps draw 999 times, and only where that is done on cells or on the once-sorted scores: a measure that has to draw
whole rows again (averaged areas, calibration errors) would take days.
"""

import argparse
import zlib
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

import calipers as cal
from calipers.bootstrap import Bootstrap
from calipers.inference.estimate import Interval
from calipers.inference.intervals import RESAMPLED, fitting, interval
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.resolve import resolve
from calipers.metrics.values import (
    Answer,
    Area,
    Calibration,
    Combination,
    FScore,
    Mean,
    PrecisionArea,
    Proportion,
    Smooth,
    Value,
    Without,
)
from calipers.metrics.views import Views
from populations import SHAPES, Population, binary, labelled, several, shaped

LEVEL, LEAST, MOST = 0.95, 93.0, 98.0
SIZES, SHARES, STRENGTHS = (30, 100, 1000), (0.5, 0.1, 0.02), ("weak", "strong")
RESTATED = 0.2
REPLICATES = 999
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
    if isinstance(value, (Proportion, Combination)) and not restated:
        parts = [value] if isinstance(value, Proportion) else [part for _, part in value.parts]
        return min(min(float(p.hits), float(p.trials - p.hits)) for p in parts), 5.0
    if isinstance(value, FScore):
        return float(min(value.tp, value.fp + value.fn)), 5.0
    if isinstance(value, (Proportion, Combination)) or (isinstance(value, Smooth) and value.classes):
        cells = np.stack(views.one_vs_rest.counts) if views.task == "multilabel" else views.confusion.cells
        return float(cells.min()), 5.0
    base = name.partition("(")[0]
    columns = [views.samples] if views.task == "binary" else views.class_scores.columns
    smaller = [min(c.positives, c.negatives) for c in columns]
    if isinstance(value, Mean) and views.task == "multilabel":  # rows that carry it: np of a share
        m = value.moments
        return m.weight * m.mean**2 / (m.mean**2 + m.m2 / m.weight), 10.0
    if isinstance(value, Mean) and value.unseen is not None:
        return value.unseen.errors, 5.0
    if isinstance(value, Mean) or base in ("log_loss", "brier"):
        return min(smaller), 10.0
    if isinstance(value, PrecisionArea) or base == "average_precision":
        return min(c.positives for c in columns), 50.0
    assert isinstance(value, Area) or base in ("roc_auc", "roc_auc_ovo"), name
    wrong = [1 - c.areas.pairs2 / (2 * c.positives * c.negatives) for c in columns]
    return min(s * w for s, w in zip(smaller, wrong, strict=True)), 5.0


def ends(measure: Measure, views: Views, answer: Answer, bootstrap: Bootstrap) -> Iterator[tuple[str, Interval]]:
    """The interval of one sample by every method that fits, the default ("") first."""
    if answer.point != answer.point:
        yield "", interval(Without(answer.point, answer.reason), LEVEL, measure.metric.bounds)
        return
    find = partial(interval, answer.value, LEVEL, measure.metric.bounds)
    drawn = cache(partial(bootstrap.draws, measure, answer.value))
    yield "", find()
    for method in fitting(answer.value)[1:]:
        if method not in RESAMPLED or quick(measure, views):
            yield method, find(method, drawn)


def quick(measure: Measure, views: Views) -> bool:
    """Whether samples are drawn again from cells or sorted scores, all at once."""
    of_scores = measure.metric.walked and measure.average is None and views.task == "binary"
    return bool(of_scores) or (measure.metric.from_labels and views.task in ("binary", "multiclass"))


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
    seen = defaultdict(list)
    look = partial(every_method, {}) if others and kind != "restated" else defaults
    for _ in range(samples):
        rows = population.draw(rng, n)
        if kind == "restated" and not 0 < rows["truth"].sum() < n:
            continue
        for (metric, method), found in look(population, rows, names, kind == "restated").items():
            truth = truths[metric] if metric != "mce" else occupied_mce(whole, population, rows)
            seen[metric, method].append((found.low <= truth <= found.high, *found))
    out = []
    for (metric, _), each in seen.items():
        held, low, _, methods, flags = zip(*each, strict=True)
        known = np.array(low) == np.array(low)
        if known.sum() < samples / 10:  # a method that a few samples allow
            continue
        used = [m for m, k in zip(methods, known, strict=True) if k]
        value = resolve(CATALOGUE[metric], whole.views).value
        expected, needed = rests_on(metric, value, whole, kind == "restated")
        out.append(
            Found(
                metric,
                max(set(used), key=used.count),
                setting,
                100 * sum(held) / known.sum(),
                100 * float(np.array([bool(f) for f in flags])[known].mean()),
                100 * (1 - float(known.sum()) / samples),
                expected,
                expected >= needed,
            )
        )
    return out


def defaults(population: Population, rows: dict, names: list[str], restated: bool) -> dict[tuple[str, str], Interval]:
    """What a user gets."""
    ev = population.evaluate(rows, metrics=names, level=LEVEL)
    ev = ev.at(prevalence=RESTATED) if restated else ev
    return {(name, ""): Interval(e.low, e.high, e.method, e.flags) for name in names for e in [ev[name]]}


def every_method(
    known: dict, population: Population, rows: dict, names: list[str], _: bool
) -> dict[tuple[str, str], Interval]:
    """The same, and every other method, from one evaluation that keeps its rows for the bootstrap.

    What rests on the confusion matrix alone is `known` where samples before had the same one.
    """
    ev = population.evaluate(rows, interval=RESAMPLED[0])
    bootstrap = Bootstrap(ev.views, 0, REPLICATES)
    out = {}
    for name in names:
        measure = CATALOGUE[name]
        counted = measure.metric.from_labels and ev.views.task != "multilabel"
        key = (name, ev.views.confusion.cells.tobytes()) if counted else None
        if key not in known:
            answer = resolve(measure, ev.views)
            found = {
                (name, method): one._replace(flags=answer.flags + one.flags)
                for method, one in ends(measure, ev.views, answer, bootstrap)
            }
            known.update({key: found} if counted else {})
        out |= known[key] if counted else found
    return out


def occupied_mce(whole: cal.Evaluation, population: Population, rows: dict) -> float:
    """The largest true gap among the bins that the sample filled: of others it says nothing."""
    ev = population.evaluate(rows)
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
