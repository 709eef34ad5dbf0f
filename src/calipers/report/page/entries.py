"""What the workbench shows of one class, of all rows or of a slice, at each of its stops."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calipers.inference.estimate import Estimate
from calipers.inference.intervals import interval
from calipers.metrics.values import Proportion
from calipers.metrics.views import Unavailable
from calipers.report import layout
from calipers.report.page.axis import Axis, axis_of
from calipers.report.page.one_class import OneClass, every
from calipers.report.page.stops import Stops, stops

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.report.language import Language

MAIN, OTHER, FEW = (128, 256), (64, 64), (16, 64)  # stops: usually, and at most; few where groups make them slow
ENTRIES, GROUPED = 20, 4  # classes times slices; where rows come in groups
METRICS = ("recall", "precision", "f1", "f2", "fpr")
SHARE = "share"  # of rows predicted positive, which the catalogue has no name for
SHOWN = (*METRICS, SHARE)
DIGITS, WIDTH = string.digits + string.ascii_lowercase, 3  # indices are written in base 36 with this many digits
PARTS = 100_000  # bounds are written as whole multiples of 1/PARTS
NONE, ALL = "inf", "-inf"  # how thresholds are written that predict no row, and every row


class Shown(NamedTuple):
    """Everything at one threshold, or of the predictions as they were given: texts, counts, and bounds of rates."""

    texts: dict[str, str]
    tp: float
    fp: float
    bounds: tuple[int | None, ...]  # recall from and to, false positive rate from and to, in hundred thousandths


class Words:
    """Values and bounds by number, three characters each: texts repeat them, and a page has little room."""

    def __init__(self, between: str) -> None:
        self.between = between
        self.places = {"": 0}

    def coded(self, texts: Sequence[str]) -> str:
        """Texts such as "0.550 [0.452, 0.644]", each as the numbers of its value and its two bounds."""
        parts = [part for text in texts for part in self._parts(text)]
        return "".join(_letters(self.places.setdefault(part, len(self.places))) for part in parts)

    def _parts(self, text: str) -> tuple[str, str, str]:
        value, _, bounds = text.partition(" [")
        low, _, high = bounds.removesuffix("]").partition(self.between)
        return value, low, high


@dataclass(frozen=True)
class Entry:
    """One class against the rest; `used` are the predictions of today, at the stop `used_stop` where it is one."""

    of: OneClass
    totals: tuple[float, float]
    stops: Stops
    each: tuple[Shown, ...]
    used: Shown | None
    used_stop: int | None
    start: int
    heights: tuple[list[float], list[float]]

    def written(self, stop: int) -> str:
        """A threshold as code has it; what is shown differs in the decimal mark only."""
        return written(self.stops.thresholds[stop])

    def data(self, words: Words) -> dict[str, Any]:
        """What the script is given."""
        used = None
        if self.used is not None:
            used = {"stop": self.used_stop, **self.used._asdict()}
        return {
            "t": "|".join(written(t) for t in self.stops.thresholds),
            "tp": [_plain(at.tp) for at in self.each],
            "fp": [_plain(at.fp) for at in self.each],
            "totals": [_plain(x) for x in self.totals],
            "texts": {key: words.coded([at.texts[key] for at in self.each]) for key in SHOWN},
            "bounds": [bound for at in self.each for bound in at.bounds],
            "used": used,
            "start": self.start,
            "heights": self.heights,
            "exact": self.stops.exact,
            "complete": self.stops.complete,
        }


@dataclass(frozen=True)
class Entries:
    """The entries by slice, all rows first, and by class; None where a slice has no row of a class."""

    by_slice: tuple[tuple[Entry | None, ...], ...]
    axis: Axis
    grouped: bool

    @property
    def main(self) -> Entry:
        """The first: the positive class, or the first class, of all rows."""
        entry = self.by_slice[0][0]
        assert entry is not None
        return entry


def entries(ev: Evaluation, lang: Language) -> Entries | None:
    """Every class that has scores, of all rows and of slices; None where there are no scores to cut."""
    grouped = is_grouped(ev)
    found = list(every(ev, GROUPED if grouped else ENTRIES, sliced=not grouped)) if ev.is_live else []
    if not found:
        return None
    first = [one for one in found[0] if one is not None]
    axis = axis_of([one.ev.views.samples for one in first], ev.threshold)
    by_slice = []
    for number, ones in enumerate(found):
        room = FEW if grouped else MAIN if number == 0 and len(ones) == 1 else OTHER
        by_slice.append(tuple(None if one is None else _entry(one, axis, room, lang) for one in ones))
    return Entries(tuple(by_slice), axis, grouped)


def _entry(one: OneClass, axis: Axis, room: tuple[int, int], lang: Language) -> Entry:
    samples, used = one.ev.views.samples, one.ev.threshold
    chosen = stops(samples, *room, used if used is not None and math.isfinite(used) else None)
    each = tuple(shown(at(one.ev, t), lang) for t in chosen.thresholds)
    given = _given(one.ev, lang)
    stop = chosen.thresholds.index(used) if used in chosen.thresholds else None
    start = stop if stop is not None else _like(each, given, samples)
    totals = samples.positives, samples.negatives
    return Entry(one, totals, chosen, each, given, stop, start, axis.heights(samples))


def _given(ev: Evaluation, lang: Language) -> Shown | None:
    """The predictions of today; None where the scores were not cut."""
    try:
        ev.views.confusion  # noqa: B018 - whether there is one
    except Unavailable:
        return None
    return shown(ev, lang)


def _like(each: Sequence[Shown], given: Shown | None, samples: Any) -> int:
    """The stop whose errors are most like those of today; where nothing was predicted yet, that of the best F1."""
    if given is None:
        return int(np.argmax([2 * at.tp / (at.tp + at.fp + samples.positives) for at in each]))
    return int(np.argmin([abs(at.tp - given.tp) / samples.positives + abs(at.fp - given.fp) / samples.negatives
                          for at in each]))  # fmt: skip


def at(ev: Evaluation, threshold: float) -> Evaluation:
    """The evaluation at a threshold, with default intervals: a bootstrap at each would take minutes."""
    cut = ev.at(threshold=threshold)
    return replace(cut, settings=replace(cut.settings, interval=None))


def estimates(ev: Evaluation) -> dict[str, Estimate]:
    """The metrics of the workbench."""
    return {**{key: ev[key] for key in METRICS}, SHARE: share(ev)}


def shown(ev: Evaluation, lang: Language) -> Shown:
    """What the workbench shows of an evaluation."""
    found = estimates(ev)
    tp, fp, *_ = counts(ev)
    bounds = (bound for key in ("recall", "fpr") for bound in (found[key].low, found[key].high))
    texts = {key: layout.whole(estimate, lang) for key, estimate in found.items()}
    return Shown(texts, tp, fp, tuple(None if math.isnan(x) else round(PARTS * x) for x in bounds))


def counts(ev: Evaluation) -> list[float]:
    """TP, FP, FN, TN of the positive class."""
    assert ev.views.positive is not None
    return [float(x) for x in ev.views.one_vs_rest.at(ev.views.positive).counts]


def share(ev: Evaluation) -> Estimate:
    """The share of rows predicted positive: a proportion, or with groups a mean of rows that are 0 or 1."""
    if is_grouped(ev):
        costs = [float(label == ev.positive) for label in ev.labels]
        return ev.expected_cost([costs for _ in ev.labels])
    tp, fp, *others = counts(ev)
    flagged = Proportion(tp + fp, sum((tp, fp, *others)), effective=sum(ev.views.samples.effective))
    find = partial(interval, flagged, ev.level, (0.0, 1.0))
    return Estimate(float(flagged.value), n=ev.rows, level=ev.level, interval=find)


def is_grouped(ev: Evaluation) -> bool:
    """Whether rows belong together, so that intervals are found from the rows."""
    return ev.is_live and ev.views.source is not None and ev.views.source.groups is not None


def written(threshold: float) -> str:
    """A threshold as code has it: a number, or what predicts none, or all."""
    if math.isinf(threshold):
        return NONE if threshold > 0 else ALL
    return f"{threshold!r}".removesuffix(".0")


def _plain(x: float) -> float | int:
    return int(x) if float(x).is_integer() else float(f"{x:.12g}")


def _letters(number: int) -> str:
    """A number below 36 ** 3 in base 36."""
    return "".join(DIGITS[number // 36**place % 36] for place in range(WIDTH - 1, -1, -1))
