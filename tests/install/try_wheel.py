"""Installs a wheel into an empty environment without a compiler and tries it, with every Python that can take it.

`make wheel` runs it; other interpreters: PYTHONS="/path/to/python3.13 ..." make wheel. The first five minutes of a user
are measured too: the commands of the README, from `pip install` to the page of a CSV file, take less than a minute.
"""

import csv
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECK = Path(__file__).with_name("check_wheel.py")
MOST = 60  # seconds of CPU time from the first command to the page: other work on the machine does not count


def main() -> None:
    """Try each wheel with each interpreter."""
    wheels = sys.argv[1:]
    for python in [sys.executable, *os.environ.get("PYTHONS", "").split()]:
        for wheel in wheels:
            tried(python, Path(wheel).resolve())


def tried(python: str, wheel: Path) -> None:
    """Install, write a page as the README says, check, and say how long it took."""
    install, evaluate = (shlex.split(command) for command in commands())
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        # Only the environment is on the path: no compiler, no make, no shell.
        environment = {**os.environ, "PATH": f"{folder}/bin", "PYTHONPATH": "", "MPLCONFIGDIR": folder}
        in_it = {"check": True, "env": environment, "cwd": folder}
        predictions(Path(folder) / "predictions.csv")
        begun, worked = time.monotonic(), cpu()
        *pip, named = install
        quiet = ["-q", "--disable-pip-version-check", "--only-binary", ":all:"]
        subprocess.run([f"{folder}/bin/{pip[0]}", *pip[1:], *quiet, named.replace("calipers", str(wheel))], **in_it)
        installed = time.monotonic()
        subprocess.run([f"{folder}/bin/{evaluate[0]}", *evaluate[1:]], **in_it, stdout=subprocess.DEVNULL)
        written, work = time.monotonic(), cpu() - worked
        assert (Path(folder) / evaluate[-1]).stat().st_size > 50_000
        subprocess.run([f"{folder}/bin/python", str(CHECK)], **in_it)
        print(
            f"installed in {installed - begun:.1f} s, page written in {written - installed:.1f} s: "
            f"{written - begun:.1f} s in all, {work:.1f} s of CPU time"
        )
        assert work < MOST, f"more than {MOST} s from pip install to the page"


def cpu() -> float:
    """CPU time of the commands that have ended, in seconds."""
    times = os.times()
    return times.children_user + times.children_system


def commands() -> list[str]:
    """The two commands of the README: installing, and the page of one's own file."""
    blocks = re.findall(r"^```text\n(.*?)\n```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    starts = ("pip install", "calipers evaluate")
    return [next(block for block in blocks if block.startswith(start)) for start in starts]


def predictions(file: Path) -> None:
    """A file as the README describes it: what happened, and a probability."""
    rows = [(int(row * 0.618 % 1 < row / 1000), round(row / 1000, 3)) for row in range(1000)]
    with file.open("w", newline="", encoding="utf-8") as written:
        csv.writer(written).writerows([("truth", "score"), *rows])


if __name__ == "__main__":
    main()
