"""How models are judged, apart from the rows: margin, adjustment over pairs, and the metric that decides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Protocol

from calipers.comparison.differences import OPEN, Difference, Differences, Pair, judged
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.contrast import Contrast
from calipers.inference.family import Family
from calipers.inference.outcome import Outcome
from calipers.metrics.base import Measure
from calipers.remarks import Remark


class Pairs(Protocol):
    """What is compared, two at a time: models on the same rows (`Pairing`), or different rows (`Independent`)."""

    paired: ClassVar[bool]

    @property
    def evaluations(self) -> Mapping[str, Evaluation]:
        """The evaluations by name, the baseline first."""
        ...

    @property
    def rows(self) -> int:
        """How many rows there are."""
        ...

    def value(self, measure: Measure, model: str) -> float:
        """The measure of one of them."""
        ...

    def contrast(self, measure: Measure, first: str, second: str) -> Contrast:
        """The difference of a measure, first minus second."""
        ...

    def overall(self, measure: Measure) -> Outcome | None:
        """The test that all are equal, if there is one."""
        ...


@dataclass(frozen=True)
class Judging:
    """The margin, the level and the adjustment of differences. primary: the name of the metric that decides."""

    margin: float | None
    adjust: str
    primary: str | None = None

    def differences(self, measure: Measure, pairing: Pairs, level: float) -> Differences:
        """Every pair of models, candidate minus baseline, with p-values and intervals adjusted together."""
        pairs = [(candidate, baseline) for baseline, candidate in combinations(pairing.evaluations, 2)]
        contrasts = [pairing.contrast(measure, *pair) for pair in pairs]
        family = Family.of(contrasts, self.adjust)
        p, margins = family.pvalues([c.pvalue() for c in contrasts]), self._margins(measure, contrasts, family)
        tests = zip(pairs, contrasts, p, margins, strict=True)
        each = {one[0]: self._judged(measure, pairing, family, level, *one) for one in tests}
        return Differences(each, pairing.overall(measure))

    def _margins(self, measure: Measure, contrasts: Sequence[Contrast], family: Family) -> list[dict[str, Any]]:
        """p-values against the margin: within it on both sides, and not beyond it on the bad side of either model."""
        if self.margin is None:
            return [{} for _ in contrasts]
        above_low = [c.pvalue(-self.margin, "greater") for c in contrasts]
        below_high = [c.pvalue(self.margin, "less") for c in contrasts]
        equal = family.pvalues([max(both) for both in zip(above_low, below_high, strict=True)])
        candidate, baseline = (family.pvalues(p) for p in (above_low, below_high))
        if measure.metric.better == "lower":
            candidate, baseline = baseline, candidate
        names = ("equivalence", "noninferiority", "noninferiority_of_baseline")
        return [dict(zip(names, each, strict=True)) for each in zip(equal, candidate, baseline, strict=True)]

    def _judged(
        self,
        measure: Measure,
        pairing: Pairs,
        family: Family,
        level: float,
        pair: Pair,
        c: Contrast,
        p: float,
        margins: dict[str, Any],
    ) -> Difference:
        bounds, rows = measure.metric.bounds, pairing.rows
        low, high = c.interval(family.level(level))
        outcome, winner = judged(pair, c.value, p, 1 - level, measure.metric.better, margins.get("equivalence"))
        settled = c.rows_to_settle(rows, level, self.margin) if outcome == OPEN else None
        open_end = math.isinf(low) or math.isinf(high)
        return Difference(
            measure.name,
            *pair,
            measured=(pairing.value(measure, pair[0]), pairing.value(measure, pair[1])),
            difference=c.value,
            low=max(low, bounds[0] - bounds[1]),
            high=min(high, bounds[1] - bounds[0]),
            level=level,
            pvalue=c.pvalue(),
            adjusted=p,
            outcome=outcome,
            winner=winner,
            method=c.method,
            statistic=c.statistic(),
            df=c.df,
            stderr=c.error,
            adjustment="" if len(pairing.evaluations) == 2 else family.adjust,
            interval_adjusted=family.of_intervals,
            more_rows=None if settled is None else max(0, settled - rows),
            note=c.note or (Remark("comparison.open_end", count=rows) if open_end else ""),
            unit=next(iter(pairing.evaluations.values())).schema.facts.unit,
            **margins,
        )
