"""Estimates by metric name, with the statistics behind them while they live."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from calipers.cached import lazy
from calipers.errors import InputError, UnknownName, nearest
from calipers.inference.bracket import over_bracket
from calipers.inference.estimate import Estimate
from calipers.inference.intervals import fitting, interval
from calipers.inference.standard_error import standard_error
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.resolve import resolve
from calipers.metrics.values import Selected, Value, Without
from calipers.metrics.views import Views
from calipers.resampling.bootstrap import Bootstrap
from calipers.resampling.groups import grouped
from calipers.settings import Settings


def estimate(
    measure: Measure,
    views: Views,
    settings: Settings,
    index: int | None = None,
    strict: bool = False,
    bootstrap: Bootstrap | None = None,
) -> Estimate:
    """The estimate of a measure; `strict` makes what cannot be had an error instead of a NaN with its reason.

    `bootstrap`, where several estimates share what it has drawn.
    """
    value, reason, flags, available, point, ends = resolve(measure, views, index)
    if strict and not available:
        raise InputError("evaluation.unavailable", metric=str(measure), reason=reason)
    if point != point:
        value = Without(point, reason)
    else:
        point = min(max(point, measure.metric.bounds[0]), measure.metric.bounds[1])  # beyond a bound, it is rounding
    find = partial(interval, value, settings.level, measure.metric.bounds)
    if settings.interval is not None or views.source is not None or isinstance(value, Selected):
        draws = partial((bootstrap or resampling(views, settings, index)).draws, measure, value)
        if point == point and views.source is not None and views.source.groups is not None:
            with np.errstate(all="ignore"):  # squares of large errors are infinite
                value = grouped(measure, views, index, value)
        method = None if settings.interval is None else _method(measure, value, settings.interval, strict)
        find = partial(interval, value, settings.level, measure.metric.bounds, method, draws)
    if ends is not None:
        find = partial(over_bracket, find, point, ends, settings.level, measure.metric.bounds)
    return Estimate(
        point,
        n=measure.metric.view.counted(value, views),
        level=settings.level,
        interval=find,
        reason=reason,
        flags=flags,
        stderr=partial(standard_error, value),
        bracket=None if ends is None else (float(ends[0].value), float(ends[1].value)),
    )


def resampling(views: Views, settings: Settings, index: int | None) -> Bootstrap:
    """The samples that a question asks for."""
    return Bootstrap(views, settings.seed, settings.replicates, index)


def _method(measure: Measure, value: Value, requested: str | Mapping[str, str], strict: bool) -> str | None:
    """The method asked for, or None, the default, where it does not fit.

    That is an error for a metric that was asked for by name; not for its slices, nor for other thresholds and
    prevalences, whose rows may make another kind of value of it.
    """
    name = requested if isinstance(requested, str) else requested.get(measure.name)
    possible = fitting(value)
    if name in possible:
        return name
    of_rows = value.value != value.value or (isinstance(value, Without) and value.of_rows)
    if strict and name is not None and not isinstance(requested, str) and not of_rows:
        raise interval_error(measure, name, possible)
    return None


def interval_error(measure: Measure, name: str, possible: Sequence[str]) -> InputError:
    """The error that says which intervals a metric can have."""
    if not possible:
        return InputError("evaluation.no_interval", method=name, metric=str(measure))
    return InputError("evaluation.other_interval", method=name, metric=str(measure), known=list(possible))


@dataclass(frozen=True, eq=False)
class Estimates(Mapping[str, Estimate]):
    """Estimates by metric name, of all rows or of one class. Metrics that were not listed are computed when they are
    read.
    """

    seen: Views | None
    settings: Settings
    listed: tuple[Measure, ...]
    index: int | None = None
    known: dict[str, Estimate] = field(default_factory=dict, repr=False)

    @property
    def is_live(self) -> bool:
        """Whether the statistics are available, so that every metric can be computed; a loaded document has only its
        numbers.
        """
        return self.seen is not None

    @property
    def views(self) -> Views:
        """The statistics behind the estimates; raises an error for a loaded document."""
        if self.seen is None:
            raise InputError("evaluation.from_a_document")
        return self.seen

    @property
    def level(self) -> float:
        """The confidence level of the intervals."""
        return self.settings.level

    @lazy
    def _bootstrap(self) -> Bootstrap | None:
        return None if self.seen is None else resampling(self.seen, self.settings, self.index)

    def __getitem__(self, name: str) -> Estimate:
        if not isinstance(name, (str, Measure)):
            raise UnknownName("evaluation.not_a_name", name=name)
        measure = self._with_listed_parameters(CATALOGUE[str(name)])
        key = measure.name
        if key not in self.known:
            if self.seen is None:
                near = nearest(name, map(str, self.listed))
                raise UnknownName("evaluation.not_in_document", name=name, near=near)
            self.known[key] = estimate(measure, self.seen, self.settings, self.index, bootstrap=self._bootstrap)
        return self.known[key]

    def _with_listed_parameters(self, measure: Measure) -> Measure:
        """A bare name is the metric with the parameters that were asked for: `cost` after `cost(fn_cost=10)`."""
        if measure.parameters or self.settings.metrics is None or measure in self.listed:
            return measure
        same = [m for m in self.listed if m.metric is measure.metric and m.average == measure.average]
        if len(same) > 1:
            raise UnknownName("evaluation.several_ways", metric=str(measure), known=list(map(str, same)))
        return same[0] if same else measure

    def __iter__(self) -> Iterator[str]:
        return (measure.name for measure in self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {self[name]}" for name in self)
