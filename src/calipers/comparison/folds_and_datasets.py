"""Models compared over folds of one data set, or over many data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np
import numpy.typing as npt

from calipers.arguments import named_arguments
from calipers.choices import Alternative, Better, DatasetChart, DatasetTest, FoldChart, FoldTest, Posterior
from calipers.comparison.adjust_pvalues import ADJUSTMENTS
from calipers.comparison.differences import OPEN
from calipers.data import containers
from calipers.errors import InputError, UnknownName, nearest
from calipers.inference import folds, friedman
from calipers.inference.bayesian_signs import sign_posterior, signed_rank_posterior
from calipers.inference.folds import Rope, Shift
from calipers.inference.hodges_lehmann import Located, hodges_lehmann, sign_test
from calipers.inference.outcome import Outcome
from calipers.inference.sign_flip import sign_flip
from calipers.inference.signed_rank import wilcoxon
from calipers.remarks import Remark
from calipers.result import Result


@dataclass(frozen=True, repr=False)
class FoldComparison(Result[FoldChart]):
    """The mean difference over folds, candidate minus baseline, with the test of it."""

    kind: ClassVar[str] = "fold_comparison"

    difference: float
    low: float
    high: float
    level: float
    test: Outcome
    folds: int
    probabilities: Rope | None = None

    @property
    def pvalue(self) -> float:
        """The p-value of the test."""
        return self.test.pvalue

    @property
    def method(self) -> str:
        """Which test it was."""
        return self.test.method

    @property
    def verdict(self) -> str:
        """Which model has higher scores, if there is evidence: "candidate higher", for example."""
        return OPEN if self.winner is None else f"{self.winner} higher"

    @property
    def winner(self) -> str | None:
        """"candidate" or "baseline", the one with the higher scores; None if there is no evidence either way."""
        if not self.pvalue < 1 - self.level:
            return None
        return "candidate" if self.difference > 0 else "baseline"


# What a t-test of each name takes for the mean difference and its error, from the differences and n_test/n_train.
SHIFTS: dict[str, tuple[str, Callable[[npt.NDArray[np.float64], float], Shift]]] = {
    "corrected": (
        Remark("comparison.corrected_t_test"), lambda d, ratio: folds.shift(d, ratio).of_one_repetition(ratio)
    ),
    "nadeau-bengio": (Remark("inference.nadeau_bengio"), folds.shift),
    "paired-t": (Remark("inference.paired_t"), lambda d, ratio: folds.shift(d)),
}


def _t_test(title: str) -> Callable[[npt.NDArray[np.float64], Shift, Alternative], Outcome]:
    return lambda d, shift, alternative: shift.test(title, alternative)


# The test of each name, from the differences and their shift.
FOLD_TESTS: dict[str, Callable[[npt.NDArray[np.float64], Shift, Alternative], Outcome]] = {
    **{name: _t_test(title) for name, (title, _) in SHIFTS.items()},
    "5x2cv-t": lambda d, shift, alternative: folds.five_by_two_t(d, alternative),
    "5x2cv-f": lambda d, shift, alternative: folds.five_by_two_f(d),
    "wilcoxon": lambda d, shift, alternative: wilcoxon(d.ravel(), alternative=alternative),
    "wilcoxon-pratt": lambda d, shift, alternative: wilcoxon(d.ravel(), zeros="pratt", alternative=alternative),
    "wilcoxon-normal": lambda d, shift, alternative: wilcoxon(d.ravel(), alternative=alternative, exact=False),
    "sign-flip": lambda d, shift, alternative: sign_flip(d, alternative),
    "sign": lambda d, shift, alternative: sign_test(d.ravel(), alternative),
    "hodges-lehmann": lambda d, shift, alternative: wilcoxon(d.ravel(), alternative=alternative)._replace(
        method=Remark("inference.hodges_lehmann")
    ),
}
# The probabilities with a region of practical equality, from the differences, n_test/n_train and half its width.
POSTERIORS: dict[str, Callable[[npt.NDArray[np.float64], float, float], Rope]] = {
    "correlated-t": lambda d, ratio, rope: folds.correlated_t(folds.shift(d, ratio), rope),
    "sign": lambda d, ratio, rope: sign_posterior(d, rope),
    "signed-rank": lambda d, ratio, rope: signed_rank_posterior(d, rope),
}


@named_arguments
def compare_folds(
    baseline: npt.ArrayLike,
    candidate: npt.ArrayLike,
    *,
    method: FoldTest = "corrected",
    test_share: float | None = None,
    n_train: int | None = None,
    n_test: int | None = None,
    rope: float | None = None,
    posterior: Posterior = "correlated-t",
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> FoldComparison:
    """Compare the scores of two models over the same folds or repeated splits.

    - baseline, candidate: the scores of the two models; the difference is candidate minus baseline.
    - method: "corrected" (the default: Nadeau and Bengio's resampled t. Folds share training data, so the plain t-test
      finds differences too often; repeated folds have the degrees of freedom of one repetition), "nadeau-bengio" (as
      published), "paired-t", "5x2cv-t", "5x2cv-f" (ten scores, two for each of five repetitions), "wilcoxon" (exact;
      "wilcoxon-pratt" ranks differences of 0 too, "wilcoxon-normal" is the normal approximation), "hodges-lehmann" (its
      estimate and interval instead of the mean), "sign" (exact) or "sign-flip" (a permutation test of the mean
      difference).
    - test_share, or n_train and n_test: the fraction of the rows in each test set, or the numbers of training and test
      rows.
    - rope: half the width of the region of practical equivalence, for the probabilities of a Bayesian test: candidate
      higher, equal, baseline higher.
    - posterior: which Bayesian test: "correlated-t" (folds of one data set), "sign" or "signed-rank" (one score for
      each of several data sets).
    - alternative: "two-sided", "greater" (the candidate has higher scores) or "less".
    - level: the confidence level.

    >>> old, new = [0.79, 0.77, 0.81, 0.80, 0.76], [0.81, 0.78, 0.84, 0.80, 0.79]
    >>> compare_folds(old, new, test_share=0.2, rope=0.01)
    +0.018 [-0.006, +0.042], p = 0.11: no evidence either way
    corrected resampled t-test, 5 runs
    difference: candidate minus baseline, 95% interval
    P(candidate higher) = 0.794, P(equal) = 0.190, P(baseline higher) = 0.016
    """
    a, b = (_scores(values, name) for values, name in ((candidate, "candidate"), (baseline, "baseline")))
    if a.shape != b.shape:
        raise InputError("comparison.different_folds", baseline=b.size, candidate=a.size)
    if method not in FOLD_TESTS:
        raise UnknownName("comparison.unknown_fold_test", name=method, near=nearest(method, FOLD_TESTS))
    if posterior not in POSTERIORS:
        raise UnknownName("comparison.unknown_fold_test", name=posterior, near=nearest(posterior, POSTERIORS))
    if (n_train is None) != (n_test is None):
        raise InputError("comparison.n_train_and_n_test")
    if n_train is not None and n_test is not None:
        if not (n_train > 0 and n_test > 0):
            raise InputError("comparison.numbers_of_rows", n_train=n_train, n_test=n_test)
        test_share = n_test / (n_train + n_test)
    two_fold = method.startswith("5x2cv")
    if test_share is None and two_fold:
        test_share = 0.5
    if test_share is None and (
        method in ("corrected", "nadeau-bengio") or (rope is not None and posterior == "correlated-t")
    ):
        raise InputError("comparison.unknown_test_share")
    d = a - b
    ratio = 0.0 if test_share is None else folds.ratio_of(test_share)
    shift = SHIFTS.get(method, SHIFTS["paired-t"])[1](d.ravel(), ratio)
    centre = Located(shift.mean, *(shift.interval(level) if method in SHIFTS else (float("nan"), float("nan"))))
    if method == "hodges-lehmann":
        centre = hodges_lehmann(d.ravel(), level)
    chances = None if rope is None else POSTERIORS[posterior](d.ravel(), ratio, rope)
    return FoldComparison(*centre, level, FOLD_TESTS[method](d, shift, alternative), d.size, chances)


def _scores(value: Any, name: str) -> npt.NDArray[np.float64]:
    """The scores of a model, one for each fold."""
    if hasattr(value, "to_text"):
        raise InputError("comparison.not_scores", name=name, kind=type(value).__name__)
    scores = containers.numbers(value, name)
    if scores.ndim == 0 or not np.isfinite(scores).all():
        raise InputError("comparison.not_finite_score", name=name, value=value)
    return scores.astype(np.float64)


@dataclass(frozen=True, repr=False)
class DatasetComparison(Result[DatasetChart]):
    """Mean ranks of models over data sets (1 is best), the test that all are equal, and the pairwise tests."""

    kind: ClassVar[str] = "dataset_comparison"

    ranks: Mapping[str, float]
    overall: Outcome
    friedman: Outcome
    critical_difference: float
    pairs: Mapping[tuple[str, str], float]
    method: str
    level: float
    sets: int

    def differs(self, first: str, second: str) -> bool:
        """Whether the p-value of a pair is below 1 - level; False for pairs that were not compared."""
        return any(self.pairs.get(pair, 1.0) < 1 - self.level for pair in ((first, second), (second, first)))

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of models, best first, within which no compared pair differs; no group contains another."""
        order = sorted(self.ranks, key=lambda name: self.ranks[name])
        runs: list[tuple[str, ...]] = []
        for start in range(len(order)):
            stop = start + 1
            while stop < len(order) and not any(self.differs(name, order[stop]) for name in order[start:stop]):
                stop += 1
            if stop - start > 1 and not (runs and order[stop - 1] in runs[-1]):
                runs.append(tuple(order[start:stop]))
        return tuple(runs)


