"""Formulas over predicted numbers: over sums of losses, over the rows, or over joint moments of truth and error."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics import joint
from calipers.metrics.brackets import of_errors
from calipers.metrics.influence import Finder
from calipers.metrics.joint import FEW, Joint, Sizes
from calipers.metrics.outputs import averaged
from calipers.metrics.over.base import View
from calipers.metrics.skill import both_losses, influence_on_skill
from calipers.metrics.values import Answer, Linearised, Mean, Value, Without, few_decide
from calipers.metrics.views import Unavailable, Views
from calipers.remarks import Remark
from calipers.statistics.combine import Recipe
from calipers.statistics.errors import Errors
from calipers.statistics.moments import JointMoments
from calipers.statistics.rows import Rows

if TYPE_CHECKING:
    from calipers.data.batch import Batch
    from calipers.metrics.base import Measure
    from calipers.metrics.plan import RowKind

Array = npt.NDArray[Any]
OUT_OF_RANGE = Remark("metrics.too_large")


class OfNumbers(View):
    """What views of predicted numbers have in common.

    summed: the pass sums the losses of the metrics. compared: it compares them with the loss of the best single answer.
    """

    section, taken = "Regression", "numbers"
    own_symbols = ("truth", "predicted", "rows")
    of_numbers = True
    summed = False
    compared = False

    def keeps_rows(self, rows: RowKind) -> bool:
        """Whether the metrics need the rows themselves."""
        return False

    def of_output(self, measure: Measure, views: Views, output: int) -> Answer:
        """The value of one predicted number per row."""
        raise NotImplementedError

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """The value of one output, or the average over all: uniform, or by the variance of their truth."""
        outputs = len(views.labels)
        if index is not None or outputs < 2:
            return self.of_output(measure, views, index or 0)
        each = [self.of_output(measure, views, k) for k in range(outputs)]
        answer = averaged(self, measure, views, each)
        if all(one.ends is None for one in each):
            return answer
        low, high = (
            averaged(self, measure, views, [one if one.ends is None else Answer(one.ends[at]) for one in each]).value
            for at in (0, 1)
        )
        return answer._replace(ends=(low, high))

    def row_losses(self, measure: Measure, rows: Rows) -> Array | None:
        """The losses of the rows behind a mean; None where the measure is no mean."""
        return None

    def row_influence(self, measure: Measure, rows: Rows) -> Array | None:
        """What each row adds to the error of a measure of one output, its weight put in; None where only a bootstrap
        can tell.
        """
        raise NotImplementedError

    def loss_and_scale(self, measure: Measure, rows: Rows) -> tuple[Array, Array] | None:
        """For a mean loss over the mean of something that the truth alone decides: both, row by row; otherwise None.

        Models on the same rows have the same scale, so that such a measure orders them as their mean losses do.
        """
        return None if measure.metric.parts is None else measure.metric.parts(rows)

    def losses(self, measure: Measure, batch: Batch) -> Array | None:
        """Of one number per row, all rows counting."""
        part = measure.loss is not None and measure.loss.kind == "percentage"
        return None if part or batch.truth.ndim > 1 else self.row_losses(measure, rows_of(batch))

    def influence(self, measure: Measure, views: Views, index: int | None, value: Value) -> Finder | None:
        """On the mean where the value is a map of one, else on the value itself."""
        assert views.source is not None
        numbers = rows_of(views.source)
        if numbers.truth.ndim == 2:
            if index is None:
                return None
            numbers = numbers.output(index)
        if isinstance(value, Mean):
            losses = self.row_losses(measure, numbers)
            w = _counting(measure, numbers)
            return lambda: np.asarray(w * (np.asarray(losses) - value.moments.mean) / w.sum())
        influence = self.row_influence(measure, numbers)
        return None if influence is None else lambda: influence


class OfErrors(OfNumbers, over=Errors):
    """Moments of losses that one pass sums."""

    summed = True

    def of_output(self, measure: Measure, views: Views, output: int) -> Answer:
        """Of the moments of the loss, made from the rows where the pass did not make them."""
        errors = views.errors(output)
        answer = _answer(measure.formula(_with_loss(measure, errors, views.kept_rows(output))))
        if not isinstance(answer.value, Mean):
            return answer
        mean, m = answer.value, answer.value.moments
        left = errors.n - m.n
        gone = (Remark("metrics.zero_left_out", count=left),) if left else ()
        if mean.default == "hall" and mean.most == np.inf:
            mean = mean._replace(default="long-tailed")
        return Answer(mean, answer.reason, gone + few_decide(m.deciding, m.effective), answer.available)

    def row_losses(self, measure: Measure, rows: Rows) -> Array | None:
        """The loss of each row, or its error."""
        if measure.metric.name == "max_error":
            return None
        if measure.loss is not None:
            return measure.loss.of_rows(rows.truth, rows.predictions)
        return np.asarray(rows.predictions - rows.truth.astype(np.float64))

    def row_influence(self, measure: Measure, rows: Rows) -> Array | None:
        """By the loss of each row, and the slope of what the mean loss is mapped by."""
        losses = self.row_losses(measure, rows)
        if losses is None:
            return None
        w = _counting(measure, rows)
        mean = w @ losses / w.sum()
        losses_of = [] if measure.loss is None else [measure.loss]
        value = measure.formula(Errors.of_columns(rows.truth, rows.predictions, rows.weights, losses_of))
        if not isinstance(value, Mean):  # undefined for these rows
            return None
        slope = 1.0 if value.through is None else float(np.imag(value.through(mean + 1e-40j)) / 1e-40)
        return np.asarray(slope * w * (losses - mean) / w.sum())


class OfKeptRows(OfNumbers, over=Rows):
    """The rows themselves: medians, and losses beside those of the best single answer."""

    compared = True

    def keeps_rows(self, rows: RowKind) -> bool:
        """Always."""
        return True

    def of_output(self, measure: Measure, views: Views, output: int) -> Answer:
        """Of the rows."""
        rows, sketch = views.kept_rows(output), views.error_sketch(output)
        if sketch is not None and not sketch.rows:  # of rows with weights, which it cannot count
            raise Unavailable(Remark("metrics.rows_not_kept"))
        if sketch is not None:
            return of_errors(measure, sketch)
        if rows is None:
            raise _not_asked_for(measure)
        return _answer(measure.formula(rows))

    def row_influence(self, measure: Measure, rows: Rows) -> Array | None:
        """Of losses beside those of the best answer, or as the metric says."""
        w = np.ones(rows.n) if rows.weights is None else rows.weights
        if measure.metric.influence is not None:
            return np.asarray(w * measure.metric.influence(rows) / w.sum())
        if measure.loss is None:
            return None
        return np.asarray(w * influence_on_skill(rows, measure.loss) / w.sum())

    def loss_and_scale(self, measure: Measure, rows: Rows) -> tuple[Array, Array] | None:
        """The loss of the best answer is the scale."""
        if measure.metric.parts is not None or measure.loss is None:
            return super().loss_and_scale(measure, rows)
        scale, losses = both_losses(rows, measure.loss)
        return losses, scale


class OfJoint(OfNumbers, over=Joint):
    """Means, variances and covariance of truth and error."""

    kind: type[Joint] = Joint

    def keeps_rows(self, rows: RowKind) -> bool:
        """Where they are so few that a jackknife can leave each of them out."""
        return rows.few

    def moments(self, errors: Errors) -> JointMoments:
        """The moments of what the formulas look at."""
        return errors.joint

    def columns(self, rows: Rows) -> tuple[Array, Array]:
        """Truth and error of each row."""
        truth = rows.truth.astype(np.float64, copy=False)
        return truth, rows.predictions - truth

    def of_output(self, measure: Measure, views: Views, output: int) -> Answer:
        """By linearisation; with few rows, which are at hand, a jackknife too."""
        errors, rows, few = views.errors(output), views.kept_rows(output), None
        sums = self.moments(errors)
        value = float(np.real(measure.formula(joint.view(sums, self.kind))))
        if rows is not None and 2 < rows.n <= FEW:
            few = partial(self._left_out, measure, sums, rows)
        spread = partial(joint.variance, measure.formula, sums, self.kind)
        too_large = value != value and errors.n > 0 and not np.isfinite(errors.joint.sums).all()
        found = Linearised(value, spread, sums.effective, few, measure.metric.intervals)
        return Answer(found, OUT_OF_RANGE if too_large else "")

    def _left_out(self, measure: Measure, sums: JointMoments, rows: Rows) -> Array:
        return joint.left_out(measure.formula, sums, *self.columns(rows), rows.weights, self.kind)

    def row_influence(self, measure: Measure, rows: Rows) -> Array | None:
        """Through the moments."""
        x, y = self.columns(rows)
        sums, w = JointMoments.of_values(x, y, rows.weights), np.ones(rows.n) if rows.weights is None else rows.weights
        return np.asarray(w * joint.influence(measure.formula, sums, x, y, self.kind) / w.sum())


class OfSizes(OfJoint, over=Sizes):
    """The same of the sizes of truth and error."""

    kind = Sizes

    def moments(self, errors: Errors) -> JointMoments:
        """The moments of the sizes."""
        return errors.sizes

    def columns(self, rows: Rows) -> tuple[Array, Array]:
        """Sizes of truth and error of each row."""
        truth, error = super().columns(rows)
        return np.abs(truth), np.abs(error)


def view_of(measure: Measure) -> OfNumbers:
    """The view of a measure of predicted numbers."""
    view = measure.metric.view
    assert isinstance(view, OfNumbers)
    return view


def recipes_of_numbers(measures: Sequence[Measure], rows: RowKind) -> dict[str, Recipe]:
    """One pass for all losses and joint moments; the rows themselves where a median or a jackknife needs them."""
    numeric = [(m, view_of(m)) for m in measures if m.metric.of_numbers]
    losses = tuple(dict.fromkeys(m.loss for m, view in numeric if view.summed and m.loss is not None))
    compared = {m.loss for m, view in numeric if view.compared and m.loss is not None} if rows.searched else ()
    passed = partial(Errors.of_outputs, losses=losses, compared=tuple(sorted(compared)))
    plan: dict[str, Recipe] = {Errors.__name__: passed}
    if any(view.keeps_rows(rows) or rows.several for _, view in numeric):
        plan[Rows.__name__] = Rows.of
    own = (view.recipe(m, rows) for m, view in numeric)  # of views that look at another statistic
    return plan | dict(recipe for recipe in own if recipe is not None)


def rows_of(batch: Batch) -> Rows:
    """True and predicted numbers of a batch, as formulas take them."""
    assert batch.score is not None
    return Rows(batch.truth, batch.score, batch.weights)


def _answer(raw: Any) -> Answer:
    undefined = isinstance(raw, Without) and raw.value != raw.value
    return Answer(raw, raw.why if undefined else "")


def _with_loss(measure: Measure, errors: Errors, rows: Rows | None) -> Errors:
    """The errors with the loss that the measure is about, made from the rows where the pass did not make it."""
    if measure.loss is None or measure.loss.key in errors.losses or not errors.n:
        return errors
    if rows is None:
        raise _not_asked_for(measure)
    return Errors.of_columns(rows.truth, rows.predictions, rows.weights, [measure.loss])


def _counting(measure: Measure, rows: Rows) -> Array:
    """The weight with which each row counts in a mean loss: a share of the truth leaves out rows of zero."""
    w = np.ones(rows.n) if rows.weights is None else rows.weights
    return w * (rows.truth != 0) if measure.loss is not None and measure.loss.kind == "percentage" else w


def _not_asked_for(measure: Measure) -> Unavailable:
    return Unavailable(Remark("metrics.not_asked_for", name=str(measure), names=[str(measure)]))
