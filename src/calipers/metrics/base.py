"""`@metric`: a formula with its facts, which enter the catalogue.

Everything that the documentation, the command line, the JSON document and the tests know about a metric stands in its
decorator. To add a metric, write one decorated function; nothing else has to change.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Unpack, cast, get_args

from calipers.cached import lazy
from calipers.choices import OutputAverage
from calipers.errors import InputError
from calipers.metrics.calling import CallOptions, OwnHelp, OwnSignature
from calipers.metrics.lookup import AVERAGES as AVERAGES
from calipers.metrics.lookup import CATALOGUE as CATALOGUE
from calipers.metrics.names import Parameter, render
from calipers.metrics.over.base import VIEWS, View
from calipers.metrics.parameters import other_than_default
from calipers.statistics.losses import Loss
from calipers.statistics.moments import Losses, RowMeasure
from calipers.statistics.rows import Rows

if TYPE_CHECKING:
    from calipers.data.batch import Batch
    from calipers.inference.estimate import Estimate
    from calipers.statistics.sketch import ScoreSketch

# Averages over several predicted numbers per row; the first is the default.
OF_OUTPUTS: tuple[OutputAverage, ...] = get_args(OutputAverage)
CAUTION = "Caution: "  # begins the paragraph of a docstring that says what to be careful about
UNBOUNDED = (-float("inf"), float("inf"))
EACH_CLASS = MappingProxyType({"binary": (None,), "multiclass": ("macro",), "multilabel": ("micro", "macro")})


@dataclass(frozen=True, eq=False)
class Metric:
    """A formula and its facts.

    over: what the formula takes, a statistic or a part of one that `VIEWS` knows; better: "higher", "lower" or "" where
    neither is; bounds: the range; formula: the same as a string over the symbols of `over`; undefined: why it is NaN
    when it is; headline: for which tasks, and with which averages, a first table shows it; rows: its row-wise form, for
    matrices of scores; losses: the same with what unseen errors may cost; of_means: the formula over mean precision and
    mean recall, for `average=means`; influence: the influence of each row on the value in one column of scores;
    probabilities: whether scores must be probabilities; top_class: whether several classes are measured by the score of
    the top one; labelled: for row-wise forms, whether they take predicted labels rather than scores; most_of_two: the
    greatest value with two classes, where it is less than bounds; walked: which number of the bootstrap kernel it is,
    or maps (resampling/bootstrap.py lists them); of_gaps: its value from the weights of bins and the sums of outcome
    less score in them; step: for rankings, what the kernel does; each: for recommendations, the value of each
    user, from the exposures; cutoffs: names that other metrics have, but which
    stand for this one when @k follows; loss: the loss of a row whose mean a metric of numbers is, or maps, from the
    metric's parameters; parts: for a mean loss over a scale that the truth alone decides, the loss and the scale of
    each row; ends: the least and the greatest value that scores in the cells of a sketch can have; intervals: methods
    that papers have for this metric alone; title: what people
    call it, where that is not its name in words; percent: whether people read it in per cent.
    """

    name: str
    function: Callable[..., Any]
    over: Any
    better: str
    bounds: tuple[float, float]
    formula: str
    undefined: str
    aliases: tuple[str, ...] = ()
    shorthands: Mapping[str, str] = field(default_factory=dict)
    headline: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    rows: RowMeasure | None = None
    losses: Callable[[Batch], Losses] | None = None
    of_means: Callable[..., Any] | None = None
    influence: Callable[..., Any] | None = None
    probabilities: bool = False
    top_class: bool = False
    labelled: bool = False
    most_of_two: float = float("inf")
    walked: str = ""
    of_gaps: Callable[..., Any] | None = None
    step: Callable[..., tuple[str, float, float, float]] | None = None
    each: Callable[..., Any] | None = None
    cutoffs: tuple[str, ...] = ()
    loss: Callable[..., Loss] | None = None
    parts: Callable[[Rows], tuple[Any, Any]] | None = None
    ends: Callable[[Measure, ScoreSketch], tuple[Any, Any]] | None = None
    intervals: tuple[str, ...] = ()
    reference: str = ""
    title: str = ""
    percent: bool = False
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    @lazy
    def view(self) -> View:
        """How it looks at statistics."""
        return VIEWS[self.over]

    @property
    def averaged(self) -> bool:
        """Whether it belongs to one class, so that averages over classes make sense."""
        return self.view.averaged

    @property
    def of_numbers(self) -> bool:
        """Whether it measures predicted numbers."""
        return self.view.of_numbers

    @property
    def averages(self) -> tuple[str, ...]:
        """The averages that it can have: over classes, or over several predicted numbers per row."""
        return AVERAGES if self.averaged else OF_OUTPUTS if self.of_numbers else ()

    @property
    def worst(self) -> float:
        """The bad end of the range."""
        return self.bounds[1] if self.better == "lower" else self.bounds[0]

    @property
    def best_value(self) -> float:
        """The good end of the range."""
        return self.bounds[0] if self.better == "lower" else self.bounds[1]

    @property
    def from_labels(self) -> bool:
        """Whether it is computed from predicted labels; otherwise it is computed from scores."""
        return self.labelled or self.view.from_labels

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring: what it is."""
        return self._paragraphs[0]

    @property
    def caution(self) -> str:
        """The paragraph of the docstring that starts with "Caution:", without this word; empty if there is none."""
        return next((p.removeprefix(CAUTION) for p in self._paragraphs if p.startswith(CAUTION)), "")

    @property
    def _paragraphs(self) -> list[str]:
        return (inspect.getdoc(self.function) or "").replace("\n\n", "\0").replace("\n", " ").split("\0")

    def with_parameters(self, parameters: Mapping[str, Any], text: str | None = None) -> Measure:
        """The metric with these parameters."""
        asked = text or self.name
        average = parameters.get("average")
        known = other_than_default(self, parameters, asked)
        if average is not None:
            if not self.averages:
                raise InputError("metrics.not_averaged", asked=asked, metric=self.name)
            if average not in self.averages:
                raise InputError(
                    "metrics.unknown_average", asked=asked, average=str(average)[:60], known=list(self.averages)
                )
            if average == "means" and self.of_means is None:
                raise InputError("metrics.means_of_f_scores", asked=asked)
        average = None if average == OF_OUTPUTS[0] else average
        return Measure(self, MappingProxyType({k: known[k] for k in self.parameters if k in known}), average)


