"""The shell on files, whole processes: start-up, ten million rows of CSV beside polars and scikit-learn, memory."""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from processes import seconds

ROWS = 10_000_000
PEER = """
import json, sys
import polars as pl
from sklearn import metrics
frame = pl.read_csv(sys.argv[1])
y, p, s = (frame[name].to_numpy() for name in ("y_true", "y_pred", "score"))
print(json.dumps([metrics.roc_auc_score(y, s), metrics.f1_score(y, p), metrics.confusion_matrix(y, p).tolist()]))
"""
PEAK = """
import sys
from calipers.cli import main
def kilobytes(field):
    return next(int(x.split()[1]) for x in open("/proc/self/status") if x.startswith(field))
try:
    main(["evaluate", sys.argv[1], "--json"])
finally:
    print(1024 * kilobytes("VmHWM"), file=sys.stderr)
"""


def start_up(run: Callable[..., str], repeats: int) -> tuple[float, float, float]:
    """Least seconds of `calipers --help`, of `calipers evaluate` on a thousand rows, and of `import numpy`."""
    with tempfile.TemporaryDirectory() as where:
        path = _csv(Path(where), 1000)
        commands = (["calipers", "--help"], ["calipers", "evaluate", path], ["-c", "import numpy"])
        took = np.min([[seconds(run, *command) for command in commands] for _ in range(repeats)], 0)
    help_, evaluate, numpy = took.tolist()
    return help_, evaluate, numpy


def ten_million(run: Callable[..., str], repeats: int) -> tuple[float, float]:
    """Least seconds of AUC, F1 and confusion matrix of a CSV file, ours and theirs; the two must agree."""
    with tempfile.TemporaryDirectory() as where:
        path = _csv(Path(where), ROWS)
        ours, theirs = ["calipers", "evaluate", path, "--json", "--quiet"], ["-c", PEER, path]
        document, expected = json.loads(run(*ours)), json.loads(run(*theirs))
        values = [document["metrics"][name]["value"] for name in ("roc_auc", "f1")]
        if not np.allclose(values, expected[:2], rtol=1e-12, atol=0) or document["confusion"] != expected[2]:
            sys.exit(f"\nDISAGREEMENT in the CSV of {ROWS} rows: ours {values}, theirs {expected[:2]}")
        took = np.min([[seconds(run, *ours), seconds(run, *theirs)] for _ in range(repeats)], 0)
    return took[0].item(), took[1].item()


def memory() -> Iterator[tuple[str, int, int]]:
    """Peak bytes of the whole process, and the bytes of the two columns in memory: for Parquet, and for CSV."""
    import subprocess

    with tempfile.TemporaryDirectory() as where:
        frame, folder = _frame(ROWS).select("y_true", "score"), Path(where)
        frame.write_parquet(folder / "x.parquet")
        frame.write_csv(folder / "x.csv")
        for name in ("x.parquet", "x.csv"):
            done = subprocess.run(
                [sys.executable, "-c", PEAK, folder / name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                text=True, check=True,
            )  # fmt: skip
            yield name.removeprefix("x."), int(done.stderr.split()[-1]), 16 * ROWS


def _frame(n: int) -> pl.DataFrame:
    rng = np.random.default_rng(n)
    y = (rng.random(n) < 0.3).astype(np.int64)
    score = 1 / (1 + np.exp(-rng.normal(1.5 * y - 0.75)))
    return pl.DataFrame({"y_true": y, "y_pred": (score >= 0.5).astype(np.int64), "score": score})


def _csv(folder: Path, n: int) -> str:
    _frame(n).write_csv(folder / "x.csv")
    return str(folder / "x.csv")
