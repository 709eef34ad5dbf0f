"""What people and reports read: names to estimates, with the statistics behind them while it lives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, get_args

import numpy as np

from calipers.cached import lazy
from calipers.choices import Band, CurveAverage, CurveKind, Lang
from calipers.data.schema import Schema
from calipers.errors import InputError, UnknownName, nearest
from calipers.evaluation import curves, exposure_curve, residuals
from calipers.evaluation.confusion import Confusion
from calipers.evaluation.curve import Curve
from calipers.evaluation.estimates import Estimates
from calipers.evaluation.own_tables import HasTables
from calipers.evaluation.per_cluster import PerCluster
from calipers.evaluation.showing import ShownWithRows
from calipers.evaluation.thresholds import BestThreshold, choose
from calipers.inference.estimate import Estimate
from calipers.metrics.base import Metric
from calipers.metrics.views import Unavailable, Views
from calipers.remarks import Remark
from calipers.settings import Label, number
from calipers.statistics.classes import ClassScores
from calipers.statistics.confusion import ConfusionCounts, OneVsRest
from calipers.statistics.rows import Rows
from calipers.statistics.scores import TOP, ScoreSamples

if TYPE_CHECKING:
    from calipers.evaluation.worst_rows import KeptRows, WorstRows
    from calipers.report.explanation import Explanation


class Record(NamedTuple):
    """What a document holds besides the metrics; None is what it does not have."""

    confusion: Confusion | None = None
    classes: Mapping[Label, Estimates] = MappingProxyType({})
    findings: tuple[Any, ...] | None = None
    worst_rows: WorstRows | None = None
    answer: Any = None
    clusters: PerCluster | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(HasTables, ShownWithRows, Estimates):
    """The result of one evaluation; see `calipers.evaluate`."""

    kind: ClassVar[str] = "evaluation"

    schema: Schema = field(default=Schema(""))
    notes: tuple[str, ...] = ()
    predictions: str = ""
    rows: int = 0
    slices: Mapping[str, Mapping[Label, Evaluation]] = field(default_factory=dict)
    record: Record | None = None
    model: str | None = None
    sources: tuple[str, ...] = ()
    kept: KeptRows | None = None

    @property
    def task(self) -> str:
        """What was evaluated: "binary", "multiclass", "multilabel", "regression", "ranking", "clustering", ..."""
        return self.schema.task

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in the order of labels= if given; for several predicted numbers per row, their names."""
        return self.schema.shown

    @property
    def positive(self) -> Label | None:
        """The class that a score is for."""
        return self.schema.positive

    @lazy
    def classes(self) -> Mapping[Label, Estimates]:
        """The estimates of each class against the rest."""
        if self.record is not None:
            return self.record.classes
        named = [m.metric for m in self.listed if m.metric.averages]
        listed = tuple(dict.fromkeys(m.with_parameters({}) for m in named if _of_classes(m, self.views)))
        if self.schema.facts.of_numbers:
            listed = tuple(dict.fromkeys(m.metric.with_parameters(m.parameters) for m in self.listed))
        if self.schema.facts.of_topics:
            listed = tuple(m for m in self.listed if m.metric.view.by_topic)
        order = self.views.labels
        return {v: Estimates(self.views, self.settings, listed, order.index(v)) for v in self.labels}

    @lazy
    def findings(self) -> tuple[Any, ...]:
        """What to be careful about: `Finding`s with code, severity, sentence, numbers and advice."""
        if self.record is not None and self.record.findings is not None:
            return self.record.findings
        from calipers import findings

        return tuple(findings.look(self))

    @property
    def has_findings(self) -> bool:
        """Whether findings are known or can be computed; a slice of a loaded evaluation has none."""
        return self.is_live or (self.record is not None and self.record.findings is not None)

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix, truth in rows, labels in the order of `labels=`."""
        if self.record is not None:
            if self.record.confusion is None:
                raise UnknownName("evaluation.document_without_matrix")
            return self.record.confusion
        try:
            counted = self.views.confusion
        except Unavailable as why:
            raise InputError("evaluation.no_matrix", why=why.args[0]) from None
        order = [counted.labels.index(v) for v in self.labels]
        return Confusion(self.labels, counted.cells[np.ix_(order, order)])

    @property
    def by(self) -> Mapping[str, Mapping[Label, Evaluation]]:
        """The evaluations of the slices: `ev.by["region"]["north"]["f1"]`."""
        return self.slices

    @property
    def threshold(self) -> float | None:
        """The threshold of the predictions; None if labels were passed, or if there is no threshold."""
        views = self.seen
        if views is None or self.positive is None or views.counted:
            return None
        try:
            return views.decision_threshold
        except Unavailable:
            return None

    def _samples(self, label: Label | None = None) -> ScoreSamples:
        views = self.views
        try:
            if views.facts.one_score and label in (None, self.positive):
                return views.samples
            scores = views.class_scores
        except Unavailable as why:
            raise InputError("evaluation.no_curve", why=why.args[0]) from None
        if label is None:
            if views.facts.top_class and views.evidence.has(ScoreSamples, TOP):
                raise InputError("evaluation.several_classes")
            raise InputError("evaluation.several_labels")
        if label not in scores.labels:
            near = nearest(str(label), map(str, scores.labels))
            raise UnknownName("evaluation.unknown_class", label=label, near=near)
        return scores.columns[scores.labels.index(label)]

    def _top(self) -> ScoreSamples:
        """The score of the predicted class of each row; rows predicted right are the positives."""
        try:
            return self.views.top
        except Unavailable as why:
            raise InputError("evaluation.no_curve", why=why.args[0]) from None

    def curve(
        self,
        kind: CurveKind,
        label: Label | None = None,
        *,
        average: CurveAverage | None = None,
        band: Band | None = None,
        level: float | None = None,
        **how: Any,
    ) -> Curve:
        """A curve: roc, pr, det, gain, lift, calibration, thresholds, scores, or sweep (the counts at every threshold);
        for regression residuals, errors, predictions (of the truth), bland_altman; for recommendations exposure (k=).

        With several classes, name one or pass average="micro" or "macro"; "top_k" uses all classes, and calibration the
        predicted class unless one is named. band="pointwise" (roc, pr, calibration) or "simultaneous" (roc) adds the
        columns low and high; the note of the curve says how. points=1000 reduces the number of points for a chart.
        """
        if self.schema.facts.of_numbers:
            if average is not None:
                raise InputError("evaluation.average_of_outputs")
            level = replace(self.settings, level=self.level if level is None else level).level
            return residuals.curve(kind, self._rows_of(label), band, level, **how)
        if self.schema.facts.recommended:
            return exposure_curve.curve(kind, self.views.evidence, **how)
        if band is not None and (average is not None or kind == "top_k"):
            raise InputError("evaluation.band_of_average")
        if kind == "top_k":
            try:
                return curves.top_k(self.views.ranks)
            except Unavailable as why:
                raise InputError("evaluation.no_curve", why=why.args[0]) from None
        if average is None:
            if band is not None:
                level = replace(self.settings, level=self.level if level is None else level).level
                how |= {"band": band, "level": level, "fixed": self.views.fixed}
            of_top = kind == "calibration" and label is None and self.schema.facts.top_class
            return curves.curve(kind, self._top() if of_top else self._samples(label), **how)
        if average not in get_args(CurveAverage) or (average == "macro" and kind not in ("roc", "pr")):
            raise InputError("evaluation.unknown_average")
        try:
            scores = self.views.class_scores
        except Unavailable as why:
            raise InputError("evaluation.no_curve", why=why.args[0]) from None
        if average == "macro":
            return curves.macro(kind, scores)
        return curves.curve(kind, scores.pooled, **how)

    def _rows_of(self, label: Label | None) -> Rows:
        """The rows of the only predicted number, or of the one called so."""
        views = self.views
        if label is None and self.labels:
            raise InputError("evaluation.several_outputs", known=list(map(str, self.labels)))
        if label is not None and label not in self.labels:
            raise UnknownName("evaluation.unknown_output", label=label, near=nearest(str(label), map(str, self.labels)))
        rows = views.kept_rows(None if label is None else self.labels.index(label))
        if rows is None:
            summarised = views.error_sketch(0) is not None
            raise InputError("evaluation.rows_summarised" if summarised else "evaluation.rows_not_kept")
        return rows

    def at(self, threshold: float | None = None, *, prevalence: float | None = None) -> Evaluation:
        """The same rows with another threshold, or restated for a population with another prevalence."""
        views = self.views
        if self.positive is None:
            raise InputError("evaluation.at_without_positive")
        settings, predictions = self.settings, self.predictions
        if threshold is not None:
            if not views.evidence.has(ScoreSamples):
                raise InputError("evaluation.threshold_without_scores")
            settings = replace(settings, threshold=threshold)
            predictions = Remark("data.cut", threshold=settings.threshold)
            schema = replace(views.schema, threshold=settings.threshold, predicted="")
            views = replace(views, evidence=views.evidence.without(ConfusionCounts), schema=schema)
        notes = self.notes
        if prevalence is not None:
            if not 0 < (prevalence := number("prevalence", prevalence)) < 1:
                raise InputError("evaluation.not_a_prevalence", prevalence=prevalence)
            views = views.restated(prevalence)
            notes += (Remark("evaluation.restated", prevalence=prevalence),)
        return replace(
            self, seen=views, schema=views.schema, settings=settings, predictions=predictions, notes=notes, known={},
            slices={},
        )

    def best_threshold(
        self,
        rule: str | Callable[[OneVsRest], Any] | None = None,
        *,
        at: str | None = None,
        cost: Mapping[str, Any] | None = None,
        label: Label | None = None,
    ) -> BestThreshold:
        """The best threshold for a metric of one class, optionally among those that meet a condition
        (at="precision >= 0.5"), for "corner" (nearest to FPR 0, TPR 1), for the lowest cost ({"fp": 1, "fn": 10}; a
        cost can be one number per row), or for a function of the counts TP, FP, FN, TN (the greatest value is best); or
        the threshold of "ks", "eer" and "break_even".

        If several thresholds are equally good, the highest one is returned. `.cross_fitted` is the value on rows that
        were not used for the choice, with its interval (guide "Curves and thresholds").
        """
        return choose(self, rule, at, cost, label)

    def expected_cost(self, matrix: Any) -> Estimate:
        """The mean cost per row under a K x K matrix of costs, truth in rows, in the order of `labels`."""
        from calipers.evaluation.costs import expected_cost

        return expected_cost(self, matrix)

    def merge(self, other: Evaluation) -> Evaluation:
        """Merge with the evaluation of another part of the data; see `calipers.merge`."""
        from calipers.evaluation.merging import merge

        return merge([self, other])

    def to_bytes(self) -> bytes:
        """Schema, settings and statistics, which can contain every score; `calipers.loads` reads them."""
        from calipers.evaluation.saved import to_bytes

        return to_bytes(self)

    def explain(self, name: str, *, lang: Lang | None = None, got: float | str | None = None) -> Explanation:
        """Explain a metric with these rows: formula, numbers, interval, and other definitions with the same name.

        got: the number of another tool; the explanation names the definition that gives it.
        """
        from calipers.report.explain import explain

        return explain(name, self, lang=lang, got=got)


def _of_classes(metric: Metric, views: Views) -> bool:
    """Whether a metric can be had for each class: from counts always, from scores when a matrix was given."""
    return metric.from_labels or views.evidence.has(ClassScores)