@dataclass(frozen=True, eq=False)
class Measure:
    """A metric with its parameters and average: what a name such as `fbeta(beta=2, average=macro)` stands for."""

    __doc__ = OwnHelp(__doc__)
    __signature__ = OwnSignature()

    metric: Metric
    parameters: Mapping[str, Parameter]
    average: str | None

    @lazy
    def name(self) -> str:
        """The canonical name."""
        average = {} if self.average is None else {"average": self.average}
        word = self.metric.name.removesuffix("_at") if "k" in self.parameters else self.metric.name
        return render(word, {**self.parameters, **average})

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return CATALOGUE.__getitem__, (str(self),)

    @lazy
    def loss(self) -> Loss | None:
        """The loss of a row behind it, with the parameters put in."""
        return None if self.metric.loss is None else self.metric.loss(**{**self.metric.parameters, **self.parameters})

    def formula(self, view: Any) -> Any:
        """The formula over a view, with the parameters put in."""
        return self.metric.function(view, **self.parameters)

    def __call__(self, y_true: Any, y_pred: Any = None, **settings: Unpack[CallOptions]) -> Estimate:
        """One metric of these rows, as an Estimate; arguments as in `calipers.evaluate`, and the metric's own."""
        asked: dict[str, Any] = {**settings}
        own = {k: asked.pop(k) for k in [*self.metric.parameters, "average"] if k in asked} if asked else None
        measure = self.metric.with_parameters({**self.parameters, "average": self.average, **own}) if own else self
        return _measured()(measure, y_true, y_pred, **asked)


@cache
def _measured() -> Callable[..., Estimate]:
    """Measures rows; above this package, and looked up once because an import in a call takes a microsecond."""
    from calipers.evaluation.evaluate import measured

    return measured


if TYPE_CHECKING:

    class DefinedMeasure(Measure):
        """What the decorator gives: a measure whose own parameters only its author knows."""

        def __call__(self, y_true: Any, y_pred: Any = None, **settings: Any) -> Estimate:
            """One metric of these rows."""
            raise NotImplementedError


def metric(**facts: Any) -> Callable[[Callable[..., Any]], DefinedMeasure]:
    """Enter the decorated formula into the catalogue. Keyword-only arguments of the formula are its parameters."""

    def enter(function: Callable[..., Any]) -> DefinedMeasure:
        parameters = MappingProxyType(function.__kwdefaults__ or {})
        words: dict[str, Any] = {"title": function.__name__.replace("_", " "), **facts}
        entry = Metric(function.__name__, function, parameters=parameters, **words)
        CATALOGUE.add(entry)
        return cast("DefinedMeasure", CATALOGUE[entry.name])

    return enter
