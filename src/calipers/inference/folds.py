"""Two models over the same folds or repeated runs: differences that share their training rows."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.choices import Alternative
from calipers.errors import InputError
from calipers.inference.outcome import Outcome, f_p, t_p
from calipers.inference.quantiles import t as student
from calipers.inference.scale import scaled
from calipers.remarks import Remark

CONSTANT = Remark("inference.constant_folds")
ROUNDING = 1e-12  # a spread below this share of the differences is rounding


class Shift(NamedTuple):
    """The mean difference of paired runs, its standard error and degrees of freedom."""

    mean: float
    error: float
    df: float
    note: str

    def test(self, name: str, alternative: Alternative = "two-sided") -> Outcome:
        """Student's test that the mean is 0; no spread at all is certain either way."""
        if self.error > 0:
            statistic = self.mean / self.error
        else:
            statistic = math.copysign(math.inf, self.mean) if self.mean else 0.0
        return Outcome(statistic, t_p(statistic, self.df, alternative), name, self.df, self.note)

    def of_one_repetition(self, ratio: float) -> Shift:
        """The same with no more degrees of freedom than one repetition has: n_train/n_test, k - 1 of k folds.

        Repeating the folds adds no rows. With as many degrees of freedom as there are runs, less one, the corrected
        test over 10 x 10 folds of sixty rows rejected 7 to 9% of true nulls at 5%; like this it rejects 4%.
        """
        return self._replace(df=min(self.df, 1 / ratio))

    def interval(self, level: float) -> tuple[float, float]:
        """Student's interval of the mean difference."""
        reach = student(level, self.df) * self.error
        return self.mean - reach, self.mean + reach


def shift(differences: npt.ArrayLike, ratio: float = 0.0) -> Shift:
    """Mean and standard error √((1/k + ratio) s²) of k differences.

    ratio = 0 is the plain paired t, right only when runs share no rows. Folds share training rows, so their
    differences are correlated and s²/k is far too small; ratio = n_test/n_train allows for it (Nadeau & Bengio 2003).

    >>> shift([0.02, 0.01, 0.03, 0.02], ratio=0.25).test("t")
    t: statistic 3.464, p = 0.041
    """
    d = _differences(differences)
    if len(d) < 2:
        raise InputError("inference.too_few_folds", count=len(d))
    d, unit = scaled(d)
    mean, spread = float(d.mean()), float(d.std(ddof=1))
    if spread <= ROUNDING * float(np.abs(d).max(initial=0.0)):
        return Shift(unit * mean, 0.0, len(d) - 1.0, CONSTANT if mean else "")
    return Shift(unit * mean, unit * spread * math.sqrt(1 / len(d) + ratio), len(d) - 1.0, "")


def ratio_of(test_share: float) -> float:
    """n_test/n_train of a split that tests on this share of the rows.

    >>> round(ratio_of(0.1), 6)
    0.111111
    """
    if not 0 < test_share < 1:
        raise InputError("inference.not_a_test_share", value=test_share)
    return test_share / (1 - test_share)


def five_by_two_t(differences: npt.ArrayLike, alternative: Alternative = "two-sided") -> Outcome:
    """Dietterich's 5x2cv t: d₁₁/√(Σsᵢ²/5) with 5 degrees of freedom, from a 5 x 2 table (Dietterich 1998).

    >>> five_by_two_t([[0.01, 0.03], [0.02, 0.02], [0.0, 0.03], [0.02, 0.01], [0.01, 0.02]])
    5x2cv t-test: statistic 0.8165, p = 0.45
    """
    d, variances = _five_by_two(differences)
    at = float(d[0, 0])
    whole = Shift(at, math.sqrt(float(variances.sum()) / 5), 5.0, "")
    return _noted(whole, d).test(Remark("inference.five_by_two_t"), alternative)


def five_by_two_f(differences: npt.ArrayLike) -> Outcome:
    """Alpaydın's combined 5x2cv F: ΣΣd²/(2Σsᵢ²) with 10 and 5 degrees of freedom (Alpaydın 1999).

    >>> five_by_two_f([[0.01, 0.03], [0.02, 0.02], [0.0, 0.03], [0.02, 0.01], [0.01, 0.02]])
    combined 5x2cv F-test: statistic 2.467, p = 0.17
    """
    d, variances = _five_by_two(differences)
    squares, spread = float((d * d).sum()), 2 * float(variances.sum())
    note = "" if spread or not squares else CONSTANT
    statistic = squares / spread if spread else math.inf if squares else 0.0
    return Outcome(statistic, f_p(statistic, (10, 5)), Remark("inference.five_by_two_f"), (10, 5), note)


def _five_by_two(differences: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    d = np.asarray(differences, np.float64)
    if d.size != 10:
        raise InputError("inference.not_five_by_two", count=d.size)
    d = scaled(_differences(d.ravel()))[0].reshape(5, 2)  # both statistics are ratios
    variances = ((d - d.mean(1, keepdims=True)) ** 2).sum(1)
    return d, np.where(variances <= (ROUNDING * np.abs(d).max()) ** 2, 0.0, variances)


def _noted(difference: Shift, d: npt.NDArray[np.float64]) -> Shift:
    return difference if difference.error or not d.any() else difference._replace(note=CONSTANT)


def _differences(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    d = np.asarray(values, np.float64).ravel()
    if not np.isfinite(d).all():
        raise InputError("inference.difference_not_finite", index=int((~np.isfinite(d)).argmax()))
    return d


class Rope(NamedTuple):
    """How probable it is that the first is practically better, that they are practically equal, that it is worse."""

    better: float
    equal: float
    worse: float

    def __repr__(self) -> str:
        return f"P(better) = {self.better:.3f}, P(equal) = {self.equal:.3f}, P(worse) = {self.worse:.3f}"


def correlated_t(difference: Shift, rope: float) -> Rope:
    """Bayesian correlated t: the posterior of the mean difference is Student's around it (Corani & Benavoli 2015).

    `difference` is the shift with ratio = ρ/(1-ρ), ρ the share tested on; `rope` half of the width of practical
    equality.

    >>> correlated_t(shift([0.02, 0.01, 0.03, 0.02], ratio=0.25), rope=0.01)
    P(better) = 0.909, P(equal) = 0.084, P(worse) = 0.007
    """
    from scipy.special import stdtr

    if not rope >= 0:
        raise InputError("inference.not_a_width", value=rope)
    if not difference.error:
        equal = float(abs(difference.mean) <= rope)
        return Rope(float(difference.mean > rope), equal, float(difference.mean < -rope))
    below, above = (float(stdtr(difference.df, (x - difference.mean) / difference.error)) for x in (-rope, rope))
    return Rope(1 - above, above - below, below)
