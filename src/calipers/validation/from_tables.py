"""A table with numbers and texts as rows for a model, and a model by the name of its class."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from calipers.errors import InputError
from calipers.validation.models import SAYS, Array, checked, name_of, required

NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*")
DENSE = 1000  # categories of all columns together up to which they are encoded as a dense matrix


def model_named(name: str, parameters: Mapping[str, Any]) -> Any:
    """A model of the class that `package.module:Class` names, imported from where Python runs; nothing is unpickled.

    >>> model_named("sklearn.linear_model:LogisticRegression", {"C": 0.5})
    LogisticRegression(C=0.5)
    """
    if not NAME.fullmatch(name):
        raise InputError("validation.names_no_model", name=name)
    module, _, inside = name.partition(":")
    try:
        model_class = getattr(import_module(module), inside, None)
    except Exception as error:  # importing a module runs its code
        kind = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
        raise InputError("validation.not_imported", module=module, error=f"{kind}{error}") from None
    if not isinstance(model_class, type):
        raise InputError("validation.unknown_model_class", module=module, name=inside)
    if not hasattr(model_class, "fit"):  # before anything of it is called
        raise InputError("validation.model_without_fit", name=name)
    own = {key: value for key, value in parameters.items() if "__" not in key}
    try:
        model = model_class(**own)
        deep = {key: value for key, value in parameters.items() if "__" in key}
        return checked(model.set_params(**deep) if deep else model)
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError("validation.not_made", name=inside, parameters=dict(parameters), error=error) from None


def parameter(text: str) -> tuple[str, Any]:
    """NAME=VALUE: a number, True, None, a list or the like where the value reads as one, else text.

    >>> parameter("C=0.1"), parameter("penalty=l2"), parameter("hidden=(8, 4)")
    (('C', 0.1), ('penalty', 'l2'), ('hidden', (8, 4)))
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier():
        raise InputError("validation.not_a_parameter", text=text)
    try:
        return name.strip(), ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return name.strip(), value


def matrix(columns: Mapping[str, Array]) -> tuple[Array, list[int]]:
    """The columns beside each other, texts by their number among those that occur, and which columns these are.

    >>> matrix({"age": np.array([30.0, 41.0, 52.0]), "town": np.array(["b", "a", "b"], object)})
    (array([[30.,  1.],
           [41.,  0.],
           [52.,  1.]]), [1])
    """
    texts = [at for at, column in enumerate(columns.values()) if column.dtype.kind not in "fiub"]
    numbers = [
        np.unique(column, return_inverse=True)[1] if at in texts else column
        for at, column in enumerate(columns.values())
    ]
    return np.stack([column.astype(np.float64) for column in numbers], 1), texts


def with_texts(model: Any, texts: Sequence[int], categories: int) -> Any:
    """The model behind a step that turns texts into one column of 0 and 1 for each, and leaves numbers as they are."""
    required()
    if not texts:
        return model
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=categories > DENSE)
    transformer = make_column_transformer((one_hot, list(texts)), remainder="passthrough")
    return make_pipeline(transformer, model) if hasattr(model, "get_params") else Preprocessed(transformer, model)


class Preprocessed:
    """A plain model behind a transformer: a pipeline accepts only models with get_params."""

    def __init__(self, transformer: Any, model: Any) -> None:
        self.transformer, self.model = transformer, model

    def __repr__(self) -> str:
        return f"{name_of(self.model)} behind {self.transformer!r}"

    def fit(self, rows: Any, y: Any, **more: Any) -> Preprocessed:
        """Fit both."""
        self.model.fit(self.transformer.fit_transform(rows), y, **more)
        return self

    def __getattr__(self, name: str) -> Any:
        if name not in (*SAYS, "classes_"):
            raise AttributeError(name)
        attribute = getattr(self.model, name)
        return attribute if name == "classes_" else lambda rows: attribute(self.transformer.transform(rows))
