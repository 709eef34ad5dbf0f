"""What a result can be asked for: its numbers, and one more thing at random."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from checks import Disagreement, demand, estimate
from draws import Draw

import calipers as cal
from calipers.errors import CalipersError

KINDS_OF_CURVE = ("roc", "pr", "det", "gain", "lift", "calibration", "sweep", "ks", "residuals", "nonsense")


def message(error: CalipersError) -> None:
    text = str(error)
    demand(bool(text.strip()), f"{type(error).__name__} without a message")
    demand(len(text) < 3000, f"a message is too long: {len(text)} characters")


def read(draw: Draw, ev: Any, *, bootstrap: bool = False) -> None:
    """Ask a result for its numbers, and for one more thing at random."""
    for name in ev:
        estimate(name, ev[name], bootstrap=bootstrap)
    with contextlib.suppress(CalipersError):
        draw.pick(QUESTIONS)(draw, ev)


def _classes(_: Draw, ev: Any) -> None:
    for of_class in ev.classes.values():
        for name in of_class:
            estimate(name, of_class[name], bootstrap=True)


def _slices(_: Draw, ev: Any) -> None:
    for slices in ev.by.values():
        demand(sum(part.rows for part in slices.values()) <= ev.rows, "slices hold more rows than the whole")
        for part in slices.values():
            for name in part:
                estimate(name, part[name], bootstrap=True)


def _document(_: Draw, ev: Any) -> None:
    text = ev.to_json()
    json.loads(text, parse_constant=_refused)
    back = cal.loads(text)
    demand(back.to_json() == text, "a document read back gives another document")


def _refused(constant: str) -> None:
    raise Disagreement(f"JSON holds {constant}")


def _threshold(draw: Draw, ev: Any) -> None:
    again = ev.at(threshold=draw.pick((0.0, 0.3, -1.0, math.inf, math.nan, "x", None, 2)))
    for name in again:
        estimate(name, again[name], bootstrap=True)


def _prevalence(draw: Draw, ev: Any) -> None:
    again = ev.at(prevalence=draw.pick((0.0, 0.01, 0.5, 1.0, 2.0, math.nan, "x")))
    for name in again:
        estimate(name, again[name], bootstrap=True)


def _any_metric(draw: Draw, ev: Any) -> None:
    name = draw.pick([metric.name for metric in cal.metrics.catalogue()])
    if draw.chance(0.3):
        name += draw.pick(("(average=macro)", "(average=micro)", "(average=weighted)", "(average=uniform)", "@3"))
    e = ev[name]
    estimate(name, e, bootstrap=True)


def _curve(draw: Draw, ev: Any) -> None:
    curve = ev.curve(draw.pick(KINDS_OF_CURVE))
    demand(len({len(curve[name]) for name in curve}) == 1, "the columns of a curve differ in length")


def _best(draw: Draw, ev: Any) -> None:
    repr(ev.best_threshold(draw.pick(("f1", "youden_j", "accuracy", "roc_auc", "nonsense", "mcc", None))))


def _texts(draw: Draw, ev: Any) -> None:
    lang = draw.pick(("en", "vi", "zh", None))
    for text in (ev.to_text(lang), ev.to_markdown(lang)):
        demand(bool(text), "an empty report")
    repr(ev)


def _others(draw: Draw, ev: Any) -> None:
    ask: tuple[Callable[[], Any], ...] = (
        lambda: ev.findings,
        lambda: repr(ev.confusion),
        ev.to_frame,
        lambda: str(ev.explain(draw.pick([*ev] or ["f1"]))),
        lambda: ev.expected_cost(draw.pick(([[0, 1], [5, 0]], [[0]], "x", [[math.nan] * 2] * 2))),
        lambda: ev[draw.pick(("", "f1 ", "f1(", "nonsense", "precision@5"))],
        lambda: gate_once(draw, ev),
    )
    draw.pick(ask)()


QUESTIONS = (
    _classes,
    _slices,
    _document,
    _threshold,
    _prevalence,
    _any_metric,
    _any_metric,
    _curve,
    _best,
    _texts,
    _others,
)


def _examples() -> tuple[Any, ...]:
    rng = np.random.default_rng(7)
    y, k = rng.integers(0, 2, 60), rng.integers(0, 3, 60)
    s, p = np.clip(0.3 * y + 0.7 * rng.random(60), 0, 1), rng.dirichlet(np.ones(3), 60)
    x = rng.lognormal(size=60)
    by = {"region": np.where(np.arange(60) % 2, "north", "south")}
    return (
        cal.evaluate(y, s, by=by),
        cal.evaluate(np.array(["a", "b", "c"])[k], p, labels=("a", "b", "c")),
        cal.evaluate(x, x * rng.lognormal(0, 0.2, 60)),
        cal.evaluate(rng.integers(0, 2, (60, 3)), rng.integers(0, 2, (60, 3))),
        cal.evaluate_ranking(relevances=rng.integers(0, 3, (8, 5)).tolist()),
        cal.evaluate_counts([[55, 45], [50, 850]]),
    )


EVALUATIONS = _examples()


def changed(draw: Draw, text: str) -> str:
    """A text with some characters dropped, doubled or replaced."""
    for _ in range(draw.integer(0, 3)):
        at = draw.integer(0, len(text))
        piece = draw.pick(PIECES)
        text = draw.pick((text[:at] + piece + text[at:], text[:at] + text[at + 1 :], text[:at] + piece, text * 2))
    return text


PIECES = (
    "f1", "fbeta", "beta", "ece", "bins", "roc_auc", "macro_", "_macro", "precision", "ndcg", "top_k", "k",
    "average", "micro",
    "(", ")", "=", ",", "@", " ", ".", "-", "+", "1", "5", "0.5", "1e200", "inf", "nan", "9" * 40, "9" * 5000, "é",
    "\x00", "",
    "\n", "'", '"', "by", "class", ":", ">=", "<", ">", "<=", "==", "at", "low", "high", "value", "region", "north",
    "_", "∞", "%",
)  # fmt: skip


def gate_once(draw: Draw, ev: Any) -> None:
    """One gate with drawn requirements."""
    written = (
        "recall >= 0.8", "roc_auc.low >= 0.9", "by region: recall >= 0.7", "by region=north: f1.value < 1",
        "log_loss <= 0.5",
        "class a: recall >= 0.7", "recall >= 0.8 at precision >= 0.5", "mae < 3", "ndcg@10 > 0.1",
        "subset_accuracy >= 0",
    )  # fmt: skip
    texts: Any = [
        draw.pick(written) if draw.chance(0.4) else changed(draw, draw.pick(written)) for _ in range(draw.integer(1, 3))
    ]
    if draw.chance(0.1):
        texts = draw.pick(([], "", None, 5, [None], [5], [len], {"recall": 0.8}, [b"recall >= 0.8"]))
    result = cal.gate(ev, texts)
    demand(all(check.answer in ("pass", "fail", "inconclusive") for check in result.checks), "an unknown answer")
    result.to_text()
