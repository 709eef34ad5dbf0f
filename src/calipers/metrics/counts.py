"""One class against the rest: formulas over TP, FP, FN and TN."""

from __future__ import annotations

import numpy as np

from calipers.errors import InputError
from calipers.metrics.base import EACH_CLASS, metric
from calipers.metrics.values import Combination, FScore, Number, Proportion, Without
from calipers.remarks import Remark
from calipers.statistics.confusion import OneVsRest

UNIT, POSITIVE, SIGNED = (0.0, 1.0), (0.0, float("inf")), (-1.0, 1.0)
NO_TRUE = Remark("metrics.none_true")
NO_FALSE = Remark("metrics.all_true")
NONE_PREDICTED = Remark("metrics.none_predicted")
ALL_PREDICTED = Remark("metrics.all_predicted")
A_COUNT = Remark("metrics.a_count")


@metric(over=OneVsRest, better="higher", bounds=UNIT, formula="{tp} / ({tp} + {fp})", undefined=NONE_PREDICTED,
        aliases=("ppv", "positive_predictive_value"), headline=EACH_CLASS)
def precision(c: OneVsRest) -> Proportion:
    """Of all rows predicted as this class, the fraction that really are.

    Caution: It depends on the prevalence. Read it together with recall: a single certain prediction can give a
    precision of 1.
    """
    return Proportion(c.tp, c.tp + c.fp)


@metric(over=OneVsRest, better="higher", bounds=UNIT, formula="{tp} / ({tp} + {fn})", undefined=NO_TRUE,
        aliases=("sensitivity", "tpr", "true_positive_rate"), headline=EACH_CLASS)
def recall(c: OneVsRest) -> Proportion:
    """Of all rows of this class, the fraction predicted as this class.

    Caution: Read it together with precision or specificity: predicting this class for every row gives a recall of 1.
    """
    return Proportion(c.tp, c.tp + c.fn)


@metric(over=OneVsRest, better="higher", bounds=UNIT, formula="{tn} / ({tn} + {fp})", undefined=NO_FALSE,
        aliases=("tnr", "true_negative_rate", "selectivity"), headline={"binary": (None,)})
def specificity(c: OneVsRest) -> Proportion:
    """Of all rows that are not of this class, the fraction not predicted as this class.

    Caution: If the class is rare, even a specificity of 0.99 can mean more false alarms than hits.
    """
    return Proportion(c.tn, c.tn + c.fp)


def f_of_jaccard(j: Number) -> Number:
    """F1 is a monotone map of the Jaccard index, so an interval of the one is an interval of the other."""
    return 2 * j / (1 + j)


def fbeta_from(precision: Number, recall: Number, beta: float = 1.0) -> Number:
    """The F-beta that belongs to a precision and a recall; 0 when both are 0.

    >>> round(float(fbeta_from(precision=0.3, recall=0.8)), 3)
    0.436
    """
    with np.errstate(invalid="ignore"):
        weighted = np.asarray((1 + beta**2) * precision * recall / np.asarray(beta**2 * precision + recall))
    return np.where(np.asarray(precision * recall) == 0, 0.0, weighted)[()]


@metric(title="F1",
        over=OneVsRest, better="higher", bounds=UNIT, formula="2*{tp} / (2*{tp} + {fp} + {fn})",
        undefined=Remark("metrics.never_occurs"), aliases=("dice", "f_score"),
        headline={"binary": (None,), "multiclass": ("macro", "weighted"), "multilabel": ("micro", "macro")},
        of_means=fbeta_from)
def f1(c: OneVsRest) -> Proportion:
    """Harmonic mean of precision and recall.

    Caution: It ignores true negatives, and it does not suit false positives and false negatives with different costs.
    """
    return Proportion(c.tp, c.tp + c.fp + c.fn, through=f_of_jaccard)


@metric(title="F-beta",
        over=OneVsRest, better="higher", bounds=UNIT,
        formula="(1 + {beta}**2)*{tp} / ((1 + {beta}**2)*{tp} + {beta}**2*{fn} + {fp})",
        undefined=Remark("metrics.never_occurs"), of_means=fbeta_from,
        shorthands={"f2": "fbeta(beta=2)", "f05": "fbeta(beta=0.5)"},
        reference="van Rijsbergen 1979, Information Retrieval, ch. 7")
def fbeta(c: OneVsRest, *, beta: float = 1.0) -> FScore:
    """Weighted harmonic mean of precision and recall: recall has beta squared times the weight of precision.

    Caution: Choose beta before you see the results. True negatives are ignored.
    """
    if not 0 < beta < float("inf"):
        raise InputError("metrics.not_a_beta", beta=f"{beta:g}")
    b = beta**2
    return FScore((1 + b) * c.tp / ((1 + b) * c.tp + b * c.fn + c.fp), c.tp, c.fp, c.fn, beta)


