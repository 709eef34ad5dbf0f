"""Timing of two sides that must agree: calls interleaved, the best time of each, and a line of a table."""

import gc
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sklearn
from calipers.statistics.sort_choice import chosen

MILLION = 1_000_000
VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2"}
Numbers = Any


class Row(NamedTuple):
    """One line: what both sides do with the arrays of `make`; `expected` where the peer times something else."""

    work: str
    target: str
    make: Callable[[], tuple]
    ours: Callable[..., Numbers]
    peer: Callable[..., Numbers]
    expected: Callable[..., Numbers] | None = None
    tolerance: float = 1e-12


def once(call: Callable[[], Any], number: int) -> float:
    start = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - start) / number


def best(calls: list[Callable[[], Any]], budget: float) -> list[float]:
    """The least seconds of each call, taken in turns: a round times each three times, or once where it is slow."""
    least = [once(call, 1) for call in calls]
    number = [max(1, int(2e-3 / t)) for t in least]  # short calls are timed in batches of 2 ms
    times = [3 if t < 0.1 else 1 for t in least]
    cost = sum(max(t, 2e-3) * k for t, k in zip(least, times, strict=True))
    gc.collect()
    gc.disable()
    for _ in range(min(40, max(2, int(budget / cost)))):
        for i, call in enumerate(calls):
            least[i] = min(least[i], *(once(call, number[i]) for _ in range(times[i])))
    gc.enable()
    return least


def disagreement(ours: Numbers, theirs: Numbers, tolerance: float) -> str:
    """What differs, or nothing."""
    pairs = zip(ours, theirs, strict=True) if isinstance(ours, (tuple, list)) else [(ours, theirs)]
    for a, b in ((np.asarray(a, np.float64), np.asarray(b, np.float64)) for a, b in pairs):
        if a.shape != b.shape:
            return f"shapes {a.shape} and {b.shape}"
        if not np.allclose(a, b, rtol=tolerance, atol=0):
            at = np.argmax(~np.isclose(a, b, rtol=tolerance, atol=0))
            return f"ours {a.flat[at]!r}, theirs {b.flat[at]!r} at {at}"
    return ""


def measure(row: Row, budget: float) -> str:
    data = row.make()
    wrong = disagreement(row.ours(*data), (row.expected or row.peer)(*data), row.tolerance)
    if wrong:
        sys.exit(f"\nDISAGREEMENT in {row.work!r}: {wrong}")
    return line(row.work, row.target, *best([lambda: row.ours(*data), lambda: row.peer(*data)], budget), seconds)


def size(n: int) -> str:
    return f"{n // MILLION} M" if n >= MILLION else f"{n} rows"


def seconds(t: float) -> str:
    return f"{t * 1e6:.1f} µs" if t < 1e-3 else f"{t * 1e3:.2f} ms" if t < 1 else f"{t:.2f} s"


def line(work: str, target: str, ours: float, peer: float, text_of: Callable[[float], str]) -> str:
    if target.startswith("<="):
        ratio, met = f"{ours / peer:.2f}", ours / peer <= float(target[2:])
    else:
        ratio, met = f"{peer / ours:.1f}x", peer / ours >= float(target[:-1])
    return f"| {work} | {text_of(ours)} | {text_of(peer)} | {ratio} | {target} | {'yes' if met else '**no**'} |"


def machine() -> str:
    """The CPU, the versions, and which sort was chosen."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if os.path.exists("/proc/cpuinfo") else []
    model = next((x.partition(":")[2].strip() for x in lines if x.startswith("model name")), platform.processor())
    flags = next((x.split() for x in lines if x.startswith("flags")), [])
    vectors = next((f" ({name})" for flag, name in VECTORS.items() if flag in flags), "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}, scikit-learn {sklearn.__version__}"
    return f"\n{model}{vectors}, {cores} cores\n{versions}\n{chosen(MILLION)}"
