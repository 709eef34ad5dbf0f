"""What an installed wheel must do, without pytest and without the sources: run by cibuildwheel and `make wheel`."""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import calipers as cal
from calipers import _native, datasets


def main() -> None:
    """Evaluate arrays, strings, a file, and write its page by the command line."""
    debts = datasets.load("bad_debt")
    ev = cal.evaluate(debts, truth="truth", pred="predicted", score="score", positive="BAD")
    assert f"{ev['f1']!r} {ev['roc_auc']!r}" == "0.537 [0.454, 0.617] 0.862 [0.813, 0.899]", ev
    texts = ["é", "中", "a", "\ud800", "a", "中"]  # of one, two and one bytes, and half of a surrogate pair
    assert cal.evaluate(texts, texts)["accuracy"] == 1
    assert cal.evaluate(tuple(texts), tuple(texts)).rows == 6
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "own.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["truth", "score"], *zip(debts["truth"], debts["score"], strict=True)])
        command = [sys.executable, "-m", "calipers", "evaluate", "own.csv", "--positive", "BAD", "--html", "own.html"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        assert (folder / "own.html").stat().st_size > 50_000
    print(f"calipers {cal.__version__}, {Path(_native.__file__).name}, Python {sys.version.split()[0]}: works")


if __name__ == "__main__":
    main()
