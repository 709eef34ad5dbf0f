"""Parquet files of 1, 10 and 100 million rows, evaluated in memory and through the disk, each by its own process.

Measured are time, CPU, memory and temporary files, through the disk also with 20 slices: the run with the least CPU.

python benchmarks/scale.py [--rows MILLIONS ...] [--memory SIZE ...] [--write]: --write puts it into docs/scale.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import duckdb

from timing import MILLION, machine

PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
BEGIN, END = "<!-- make bench-scale writes this table -->\n", "<!-- end of the table -->\n"
HEAD = (
    "| rows | file | `--memory` | 20 slices | time | CPU | peak memory | temporary files |\n"
    "|--:|--:|--:|---|--:|--:|--:|--:|\n"
)
LIMITS = ("1TB", "256MB")  # all rows in memory, and through the disk
FEW = 1000  # rows of the file whose evaluation needs no memory to speak of beyond the program itself
SLICES = {"": "", "region": "whole numbers", "name": "text"}  # by column
RUNS = 3  # through the disk
# A distinct score per row, a label that is 1 with this probability, and slices: the same bytes on every run.
ROWS = """copy (select (hash(i, 'label') / 18446744073709551616.0 < p)::tinyint as y, p,
                      (hash(i, 'region') % 20)::integer as region, 'region ' || hash(i, 'name') % 20 as name
               from (select range as i, hash(range) / 18446744073709551616.0 as p from range({rows})))
          to '{path}' (format parquet)"""


class Cost(NamedTuple):
    """What one evaluation took: seconds, CPU-seconds, and bytes of memory and of temporary files at their peaks."""

    seconds: float
    cpu: float
    memory: int
    spilled: int
    auc: float


def made(folder: Path, rows: int) -> Path:
    """A Parquet file of labels, scores and slices."""
    path = folder / f"{rows}.parquet"
    duckdb.sql(ROWS.format(rows=rows, path=path))
    return path


def cost(path: Path, limit: str, by: str = "") -> Cost:
    """The cost of `calipers evaluate` with all of its metrics and intervals."""
    command = [sys.executable, "-m", "calipers", "evaluate", str(path), "--truth", "y", "--score", "p", "--json"]
    command += ["--memory", limit, *(["--by", by] if by else [])]
    with tempfile.TemporaryDirectory() as spools, tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, env={**os.environ, "TMPDIR": spools})
        largest, done = [0, 0], threading.Event()
        watcher = threading.Thread(target=_watch, args=(process.pid, Path(spools), largest, done))
        watcher.start()
        _, status, used = os.wait4(process.pid, 0)
        took = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        done.set()
        watcher.join()
        if process.returncode:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}")
        out.seek(0)
        auc = json.load(out)["metrics"]["roc_auc"]["value"]
    return Cost(took, used.ru_utime + used.ru_stime, largest[1], largest[0], auc)


def _watch(process: int, folder: Path, largest: list[int], done: threading.Event) -> None:
    """The most bytes of the open files of a process in a folder, which may have no name any more, and of its memory.

    Its own peak: what wait4 reports includes the memory of the process that started it.
    """
    while not done.wait(0.02):
        sizes = 0
        for entry in Path(f"/proc/{process}/fd").glob("*"):
            try:
                sizes += entry.stat().st_size if str(entry.readlink()).startswith(str(folder)) else 0
            except OSError:  # closed in the meantime
                continue
        with suppress(OSError, IndexError):  # it has ended
            status = Path(f"/proc/{process}/status").read_text()
            largest[:] = max(largest[0], sizes), 1024 * int(status.split("VmHWM:")[1].split()[0])


def least(path: Path, limit: str, by: str) -> Cost:
    """The cost of the run with the least CPU; that of all rows in memory, which takes long, of one run."""
    runs = 1 if limit == LIMITS[0] else RUNS
    return min((cost(path, limit, by) for _ in range(runs)), key=lambda run: run.cpu)


def line(rows: int, file: int, limit: str, by: str, of: Cost) -> str:
    """One row of the table."""
    shown = "all rows" if limit == LIMITS[0] else limit.replace("MB", " MB")
    return (
        f"| {rows / MILLION:g} M | {_megabytes(file)} | {shown} | {SLICES[by]} | {of.seconds:.1f} s | {of.cpu:.1f} s "
        f"| {_megabytes(of.memory)} | {_megabytes(of.spilled)} |\n"
    )


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"


def main() -> None:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, nargs="+", default=[1, 10, 100], metavar="MILLIONS")
    parser.add_argument("--memory", nargs="+", default=LIMITS, metavar="SIZE")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as where:
        base = cost(made(Path(where), FEW), LIMITS[0]).memory
        for rows in (round(millions * MILLION) for millions in arguments.rows):
            path = made(Path(where), rows)
            asked = [(limit, by) for limit in arguments.memory for by in SLICES if not by or limit != LIMITS[0]]
            found = {each: least(path, *each) for each in asked}
            # Of a label that is 1 with probability p, where p is the score and uniform.
            if any(abs(each.auc - 5 / 6) > 5 / rows**0.5 for each in found.values()):
                sys.exit(f"the ROC AUC of {rows} rows is {found}, not about 5/6")
            if len({each.auc for each in found.values()}) > 1:
                sys.exit(f"the ROC AUC of {rows} rows in memory and through the disk differ: {found}")
            lines += [line(rows, path.stat().st_size, *each, of) for each, of in found.items()]
            path.unlink()
            print(*lines[-len(found) :], sep="", end="", flush=True)
    cpu, versions = machine().strip().splitlines()[:2]
    note = f"{cpu}; {versions}. The program itself, without rows: {_megabytes(base)}.\n"
    print(note, end="")
    if arguments.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        PAGE.write_text(f"{before}{BEGIN}{HEAD}{''.join(lines)}\n{note}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
