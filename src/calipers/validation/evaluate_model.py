"""`evaluate_model`: a fitted model, and the data on which it is evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from calipers.arguments import named_arguments
from calipers.choices import IntervalMethod, ModelTask
from calipers.data import frames
from calipers.data.columns import columns_of, slices
from calipers.data.labels import encode
from calipers.errors import InputError
from calipers.evaluation.evaluate import evaluate
from calipers.evaluation.evaluation import Evaluation
from calipers.remarks import Remark
from calipers.settings import Label, labels_of
from calipers.validation.models import SAYS
from calipers.validation.problems import problem
from calipers.validation.queries import of_sizes


@named_arguments
def evaluate_model(
    model: Any,
    X: Any,  # noqa: N803 - what everybody calls it
    y: Any,
    *,
    metrics: Sequence[str] | str | None = None,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    weights: Any = None,
    by: Any = None,
    groups: Any = None,
    group_sizes: Any = None,
    task: ModelTask | None = None,
    level: float = 0.95,
    interval: IntervalMethod | Mapping[str, IntervalMethod] | None = None,
    seed: int = 0,
    replicates: int = 1000,
) -> Evaluation:
    """Evaluate a fitted model on data that it was not trained on.

    - model: a fitted object with predict, predict_proba or decision_function; it is not fitted again.
    - X, y: what the model takes, and the true values.
    - weights, by, groups: as in `calipers.evaluate`; if X is a data frame, also names of its columns.
    - group_sizes: the numbers of rows of consecutive queries, instead of groups, for rankings.
    - labels: the classes in the order of the scores, for a model that has no `classes_`.
    - task: "classification", "regression" or "ranking" (groups= are then the queries), to override the detected task.
    - metrics, positive, threshold, level, interval, seed, replicates: as in `calipers.evaluate`.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = np.arange(100.0)[:, None]
    >>> y = (X[:, 0] + 30 * np.sin(X[:, 0]) > 50).astype(int)
    >>> model = LogisticRegression().fit(X[::2], y[::2])
    >>> evaluate_model(model, X[1::2], y[1::2])["roc_auc"]
    0.929 [0.804, 0.981]
    """
    if isinstance(model, type):
        raise InputError("validation.class_not_model", name=model.__name__)
    if not any(hasattr(model, name) for name in SAYS):
        raise InputError("validation.cannot_predict", kind=type(model).__name__, methods=SAYS)
    sliced, weights, groups = side_columns(X, by, weights, groups)
    y = frames.alone(y)
    if group_sizes is not None:
        if groups is not None:
            raise InputError("validation.groups_and_sizes")
        groups, task = of_sizes(group_sizes, len(y)), task or "ranking"
    asked: dict[str, Any] = {"metrics": metrics, "threshold": threshold, "level": level}
    of = problem(model, y, groups=groups, task=task, positive=positive, known=_known(model, labels), **asked)
    answer = of.answer(model, X, y)
    if of.facts.ranked:
        return of.measured(y, answer, groups)
    options: dict[str, Any] = {
        **of.options, "weights": weights, "by": sliced, "groups": groups, "interval": interval, "seed": seed,
        "replicates": replicates,
    }  # fmt: skip
    if of.facts.of_numbers:
        ev = evaluate(y, answer.predicted, task="regression", **options)
    else:
        options |= {"labels": of.classes, "positive": of.positive} if of.classes else {}
        ev = evaluate(y, answer.predicted, score=answer.score, **options)
    untrained = [Remark("validation.class_unknown", label=label) for label in answer.unmet]
    kept = ev.kept if ev.kept is None or not frames.is_frame(X) else replace(ev.kept, origin=X)
    return replace(ev, notes=(*ev.notes, *untrained), kept=kept)


def side_columns(X: Any, by: Any, weights: Any, groups: Any) -> tuple[Mapping[str, Any], Any, Any]:  # noqa: N803
    """Slices, weights and groups: columns, or names of columns of X."""
    if not frames.is_frame(X):
        return slices(by, {}), weights, groups
    named = [x for x in by.values() if isinstance(x, str)] if isinstance(by, Mapping) else by
    data = columns_of(X, named, *(x for x in (weights, groups) if isinstance(x, str)))
    weights, groups = (data[x] if isinstance(x, str) else x for x in (weights, groups))
    return slices(by, data), weights, groups


def _known(model: Any, labels: Sequence[Label] | None) -> tuple[Label, ...]:
    """The classes that a model knows; none of a model of several labels per row."""
    if labels is not None:
        return labels_of(labels) or ()
    own: Any = getattr(model, "classes_", None)
    single = own is not None and not isinstance(own, list) and np.ndim(own) == 1
    return encode(np.asarray(own), "classes_").values if single else ()
