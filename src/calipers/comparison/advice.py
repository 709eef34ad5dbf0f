"""Which test fits what is at hand and why, and how many rows it would take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Never

from calipers.arguments import named_arguments
from calipers.comparison.compare import compare
from calipers.errors import InputError
from calipers.inference import power as sizes
from calipers.inference.paired import MCNEMAR
from calipers.inference.power import Power
from calipers.inference.quantiles import z
from calipers.remarks import code_of, core
from calipers.result import Result

# Why the comparison of rows takes a method (comparison/paired_tests.py chooses it).
REASONS = {
    "inference.mcnemar": "each row is right or wrong under both models, and only the rows where they disagree tell "
    "them apart",
    "comparison.newcombe": "no row tells the models apart, so the width is that of as many agreeing pairs as a class "
    "has",
    "inference.delong_t": "the areas come from the same rows, so their covariance is taken from the placements of "
    "these rows",
    "comparison.influence": "average precision has an influence function, so a row's pull on the difference is known",
    "inference.paired_t_losses": "the measure orders models on the same rows as their mean losses do, so it has "
    "their test",
    "comparison.jackknife": "the measure depends on all rows together, so each of them is left out in turn",
    "inference.paired_t": "the measure is a mean over rows, so its difference is the mean of row differences",
    "comparison.row_differences": "the measure is a share of rows, which count unequally or come in groups",
    "comparison.bootstrap": "the measure is no mean over rows: both models are measured on the same resampled rows",
}
REASONS |= {method.code: REASONS["inference.mcnemar"] for method in MCNEMAR.values()}
REASONS |= {"inference.delong_z": REASONS["inference.delong_t"]}


@dataclass(frozen=True, repr=False)
class Advice(Result[Never]):
    """A test, the call that runs it, and why."""

    kind: ClassVar[str] = "advice"

    test: str
    call: str
    why: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The test, the call and the reasons."""
        return {"test": self.test, "call": self.call, "why": list(self.why)}


def which_test(
    y_true: Any = None,
    models: Mapping[str, Any] | int = 2,
    *,
    metric: str = "accuracy",
    folds: int | None = None,
    repeats: int = 1,
    datasets: int | None = None,
    **rows: Any,
) -> Advice:
    """Say which test fits: for rows, for the scores of folds, or for the scores of data sets.

    y_true, models, metric and whatever `compare` takes (weights=, groups=, ...): models on the same rows. folds,
    repeats: scores of cross-validation. datasets: scores over that many data sets.

    >>> which_test(folds=10)
    corrected resampled t-test
      compare_folds(a, b, test_share=0.1)
      - folds share training rows: the plain t-test takes chance for a difference
        far too often
      - it answers which way of learning is better, trained on such rows; not which
        of two fitted models
      - to compare two fitted models instead, use compare(y_true, ...) on test rows
        that neither was trained on
      - compare() on out-of-fold predictions is not advised: for two equal learners
        it rejects 7 to 12 % of true nulls
    """
    if sum(x is not None for x in (y_true, folds, datasets)) != 1:
        raise InputError("comparison.what_is_at_hand")
    if folds is not None:
        return _over_folds(folds, repeats)
    if datasets is not None:
        return _over_datasets(datasets, models if isinstance(models, int) else len(models))
    if isinstance(models, int):
        raise InputError("comparison.models_are_predictions")
    differences = compare(y_true, models, metrics=[metric], **rows)[metric]
    one = next(iter(differences.values()))
    why = [REASONS.get(code_of(core(one.method)), one.note)]
    if code_of(one.method) == "inference.grouped":
        why.append("rows of a group are not independent: whole groups are what varies")
    if len(models) > 2:
        every = "none is known for this metric" if differences.overall is None else differences.overall.method
        why.append(f"several models: first whether all are equal ({every}), then the pairs with Holm's adjustment")
    why.append(FITTED)
    return Advice(one.method or "none", f"compare(y_true, models, metrics=[{metric!r}])", tuple(why))


FITTED = "it answers which of these fitted models is better on new rows; not which way of learning"
LEARNERS = "it answers which way of learning is better, trained on such rows; not which of two fitted models"
MODELS = "to compare two fitted models instead, use compare(y_true, ...) on test rows that neither was trained on"
OUT_OF_FOLD = "compare() on out-of-fold predictions is not advised: for two equal learners it rejects 7 to 12 % of "
OUT_OF_FOLD += "true nulls"


def _over_folds(folds: int, repeats: int) -> Advice:
    if folds < 2 or repeats < 1:
        raise InputError("comparison.few_folds", folds=folds, repeats=repeats)
    call = f"compare_folds(a, b, test_share={1 / folds:.4g})"
    why = ["folds share training rows: the plain t-test takes chance for a difference far too often"]
    if repeats > 1:
        why.append(f"{folds * repeats} scores are not {folds * repeats} independent runs: repeating folds adds no rows")
    if (folds, repeats) == (2, 5):
        why.append("the 5x2cv tests, made for such folds, reject up to 17 % of true nulls where the signal is weak")
        why.append("with two folds the corrected test sees only large differences: score ten folds instead")
    return Advice("corrected resampled t-test", call, (*why, LEARNERS, MODELS, OUT_OF_FOLD))


def _over_datasets(datasets: int, models: int) -> Advice:
    if datasets < 2 or models < 2:
        raise InputError("comparison.few_datasets", datasets=datasets, models=models)
    if models == 2:
        why = "two models: signed ranks use the size of the differences, and no normal distribution is assumed"
        few = (f"with {datasets} data sets no result can be significant at 5 %: six or more are needed",)
        call = 'compare_folds(a, b, method="wilcoxon")'
        return Advice("Wilcoxon signed-rank test", call, (why, *(few if datasets < 6 else ())))
    why = "scores of different data sets are not commensurable: ranks are"
    then = "Iman and Davenport's F first, which is less conservative than chi-squared; then the pairs"
    return Advice("Friedman test", "compare_datasets(scores)", (why, then))


