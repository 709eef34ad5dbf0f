"""Every method that `interval=` offers, not only the default: why the default is what it is.

Bootstraps draw 999 times, and only where that is done on cells or on the once-sorted scores: a measure that has to draw
whole rows again (averaged areas, calibration errors) would take days.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np

from calipers.inference.estimate import Interval
from calipers.inference.intervals import RESAMPLED, fitting, interval
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.resolve import resolve
from calipers.metrics.values import Answer as Resolved
from calipers.metrics.views import Views
from calipers.resampling.bootstrap import Bootstrap
from trials.areas import classification, regression
from trials.cells import Answer, Ready, Rows, answer, drawn
from trials.draws import Generator
from trials.promises import promised

REPLICATES, LARGE = 999, 1000
OF_NUMBERS = {
    "mae": ("hall", "t"), "mse": ("hall", "t"), "bias": ("hall", "t"), "mape": ("hall", "t"),
    "wape": ("jackknife", "delta"), "r2": ("jackknife", "delta", "normal"), "concordance": ("jackknife", "delta"),
}  # fmt: skip


@dataclass(frozen=True)
class Methods:
    """All methods of the metrics of these rows, or only some."""

    rows: Rows
    level: float = 0.95
    only: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.rows.name

    def ready(self) -> Ready:
        whole, names = self.rows.whole(np.random.default_rng(1)), [n for n in self.rows.metrics.split() if n != "mce"]
        truth = self.rows.evaluation(whole, metrics=names)
        truths, find = {name: float(truth[name]) for name in names}, drawn(whole, self.rows.n)
        known: dict = {}

        def ask(rng: Generator) -> dict[str, Answer]:
            intervals = self.every(find(rng), names, known).items()
            return {f"{name}, {method}": answer(one, truths[name]) for (name, method), one in intervals}

        keys = self.every(drawn(whole, LARGE)(np.random.default_rng(0)), names, {})
        few = promised(names, whole, self.rows.n, self.rows.how, truth)
        return Ready(ask, {f"{name}, {method}": replace(few[name], judged=False) for name, method in keys})

    def every(self, columns: dict, names: list[str], known: dict) -> dict[tuple[str, str], Interval]:
        """The interval of each metric by each method, from one evaluation that keeps its rows for the bootstrap.

        What rests on the confusion matrix alone is `known` where samples before had the same one.
        """
        ev = self.rows.evaluation(columns, interval=RESAMPLED[0])
        bootstrap, out = Bootstrap(ev.views, 0, REPLICATES), {}
        for name in names:
            measure = CATALOGUE[name]
            counted = measure.metric.from_labels and ev.views.task != "multilabel"
            key = (name, ev.views.confusion.cells.tobytes()) if counted else None
            if key not in known:
                intervals = {
                    (name, method): one
                    for method, one in ends(measure, ev.views, resolve(measure, ev.views), bootstrap, self.only)
                }
                known.update({key: intervals} if counted else {})
            out |= known[key] if counted else intervals
        return out


def ends(
    measure: Measure, views: Views, resolved: Resolved, bootstrap: Bootstrap, only: tuple[str, ...]
) -> Iterator[tuple[str, Interval]]:
    """The interval of one sample by every method that fits, the default first; or by these methods."""
    if resolved.point != resolved.point:
        return
    find = partial(interval, resolved.value, 0.95, measure.metric.bounds)
    draws = cache(partial(bootstrap.draws, measure, resolved.value))
    default, *others = fitting(resolved.value)
    if not only:
        yield default, find()._replace(flags=resolved.flags + find().flags)
    for method in others:
        if method in only or (not only and (method not in RESAMPLED or quick(measure, views))):
            yield method, find(method, draws)


def quick(measure: Measure, views: Views) -> bool:
    """Whether samples are drawn again from cells or sorted scores, all at once."""
    of_scores = measure.metric.walked and measure.average is None and views.task == "binary"
    return bool(of_scores) or (measure.metric.from_labels and views.task in ("binary", "multiclass"))


@dataclass(frozen=True)
class OfNumbers:
    """The methods of metrics of predicted numbers."""

    rows: Rows
    level: float = 0.95
    methods: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: OF_NUMBERS)

    @property
    def name(self) -> str:
        return self.rows.name

    def ready(self) -> Ready:
        whole = self.rows.whole(np.random.default_rng(1))
        truth, find = self.rows.evaluation(whole, metrics=[*self.methods]), drawn(whole, self.rows.n)
        most = max(map(len, self.methods.values()))
        slots = [{name: every[i] for name, every in self.methods.items() if i < len(every)} for i in range(most)]

        def ask(rng: Generator) -> dict[str, Answer]:
            columns = find(rng)
            evaluations = [(self.rows.evaluation(columns, metrics=[*slot], interval=slot), slot) for slot in slots]
            return {
                f"{name}, {method}": answer(ev[name], float(truth[name]))
                for ev, slot in evaluations
                for name, method in slot.items()
            }

        few = promised(self.methods, whole, self.rows.n, {}, truth)
        keys = [(name, method) for name, every in self.methods.items() for method in every]
        return Ready(ask, {f"{name}, {method}": replace(few[name], judged=False) for name, method in keys})


def parts() -> dict[str, list[Methods | OfNumbers]]:
    chosen = classification.parts()
    some = ("two classes", "three classes", "hard shapes")
    listed: dict[str, list] = {
        kind: [Methods(rows) for rows in chosen[kind] if ", 0.02" not in rows.name] for kind in some
    }
    return listed | {"predicted numbers": [OfNumbers(rows) for rows in regression.parts()["every metric"]]}
