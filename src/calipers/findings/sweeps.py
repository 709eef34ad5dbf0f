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
    """More training rows still help: over the last sizes, {few} to {many}, a doubling brings a gain of {gain} in
    {metric}, and may bring {low} to {high}.

    Get more rows before anything cleverer. The next doubling mostly brings less than the last one did.
    """
    step = _slope(curve)
    if step is not None and step["low"] > 0:
        yield step


@rule("note", LEARNING)
def more_rows_open(curve: Any) -> Iterator[Mapping[str, Number]]:
    """No evidence either way whether more training rows help: over the last sizes, {few} to {many}, a doubling brings a
    gain of {gain} in {metric}, and may bring {low} to {high}.

    Where {high} would not matter to you, look at the columns and at the model instead. Where it would, pass repeats=,
    or more rows for folds to test on.
    """
    step = _slope(curve)
    if step is not None and not step["low"] > 0:
        yield step


@rule("note", LEARNING)
def gap_stays_open(curve: Any) -> Iterator[Mapping[str, Number]]:
    """A gap between training and test rows stays: with {many} training rows {metric} is {gap} better on them than on
    test rows, and may be {low} to {high}. The last sizes, from {few} rows, where it was {before}, did not measurably
    close it.

    See by cal.validation_curve whether a simpler model closes it. Forests and nearest neighbours have such a gap by
    design.
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
    """The best {param} tried, {value}, is at the edge: the gain in {metric} from {before} to it is {gain}, and may be
    {low} to {high}.

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
def values_not_told_apart(curve: Any) -> Iterator[Mapping[str, Number]]:
    """{param} = {value} has the best {metric}, {best}; of {others} others these are not told apart from it: {like}.

    The best of several looks better than it is, since it was picked on these very folds; cal.select measures the
    choice too.
    """
    line = curve[curve.main_metric]
    if not line.measure.metric.better or len(line.known) < 2:
        return
    best = line.best
    like = [at for at in line.known if at != best and not line.gain(at, best).low > 0]
    if like:
        named = ", ".join([*(str(curve.places[at]) for at in like[:NAMED]), *(["..."] if like[NAMED:] else [])])
        yield {"metric": curve.main_metric, "param": curve.axis, "value": str(curve.places[best]),
               "best": float(line.test[best]), "others": len(line.known) - 1, "like": named}  # fmt: skip


@rule("note", TUNING)
def simpler_value_will_do(curve: Any) -> Iterator[Mapping[str, Number]]:
    """{param} = {value} is simpler and will do: its {metric}, {mean}, is within one standard error, {error}, of the
    best, {best} with {winner}.

    Take it unless the last bit counts: the simpler of two like models mostly does better on new rows.
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
    """Most of the loss is the luck of the training rows: {variance} of {loss} is variance, {bias} bias. The difference
    may be {low} to {high}.

    Average models (bagging, a forest), regularise, or get more rows: see cal.learning_curve.
    """
    if result.excess.low > 0:
        yield _parts(result, 1)


@rule("note", PARTS)
def mostly_bias(result: Any) -> Iterator[Mapping[str, Number]]:
    """Most of the loss stays whatever the training rows: {bias} of {loss} is bias or noise, {variance} variance. The
    difference may be {low} to {high}.

    A richer model or better columns may lower it; more rows, or averaging models, will not. What is noise stays in any
    case.
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
