"""Installs a wheel into an empty environment without a compiler and tries it, with every Python that can take it.

`make wheel` runs it; other interpreters: PYTHONS="/path/to/python3.13 ..." make wheel.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECK = Path(__file__).with_name("check_wheel.py")


def main() -> None:
    """Try each wheel with each interpreter."""
    wheels = sys.argv[1:]
    for python in [sys.executable, *os.environ.get("PYTHONS", "").split()]:
        for wheel in wheels:
            tried(python, Path(wheel).resolve())


def tried(python: str, wheel: Path) -> None:
    """Install, check, and say how long it took."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        inside = f"{folder}/bin/python"
        # Only the environment is on the path: no compiler, no make, no shell.
        environment = {**os.environ, "PATH": f"{folder}/bin", "PYTHONPATH": "", "MPLCONFIGDIR": folder}
        begun = time.monotonic()
        pip = [inside, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:"]
        subprocess.run([*pip, f"{wheel}[report]"], check=True, env=environment)
        installed = time.monotonic()
        subprocess.run([inside, str(CHECK)], check=True, env=environment, cwd=folder)
        print(f"installed in {installed - begun:.0f} s, checked in {time.monotonic() - installed:.0f} s")


if __name__ == "__main__":
    main()
