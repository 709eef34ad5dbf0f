"""Agreement of true and predicted class beyond chance, by coefficients that raters of the same rows are compared by.

All but Bangdiwala's B are (agreement - chance) / (1 - chance) and differ in what they call chance.
"""

from __future__ import annotations

import numpy as np

from calipers.metrics.base import metric
from calipers.metrics.confusion import NO_ROWS
from calipers.metrics.values import Number
from calipers.remarks import Remark
from calipers.statistics.confusion import ConfusionCounts, Margins

SIGNED = (-1.0, 1.0)
ONE_CLASS = Remark("metrics.one_class_in_both")


def beyond(agreement: Number, chance: Number) -> Number:
    """Agreement beyond chance as a fraction of the most that it can be; NaN if chance gives 1.

    >>> float(beyond(0.75, 0.5))
    0.5
    """
    certain = np.real(chance) >= 1
    return np.where(certain, np.nan, (agreement - chance) / np.where(certain, 1.0, 1 - chance))[()]


def _shares(m: Margins) -> Number:
    """The share of each class in the labels of both sides together."""
    return (m.truth + m.predicted) / (2 * np.asarray(m.total)[..., None])


def _alike(m: Margins) -> Number:
    """The chance that two labels out of all are the same."""
    return (_shares(m) ** 2).sum(-1)


@metric(title="Scott's pi",
        over=Margins, better="higher", bounds=SIGNED, undefined=ONE_CLASS,
        formula="beyond({agreed} / {total}, sum((({truth} + {predicted}) / (2 * {total}))**2))",
        aliases=("unbiased_kappa", "kappa_unbiased"), reference="Scott 1955, Public Opin. Q. 19:321-325")
def scott_pi(m: Margins) -> Number:
    """Agreement beyond chance, if truth and prediction used each class equally often.

    Caution: It assumes that predictions have the class shares of the truth: if they differ, use Cohen's kappa.
    """
    return beyond(m.agreed / m.total, _alike(m))


@metric(title="Krippendorff's alpha",
        over=Margins, better="higher", bounds=SIGNED, undefined=ONE_CLASS,
        formula="beyond((1 - one_of_all({total})) * {agreed} / {total} + one_of_all({total}), "
                "sum((({truth} + {predicted}) / (2 * {total}))**2))",
        aliases=("alpha_nominal",), reference="Krippendorff 1970, Educ. Psychol. Meas. 30:61-70")
def krippendorff_alpha(m: Margins) -> Number:
    """Scott's pi with a correction for few rows: Krippendorff's alpha of two raters and nominal classes.

    Caution: It is for truth and prediction as two raters; it does not take several raters or missing labels.
    """
    one = one_of_all(m.total)
    return beyond((1 - one) * m.agreed / m.total + one, _alike(m))


def one_of_all(rows: Number) -> Number:
    """A label as a share of all labels of both sides.

    >>> float(one_of_all(10))
    0.05
    """
    return 1 / (2 * np.maximum(rows, 1))  # weights can have any scale, so at least one row is assumed


@metric(title="Gwet's AC1",
        over=Margins, better="higher", bounds=SIGNED, undefined=ONE_CLASS, aliases=("ac1",),
        formula="beyond({agreed} / {total}, (1 - sum((({truth} + {predicted}) / (2 * {total}))**2)) / ({classes} - 1))",
        reference="Gwet 2008, Br. J. Math. Stat. Psychol. 61:29-48")
def gwet_ac1(m: Margins) -> Number:
    """Agreement beyond chance, where chance is small if one class is very common.

    Caution: With one very common class it is close to accuracy: it can be high for a model that never finds the others.
    """
    return beyond(m.agreed / m.total, (1 - _alike(m)) / max(m.truth.shape[-1] - 1, 1))


@metric(title="Bennett's S",
        over=Margins, better="higher", bounds=SIGNED, undefined=ONE_CLASS,
        formula="beyond({agreed} / {total}, 1 / {classes})", aliases=("brennan_prediger", "bennett_alpert_goldstein_s"),
        reference="Bennett, Alpert and Goldstein 1954, Public Opin. Q. 18:303-308")
def bennett_s(m: Margins) -> Number:
    """Agreement beyond that of guessing each class with the same probability.

    Caution: It is a linear map of accuracy, and so has the same problem: always predicting a common class scores high.
    """
    return beyond(m.agreed / m.total, 1 / m.truth.shape[-1])


@metric(title="Bangdiwala's B",
        over=ConfusionCounts, better="higher", bounds=(0.0, 1.0), undefined=NO_ROWS, aliases=("bangdiwala",),
        formula="sum({diagonal}**2) / sum({truth} * {predicted})",
        reference="Munoz and Bangdiwala 1997, J. Appl. Stat. 24:105-112")
def bangdiwala_b(c: ConfusionCounts) -> Number:
    """Squared agreement of each class as a fraction of the most that its rows and predictions allow (area of the
    agreement chart).

    Caution: It squares the agreement of each class, so that the most common class dominates it.
    """
    hits = c.cells.diagonal(0, -2, -1)
    return (hits**2).sum(-1) / (c.cells.sum(-1) * c.cells.sum(-2)).sum(-1)
