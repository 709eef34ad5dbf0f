"""Every value, bound, method, flag and p-value of some sixty inputs, compared with those that were frozen.

A changed number needs a commit of its own that says why; `CALIPERS_SNAPSHOT=write pytest tests/snapshot` writes them
again. They are compared bit for bit with the kind of processor and the versions that they were written with, and
to eleven digits elsewhere, where NumPy's own kernels round otherwise.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
from frozen_inputs import INPUTS

import calipers as cal
from calipers.metrics.base import CATALOGUE

FROZEN = Path(__file__).parent / "numbers"
# The clock, what was asked (the last two names are those of 0.1), and words.
LEFT_OUT = ("seconds", "level", "n", "reason", "codes", "settings", "definitions", "calipers")
NUMBERS = ("metrics", "classes", "by", "confusion", "checks", "parts", "models", "nested", "optimism", "folds")


def machine() -> str:
    """What the last digit of NumPy's results depends on."""
    from numpy._core._multiarray_umath import __cpu_features__ as features

    vectors = "AVX512F" if features.get("AVX512F") else "AVX2" if features.get("AVX2") else "none"
    threads = os.environ.get("OPENBLAS_NUM_THREADS", "all")  # of linear algebra; `make test` sets one
    return f"numpy {np.__version__}, scipy {scipy.__version__}, {vectors}, threads {threads}"


def numbers(result: Any) -> dict[str, Any]:
    """The part of a result's document that holds numbers; of an evaluation, every metric that it can give."""
    document = result.to_dict()
    found = {part: document[part] for part in NUMBERS if part in document}
    if isinstance(result, cal.Evaluation):
        clustered = result.schema.facts.clustered
        fitting = [m.name for m in CATALOGUE if m.view.of_clusters == clustered and not m.view.of_topics]
        found["metrics"] = {name: _answer(result, name) for name in fitting} | found["metrics"]
    return json.loads(json.dumps(_short(found)))


def _short(part: Any) -> Any:
    """Without what depends on the clock, what is empty, and words that are not numbers, or are in other languages."""
    if isinstance(part, dict):
        kept = {key: _short(value) for key, value in part.items() if key not in LEFT_OUT}
        return {key: value for key, value in kept.items() if value not in ("", [], {})}
    if isinstance(part, (list, tuple)):
        return [_short(value) for value in part]
    return None if isinstance(part, float) and part != part else part


def _answer(ev: cal.Evaluation, name: str) -> Any:
    try:
        return ev[name].to_dict()
    except cal.CalipersError as error:
        return type(error).__name__


def differences(path: str, old: Any, new: Any, exact: bool) -> list[str]:
    """Where two documents differ, in words."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = [f"{path}/{key}: only in one of both" for key in old.keys() ^ new.keys()]
        for key in old.keys() & new.keys():
            found += differences(f"{path}/{key}", old[key], new[key], exact)
        return found
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [d for i, (a, b) in pairs for d in differences(f"{path}[{i}]", a, b, exact)]
    both = isinstance(old, float) and isinstance(new, (int, float))
    infinite = old is None and new in ("inf", "-inf")  # which were null in some documents until format 2
    near = infinite or (both and not exact and old == pytest.approx(new, 1e-11, 1e-13))
    return [] if old == new or near else [f"{path}: {old!r} became {new!r}"]


@pytest.mark.parametrize("name", INPUTS)
def test_numbers_are_as_they_were(name):
    file = FROZEN / f"{name.replace(', ', '-').replace(' ', '_')}.json"
    found = numbers(INPUTS[name]())
    if os.environ.get("CALIPERS_SNAPSHOT") == "write":
        FROZEN.mkdir(exist_ok=True)
        text = json.dumps({"machine": machine(), "numbers": found}, sort_keys=True)
        file.write_text(text.replace('}, "', '},\n"') + "\n")  # a line per metric, so that additions can be merged
    frozen = json.loads(file.read_text())
    changed = differences("", _short(frozen["numbers"]), found, exact=frozen["machine"] == machine())
    assert not changed, "\n".join(changed[:20])


def test_a_changed_number_is_seen():
    found = numbers(INPUTS["counts"]())
    other = json.loads(json.dumps(found))
    other["metrics"]["f1"]["low"] = np.nextafter(other["metrics"]["f1"]["low"], 1)
    assert len(differences("", found, other, exact=True)) == 1
    assert not differences("", found, other, exact=False)
    other["metrics"]["f1"]["flags"] = ["other"]
    assert len(differences("", found, other, exact=False)) == 1
