"""Metrics by name: `calipers.metrics.f1(y_true, y_pred)` is an Estimate; `catalogue()` lists them all."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from keyword import iskeyword
from os.path import dirname
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from calipers.metrics import over
from calipers.metrics.base import CATALOGUE, Measure, Metric, metric

if TYPE_CHECKING:
    from calipers.metrics.attributes import *  # noqa: F403 - every metric by name

# Importing a module enters its metrics into the catalogue; tables show them in this order.
SOURCES = (
    "confusion", "counts", "scores", "top_rows", "probabilities", "calibration", "classes", "multilabel", "losses",
    "ranking", "recommendation", "regression", "skill", "clustering", "chance", "geometry", "topics", "association",
    "partial_areas", "beyond_chance", "rater_agreement", "nominal_association", "trec_measures",
)  # fmt: skip
MODULES = frozenset(module.name for module in iter_modules([dirname(__file__)]))
for _source in SOURCES:
    import_module(f"calipers.metrics.{_source}")
for _module in iter_modules(over.__path__):  # each enters its views into VIEWS
    import_module(f"{over.__name__}.{_module.name}")

from calipers.metrics.counts import fbeta_from  # noqa: E402 - after the loop, which decides the order

__all__ = ["Measure", "Metric", "catalogue", "fbeta_from", "metric", "named"]


def named(text: str) -> Measure:
    """The metric with this name, an alias of it, or the name that another library uses.

    >>> import calipers as cal
    >>> cal.metric("macro_f1"), cal.metric("sensitivity")
    (f1(average=macro), recall)
    """
    return CATALOGUE[text]


def catalogue() -> Iterator[Metric]:
    """Every metric, in the order of the modules."""
    return iter(CATALOGUE)


def _attribute(name: str) -> Measure:
    """The measure that an attribute of this module stands for."""
    if name.startswith("_") or name in MODULES:  # an import asks before it loads a module: no search for similar names
        raise AttributeError(name)
    try:
        return CATALOGUE[name]
    except KeyError as error:
        raise AttributeError(str(error)) from None


if not TYPE_CHECKING:  # type checkers read the names in attributes.pyi: any other one is an error
    __getattr__ = _attribute


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in CATALOGUE.names() if name.isidentifier() and not iskeyword(name))])
