"""Formulas over the scores of one class, which are two sorted samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.brackets import of_sketch
from calipers.metrics.class_columns import of_columns, of_sketches
from calipers.metrics.influence import Finder, weights_of
from calipers.metrics.over.base import View, ambiguous, named, of_rows, whole
from calipers.metrics.scores import influence_on_area, influence_on_precision
from calipers.metrics.sums import gaps, mean
from calipers.metrics.values import Answer, Area, Mean, PrecisionArea, Value, Without, mean_loss
from calipers.metrics.views import Unavailable, Views
from calipers.remarks import Remark
from calipers.statistics.classes import ClassScores
from calipers.statistics.combine import Recipe
from calipers.statistics.moments import Moments
from calipers.statistics.scores import TOP, ScoreSamples

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.metrics.plan import RowKind
    from calipers.metrics.sums import Additive
    from calipers.resampling.bootstrap import Acceleration, Bootstrap

Array = npt.NDArray[Any]


class OfSamples(View, over=ScoreSamples):
    """The scores of one class: of the positive one, of the top one of each row, or of a column of a matrix."""

    section, taken = "Scores and probabilities", "class_scores"
    averaged = True

    def recipe(self, measure: Measure, rows: RowKind) -> tuple[str, Recipe] | None:
        """Two sorted samples; of several classes a matrix, unless the top class or row-wise losses are enough."""
        metric = measure.metric
        if rows.task.one_score:
            return sorted_scores(rows)
        if rows.task.top_class and measure.average is None:
            if metric.probabilities and not rows.probable:
                return None
            if metric.top_class:
                return TOP, ScoreSamples.of_top
            if metric.rows is not None:
                return of_rows(measure)
        return named(ClassScores)

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of losses that were taken without a sort, of the scores of one class, or averaged over columns of scores."""
        metric = measure.metric
        if metric.probabilities and views.why_not_probabilities:
            raise Unavailable(views.why_not_probabilities)
        if not whole(measure, index):
            scores = views.class_scores
            if isinstance(scores, ClassScores):
                return of_columns(measure, scores, index)
            return of_sketches(measure, scores, index)
        most = metric.most_of_two if len(views.labels) == 2 else np.inf
        if (losses := views.losses(measure.name)) is not None:
            return Answer(mean_loss(losses, most))
        if metric.rows is not None and views.facts.top_class:
            return Answer(Mean(views.moments(measure.name), most))
        if not views.facts.one_score and not of_top(measure, views):
            raise ambiguous(measure, views)
        samples = views.samples if views.facts.one_score else views.top
        if metric.probabilities and not samples.probabilities:
            low, high = samples.range
            raise Unavailable(Remark("metrics.out_of_range", low=low, high=high))
        sketch = views.sketch if views.facts.one_score else views.top_sketch
        answer = Answer(measure.formula(samples)) if sketch is None else of_sketch(measure, sketch)
        raw = answer.value
        if not isinstance(raw, Mean):
            return answer
        if views.fixed:
            return Answer(_of_strata(measure, samples, raw))
        return answer._replace(value=raw._replace(most=min(raw.most, metric.most_of_two)))

    def influence(self, measure: Measure, views: Views, index: int | None, value: Value) -> Finder | None:
        """Of areas by the places of the rows, of means by their losses."""
        if isinstance(value, (Area, PrecisionArea)) and measure.average is None:
            return lambda: _on_area(measure, views, index, value)
        return super().influence(measure, views, index, value)

    def sums(self, measure: Measure, views: Views, index: int | None, known: dict[str, Any]) -> Additive | None:
        """Means over rows, and gaps over bins of the score."""
        rows, metric = views.source, measure.metric
        assert rows is not None
        if not whole(measure, index):
            return None
        if metric.rows is not None and views.facts.top_class:
            return mean(np.asarray(metric.rows(rows)))
        if views.facts.one_score or of_top(measure, views):
            _, score, is_true = scored_column(measure, views, None)
            return gaps(measure, score, is_true)
        return None

    def drawn(self, bootstrap: Bootstrap, measure: Measure, value: Value) -> tuple[Array, Acceleration]:
        """The sorted scores, unless it is a mean over rows with several scores."""
        of_means = measure.metric.rows and bootstrap.index is None and not bootstrap.views.facts.one_score
        if measure.average is None and not of_means:
            return bootstrap.of_scores(measure, value)
        return super().drawn(bootstrap, measure, value)

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """Pairs and rows of both classes, of a score of the positive class."""
        if not views.facts.one_score or index not in (None, views.positive):
            return {}
        s = views.samples
        total = s.positives + s.negatives
        base = s.positives / total if total else np.nan
        return {"pairs": s.areas.pairs2 / 2, "positives": s.positives, "negatives": s.negatives, "base": base}


def sorted_scores(rows: RowKind) -> tuple[str, Recipe]:
    """The two sorted samples."""
    return ScoreSamples.__name__, ScoreSamples.of if rows.alone else ScoreSamples.of_many


def of_top(measure: Measure, views: Views) -> bool:
    """Whether several classes are measured by the score of the top one."""
    return views.facts.top_class and measure.metric.top_class


def scored_column(measure: Measure, views: Views, index: int | None) -> tuple[ScoreSamples, Array, Array]:
    """The sorted samples that a measure of one score looks at, and the score and class of each row."""
    rows = views.source
    assert rows is not None
    assert rows.score is not None
    if index is not None:
        scores = views.class_scores
        assert isinstance(scores, ClassScores)
        return scores.columns[index], rows.score[:, index], scores.is_true(index)
    if of_top(measure, views):
        assert rows.scan is not None
        return views.top, rows.score[np.arange(len(rows)), rows.scan.top], rows.scan.top == rows.truth
    return views.samples, rows.score, rows.truth == rows.positive


def _on_area(measure: Measure, views: Views, index: int | None, value: Area | PrecisionArea) -> Array:
    samples, score, is_true = scored_column(measure, views, index)
    w = weights_of(views)
    if isinstance(value, Area):
        return np.asarray(value.slope * w * influence_on_area(samples, score, is_true) / w.sum())
    return np.asarray(w * influence_on_precision(samples, score, is_true) / w.sum())


def _of_strata(measure: Measure, s: ScoreSamples, raw: Mean) -> Mean | Without:
    """A mean over rows whose classes have set shares: only what varies within the classes counts.

    It is described as the mean of one sample with the same variance, third cumulant and degrees of freedom
    (Satterthwaite).
    """
    no_pos, no_neg = (None if w is None else w[:0] for w in (s.pos_weights, s.neg_weights))
    alone = ScoreSamples(s.pos, s.neg[:0], s.pos_weights, no_neg), ScoreSamples(s.pos[:0], s.neg, no_pos, s.neg_weights)
    if min(s.effective) <= 1:
        return Without(raw.value, Remark("metrics.fewer_than_two_of_a_class"))
    variance = cumulant = lost = 0.0
    for m, n in zip((measure.formula(part).moments for part in alone), s.effective, strict=True):
        share = m.weight / (s.positives + s.negatives)
        part = share**2 * m.m2 / m.weight / (n - 1)
        variance, cumulant = variance + part, cumulant + share**3 * m.m3 / m.weight / n**2
        lost += part**2 / (n - 1)
    rows = 1 + variance**2 / lost if lost else sum(s.effective)
    m2, m3 = variance * rows * (rows - 1), cumulant * rows**3
    moments = Moments(s.rows, rows, rows, raw.value, m2, m3, 0.0, m2)
    return Mean(moments, measure.metric.most_of_two, unseen=raw.unseen)
