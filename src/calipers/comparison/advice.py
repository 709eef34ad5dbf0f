"""Suggestions: which test to use and why, and how many rows are needed."""

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
from calipers.remarks import Remark, code_of, core
from calipers.result import Result

# Why the comparison of rows takes a method (comparison/paired_tests.py chooses it).
REASONS = {
    "inference.mcnemar": Remark("comparison.because_mcnemar"),
    "comparison.newcombe": Remark("comparison.because_newcombe"),
    "inference.delong_t": Remark("comparison.because_delong"),
    "comparison.influence": Remark("comparison.because_influence"),
    "inference.paired_t_losses": Remark("comparison.because_losses"),
    "comparison.jackknife": Remark("comparison.because_jackknife"),
    "comparison.jackknife_blocks": Remark("comparison.because_jackknife_blocks"),
    "inference.paired_t": Remark("comparison.because_paired_t"),
    "comparison.row_differences": Remark("comparison.because_row_differences"),
    "comparison.bootstrap": Remark("comparison.because_bootstrap"),
}
REASONS |= {method.code: REASONS["inference.mcnemar"] for method in MCNEMAR.values()}
REASONS |= {"inference.delong_z": REASONS["inference.delong_t"]}


@dataclass(frozen=True, repr=False)
class Advice(Result[Never]):
    """A suggested test, the call that runs it, and the reasons."""

    kind: ClassVar[str] = "advice"

    test: str
    call: str
    why: tuple[str, ...]


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
    """Suggest a test: for models on the same rows, for the scores of folds, or for the scores of data sets.

    - y_true, models, metric, and other arguments of `compare` (weights=, groups=, ...): models on the same rows.
    - folds, repeats: scores of cross-validation.
    - datasets: scores over this number of data sets.

    >>> which_test(folds=10)
    corrected resampled t-test
      compare_folds(a, b, test_share=0.1)
      - folds share training data, so the plain t-test is significant by chance far
        too often
      - this shows which learning method is better when trained on similar data, not
        which of two fitted models is better
      - to compare two fitted models, use compare(y_true, ...) on test data that
        neither was trained on
      - do not use compare() on out-of-fold predictions: for two equal learning
        methods it rejects 7 to 12% of true null hypotheses
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
        why.append(Remark("comparison.groups_vary"))
    if len(models) > 2:
        test = differences.overall
        overall = Remark("comparison.no_overall_test") if test is None else test.method
        why.append(Remark("comparison.several_models", overall=overall))
    why.append(Remark("comparison.fitted_models"))
    return Advice(one.method or Remark("data.none"), f"compare(y_true, models, metrics=[{metric!r}])", tuple(why))


def _over_folds(folds: int, repeats: int) -> Advice:
    if folds < 2 or repeats < 1:
        raise InputError("comparison.few_folds", folds=folds, repeats=repeats)
    call = f"compare_folds(a, b, test_share={1 / folds:.4g})"
    why = [Remark("comparison.folds_share_rows")]
    if repeats > 1:
        why.append(Remark("comparison.repeats_add_no_rows", count=folds * repeats))
    if (folds, repeats) == (2, 5):
        why += [Remark("comparison.five_by_two_rejects"), Remark("comparison.two_folds_see_little")]
    why += [Remark("comparison.learners"), Remark("comparison.to_compare_models"), Remark("comparison.not_out_of_fold")]
    return Advice(Remark("comparison.corrected_t_test"), call, tuple(why))


def _over_datasets(datasets: int, models: int) -> Advice:
    if datasets < 2 or models < 2:
        raise InputError("comparison.few_datasets", datasets=datasets, models=models)
    if models == 2:
        why = [Remark("comparison.signed_ranks")]
        if datasets < 6:
            why.append(Remark("comparison.too_few_datasets", count=datasets))
        return Advice(Remark("comparison.wilcoxon_test"), 'compare_folds(a, b, method="wilcoxon")', tuple(why))
    why = [Remark("comparison.ranks_are_commensurable"), Remark("comparison.iman_davenport_first")]
    return Advice(Remark("comparison.friedman_test"), "compare_datasets(scores)", tuple(why))


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
    """The rows needed to detect a difference between two models, or the difference, or the power, for a number of rows.

    Both models are evaluated on the same rows. With rows= and one area or proportion (or sd= alone), the result is the
    difference that can be detected; with rows= and two of them, the power.

    - auc: two areas, with prevalence= and the correlation= of their estimates (0.5 is typical).
    - accuracy: two proportions, with discordance=, the proportion of rows that only one model gets right (default: that
      of independent errors).
    - sd: the standard deviation of the differences per row, with difference=, for means such as log loss.
    - power, level: the power (the probability of detecting the difference) and the confidence level.

    >>> power(auc=(0.80, 0.82), prevalence=0.1).rows
    10194
    >>> power(accuracy=0.9, discordance=0.1, rows=1000)
    With 1000 rows, a difference of at least 0.02798 can be detected (80% power, 95% confidence).
    assuming: discordance 0.1
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
    """The rows that detect the difference, or the power of the given rows."""
    if rows is None:
        return Power(needed(power), difference, power, level, assumptions)
    return Power(rows, difference, sizes.power_of(needed, rows, level), level, assumptions, "power")


