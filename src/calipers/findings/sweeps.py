"""What learning curves, validation curves and the parts of a loss give away about a model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from calipers.findings.base import Number, rule
from calipers.findings.folds import ends

LEARNING, TUNING, PARTS = "learning_curve", "validation_curve", "bias_variance"
NAMED = 8  # values that are named
SIZES = 3  # the last of a learning curve, over which it is asked whether it still rises


@rule("note", LEARNING)
def more_rows_help(curve: Any) -> Iterator[Mapping[str, Number]]:
    """More training data still helps: from {few} to {many} rows, each doubling improves {metric} by about {gain}
    (confidence interval {low} to {high}).

    Collect more data first. The next doubling usually brings less than the last one.
    """
    step = _slope(curve)
    if step is not None and step["low"] > 0:
        yield step


@rule("note", LEARNING)
def more_rows_open(curve: Any) -> Iterator[Mapping[str, Number]]:
    """It is not clear whether more training data helps: from {few} to {many} rows, the gain in {metric} per doubling
    is about {gain} (confidence interval {low} to {high}).

    If a gain of {high} would not matter, work on the features or the model instead. Otherwise use {@repeats}, or test
    on more data.
    """
    step = _slope(curve)
    if step is not None and not step["low"] > 0:
        yield step


@rule("note", LEARNING)
def gap_stays_open(curve: Any) -> Iterator[Mapping[str, Number]]:
    """With {many} training rows, {metric} is still {gap} better on training data than on test data (confidence interval
    {low} to {high}); the gap was {before} with {few} rows and has not closed measurably.

    Use cal.validation_curve to see whether a simpler model closes it. Random forests and nearest neighbours have a gap
    by design.
    """
    line = curve[curve.main_metric]
    if not line.gap or len(line.known) < 2:
        return
    few, many = line.known[-SIZES:][0], line.known[-1]
    gap, folds = line.gap[many], len(line.tested[many].known)
    (low, high), (worst, best) = ends(gap, folds), ends(line.test[many], folds)
    beyond = line.train[many] < worst if line.measure.metric.better == "lower" else line.train[many] > best
    if low > 0 and beyond and not ends(curve.slope(last=SIZES, gap=True), folds)[1] < 0:
        yield {"metric": curve.main_metric, "few": curve.places[few], "many": curve.places[many], "gap": float(gap),
               "low": low, "high": high, "before": float(line.gap[few])}  # fmt: skip


@rule("note", TUNING)
def best_value_at_the_edge(curve: Any) -> Iterator[Mapping[str, Number]]:
    """The best value of {param}, {value}, is at the edge of the values tried: from {before} to {value}, {metric}
    improves by {gain} (confidence interval {low} to {high}).

    Try values beyond {value}.
    """
    line = curve[curve.main_metric]
    if not line.measure.metric.better or len(line.known) < 2 or not _ordered(curve.places):
        return
    best, known = line.best, line.known
    if best not in (known[0], known[-1]):
        return
    neighbour = known[1] if best == known[0] else known[-2]
    gain = line.gain(neighbour, best)
    if gain.low > 0:
        yield {"metric": curve.main_metric, "param": curve.axis, "before": str(curve.places[neighbour]),
               "value": str(curve.places[best]), "gain": float(gain), "low": gain.low, "high": gain.high}  # fmt: skip


@rule("note", TUNING)
def values_not_distinguished(curve: Any) -> Iterator[Mapping[str, Number]]:
    """{param} = {value} has the best {metric}, {best}. Of the {others} other values, these do not differ significantly
    from it: {like:names}.

    The best of several values looks better than it is, because it was chosen on these folds; cal.select also evaluates
    the choice.
    """
    line = curve[curve.main_metric]
    if not line.measure.metric.better or len(line.known) < 2:
        return
    best = line.best
    like = [at for at in line.known if at != best and not line.gain(at, best).low > 0]
    if like:
        named = "\n".join([*(str(curve.places[at]) for at in like[:NAMED]), *(["..."] if like[NAMED:] else [])])
        yield {"metric": curve.main_metric, "param": curve.axis, "value": str(curve.places[best]),
               "best": float(line.test[best]), "others": len(line.known) - 1, "like": named}  # fmt: skip


@rule("note", TUNING)
def simpler_value_will_do(curve: Any) -> Iterator[Mapping[str, Number]]:
    """{param} = {value} is simpler and just as good within one standard error ({error}): its {metric} is {mean}; the
    best is {best}, with {winner}.

    Use it unless you need the last bit of performance: of two models that are equally good here, the simpler one is
    usually the safer choice.
    """
    line = curve[curve.main_metric]
    if curve.simpler is None or not line.measure.metric.better or not line.known:
        return
    best, chosen = line.best, curve.within(curve.main_metric)
    if chosen != best:
        yield {"metric": curve.main_metric, "param": curve.axis, "value": str(curve.places[chosen]),
               "mean": float(line.test[chosen]), "error": line.tested[best].error, "best": float(line.test[best]),
               "winner": str(curve.places[best])}  # fmt: skip


@rule("note", PARTS)
def mostly_variance(result: Any) -> Iterator[Mapping[str, Number]]:
    """Most of the loss is variance, which depends on the training data that was drawn: of {loss}, {variance} is
    variance and {bias} is bias (difference: confidence interval {low} to {high}).

    Average several models (bagging, random forest), regularise, or collect more data: see cal.learning_curve.
    """
    if result.excess.low > 0:
        yield _parts(result, 1)


@rule("note", PARTS)
def mostly_bias(result: Any) -> Iterator[Mapping[str, Number]]:
    """Most of the loss is bias or noise, which more data will not remove: of {loss}, {bias} is bias or noise and
    {variance} is variance (difference: confidence interval {low} to {high}).

    A more flexible model or better features may reduce the bias; more data or averaging models will not. Noise cannot
    be reduced.
    """
    if result.excess.high < 0 and result["variance"] >= 0:
        yield _parts(result, -1)


@rule("note", PARTS)
def bias_above_the_loss(result: Any) -> Iterator[Mapping[str, Number]]:
    """All of the loss is bias or noise: the most frequent prediction of the models has a loss of {bias}; a single model
    has {loss} on average, {less} less.

    A more flexible model or better features may reduce the bias. Averaging models would not: it leads to the most
    frequent prediction. Noise cannot be reduced.
    """
    if result.excess.high < 0 and result["variance"] < 0:
        yield {"bias": float(result["bias"]), "loss": float(result["loss"]), "less": -float(result["variance"])}


def _parts(result: Any, sign: int) -> Mapping[str, Number]:
    low, high = sorted((sign * result.excess.low, sign * result.excess.high))
    return {name: float(result[name]) for name in ("loss", "bias", "variance")} | {"low": low, "high": high}


def _slope(curve: Any) -> dict[str, Any] | None:
    """What a doubling of the training rows brings; None where it cannot be told."""
    line = curve[curve.main_metric]
    if not line.measure.metric.better or len(line.known) < 2:
        return None
    few, many = line.known[-SIZES:][0], line.known[-1]
    gain = curve.slope(last=SIZES)
    low, high = ends(gain, len(line.tested[many].known))
    if math.isnan(low):
        return None
    return {"metric": curve.main_metric, "few": curve.places[few], "many": curve.places[many], "gain": float(gain),
            "low": low, "high": high}  # fmt: skip


def _ordered(places: tuple[Any, ...]) -> bool:
    """Whether places are numbers that rise or fall."""
    numbers = [v for v in places if isinstance(v, (int, float)) and not isinstance(v, bool)]
    return len(numbers) == len(places) and sorted(numbers) in (numbers, numbers[::-1])
