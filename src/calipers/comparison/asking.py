"""The question about several models: settings, the baseline, the metric that decides, and tests by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from calipers.comparison.judging import Judging
from calipers.comparison.named_tests import EVERY
from calipers.errors import InputError, UnknownName, nearest
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.family import check
from calipers.inference.published import PUBLISHED
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.calling import AskedMetrics
from calipers.settings import Settings, labels_of, metric_names


@dataclass(frozen=True)
class Asked:
    """How models are judged, and the tests that were asked for by name."""

    models: Mapping[str, Any]  # the baseline first
    judging: Judging
    methods: Mapping[str, str]

    @classmethod
    def of(
        cls,
        models: Any,
        margin: float | None,
        baseline: str | None,
        primary: str | None,
        method: str | Mapping[str, str] | None,
        adjust: str,
    ) -> Asked:
        """From arguments of `compare`."""
        if not isinstance(models, Mapping) or len(models) < 2:
            raise InputError("comparison.two_models")
        if margin is not None and not (isinstance(margin, (int, float)) and 0 < margin < math.inf):
            raise InputError("comparison.not_a_difference", margin=margin)
        if baseline is not None:
            models = {known(str(baseline), list(map(str, models))): models[baseline], **models}
        judging = Judging(margin, check(adjust), None if primary is None else CATALOGUE[primary].name)
        return cls(models, judging, _methods(method))

    def settings(self, threshold: Any, **options: Any) -> tuple[Settings, dict[str, Settings]]:
        """The settings of all models, and of each; options: `positive`, `labels`, `level` and others of `compare`."""
        names = set(map(str, self.models))
        by_model = isinstance(threshold, Mapping) and set(map(str, threshold)) <= names
        per_model = {str(name): each for name, each in threshold.items()} if by_model else {}
        metrics: AskedMetrics | None = options.pop("metrics")
        labels = labels_of(options.pop("labels"))
        own: Any = None if per_model else threshold
        settings = Settings(**options, threshold=own, labels=labels, metrics=metric_names(metrics))
        each = {
            name: replace(settings, threshold=per_model.get(name, settings.threshold)) for name in map(str, self.models)
        }
        return settings, each

    def listed(self, evaluations: Sequence[Evaluation], settings: Settings) -> list[Measure]:
        """The primary metric first, then those that every model has."""
        common = [m for m in evaluations[0].listed if all(m in ev.listed for ev in evaluations)]
        # Where none were asked for, those that say which of two models is better.
        listed = [m for m in common if settings.metrics is not None or m.metric.better]
        if self.judging.primary is not None:
            listed = list(dict.fromkeys([CATALOGUE[self.judging.primary], *listed]))
        return listed


def known(name: str, names: Sequence[str]) -> str:
    """The name of a model, or the error that lists them."""
    if name not in names:
        raise UnknownName("comparison.unknown_model", name=name, near=nearest(name, names))
    return name


def _methods(method: str | Mapping[str, str] | None) -> Mapping[str, str]:
    """Published tests by metric; "*" for all that can have it."""
    by_name = {EVERY: method} if isinstance(method, str) else dict(method or {})
    for name in by_name.values():
        if name not in PUBLISHED:
            raise InputError("comparison.unknown_method", method=name, near=nearest(str(name), PUBLISHED))
    return {name if name == EVERY else CATALOGUE[name].name: how for name, how in by_name.items()}
