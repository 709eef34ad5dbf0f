"""What has to be measured in a process of its own: peak memory and import time."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parent.parent
HEAVY = {"scipy", "pandas", "matplotlib", "rich", "duckdb"}

PEAK = """
import numpy as np
import calipers as cal
def all_bounds(y, s):
    ev = cal.evaluate(y, s)
    return [(ev[name].low, ev[name].high) for name in ev]
def kilobytes(field):
    return next(int(x.split()[1]) for x in open("/proc/self/status") if x.startswith(field))
rng = np.random.default_rng(0)
all_bounds(np.arange(9) % 2, rng.random(9))  # loads what is loaded when used
before = kilobytes("VmRSS")
s = rng.random(10_000_000)
y = np.empty(len(s), np.int64)
np.greater(s, 0.6, out=y, casting="unsafe")
y[::7] = 1
all_bounds(y, s)
print(1024 * (kilobytes("VmHWM") - before), s.nbytes + y.nbytes)
"""

LOADED = """
import sys
bare = set(sys.modules)
import calipers; calipers.evaluate
print(*{m.split(".")[0] for m in set(sys.modules) - bare})
"""


def peak_memory() -> tuple[int, int]:
    """Bytes of evaluate with all bounds, 10 M float64: the peak less what was resident before the arrays were made
    (so the inputs count), and the inputs alone.

    VmHWM and not ru_maxrss, which a child process inherits from the one that starts it.
    """
    got = subprocess.check_output([sys.executable, "-c", PEAK], text=True)
    peak, inputs = map(int, got.splitlines()[-1].split())
    return peak, inputs


@contextmanager
def installed() -> Iterator[Callable[..., str]]:
    """A plain install with the base interpreter, since the environment's own loads the hook of the editable install.
    Gives run(*arguments of python)."""
    with tempfile.TemporaryDirectory() as where:
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        how = ["--no-build-isolation", f"-Cbuild-dir={where}/build", "--target", f"{where}/site", str(REPOSITORY)]
        subprocess.run(pip + how, check=True)
        paths = [f"{where}/site", str(Path(np.__file__).parents[1])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "SITE": f"{where}/site"}
        python = getattr(sys, "_base_executable", sys.executable)

        def run(*arguments: str) -> str:
            shell = [f"{where}/site/bin/calipers" if a == "calipers" else a for a in arguments]
            return subprocess.check_output([python, *shell], env=environment, text=True)

        yield run


def seconds(run: Callable[..., str], *arguments: str) -> float:
    start = time.perf_counter()
    run(*arguments)
    return time.perf_counter() - start


def imports(run: Callable[..., str], repeats: int) -> tuple[float, float, float, float, set[str]]:
    """Least seconds of `import calipers`, of its first use, of `import numpy` and of a bare interpreter, and the
    packages that the first use loads."""
    loaded = set(run("-c", LOADED).split()) - sys.stdlib_module_names
    # Public names are imported when asked for, so the bare import and the first use are two numbers.
    codes = ("import calipers", "import calipers; calipers.evaluate", "import numpy", "pass")
    took = [[seconds(run, "-c", code) for code in codes] for _ in range(repeats)]
    return *np.min(took, 0).tolist(), loaded
