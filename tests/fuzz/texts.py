"""Targets that take texts, bytes and files."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
from checks import demand, estimate
from draws import Draw
from hostile import NAMES_OF_METRICS
from questions import EVALUATIONS, PIECES, changed, gate_once, message
from rows import CATALOGUE_NAMES

import calipers as cal
from calipers.errors import CalipersError
from calipers.statistics.base import Statistic


def name(draw: Draw) -> None:
    """Metric names: what parses has a canonical name that parses back to itself."""
    if draw.chance(0.5):
        text = "".join(draw.pick(PIECES) for _ in range(draw.integer(1, 8)))
    else:
        text = changed(
            draw, draw.pick([*NAMES_OF_METRICS, *CATALOGUE_NAMES, "fbeta(beta=2, average=macro)", "rbp(p=0.9)@20"])
        )
    try:
        measure = cal.metric(text)
    except CalipersError as error:
        message(error)
        return
    demand(str(cal.metric(str(measure))) == str(measure), f"{text!r} is called {measure}, which is not its own name")
    with contextlib.suppress(CalipersError):
        e = draw.pick(EVALUATIONS)[str(measure)]
        estimate(str(measure), e)


def requirement(draw: Draw) -> None:
    """`cal.gate`: requirements that parse are decided, the others are refused."""
    with contextlib.suppress(CalipersError):
        gate_once(draw, draw.pick(EVALUATIONS))


OTHERS = (
    cal.compare([0, 1] * 20, {"A": [0.2, 0.7] * 15 + [0.6, 0.4] * 5, "B": [0.3, 0.6] * 20}, margin=0.1),
    cal.gate(EVALUATIONS[0], [f"{next(iter(EVALUATIONS[0]))} >= 0.1"]),
    cal.compare_folds([0.8, 0.82, 0.79, 0.81], [0.84, 0.85, 0.8, 0.83], test_share=0.25, rope=0.01),
    cal.compare_datasets({"a": [0.8, 0.7, 0.9, 0.6], "b": [0.9, 0.8, 0.95, 0.7], "c": [0.7, 0.75, 0.8, 0.5]}),
    cal.power(accuracy=(0.9, 0.92)),
    cal.which_test(folds=10),
    cal.explain("recall"),
)


@cache
def documents() -> tuple[str, ...]:
    """Sound documents: those of evaluations first, then one of each other kind."""
    return tuple(result.to_json() for result in (*EVALUATIONS, *OTHERS, *_validations()))


def _validations() -> tuple[Any, ...]:
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X, model = (y + rng.normal(0, 1, 60)).reshape(-1, 1), DecisionTreeClassifier(max_depth=2, random_state=0)
    how: Any = {"cv": 3, "seed": 0}
    return (
        cal.cross_validate(model, X, y, **how),
        cal.cross_validate(model, X, y, cv=3, seed=0, interval="nested", repeats=2, metrics=["accuracy"]),
        cal.bootstrap_validate(model, X, y, replicates=10, seed=0),
        cal.learning_curve(model, X, y, sizes=[10, 20, 40], **how),
        cal.validation_curve(model, X, y, "max_depth", [1, 2, 3], simpler="first", **how),
        cal.bias_variance(model, X, y, replicates=10, seed=0),
        cal.select({"a": model, "b": DecisionTreeClassifier(random_state=0)}, X, y, metric="accuracy", **how),
    )


BROKEN_JSON = (
    "",
    "[",
    "[" * 100_000,
    "{}",
    "null",
    "5",
    '"x"',
    "NaN",
    "[1,2]",
    '{"calipers": 1}',
    '{"calipers": 99}',
    '{"format": 2}',
    '{"format": 3}',
    '{"format": 2, "kind": "gate"}',
    "\x00",
    "{" * 9,
)


LEAVES = (
    None,
    True,
    False,
    0,
    -1,
    7.0,
    1e308,
    "",
    "x",
    [],
    {},
    [1, 2],
    {"a": 1},
    "NaN",
    10**30,
    [[1]],
    "inf",
    "\ud800",
    -0.5,
)


def document(draw: Draw) -> None:
    """`cal.loads`: a damaged document of any kind is refused, or what it says is consistent."""
    if draw.chance(0.05):
        text = draw.pick(BROKEN_JSON)
    else:
        told = json.loads(draw.pick(documents() if draw.chance(0.5) else documents()[len(EVALUATIONS) :]))
        for _ in range(draw.integer(1, 3)):
            _damage(draw, told)
        text = json.dumps(told)
        if draw.chance(0.2):
            at = draw.integer(0, len(text) - 1)
            text = draw.pick((text[:at], text[:at] + draw.pick('{}[]",:0e-') + text[at + 1 :]))
    try:
        result: Any = cal.loads(text)
    except CalipersError as error:
        message(error)
        return
    if isinstance(result, cal.Evaluation):
        for name in result:
            estimate(name, result[name], bootstrap=True)
        with contextlib.suppress(CalipersError):
            draw.pick((lambda: result.findings, lambda: result.confusion))()
    demand(cal.loads(result.to_json()).to_dict() == result.to_dict(), "a document read back gives another document")
    with contextlib.suppress(CalipersError):
        draw.pick((result.to_text, result.to_markdown, result.to_html, result.to_frame, lambda: repr(result)))()


def _damage(draw: Draw, told: Any) -> None:
    """Change one place of a document, at any depth."""
    place = told
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = draw.pick(keys)
        if isinstance(place[key], (dict, list)) and place[key] and draw.chance(0.75):
            place = place[key]
            continue
        if draw.chance(0.25):
            del place[key]
        else:
            place[key] = deepcopy(draw.pick(LEAVES))  # or a later change would nest a list into itself
        return


LIVE = [ev for ev in EVALUATIONS if ev.is_live]
BYTES = (
    *(part.to_bytes() for ev in LIVE for part in ev.views.evidence.parts.values()),
    *(ev.to_bytes() for ev in LIVE),
)


def statistic(draw: Draw) -> None:
    """`Statistic.from_bytes` and `cal.loads` of damaged bytes."""
    data = bytearray(draw.pick(BYTES))
    for _ in range(draw.integer(1, 3)):
        at = draw.integer(0, max(0, len(data) - 1))
        change = draw.integer(0, 3)
        if change == 0:
            data = data[:at]
        elif change == 1 and data:
            data[at] = draw.integer(0, 255)
        elif change == 2:
            data[at:at] = bytes(draw.integer(0, 255) for _ in range(draw.integer(1, 9)))
        else:
            del data[at : at + draw.integer(1, 16)]
    with contextlib.suppress(CalipersError):
        cal.loads(bytes(data)).to_text()
    with contextlib.suppress(CalipersError):
        found = Statistic.from_bytes(bytes(data))
        if isinstance(found, Statistic):
            found.merge(found)


def file(draw: Draw) -> None:
    """The shell on damaged files: an answer or exit code 2, never a traceback or "a bug"."""
    import damage

    folder = _folder()
    name, data = damage.damaged(draw.random)
    path = os.path.join(folder, name)
    with open(path, "wb") as out:
        out.write(data)
    command = draw.pick(damage.COMMANDS)
    code, predictions = shell([part.replace("FILE", path) for part in command])
    os.unlink(path)
    demand(code in (0, 2, 3, 4), f"{' '.join(command)} ended with {code}: {predictions[-400:]}")
    demand("Traceback" not in predictions, f"a traceback is shown: {predictions[-400:]}")


_FOLDERS: list[str] = []


def _folder() -> str:
    if not _FOLDERS:
        _FOLDERS.append(tempfile.mkdtemp(prefix="calipers-fuzz-"))
    return _FOLDERS[0]


def shell(arguments: list[str]) -> tuple[int, str]:
    """Run a command in this process; its exit code and everything it printed."""
    from calipers.cli import main

    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            main(arguments)
            code: Any = 0
        except SystemExit as done:
            code = done.code
    out.flush()
    return int(code or 0), out.buffer.getvalue().decode("utf-8", "replace")
