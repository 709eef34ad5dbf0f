"""Targets that take rows, counts or rankings."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import brute
import pandas as pd
from checks import by_definition, demand, equal, estimate
from draws import Draw, Problem, contained, problem
from hostile import CELLS, NAMES_OF_METRICS, OPTIONS, WHOLES, hostile
from questions import EVALUATIONS, message, read

import calipers as cal
from calipers.errors import CalipersError


def evaluate(draw: Draw) -> None:
    """`cal.evaluate` of any task, and everything that its result can be asked for."""
    case = problem(draw)
    if draw.chance(0.95):  # bootstraps, and the ECE by default, draw a thousand resamples otherwise
        case.options["replicates"] = 20
    if draw.chance(0.6):
        case = hostile(draw, case)
    ev = _evaluated(draw, case)
    if ev is None:
        return
    read(draw, ev, bootstrap="interval" in case.options)
    if case.ordinary:
        equal(lambda name: ev[name], by_definition(case), case.kind)
        _repeatable(draw, case)
        _in_parts(draw, case)


def _in_parts(draw: Draw, case: Problem) -> None:
    """Two parts of the rows, read by one schema, sent as bytes and merged, give the same numbers."""
    options = {k: v for k, v in case.options.items() if k not in ("by", "groups")}
    meaning = {k: options.pop(k) for k in ("positive", "labels", "threshold", "task") if k in options}
    columns = {n: getattr(case, n) for n in ("truth", "pred", "score", "weights")}
    missing = {"missing": options["missing"]} if "missing" in options else {}

    def part(start: int, end: int) -> list[Any]:
        return [None if column is None else column[start:end] for column in columns.values()]

    n = len(case.truth)
    cut = draw.integer(0, n)
    truth, pred, score, weights = part(0, n)
    schema = cal.Schema.of(truth, pred, score=score, weights=weights, **meaning, **missing)
    parts = []
    for ends in ((0, cut), (cut, n)):
        truth, pred, score, weights = part(*ends)
        ev = cal.evaluate(truth, pred, score=score, weights=weights, schema=schema, **options)
        parts.append(cal.loads(ev.to_bytes()))
    whole = cal.merge(parts)
    equal(lambda name: whole[name], by_definition(case), f"{case.kind}, in parts")


def _evaluated(draw: Draw, case: Problem) -> Any:
    arguments = {name: contained(draw, getattr(case, name)) for name in ("truth", "pred", "score", "weights")}
    try:
        if draw.chance(0.15) and case.kind not in ("matrix", "label sets"):
            return _of_frame(draw, case)
        return cal.evaluate(
            arguments["truth"],
            arguments["pred"],
            **{"score": arguments["score"], "weights": arguments["weights"], **case.options},
        )
    except CalipersError as error:
        message(error)
        demand(not case.ordinary, f"an ordinary problem is refused: {error}")
        return None


def _of_frame(draw: Draw, case: Problem) -> Any:
    present = {name: getattr(case, name) for name in ("truth", "pred", "score", "weights")}
    columns = {name: values for name, values in present.items() if values is not None}
    columns |= {f"by {name}": values for name, values in _mapping(case.options.get("by")).items()}
    try:
        frame = pd.DataFrame(columns)
    except (TypeError, ValueError, OverflowError, RuntimeError, AttributeError):
        frame = columns
    names = {("truth", "pred", "score", "weights")[i]: name for i, name in enumerate(present) if name in columns}
    by = [name for name in columns if name.startswith("by ")]
    return cal.evaluate(frame, **{**case.options, **names, **({"by": by} if by else {})})


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) and all(isinstance(name, str) for name in value) else {}


def _repeatable(draw: Draw, case: Problem) -> None:
    """Rows in another order, and one metric asked for alone, give the same number."""
    order = list(range(len(case.truth)))
    draw.random.shuffle(order)
    moved = {
        n: None if (v := getattr(case, n)) is None else [v[i] for i in order]
        for n in ("truth", "pred", "score", "weights")
    }
    options = {k: v for k, v in case.options.items() if k not in ("by", "groups")}
    wanted = by_definition(case)
    name = draw.pick([*wanted])
    ev = cal.evaluate(
        moved["truth"], moved["pred"], score=moved["score"], weights=moved["weights"], metrics=[name], **options
    )
    equal(lambda n: ev[n], {name: wanted[name]}, f"{case.kind}, asked for alone")


CATALOGUE_NAMES = tuple(m.name for m in cal.metrics.catalogue())


def metric(draw: Draw) -> None:
    """`cal.metrics.NAME` and `cal.metric(name)` of rows."""
    case = problem(draw)
    case.options["replicates"] = 20
    if draw.chance(0.5):
        case = hostile(draw, case)
    options = {k: v for k, v in case.options.items() if k not in ("by", "truth", "pred", "metrics")}
    name = draw.pick([*by_definition(case)]) if case.ordinary else draw.pick([*NAMES_OF_METRICS, *CATALOGUE_NAMES])
    try:
        e = cal.metric(name)(
            contained(draw, case.truth), contained(draw, case.pred),
            **{"score": contained(draw, case.score), "weights": contained(draw, case.weights), **options},
        )  # fmt: skip
    except CalipersError as error:
        message(error)
        demand(not case.ordinary, f"an ordinary problem is refused: {error}")
        return
    estimate(name, e, bootstrap="interval" in options)
    if case.ordinary:
        equal(lambda _: e, {name: by_definition(case)[name]}, f"{case.kind}, cal.metric")


def counts(draw: Draw) -> None:
    """`cal.evaluate_counts` of matrices and of tp, fp, fn, tn."""
    k = draw.integer(2, 4)
    table = [[draw.pick((0, 1, 2, 5, 40, 1000, draw.integer(0, 10**6))) for _ in range(k)] for _ in range(k)]
    ordinary = draw.chance(0.5)
    arguments: dict[str, Any]
    if draw.chance(0.4):
        tp, fp, fn, tn = (draw.pick((0, 1, 3, 50, 10**5)) for _ in range(4))
        arguments = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        wanted = brute.of_one_class(tp, fp, fn, tn) if tp + fp + fn + tn else {}
    else:
        arguments = {"matrix": table, "labels": draw.pick((None, tuple("abcd"[:k])))}
        wanted = _of_table(table) if k > 2 and sum(map(sum, table)) else {}
        ordinary = ordinary and sum(map(sum, table)) > 0  # a matrix without rows is refused
    if not ordinary:
        wanted = {}
        for _ in range(draw.integer(1, 2)):
            target = draw.pick(
                ("matrix", "tp", "fp", "fn", "tn", "labels", "positive", "rows", "level", "metrics", "interval")
            )
            known = OPTIONS.get(target, ())
            arguments[target] = draw.pick(
                (
                    draw.pick(CELLS)(),
                    draw.pick(WHOLES)(),
                    draw.pick(known) if known else 0,
                    [[0]],
                    [1, 2],
                    [[0.5, 1], [2, 3]],
                )
            )
    try:
        ev = cal.evaluate_counts(**arguments)
    except CalipersError as error:
        message(error)
        demand(not ordinary, f"ordinary counts are refused: {error}")
        return
    read(draw, ev, bootstrap="interval" in arguments)
    equal(lambda name: ev[name], wanted, "counts")


def _of_table(table: list[list[int]]) -> brute.Values:
    truth, pred, weights = [], [], []
    for i, row in enumerate(table):
        for j, cell in enumerate(row):
            if cell:
                truth.append(i)
                pred.append(j)
                weights.append(float(cell))
    return brute.of_labels(truth, pred, weights, range(len(table)))


def compare(draw: Draw) -> None:
    """`cal.compare` of two to four models on the same rows."""
    case = problem(draw)
    models: dict[Any, Any] = {}
    for i in range(draw.pick((2, 2, 3, 4))):
        column = case.score if case.score is not None else case.pred
        models[f"m{i}"] = [draw.pick(column) if draw.chance(0.3) else value for value in column]
    ordinary = draw.chance(0.5)
    options = {k: v for k, v in case.options.items() if k not in ("by", "replicates")}
    if draw.chance(0.95):  # all metrics of a first table take a hundred times as long
        options["metrics"] = [draw.pick([*by_definition(case)]) for _ in range(draw.integer(1, 3))]
    truth: Any = case.truth
    if not ordinary:
        change = draw.integer(0, 5)
        if change == 0:
            models[draw.pick(("m0", "", 5, None))] = draw.pick(WHOLES)()
        elif change == 1:
            models = draw.pick(({}, {"a": models["m0"]}, [1, 2], None, "x", EVALUATIONS[0]))
        elif change == 2:
            truth = draw.pick(WHOLES)()
        else:
            target = draw.pick(
                ("level", "seed", "threshold", "positive", "labels", "metrics", "weights", "groups", "task")
            )
            options[target] = draw.pick(OPTIONS[target])
        options |= draw.pick(
            ({}, {"margin": draw.pick((0.01, -1, math.nan, "x"))}, {"adjust": draw.pick(("holm", "bh", "x"))})
        )
    try:
        found = cal.compare(truth, models, **options)
        listed = [(name, found[name]) for name in found]
    except CalipersError as error:
        message(error)
        demand(not ordinary, f"an ordinary comparison is refused: {error}")
        return
    for name, differences in listed:
        for each in differences.pairs.values() if hasattr(differences, "pairs") else differences.values():
            _difference(name, each)
    with contextlib.suppress(CalipersError):
        draw.pick((found.to_text, found.to_json, lambda: repr(found), found.to_markdown, lambda: found.curves("roc")))()


def _difference(name: str, each: Any) -> None:
    if math.isnan(each.difference):
        return
    for p in (each.pvalue, each.adjusted):
        demand(math.isnan(p) or 0 <= p <= 1, f"{name}: p is {p}")
    if not math.isnan(each.low):
        slack = 1e-9 * max(1.0, abs(each.difference))
        demand(each.low - slack <= each.difference <= each.high + slack,
               f"{name}: {each.difference} is outside [{each.low}, {each.high}]")  # fmt: skip


def ranking(draw: Draw) -> None:
    """`cal.evaluate_ranking` of dicts, lists and relevances."""
    lists = [[draw.integer(0, 3) for _ in range(draw.integer(1, 8))] for _ in range(draw.integer(1, 6))]
    k, ordinary = draw.integer(1, 5), draw.chance(0.5)
    names = [f"ndcg@{k}", "map", "mrr", f"p@{k}", f"recall@{k}"]
    qrels = {f"q{i}": {f"d{j}": g for j, g in enumerate(grades)} for i, grades in enumerate(lists)}
    run = {f"q{i}": {f"d{j}": -float(j) for j in range(len(grades))} for i, grades in enumerate(lists)}
    arguments: dict[str, Any] = draw.pick(({"relevances": lists}, {"qrels": qrels, "run": run}))
    arguments["metrics"] = names
    if not ordinary:
        for _ in range(draw.integer(1, 2)):
            _spoil(draw, arguments)
    try:
        ev = cal.evaluate_ranking(**arguments)
    except CalipersError as error:
        message(error)
        demand(not ordinary, f"an ordinary ranking is refused: {error}")
        return
    read(draw, ev, bootstrap="interval" in arguments)
    if ordinary:
        equal(lambda name: ev[name], brute.of_rankings(lists, k), "ranking")


def _spoil(draw: Draw, arguments: dict[str, Any]) -> None:
    odd = draw.pick((draw.pick(CELLS)(), draw.pick(WHOLES)()))
    change = draw.integer(0, 3)
    if change == 0:
        arguments[draw.pick(("qrels", "run", "relevances", "ranks", "lists", "answers", "groups", "metrics"))] = odd
    elif change == 1 and isinstance(arguments.get("run"), dict):
        part = draw.pick(("qrels", "run"))
        table = (
            {q: dict(d) if isinstance(d, dict) else d for q, d in arguments[part].items()}
            if isinstance(arguments[part], dict)
            else {}
        )
        query = draw.pick(["q0", "q1", "", "new"])
        if draw.chance(0.5) or not isinstance(table.get(query), dict):
            table[query] = odd
        else:
            table[query][draw.pick(("d0", "d1", "", "new"))] = odd
        arguments[part] = table
    elif change == 2 and isinstance(arguments.get("relevances"), list) and arguments["relevances"]:
        rows = [list(row) if isinstance(row, list) else row for row in arguments["relevances"]]
        at = draw.integer(0, len(rows) - 1)
        if isinstance(rows[at], list) and rows[at] and draw.chance(0.6):
            rows[at][0] = odd
        else:
            rows[at] = odd
        arguments["relevances"] = rows
    else:
        choices = {"ties": ("id", "mean", "order", "x", 1), "unjudged": ("zero", "drop", "x"), "missing": ("zero",
        "skip", 1),
                   "no_relevant": ("zero", "one", "skip", None), "level": OPTIONS["level"],
                   "interval": OPTIONS["interval"],
                   "metrics": OPTIONS["metrics"]}  # fmt: skip
        option = draw.pick([*choices])
        arguments[option] = draw.pick(choices[option])
