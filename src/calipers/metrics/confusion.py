"""The whole confusion matrix: accuracy and its kin."""

from __future__ import annotations

import numpy as np

from calipers.metrics.base import metric
from calipers.metrics.values import Combination, Largest, Number, Proportion, Without
from calipers.remarks import Remark
from calipers.statistics.confusion import ConfusionCounts, Margins, sum_of_others

BOTH = {"binary": (None,), "multiclass": (None,)}
NO_ROWS = Remark("metrics.no_rows")


@metric(over=Margins, better="higher", bounds=(0.0, 1.0), formula="{agreed} / {total}", undefined=NO_ROWS,
        aliases=("acc",), headline=BOTH)
def accuracy(m: Margins) -> Proportion:
    """Fraction of rows whose predicted class is the true class.

    Caution: If one class is common, always predicting that class already gives a high accuracy.
    """
    return Proportion(m.agreed, m.total)


@metric(over=Margins, better="lower", bounds=(0.0, 1.0), formula="1 - {agreed} / {total}", undefined=NO_ROWS,
        aliases=("zero_one_loss", "zero_one"))
def error_rate(m: Margins) -> Proportion:
    """Fraction of rows whose predicted class is not the true class.

    Caution: It counts all errors the same: use another metric if one class is common or if errors have different costs.
    """
    return Proportion(m.total - m.agreed, m.total)


@metric(title="no-information rate",
        over=Margins, better="", bounds=(0.0, 1.0), formula="max({truth}) / {total}", undefined=NO_ROWS,
        aliases=("nir", "majority_share"), headline=BOTH)
def no_information_rate(m: Margins) -> Largest:
    """Accuracy of always predicting the most common class; compare the accuracy of a model with it.

    Caution: It describes the data, not the model.
    """
    return Largest(m.truth)


@metric(over=ConfusionCounts, better="higher", bounds=(0.0, 1.0), formula="mean({diagonal} / {truth})",
        undefined=NO_ROWS, aliases=("average_per_class_accuracy",), headline=BOTH)
def balanced_accuracy(c: ConfusionCounts) -> Combination | Without:
    """Average recall over the classes; classes without rows are left out.

    Caution: A class of ten rows has the same weight as a class of ten thousand.
    """
    hits, rows = c.cells.diagonal(0, -2, -1), c.cells.sum(-1)
    present = rows > 0
    if present.all():
        each = range(len(c.labels))
        return Combination([(1, Proportion(hits[..., k], rows[..., k])) for k in each], over=len(each))
    count, trials = np.maximum(present.sum(-1), 1), np.maximum(rows, ~present)
    classes = [k for k in range(len(c.labels)) if present[..., k].any()]
    terms = [(present[..., k].astype(float), Proportion(hits[..., k], trials[..., k])) for k in classes]
    return Combination(terms, over=count) if classes else Without(np.nan, NO_ROWS)


@metric(title="Cohen's kappa",
        over=Margins, better="higher", bounds=(-1.0, 1.0),
        formula="({agreed}*{total} - sum({truth}*{predicted})) / ({total}**2 - sum({truth}*{predicted}))",
        undefined=Remark("metrics.one_class_in_both"), aliases=("cohen_kappa",),
        reference="Cohen 1960, Educ. Psychol. Meas. 20:37-46")
def kappa(m: Margins) -> Number:
    """Agreement beyond chance, relative to the largest possible agreement beyond chance.

    Caution: Do not compare across data sets: the agreement expected by chance depends on how common the classes are.
    """
    return m.beyond / _of_different_classes(m.truth, m.predicted)


def _of_different_classes(x: Number, y: Number) -> Number:
    """Σ xⱼyₖ over j ≠ k, which is Σx Σy - Σ xₖyₖ; that difference would lose small weights next to large ones."""
    return np.add.reduce(x * sum_of_others(y), -1)


@metric(title="MCC",
        over=Margins, better="higher", bounds=(-1.0, 1.0),
        formula="({agreed}*{total} - sum({truth}*{predicted})) / "
        "sqrt(({total}**2 - sum({truth}**2)) * ({total}**2 - sum({predicted}**2)))",
        undefined=Remark("metrics.one_class_in_one"), aliases=("matthews_corrcoef", "phi"),
        headline=BOTH, reference=Remark("metrics.reference_gorodkin"))
def mcc(m: Margins) -> Number:
    """Correlation between true and predicted class (Matthews).

    Caution: Do not compare across data sets with different prevalence: at the same recall and specificity it falls as a
    class becomes rare.
    """
    spread = _of_different_classes(m.truth, m.truth) * _of_different_classes(m.predicted, m.predicted)
    return m.beyond / np.sqrt(spread)
