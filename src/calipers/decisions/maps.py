"""Maps that recalibrate probabilities: each is fitted on outcomes and probabilities, and applied to others.

`METHODS` lists them. A map is a frozen value that JSON can hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from calipers.errors import InputError
from calipers.metrics.calibration import fitted, log_odds, probability, shift

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ProbabilityMap:
    """A map of probabilities; `method` is its name."""

    method: ClassVar[str]

    @classmethod
    def fit(cls, outcome: Array, p: Array, weights: Array) -> Self:
        """The map that fits these outcomes (0 and 1) and probabilities."""
        raise NotImplementedError

    def apply(self, p: Array) -> Array:
        """The recalibrated probabilities."""
        raise NotImplementedError

    def values(self) -> dict[str, Any]:
        """The parameters, as a document holds them."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> Self:
        """The map with these parameters."""
        return cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})


def _demand(b: Array | None, method: str) -> Array:
    if b is None:
        raise InputError("decisions.not_fitted", method=method)
    return b


def _column(x: Array) -> Array:
    return np.stack((np.ones(len(x)), x), 1)


@dataclass(frozen=True)
class Platt(ProbabilityMap):
    """A straight line of the log odds (Platt 1999), fitted to targets that lie a little inside of 0 and 1."""

    method = "platt"
    intercept: float
    slope: float

    @classmethod
    def fit(cls, outcome: Array, p: Array, weights: Array) -> Self:
        """Maximum likelihood with Platt's targets (N+ + 1)/(N+ + 2) and 1/(N- + 2)."""
        positives, negatives = float(weights @ outcome), float(weights @ (1 - outcome))
        target = np.where(outcome > 0, (positives + 1) / (positives + 2), 1 / (negatives + 2))
        return cls(*map(float, _demand(fitted(_column(log_odds(p)), target, weights), cls.method)))

    def apply(self, p: Array) -> Array:
        """The recalibrated probabilities."""
        return probability(self.intercept + self.slope * log_odds(p))


@dataclass(frozen=True)
class Shift(ProbabilityMap):
    """A shift of the log odds, for a prevalence that has changed: the mean probability becomes the observed one."""

    method = "shift"
    shift: float

    @classmethod
    def fit(cls, outcome: Array, p: Array, weights: Array) -> Self:
        """Maximum likelihood."""
        is_positive = outcome > 0
        if is_positive.all() or not is_positive.any():
            raise InputError("decisions.not_fitted", method=cls.method)
        return cls(shift(log_odds(p), is_positive, weights))

    def apply(self, p: Array) -> Array:
        """The recalibrated probabilities."""
        return probability(self.shift + log_odds(p))


@dataclass(frozen=True)
class Temperature(ProbabilityMap):
    """All log odds divided by one number (Guo et al. 2017); of several classes, all logarithms."""

    method = "temperature"
    temperature: float

    @classmethod
    def fit(cls, outcome: Array, p: Array, weights: Array) -> Self:
        """Maximum likelihood. outcome: 0 and 1, or the number of the class where p has a column for each."""
        from scipy.optimize import minimize_scalar

        logs = _logs(p)
        own = outcome.astype(np.intp) if logs.ndim == 2 else None

        def loss(log_temperature: float) -> float:
            x = logs * np.exp(-log_temperature)
            if own is None:
                return float(weights @ (np.logaddexp(0, x) - outcome * x))
            top = x.max(1)
            return float(weights @ (top + np.log(np.exp(x - top[:, None]).sum(1)) - x[np.arange(len(own)), own]))

        best: Any = minimize_scalar(loss, bounds=(-7, 7), method="bounded", options={"xatol": 1e-10})
        return cls(float(np.exp(best.x)))

    def apply(self, p: Array) -> Array:
        """The recalibrated probabilities."""
        x = _logs(p) / self.temperature
        if x.ndim == 1:
            return probability(x)
        e = np.exp(x - x.max(1, keepdims=True))
        return np.asarray(e / e.sum(1, keepdims=True))


def _logs(p: Array) -> Array:
    """Log odds of one column; logarithms of several, clipped in the same way."""
    return log_odds(p) if p.ndim == 1 else np.log(np.clip(p.astype(np.float64), 1e-8, 1.0))


@dataclass(frozen=True)
class Beta(ProbabilityMap):
    """Beta calibration (Kull et al. 2017): logit(q) = c + a ln p - b ln(1 - p), a and b not below 0."""

    method = "beta"
    a: float
    b: float
    c: float

    @classmethod
    def fit(cls, outcome: Array, p: Array, weights: Array) -> Self:
        """Maximum likelihood; where a or b would be negative, it is 0 and the others are fitted again."""
        clipped = np.clip(p.astype(np.float64), 1e-8, 1 - 1e-8)
        both = np.stack((np.log(clipped), -np.log1p(-clipped)), 1)
        kept = [0, 1]
        while True:
            design = np.concatenate((np.ones((len(p), 1)), both[:, kept]), 1)
            c, *slopes = map(float, _demand(fitted(design, outcome, weights), cls.method))
            if all(slope >= 0 for slope in slopes):
                found = dict(zip(kept, slopes, strict=True))
                return cls(found.get(0, 0.0), found.get(1, 0.0), c)
            del kept[int(np.argmin(slopes))]

    def apply(self, p: Array) -> Array:
        """The recalibrated probabilities."""
        clipped = np.clip(p.astype(np.float64), 1e-8, 1 - 1e-8)
        return probability(self.c + self.a * np.log(clipped) - self.b * np.log1p(-clipped))


@dataclass(frozen=True)
class Isotonic(ProbabilityMap):
    """A rising step function with straight lines between the steps (Zadrozny and Elkan 2002)."""

    method = "isotonic"
    score: tuple[float, ...]
    outcome: tuple[float, ...]

    @classmethod
    def fit(cls, outcome: Array, p: Array, weights: Array) -> Self:
        """Least squares; of each step only its ends are kept.

        A step of 0 or 1 is moved inside, as if half a row of the other outcome were in it: a probability of 0 would
        make a single surprise infinitely bad.
        """
        from scipy.optimize import isotonic_regression

        places, at = np.unique(p.astype(np.float64), return_inverse=True)
        total = np.bincount(at, weights)
        level = isotonic_regression(np.bincount(at, weights * outcome) / total, weights=total).x
        none, every = level <= 0, level >= 1
        inside = level[~none & ~every]
        level[none] = min(0.5 / (total[none].sum() + 1), inside.min(initial=0.5))
        level[every] = max(1 - 0.5 / (total[every].sum() + 1), inside.max(initial=0.5))
        turns = level[1:] != level[:-1]
        ends = np.append(True, turns) | np.append(turns, True)
        return cls(tuple(places[ends].tolist()), tuple(level[ends].tolist()))

    def apply(self, p: Array) -> Array:
        """The recalibrated probabilities; beyond the ends, those of the ends."""
        return np.asarray(np.interp(p.astype(np.float64), self.score, self.outcome))


METHODS: dict[str, type[ProbabilityMap]] = {each.method: each for each in (Isotonic, Platt, Beta, Temperature, Shift)}
