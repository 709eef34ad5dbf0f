"""Draws the samples of all trials of an area in two processes, counts their answers, and prints each cell when done."""

import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache

import numpy as np

from trials.areas import AREAS
from trials.cells import Ready, Trial
from trials.promises import Promise
from trials.rules import MISSES, Cell

CHUNK = 250  # samples with one generator: the first of a long run are those of a short one
Counts = dict[str, np.ndarray]  # by key: known, covered, flagged, covered without a flag


def trials_of(area: str) -> list[tuple[str, Trial]]:
    """The trials of an area, each with the part that it belongs to."""
    return [(part, trial) for part, trials in AREAS[area].parts().items() for trial in trials]


@lru_cache(maxsize=2)
def ready(area: str, index: int) -> Ready:
    return trials_of(area)[index][1].ready()


def counted(one: Ready, rng: np.random.Generator, samples: int) -> Counts:
    """The answers of so many samples."""
    counts = {key: np.zeros(4, int) for key in one.promises}
    with np.errstate(all="ignore"):
        for _ in range(samples):
            for key, (known, covered, flagged) in one.ask(rng).items():
                counts[key] += known, known and covered, known and flagged, known and covered and not flagged
    return counts


def chunk_of(area: str, index: int, chunk: int, samples: int) -> tuple[Mapping[str, Promise], Counts, float]:
    """What is promised, the counts of some samples of one trial, and the CPU seconds that they took."""
    start, name = time.process_time(), trials_of(area)[index][1].name
    rng = np.random.default_rng((zlib.crc32(f"{area}: {name}".encode()), chunk))
    one = ready(area, index)
    return one.promises, counted(one, rng, samples), time.process_time() - start


def cells_of(
    area: str, part: str, trial: Trial, promises: Mapping[str, Promise], samples: int, counts: Counts
) -> list[Cell]:
    """The cells of one trial."""
    where = area, part, trial.name
    return [Cell(*where, key, trial.level, promises[key], samples, *counts[key].tolist()) for key in promises]


def cells(area: str, samples: int, words: list[str]) -> Iterator[tuple[list[Cell], float]]:
    """The cells of each trial whose name has one of the words, and the CPU seconds, in order."""
    listed = trials_of(area)
    chosen = [i for i, (_, trial) in enumerate(listed) if not words or any(word in trial.name for word in words)]
    parts = [min(CHUNK, samples - start) for start in range(0, samples, CHUNK)]
    with ProcessPoolExecutor(2) as pool:
        tasks = {i: [pool.submit(chunk_of, area, i, chunk, part) for chunk, part in enumerate(parts)] for i in chosen}
        for i in chosen:
            promises, counts, seconds = zip(*(task.result() for task in tasks.pop(i)), strict=True)
            total = {key: sum(each[key] for each in counts) for key in promises[0]}
            yield cells_of(area, *listed[i], promises[0], samples, total), sum(seconds)


def run(area: str, samples: int, words: list[str]) -> list[Cell]:
    """All cells of an area, printed as they come."""
    all_cells: list[Cell] = []
    total, start, cpu = len(trials_of(area)), time.monotonic(), 0.0
    for number, (part, seconds) in enumerate(cells(area, samples, words), 1):
        cpu += seconds
        minutes = (time.monotonic() - start) / 60
        print(f"\n{area} {number}/{total}, {minutes:.1f} min: {part[0].population} ({seconds:.0f} s of CPU)")
        print("\n".join(map(line, part)), flush=True)
        all_cells += part
    print(f"\n{area}: {cpu / 60:.1f} minutes of CPU", file=sys.stderr, flush=True)
    return all_cells


def line(cell: Cell) -> str:
    """One cell as printed: coverage, with no interval as a miss, among unflagged samples, share of flagged samples."""
    verdict = cell.verdict.upper() if cell.verdict in MISSES else cell.verdict
    few = "few" if cell.promise.few else "" if cell.promise.judged else "-"
    if cell.promise.test:
        return f"  {cell.coverage:5.1f} % rejected {'':18} {few:4}{verdict:8} {cell.metric}"
    return (f"  {cell.coverage:5.1f} {cell.strict:6.1f} {cell.unflagged:6.1f} {cell.flags:6.1f} flagged "
            f"{few:4}{verdict:8} {cell.metric}")  # fmt: skip
