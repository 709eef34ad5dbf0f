"""Models: any object with `fit` that predicts labels, probabilities, scores or numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.data.labels import encode
from calipers.errors import InputError, MissingExtra
from calipers.settings import Label

Array = npt.NDArray[Any]
SAYS = ("predict", "predict_proba", "decision_function")
SEEDED = "random_state"


class Answer(NamedTuple):
    """The predictions of a model: labels or numbers, scores if it has them, and classes it was not trained on."""

    predicted: Any = None
    score: Any = None
    unmet: tuple[Label, ...] = ()


def required() -> None:
    """Raise an error if a package is missing, and name the extra that contains it."""
    try:
        import joblib  # noqa: F401 - only whether they are there

        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtra("validation.missing_packages") from None


def checked(model: Any) -> Any:
    """The model, refused where it cannot be one."""
    if isinstance(model, type):
        raise InputError("validation.class_not_model", name=model.__name__)
    if not hasattr(model, "fit") or not any(hasattr(model, name) for name in SAYS):
        raise InputError("validation.not_a_model", kind=type(model).__name__, methods=SAYS)
    return model


def fresh(model: Any, parameters: Mapping[str, Any] | None = None, seed: int | None = None) -> Any:
    """An unfitted copy, with these parameters; what draws at random and was given no seed draws by this one.

    A plain class without `get_params` is copied as it is.
    """
    from sklearn.base import clone

    copy: Any = clone(model, safe=False)
    if parameters:
        copy.set_params(**{name: clone(value, safe=False) for name, value in parameters.items()})
    unset = () if seed is None else unseeded(copy)
    if unset:
        seeds = np.random.default_rng(seed).integers(0, 2**31 - 1, len(unset))
        copy.set_params(**dict(zip(unset, map(int, seeds), strict=True)))
    return copy


def unseeded(model: Any) -> tuple[str, ...]:
    """The parameters of a model, and of the models inside it, that ask for a seed and have none."""
    if not hasattr(model, "get_params"):
        return ()
    parameters = model.get_params(deep=True)
    return tuple(sorted(n for n, v in parameters.items() if n.rpartition("__")[2] == SEEDED and v is None))


def taken(rows: Any, index: Array) -> Any:
    """Some of the rows of a frame, an array, a sparse matrix or a list."""
    if rows is None or type(rows) is np.ndarray:
        return None if rows is None else rows[index]
    from sklearn.utils import _safe_indexing  # in the reference of scikit-learn, in spite of its name

    return _safe_indexing(rows, index)


def kind_of(model: Any, y: Any, kind_of_metrics: str | None = None) -> str:
    """Whether a model predicts "classification" or "regression".

    Where the model does not say, the metrics that were asked for do (`asked`), and else what y holds.
    """
    from sklearn.base import is_classifier, is_regressor
    from sklearn.utils.multiclass import type_of_target

    if hasattr(model, "__sklearn_tags__"):
        if is_classifier(model):
            return "classification"
        if is_regressor(model):
            return "regression"
    estimator_type = getattr(model, "_estimator_type", "")
    if estimator_type in ("classifier", "regressor"):
        return "classification" if estimator_type == "classifier" else "regression"
    if hasattr(model, "predict_proba") or hasattr(model, "decision_function"):
        return "classification"
    if kind_of_metrics is not None:
        return kind_of_metrics
    return "regression" if type_of_target(y).startswith("continuous") else "classification"


def over_classes(score: Any, own: Sequence[Label], classes: Sequence[Label], unmet: float) -> Array:
    """Scores with a column for each of all classes: one that the model never met gets `unmet`.

    A single column of scores is for the second of two classes.

    >>> over_classes([[0.2, 0.8]], ["a", "c"], ["a", "b", "c"], 0.0)
    array([[0.2, 0. , 0.8]])
    """
    scores = np.asarray(score, np.float64)
    if scores.ndim == 1:
        scores = np.stack((-scores, scores), 1) if len(own) == 2 else scores[:, None]
    if scores.shape[1] != len(own):
        raise InputError("validation.scores_for_classes", scores=scores.shape[1], classes=len(own))
    spread = np.full((len(scores), len(classes)), unmet)
    spread[:, [classes.index(v) for v in own]] = scores
    return spread


def own_classes(model: Any, y: Any) -> list[Label]:
    """The classes of a fitted model in the order of its scores; of one that does not say, those of y, its training."""
    known = getattr(model, "classes_", None)
    return list(encode(y, "y").values) if known is None else list(np.asarray(known).tolist())


def of_each_label(score: Any, model: Any) -> Array:
    """Scores of several labels per row as one matrix, also where each label has a table of its classes."""
    if not isinstance(score, list):
        return np.asarray(score, np.float64)
    met = getattr(model, "classes_", None) or [(0, 1)] * len(score)
    return np.stack([over_classes(one, list(own), [0, 1], 0.0)[:, 1] for one, own in zip(score, met, strict=True)], 1)


def name_of(model: Any) -> str:
    """A model in one line, as it describes itself; by its class where that says more."""
    text = " ".join(repr(model).split())
    return type(model).__name__ if text.startswith("<") else text
