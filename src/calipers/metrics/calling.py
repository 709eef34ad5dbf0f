"""How a metric is called, `calipers.metrics.f1(y_true, y_pred, ...)`: its options, its signature and its help."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from calipers.choices import (
    Average,
    BinRule,
    ClosedSide,
    Denominator,
    EntropyMean,
    Gain,
    Given,
    Interpolation,
    IntervalMethod,
    Missing,
    Pairs,
    Penalty,
    TaskName,
)
from calipers.settings import Label, Settings

if TYPE_CHECKING:
    from calipers.metrics.base import Measure


# What `metrics=` takes: names, or metrics themselves.
AskedMetrics: TypeAlias = "Sequence[str | Measure] | str | Measure"


class CallOptions(TypedDict, total=False):
    """Options of a metric: those of `calipers.evaluate`, then the parameters of the metrics that have some."""

    score: Any
    weights: Any
    groups: Any
    positive: Label | None
    labels: Sequence[Label] | None
    threshold: float | None
    level: float
    missing: Missing
    task: TaskName | None
    interval: IntervalMethod | Mapping[str, IntervalMethod] | None
    seed: int
    replicates: int

    average: Average | None
    alpha: float
    beta: float
    bins: int
    closed: ClosedSide
    count: int
    delta: float
    denominator: Denominator
    features: int
    fitted: bool
    fn_cost: float
    fp_cost: float
    fraction: float
    gain: Gain
    given: Given
    interpolation: Interpolation
    k: float
    max_fpr: float
    max_tpr: float
    min_fpr: float
    min_tpr: float
    mean: EntropyMean
    most: float
    of: str
    p: float
    penalty: Penalty | Sequence[Sequence[float]]
    pairs: Pairs
    power: float
    recall: float
    rel: float
    rule: BinRule
    scale: float
    share: float
    window: int


ROWS = ("score", "weights", "groups")
SETTINGS = tuple(name for name in CallOptions.__annotations__ if name in Settings.__dataclass_fields__)


def signature_of(measure: Measure) -> inspect.Signature:
    """The arguments of a measure: the rows, the metric's own parameters, and what `calipers.evaluate` can be asked."""
    fields = Settings.__dataclass_fields__
    own = {**measure.metric.parameters, **measure.parameters}
    named = own | ({"average": measure.average} if measure.metric.averages else {}) | dict.fromkeys(ROWS)
    named |= {name: fields[name].default for name in SETTINGS}
    place, keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    rows = [inspect.Parameter("y_true", place), inspect.Parameter("y_pred", place, default=None)]
    options = [inspect.Parameter(name, keyword, default=value) for name, value in named.items()]
    return inspect.Signature([*rows, *options])


def help_of(measure: Measure) -> str:
    """The signature and the docstring of a metric, as `help` shows them."""
    text = inspect.getdoc(measure.metric.function) or ""
    call = f"{measure.metric.name}{signature_of(measure)} -> Estimate"
    return f"{call}\n\n{text}\n\nArguments are those of calipers.evaluate, and the metric's own parameters."


class OwnHelp(str):
    """The docstring of a class for the class itself, and its own help for each measure."""

    def __get__(self, measure: Measure | None, owner: type) -> str:
        return str(self) if measure is None else help_of(measure)


class OwnSignature:
    """The signature of each measure; the class keeps its own."""

    def __get__(self, measure: Measure | None, owner: type) -> inspect.Signature:
        if measure is None:
            raise AttributeError("__signature__")
        return signature_of(measure)
