"""Models on the same rows, compared by the usual test of each metric, or by a published one that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from calipers.errors import InputError
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.contrast import Contrast
from calipers.inference.published import published
from calipers.metrics.base import CATALOGUE, Measure

EVERY = "*"  # for every metric that can have it


class NamedTests:
    """The tests of `methods` (by metric, or of all that can have one) in the place of the usual ones."""

    paired: ClassVar[bool] = True

    methods: Mapping[str, str]

    @property
    def evaluations(self) -> Mapping[str, Evaluation]:
        """The evaluation of each model."""
        raise NotImplementedError

    def _default(self, measure: Measure, first: str, second: str) -> Contrast:
        """The difference of a measure between two models, by its usual test."""
        raise NotImplementedError

    def contrast(self, measure: Measure, first: str, second: str) -> Contrast:
        """The difference of a measure between two models, first minus second, by the test that was asked for."""
        default = self._default(measure, first, second)
        if measure.name in self.methods:
            name = self.methods[measure.name]
            changed = published(name, default) if default.method else default
            if changed is None:
                raise InputError(
                    "comparison.method_does_not_fit", method=name, metric=str(measure), test=default.method
                )
            return changed
        return (published(self.methods[EVERY], default) or default) if EVERY in self.methods else default

    def check_methods(self, listed: Sequence[Measure]) -> None:
        """An error where a published test was asked for that fits none of the metrics."""
        first, second = list(self.evaluations)[:2]
        for name in self.methods:
            if name != EVERY:
                self.contrast(CATALOGUE[name], first, second)
            elif not any(published(self.methods[EVERY], self._default(m, first, second)) for m in listed):
                metrics = [str(measure) for measure in listed]
                raise InputError("comparison.method_fits_none", method=self.methods[EVERY], metrics=metrics)