@named_arguments
def compare_datasets(
    scores: Mapping[str, Sequence[float]] | npt.ArrayLike,
    *,
    names: Sequence[str] | None = None,
    method: DatasetTest | None = None,
    control: str | None = None,
    better: Better = "higher",
    ties: bool = True,
    level: float = 0.95,
) -> DatasetComparison:
    """Compare models over several data sets by their ranks.

    - scores: the scores of each model by name, or a table of data sets x models with names=.
    - control: a model that the others are compared with.
    - method: "nemenyi" for all pairs (the default without a control), "holm" (the default with a control),
      "bonferroni-dunn" (with a control, and its critical difference), or another adjustment of `adjust_pvalues`.
    - better: whether "higher" or "lower" scores are better. level: the confidence level.
    - ties: correct Friedman's statistic for ties; False is the formula of Demšar (2006).

    >>> result = compare_datasets({"A": [0.9, 0.8, 0.7, 0.9], "B": [0.8, 0.7, 0.6, 0.8], "C": [0.7, 0.6, 0.7, 0.5]})
    >>> result.ranks, result.overall
    ({'A': 1.125, 'B': 2.25, 'C': 2.625}, Iman-Davenport F-test: statistic 5.571, p = 0.043)
    """
    if isinstance(scores, Mapping):
        lengths = {str(name): len(column) for name, column in scores.items()}
        if len(set(lengths.values())) > 1:
            counts = [f"{name} {length}" for name, length in lengths.items()]
            raise InputError("comparison.different_datasets", counts=counts)
        names, table = list(lengths), np.array([list(column) for column in scores.values()], np.float64).T
    else:
        table = np.asarray(scores, np.float64)
        names = [f"model {i + 1}" for i in range(table.shape[-1])] if names is None else list(map(str, names))
    if better not in get_args(Better):
        raise InputError("comparison.unknown_direction", better=better)
    ranks = friedman.ranks_of(table, better == "higher")
    if len(names) != ranks.shape[1]:
        raise InputError("comparison.names_of_models", names=len(names), models=ranks.shape[1])
    if control is not None and control not in names:
        raise UnknownName("comparison.unknown_model", name=control, near=nearest(control, names))
    method = method or ("nemenyi" if control is None else "holm")
    if method == "nemenyi":
        if control is not None:
            raise InputError("comparison.nemenyi_of_all_pairs")
        pairs = friedman.nemenyi(ranks)
    else:
        if method == "bonferroni-dunn" and control is None:
            raise InputError("comparison.dunn_without_control")
        name = "bonferroni" if method == "bonferroni-dunn" else method
        if name not in ADJUSTMENTS:
            raise UnknownName("comparison.unknown_adjustment", name=name, near=nearest(str(name), ADJUSTMENTS))
        plain = friedman.holm_ranks(ranks, None if control is None else names.index(control), "none")
        pairs = dict(zip(plain, ADJUSTMENTS[name](list(plain.values())), strict=True))
    return DatasetComparison(
        dict(zip(names, map(float, ranks.mean(0)), strict=True)),
        friedman.iman_davenport(ranks, ties),
        friedman.friedman(ranks, ties),
        (friedman.critical_difference if method != "bonferroni-dunn" else friedman.dunn_difference)(
            ranks.shape[1], ranks.shape[0], level
        ),
        {(names[i], names[j]): p for (i, j), p in pairs.items()},
        method,
        level,
        ranks.shape[0],
    )