@metric(title="Jaccard index",
        over=OneVsRest, better="higher", bounds=UNIT, formula="{tp} / ({tp} + {fp} + {fn})",
        undefined=Remark("metrics.never_occurs"),
        aliases=("iou", "critical_success_index", "threat_score"))
def jaccard(c: OneVsRest) -> Proportion:
    """Of all rows that are this class or predicted as it, the fraction that are both.

    Caution: Do not compare with F1: it is smaller than F1 for the same predictions, unless both are 0 or 1.
    """
    return Proportion(c.tp, c.tp + c.fp + c.fn)


@metric(title="false positive rate",
        over=OneVsRest, better="lower", bounds=UNIT, formula="{fp} / ({fp} + {tn})", undefined=NO_FALSE,
        aliases=("false_positive_rate", "false_alarm", "fall_out"))
def fpr(c: OneVsRest) -> Proportion:
    """Of all rows that are not of this class, the fraction predicted as this class.

    Caution: If there are many negatives, a small rate still means many false alarms.
    """
    return Proportion(c.fp, c.fp + c.tn)


@metric(title="miss rate",
        over=OneVsRest, better="lower", bounds=UNIT, formula="{fn} / ({fn} + {tp})", undefined=NO_TRUE,
        aliases=("false_negative_rate", "miss_rate"))
def fnr(c: OneVsRest) -> Proportion:
    """Of all rows of this class, the fraction not predicted as this class.

    Caution: Read it together with the false positive rate: predicting this class for every row gives 0.
    """
    return Proportion(c.fn, c.fn + c.tp)


@metric(title="NPV",
        over=OneVsRest, better="higher", bounds=UNIT, formula="{tn} / ({tn} + {fn})", undefined=ALL_PREDICTED,
        aliases=("negative_predictive_value",))
def npv(c: OneVsRest) -> Proportion:
    """Of all rows not predicted as this class, the fraction that are not of this class.

    Caution: If the class is rare, it is close to 1 for any model.
    """
    return Proportion(c.tn, c.tn + c.fn)


@metric(title="false discovery rate",
        over=OneVsRest, better="lower", bounds=UNIT, formula="{fp} / ({fp} + {tp})", undefined=NONE_PREDICTED,
        aliases=("false_discovery_rate",))
def fdr(c: OneVsRest) -> Proportion:
    """Of all rows predicted as this class, the fraction that are not of this class.

    Caution: It depends on the prevalence: it rises as the class becomes rare.
    """
    return Proportion(c.fp, c.fp + c.tp)


@metric(over=OneVsRest, better="lower", bounds=UNIT, formula="{fn} / ({fn} + {tn})", undefined=ALL_PREDICTED,
        aliases=("for",))
def false_omission_rate(c: OneVsRest) -> Proportion:
    """Of all rows not predicted as this class, the fraction that are of this class.

    Caution: If the class is rare, it is close to 0 for any model.
    """
    return Proportion(c.fn, c.fn + c.tn)


@metric(title="Youden's J",
        over=OneVsRest, better="higher", bounds=SIGNED, formula="{tp} / ({tp} + {fn}) + {tn} / ({tn} + {fp}) - 1",
        undefined=Remark("metrics.class_without_rows"), aliases=("informedness", "bookmaker_informedness"),
        reference="Youden 1950, Cancer 3:32-35")
def youden_j(c: OneVsRest) -> Combination:
    """Recall plus specificity minus 1: 0 for guessing, 1 for no errors.

    Caution: It gives both error rates the same weight: do not use it if misses and false alarms have different costs,
    or if the class is rare.
    """
    return Combination([(1, Proportion(c.tp, c.tp + c.fn)), (1, Proportion(c.tn, c.tn + c.fp))], -1)


@metric(over=OneVsRest, better="higher", bounds=SIGNED, formula="{tp} / ({tp} + {fp}) + {tn} / ({tn} + {fn}) - 1",
        undefined=Remark("metrics.class_not_predicted"), aliases=("delta_p",))
def markedness(c: OneVsRest) -> Combination:
    """Precision plus negative predictive value minus 1.

    Caution: Both parts depend on the prevalence: do not apply the value to data with a different prevalence.
    """
    return Combination([(1, Proportion(c.tp, c.tp + c.fp)), (1, Proportion(c.tn, c.tn + c.fn))], -1)


@metric(title="G-mean",
        over=OneVsRest, better="higher", bounds=UNIT,
        formula="sqrt({tp} / ({tp} + {fn}) * {tn} / ({tn} + {fp}))", undefined=Remark("metrics.class_without_rows"),
        aliases=("geometric_mean",))
