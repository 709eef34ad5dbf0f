"""Helpful errors for argument names of other libraries and of earlier versions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from calipers.errors import InputError, nearest

P = ParamSpec("P")
T = TypeVar("T")

# Names of scikit-learn, SciPy, pandas, other libraries and earlier versions, and what they are called here.
ELSEWHERE = {
    "sample_weight": "weights", "weight": "weights", "pos_label": "positive", "positive_label": "positive",
    "clusters": "groups", "cluster": "groups", "group": "groups", "y_score": "score", "y_scores": "score",
    "y_prob": "score", "y_proba": "score", "probas_pred": "score", "scores": "score", "y": "y_true",
    "predictions": "y_pred", "target": "truth", "alpha": "level", "confidence": "level", "confidence_level": "level",
    "random_state": "seed", "n_resamples": "replicates", "n_boot": "replicates", "n_bootstrap": "replicates",
    "n_bootstraps": "replicates", "scoring": "metrics", "metric": "metrics", "estimator": "model", "n_splits": "cv",
    "n_repeats": "repeats", "slices": "by", "group_by": "by", "reference": "baseline", "param_name": "param",
    "param_range": "values", "train_sizes": "sizes", "missing": "missing_queries",
}  # fmt: skip


class UnknownArgument(InputError, TypeError):
    """An argument that a function does not have."""


def named_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """The function with a helpful error for an argument that it does not have.

    >>> @named_arguments
    ... def measure(y_true, *, weights=None): ...
    >>> measure([0, 1], sample_weight=[1, 2])
    Traceback (most recent call last):
    calipers.arguments.UnknownArgument: measure() has no argument sample_weight=: use weights= instead
    """
    known = frozenset(inspect.signature(function).parameters)

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        if not kwargs.keys() <= known:
            refuse_unknown(function.__name__, kwargs, known)
        return function(*args, **kwargs)

    return checked


def refuse_unknown(function: str, arguments: Iterable[str], known: Iterable[str]) -> None:
    """An error for the first of the given arguments that is not known."""
    known = tuple(known)
    for name in arguments:
        if name in known:
            continue
        ours = ELSEWHERE.get(name)
        if ours in known:
            raise UnknownArgument("arguments.called_otherwise", function=function, name=name, ours=ours)
        raise UnknownArgument("arguments.unknown", function=function, name=name, near=nearest(name, known))


def refuse_given(arguments: Mapping[str, object], code: str) -> None:
    """The error of this code for the first of these arguments that was given."""
    for name in [name for name, value in arguments.items() if value is not None]:
        raise InputError(code, name=name)