@named_arguments
def power(
    *,
    auc: float | tuple[float, float] | None = None,
    accuracy: float | tuple[float, float] | None = None,
    difference: float | None = None,
    sd: float | None = None,
    rows: int | None = None,
    prevalence: float = 0.5,
    correlation: float = 0.5,
    discordance: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
) -> Power:
    """How many rows see a difference between two models, what difference so many rows see, or how often they do.

    Both are measured on the same rows. auc: two areas, with prevalence= and the correlation= of their estimates (0.5 is
    usual). accuracy: two proportions, with discordance=, the share of rows that only one of them gets right (as of
    independent errors unless told). sd: the spread of row differences, with difference=, for means such as log loss.
    With rows= and one area or proportion (or sd= alone): the difference that they see; with both: how often they do.

    >>> power(auc=(0.80, 0.82), prevalence=0.1).rows
    10194
    >>> power(accuracy=0.9, discordance=0.1, rows=1000)
    1000 rows see a difference of 0.02798 in 80% of samples at 95% confidence
    given: discordance 0.1
    >>> round(power(auc=(0.80, 0.82), prevalence=0.1, rows=5000).power, 2)
    0.5
    """
    if sum(x is not None for x in (auc, accuracy, sd)) != 1:
        raise InputError("comparison.what_differs")
    for name, share in (("power", power), ("level", level), ("prevalence", prevalence)):
        if not 0 < share < 1:
            raise InputError("comparison.not_a_share", name=name, value=share)
    if not -1 < correlation < 1:
        raise InputError("comparison.correlation", correlation=correlation)
    if rows is not None and rows < 4:
        raise InputError("comparison.few_rows", rows=rows)
    if sd is not None:
        return _of_means(difference, sd, rows, power, level)
    if auc is not None:
        return _of_areas(_two(auc, rows, "auc"), prevalence, correlation, rows, power, level)
    assert accuracy is not None
    return _of_shares(_two(accuracy, rows, "accuracy"), discordance, rows, power, level)


def _two(value: float | tuple[float, float], rows: int | None, name: str) -> tuple[float, float | None]:
    first, *rest = value if isinstance(value, (tuple, list)) else (value,)
    if len(rest) > 1 or not all(0 < x < 1 for x in (first, *rest)):
        raise InputError("comparison.one_or_two_shares", name=name, value=value)
    if rest == [first] or not (rest or rows):
        raise InputError("comparison.two_values_or_rows", name=name)
    return float(first), float(rest[0]) if rest else None


def _needed(
    needed: Callable[[float], int], difference: float, rows: int | None, power: float, level: float, assumptions: str
) -> Power:
    """The rows that see the difference, or how often those given do."""
    if rows is None:
        return Power(needed(power), difference, power, level, assumptions)
    return Power(rows, difference, sizes.power_of(needed, rows, level), level, assumptions)


def _of_areas(
    areas: tuple[float, float | None],
    prevalence: float,
    correlation: float,
    rows: int | None,
    power: float,
    level: float,
) -> Power:
    first, second = areas
    assumptions = f"AUC {first:g}{'' if second is None else f' and {second:g}'}, prevalence {prevalence:g}, "
    assumptions += f"correlation {correlation:g}"
    if second is not None:
        return _needed(lambda p: sizes.rows_for_area(first, second, prevalence, correlation, p, level),
                       abs(first - second), rows, power, level, assumptions)  # fmt: skip
    assert rows is not None
    far = z(level) + z(2 * power - 1)

    def is_detected(gap: float) -> bool:
        return gap >= far * sizes.area_error(first, first + gap, prevalence, correlation, rows)

    return Power(rows, sizes.most(is_detected, 1 - 1e-9 - first), power, level, assumptions)


def _of_shares(
    shares: tuple[float, float | None], discordance: float | None, rows: int | None, power: float, level: float
) -> Power:
    first, second = shares
    if discordance is not None and not 0 < discordance <= 1:
        raise InputError("comparison.not_a_share", name="discordance", value=discordance)

    def apart(other: float) -> float:
        return first * (1 - other) + other * (1 - first) if discordance is None else discordance

    discordance_text = "as of independent errors" if discordance is None else f"{discordance:g}"
    if second is not None:
        return _needed(lambda p: sizes.rows_for_proportions(first - second, apart(second), p, level),
                       abs(first - second), rows, power, level, f"discordance {discordance_text}")  # fmt: skip
    assert rows is not None

    def is_detected(gap: float) -> bool:
        psi = apart(first + gap)
        return gap > psi or (gap > 0 and sizes.rows_for_proportions(gap, psi, power, level) <= rows)

    return Power(rows, sizes.most(is_detected, 1 - first), power, level, f"discordance {discordance_text}")


def _of_means(difference: float | None, sd: float, rows: int | None, power: float, level: float) -> Power:
    if not sd > 0 or (difference is None and rows is None):
        raise InputError("comparison.sd_above_0")
    if difference is not None:
        return _needed(lambda p: sizes.rows_for_mean(difference, sd, p, level),
                       abs(difference), rows, power, level, f"sd {sd:g}")  # fmt: skip
    assert rows is not None
    return Power(rows, sizes.mean_reach(sd, rows, power, level), power, level, f"sd {sd:g}")