def _of_areas(
    areas: tuple[float, float | None],
    prevalence: float,
    correlation: float,
    rows: int | None,
    power: float,
    level: float,
) -> Power:
    first, second = areas
    given = {"first": first, "prevalence": prevalence, "correlation": correlation}
    if second is not None:
        assumptions = Remark("comparison.given_areas", second=second, **given)
        return _needed(lambda p: sizes.rows_for_area(first, second, prevalence, correlation, p, level),
                       abs(first - second), rows, power, level, assumptions)  # fmt: skip
    assert rows is not None
    far = z(level) + z(2 * power - 1)

    def is_detected(gap: float) -> bool:
        return gap >= far * sizes.area_error(first, first + gap, prevalence, correlation, rows)

    assumptions = Remark("comparison.given_area", **given)
    return Power(rows, sizes.most(is_detected, 1 - 1e-9 - first), power, level, assumptions, "difference")


def _of_shares(
    shares: tuple[float, float | None], discordance: float | None, rows: int | None, power: float, level: float
) -> Power:
    first, second = shares
    if discordance is not None and not 0 < discordance <= 1:
        raise InputError("comparison.not_a_share", name="discordance", value=discordance)

    def apart(other: float) -> float:
        return first * (1 - other) + other * (1 - first) if discordance is None else discordance

    assumptions = Remark("comparison.given_independence")
    if discordance is not None:
        assumptions = Remark("comparison.given_discordance", discordance=discordance)
    if second is not None:
        return _needed(lambda p: sizes.rows_for_proportions(first - second, apart(second), p, level),
                       abs(first - second), rows, power, level, assumptions)  # fmt: skip
    assert rows is not None

    def is_detected(gap: float) -> bool:
        psi = apart(first + gap)
        return gap > psi or (gap > 0 and sizes.rows_for_proportions(gap, psi, power, level) <= rows)

    return Power(rows, sizes.most(is_detected, 1 - first), power, level, assumptions, "difference")


def _of_means(difference: float | None, sd: float, rows: int | None, power: float, level: float) -> Power:
    if not sd > 0 or (difference is None and rows is None):
        raise InputError("comparison.sd_above_0")
    if difference is not None:
        return _needed(lambda p: sizes.rows_for_mean(difference, sd, p, level),
                       abs(difference), rows, power, level, Remark("comparison.given_sd", sd=sd))  # fmt: skip
    assert rows is not None
    reach = sizes.mean_reach(sd, rows, power, level)
    return Power(rows, reach, power, level, Remark("comparison.given_sd", sd=sd), "difference")