def g_mean(c: OneVsRest) -> Number:
    """Geometric mean of recall and specificity.

    Caution: A high recall can hide a low specificity, and the other way round.
    """
    return np.sqrt(c.tp / (c.tp + c.fn) * (c.tn / (c.tn + c.fp)))


@metric(title="positive likelihood ratio",
        over=OneVsRest, better="higher", bounds=POSITIVE,
        formula="({tp} / ({tp} + {fn})) / ({fp} / ({fp} + {tn}))",
        undefined=Remark("metrics.no_positives_predicted"),
        aliases=("positive_likelihood_ratio",), intervals=("simel",))
def lr_plus(c: OneVsRest) -> Number:
    """How much more often the class is flagged than other rows (recall / FPR).

    Caution: With few false positives it divides by almost nothing, and the interval is very wide.
    """
    return (c.tp / (c.tp + c.fn)) / (c.fp / (c.fp + c.tn))


@metric(title="negative likelihood ratio",
        over=OneVsRest, better="lower", bounds=POSITIVE,
        formula="({fn} / ({tp} + {fn})) / ({tn} / ({fp} + {tn}))",
        undefined=Remark("metrics.no_negatives_predicted"),
        aliases=("negative_likelihood_ratio",), intervals=("simel",))
def lr_minus(c: OneVsRest) -> Number:
    """How much more often the class is not flagged, compared with other rows (miss rate / specificity).

    Caution: With few false negatives it depends on a handful of rows.
    """
    return (c.fn / (c.tp + c.fn)) / (c.tn / (c.fp + c.tn))


@metric(over=OneVsRest, better="higher", bounds=POSITIVE, formula="({tp} * {tn}) / ({fp} * {fn})",
        undefined=Remark("metrics.nothing_to_divide_by"), aliases=("dor",), intervals=("woolf",))
def diagnostic_odds_ratio(c: OneVsRest) -> Number:
    """Odds of a positive prediction for rows of the class, divided by the odds for other rows.

    Caution: Very different pairs of recall and specificity have the same value, and it is unstable if a cell of the
    table is nearly empty.
    """
    return (c.tp * c.tn) / (c.fp * c.fn)


@metric(over=OneVsRest, better="", bounds=UNIT, formula="({tp} + {fn}) / ({tp} + {fp} + {fn} + {tn})",
        undefined=Remark("metrics.no_rows"))
def prevalence(c: OneVsRest) -> Proportion:
    """Fraction of rows that are of this class.

    Caution: In a sample balanced by class it does not reflect reality.
    """
    return Proportion(c.tp + c.fn, c.tp + c.fp + c.fn + c.tn)


@metric(over=OneVsRest, better="higher", bounds=POSITIVE,
        formula="({tp} / ({tp} + {fp})) / (({tp} + {fn}) / ({tp} + {fp} + {fn} + {tn}))",
        undefined=Remark("metrics.never_predicted_or_empty"))
def lift(c: OneVsRest) -> Number:
    """Precision divided by prevalence: how many times better than choosing rows at random.

    Caution: Do not compare across data sets with different prevalence: if half of the rows are positive, it cannot
    exceed 2.
    """
    return (c.tp / (c.tp + c.fp)) / ((c.tp + c.fn) / (c.tp + c.fp + c.fn + c.tn))


@metric(title="expected cost",
        over=OneVsRest, better="lower", bounds=POSITIVE,
        formula="({fp_cost}*{fp} + {fn_cost}*{fn}) / ({tp} + {fp} + {fn} + {tn})", undefined=Remark("metrics.no_rows"),
        aliases=("expected_cost",))
def cost(c: OneVsRest, *, fp_cost: float = 1.0, fn_cost: float = 1.0) -> Number:
    """Average cost per row, for given costs of a false positive and a false negative.

    Caution: The order of two models can change with the costs: check it if the costs are guesses.
    """
    return (fp_cost * c.fp + fn_cost * c.fn) / (c.tp + c.fp + c.fn + c.tn)


def _count(name: str, of: str) -> None:
    def count(c: OneVsRest) -> Without:
        return Without(getattr(c, name), A_COUNT, resampled=False)

    count.__name__ = name
    count.__doc__ = f"Number of {of}.\n\nCaution: It is a count: do not compare data sets of different sizes."
    facts = {"title": of, "better": "", "bounds": POSITIVE, "undefined": Remark("metrics.not_known")}
    metric(over=OneVsRest, formula=f"{{{name}}}", **facts)(count)


_count("tp", "true positives")
_count("fp", "false positives")
_count("fn", "false negatives")
_count("tn", "true negatives")
