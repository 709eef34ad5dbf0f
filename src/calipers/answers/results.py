"""The answers of all other results: choices among models, curves, parts of a loss, folds, periods, recalibrations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from calipers.answers import classes, numbers
from calipers.answers.base import Answer, Card, Number
from calipers.findings.folds import ends
from calipers.inference.estimate import Estimate, Interval

MOST = 3  # cards
LAST = 3  # sizes of a learning curve over which it is asked whether it still rises
NAMED = 20  # names that a card holds; views name fewer
MOSTLY_BIAS = {"mostly_bias", "bias_above_the_loss"}
Cards = Iterator[Card]


def answer_of(result: Any) -> Answer | None:
    """The answer of other results; None for results with their own function."""
    cards = CARDS.get(result.kind)
    if cards is None:
        return None
    found = tuple(cards(result))[:MOST]
    return _of_model(result, found) if cards is _of_bootstrap else Answer(found)


def _of_model(result: Any, cards: tuple[Card, ...]) -> Answer:
    own = result.whole.own
    named = own.positive is None and not (own.schema.facts.of_numbers or own.schema.facts.ranked)
    return Answer(cards, own.schema.facts.label if named else "", result.model)


def _joined(names: Any) -> str:
    return "\n".join(list(map(str, names))[:NAMED])


def _bounded(value: float, low: float, high: float, level: float, n: int = 0, method: str = "") -> Estimate:
    return Estimate(value, n=n, level=level, interval=lambda: Interval(low, high, method))


def estimated(estimates: Mapping[str, Estimate], code: str = "measured") -> Cards:
    """The first metrics, where none of them decides anything; code: what they are measured on."""
    known = [(name, e) for name, e in estimates.items() if not math.isnan(e)]
    yield from (Card("estimated", code, name, e) for name, e in known[:MOST])


def _of_bootstrap(result: Any) -> Cards:
    """As of a model over folds."""
    yield from list(_of_resamples(result)) or estimated(result)


def _of_resamples(result: Any) -> Cards:
    own = result.whole.own
    listed, facts, positive = {name: result[name] for name in result}, own.schema.facts, own.positive
    if facts.of_numbers:
        yield from numbers.sizes(listed)
        if not own.labels:
            yield from numbers.biases(listed)
    elif not facts.ranked:
        yield from classes.over_folds(listed, None if positive is None else str(positive), len(own.labels))


def _of_selection(selection: Any) -> Cards:
    best = selection.candidates[selection.best].average
    values: dict[str, Number] = {
        "choice": selection.choice, "best": selection.best, "count": len(selection.finalists),
        "value": float(best.mean), "error": float(best.error),
    }  # fmt: skip
    code = "best" if selection.rule == "best" else "only" if selection.choice == selection.best else "simpler"
    yield Card("choice", code, selection.metric, numbers=values)
    times, folds = selection.candidates[selection.choice].times, len(selection.splits)
    code = "stable" if 2 * times >= folds else "unstable"
    yield Card("chosen_model", code, selection.metric, selection.nested, numbers={"times": times, "folds": folds})
    winners = {name: selection.winner(name) for name in selection.comparisons}
    level = [name for name, winner in winners.items() if winner is None]
    beaten_by = [name for name, winner in winners.items() if winner == name]
    code = "alone" if not winners else "beaten" if beaten_by else "open" if level else "clear"
    rivals: dict[str, Number] = {"names": _joined(beaten_by or level or winners), "choice": selection.choice}
    yield Card("rivals", code, selection.metric, numbers=rivals)


def _of_cluster_selection(selection: Any) -> Cards:
    chosen = next(c for c in selection.candidates if c.k == selection.choice)
    values: dict[str, Number] = {"k": selection.choice, "best": selection.best}
    yield Card("clusters", "agreed" if selection.choice == selection.best else "differs", numbers=values)
    like = [str(k) for k in selection.stable if k != selection.choice]
    code = "open" if like else "clear"
    yield Card("stability", code, "", chosen.stability, numbers=values | {"names": _joined(like)})
    yield Card("silhouette", "measured", "", chosen.silhouette, numbers=values)


def _of_learning_curve(curve: Any) -> Cards:
    line = curve[curve.main_metric]
    if not line.known:
        return
    few, many = line.known[-LAST:][0], line.known[-1]
    sizes: dict[str, Number] = {"few": curve.places[few], "many": curve.places[many]}
    yield Card("at_most_rows", "measured", curve.main_metric, line.test[many], numbers=sizes)
    if line.measure.metric.better and len(line.known) > 1:
        gain = curve.slope(last=LAST)
        if not math.isnan(gain):
            low, _ = ends(gain, len(line.tested[many].known))
            yield Card("more_rows", "help" if low > 0 else "open", "", gain, 0.0, sizes)
    yield from _gap(curve, many)


def _of_validation_curve(curve: Any) -> Cards:
    line = curve[curve.main_metric]
    if not line.measure.metric.better or not line.known:
        return
    best = line.best
    like = [curve.places[at] for at in line.known if at != best and not line.gain(at, best).low > 0]
    code = "open" if like else "clear" if len(line.known) > 1 else "alone"
    values: dict[str, Number] = {"param": curve.axis, "place": str(curve.places[best]), "names": _joined(like)}
    yield Card("best_value", code, curve.main_metric, line.test[best], numbers=values)
    yield from _gap(curve, best)


def _gap(curve: Any, at: int) -> Cards:
    """How much better the metric is on training data; only an interval above 0 shows that the model overfits."""
    line = curve[curve.main_metric]
    if line.gap and not math.isnan(line.gap[at]):
        gap = line.gap[at]
        values: dict[str, Number] = {"metric": curve.main_metric, "axis": curve.axis, "place": str(curve.places[at])}
        low, _ = ends(gap, len(line.tested[at].known))
        yield Card("gap", "wide" if low > 0 else "open", "", gap, 0.0, values)


def _of_bias_variance(result: Any) -> Cards:
    values: dict[str, Number] = {name: float(result[name]) for name in ("loss", "bias", "variance")}
    yield Card("loss", "measured", "", result["loss"], numbers=values | {"models": result.replicates})
    found = {finding.code for finding in result.findings}  # by the interval of variance minus bias
    code = "variance" if "mostly_variance" in found else "bias" if found & MOSTLY_BIAS else "undecided"
    yield Card("parts", code, "", result["variance"], numbers=values)


def _of_folds(result: Any) -> Cards:
    code = result.winner or "open"
    values: dict[str, Number] = {"p": float(result.pvalue), "runs": result.folds}
    difference = _bounded(result.difference, result.low, result.high, result.level, result.folds)
    yield Card("folds", code, "", difference, 0.0, values)
    if result.probabilities is not None:
        yield Card("rope", "measured", numbers={k: float(v) for k, v in result.probabilities._asdict().items()})


def _of_datasets(result: Any) -> Cards:
    p = float(result.overall.pvalue)
    counts: dict[str, Number] = {"p": p, "models": len(result.ranks), "sets": result.sets}
    yield Card("datasets", "differ" if p < 1 - result.level else "open", numbers=counts)
    order = sorted(result.ranks, key=lambda name: result.ranks[name])
    leader, others = order[0], order[1:]
    tested = [name for name in others if (leader, name) in result.pairs or (name, leader) in result.pairs]
    worse = [name for name in tested if _p(result, leader, name) < 1 - result.level]
    level = [name for name in others if name not in worse]
    values: dict[str, Number] = {"leader": leader, "rank": float(result.ranks[leader]), "count": len(others)}
    values |= {"worse": _joined(worse), "level": _joined(level)}
    yield Card("ranks", "best" if not level else "leads" if worse else "level", numbers=values)


def _p(result: Any, first: str, second: str) -> float:
    return float(result.pairs.get((first, second), result.pairs.get((second, first), math.nan)))


def _of_power(result: Any) -> Cards:
    code = "nothing" if math.isnan(result.difference) else result.solved
    values: dict[str, Number] = {"rows": result.rows, "power": result.power, "level": result.level}
    yield Card("power", code, numbers=values | {"difference": result.difference, "given": result.given})


def _of_advice(result: Any) -> Cards:
    yield Card("advice", "measured", numbers={"test": result.test, "call": result.call, "names": _joined(result.why)})


def _of_explanation(result: Any) -> Cards:
    from calipers.metrics import named

    metric = named(result.name).metric
    low, high = metric.bounds
    yield Card("meaning", metric.better or "neither", result.name, numbers={"low": low, "high": high})


def _of_metrics(result: Any) -> Cards:
    yield Card("metrics", "measured", numbers={"count": len(result)})


def _of_worst_rows(result: Any) -> Cards:
    counts: dict[str, Number] = {"count": result.n, "total": result.total, "with_loss": result.with_loss}
    if not result.n:
        yield Card("largest_loss", "none", numbers=counts)
        return
    yield Card("largest_loss", "measured", numbers=counts | {"loss": float(result["loss"][0])})


def _of_trend(result: Any) -> Cards:
    """Metrics that get worse first, then those that get better."""
    found = [(_direction(line), line) for line in result.lines.values()]
    order = ("worse", "better", "rising", "falling", "open", "not_tested")
    for code, line in sorted(found, key=lambda pair: order.index(pair[0]))[:MOST]:
        values: dict[str, Number] = {"first": result.periods[0].label, "last": result.periods[-1].label}
        values |= {"metric": line.metric, "p": float(line.adjusted), "count": len(result.periods)}
        change = _bounded(line.change, line.low, line.high, result.level)
        yield Card("trend", code, line.metric, None if math.isnan(line.change) else change, 0.0, values)


def _direction(line: Any) -> str:
    if line.is_worse is not None:
        return "worse" if line.is_worse else "better"
    return str(line.direction) if line.direction in ("rising", "falling") else _without(line)


def _without(line: Any) -> str:
    return "not_tested" if math.isnan(line.change) else "open"


def _of_calibration(result: Any) -> Cards:
    for name, c in result.items():
        code = "better" if c.high < 0 else "worse" if c.low > 0 else "open"
        values: dict[str, Number] = {"before": c.before, "after": c.after, "p": c.pvalue, "method": result.method}
        yield Card("recalibrated", code, name, _bounded(c.difference, c.low, c.high, result.level), 0.0, values)


def _of_decision_curve(result: Any) -> Cards:
    """The models in the order of how much of the thresholds they are clearly useful at."""
    found = []
    for name in result.models:
        clear, best = result.clear_ranges(name), result.ranges(name)
        wide = sum(high - low for low, high in clear) + 1e-3 * len(clear)
        values: dict[str, Number] = {"leader": name, "clear": _spans(clear), "best": _spans(best)}
        found.append((wide, Card("benefit", "clear" if clear else "best" if best else "never", numbers=values)))
    yield from (card for _, card in sorted(found, key=lambda pair: -pair[0]))


def _spans(spans: Any) -> str:
    return "\n".join(f"{low!r} {high!r}" for low, high in spans)


CARDS: Mapping[str, Callable[[Any], Cards]] = {
    "bootstrap_validation": _of_bootstrap,
    "selection": _of_selection,
    "cluster_selection": _of_cluster_selection,
    "learning_curve": _of_learning_curve,
    "validation_curve": _of_validation_curve,
    "bias_variance": _of_bias_variance,
    "fold_comparison": _of_folds,
    "dataset_comparison": _of_datasets,
    "power": _of_power,
    "advice": _of_advice,
    "explanation": _of_explanation,
    "metric_list": _of_metrics,
    "worst_rows": _of_worst_rows,
    "trend": _of_trend,
    "calibration": _of_calibration,
    "decision_curve": _of_decision_curve,
}
