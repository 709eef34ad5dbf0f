"""The native tests under a sanitizer of GCC: python tests/sanitize.py thread|address|plain|clang [PYTEST ARGUMENTS].

Builds the module beside the usual one (build/sanitize-...) and runs tests/native with it; "address" means addresses and
undefined behaviour, "plain" no sanitizer and no vector extension beyond those that every CPU of this kind has, "clang"
no sanitizer and the other compiler, whose warnings are errors. What the sanitizer reports goes to
build/sanitize-.../report.*; the exit code is not 0 then.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FLAGS = {
    "thread": "-O1 -fsanitize=thread",
    "address": "-O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined",
    # As where there are no clones of functions, and with nothing left of AVX-512 after its header.
    "plain": f"-D__SANITIZE_THREAD__ -include {ROOT / 'tests' / 'plain.hpp'}",
    "clang": "-Werror",
}
COMPILERS = {"clang": "clang++"}
PRELOADED = {"thread": ("libtsan.so",), "address": ("libasan.so", "libubsan.so", "libstdc++.so")}
# The sanitizers' own allocator may be locked by another thread when a process forks, and its child then waits for ever.
FORKS = "tests/native/test_threads.py::test_forks_while_other_threads_work"


def built(kind: str) -> Path:
    """The folder with the module."""
    folder = ROOT / "build" / f"sanitize-{kind}"
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    chosen = {
        "CMAKE_CXX_COMPILER": COMPILERS.get(kind, "g++"),
        "CMAKE_BUILD_TYPE": "RelWithDebInfo",
        "Python_EXECUTABLE": sys.executable,
        "CMAKE_CXX_FLAGS": f"-g1 {FLAGS[kind]}",
        "CMAKE_MODULE_LINKER_FLAGS": FLAGS[kind],
    }
    settings = [f"-D{name}={value}" for name, value in chosen.items()]
    for command in (["-S", ROOT, "-B", folder, *settings], ["--build", folder, "-j2"]):
        subprocess.run(["cmake", *command], check=True, env=tools, stdout=subprocess.DEVNULL)
    return folder


def run(kind: str, arguments: list[str]) -> int:
    """The tests in a process that has the sanitizer from its start; its exit code, or 1 where there are reports."""
    folder = built(kind)
    for old in folder.glob("report.*"):
        old.unlink()
    named = [
        subprocess.run(["g++", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()
        for name in PRELOADED.get(kind, ())
    ]
    log = f"log_path={folder / 'report'}"
    settings = {
        "SANITIZED": str(folder),
        "LD_PRELOAD": " ".join(named),
        "PYTHONPATH": str(Path(__file__).parent),
        "CALIPERS_THREADS": "3",
        "TSAN_OPTIONS": f"{log} exitcode=66 die_after_fork=0",
        "ASAN_OPTIONS": f"{log} detect_leaks=0",  # the interpreter keeps what it has until it ends
        "UBSAN_OPTIONS": f"{log} print_stacktrace=1",
    }
    tests = ["-m", "pytest", "-q", "-p", "sanitize", "-p", "no:cacheprovider", f"--deselect={FORKS}"]
    tests += arguments or ["tests/native"]
    code = subprocess.run([sys.executable, *tests], cwd=ROOT, env={**os.environ, **settings}, check=False).returncode
    reports = list(folder.glob("report.*"))
    print(f"{kind}: exit code {code}, {len(reports)} reports")
    return code or bool(reports)


def take(folder: str) -> None:
    """As a plugin of pytest: the module that was built instead of the installed one."""
    import calipers

    spec = importlib.util.spec_from_file_location("calipers._native", next(Path(folder).glob("_native*.so")))
    assert spec is not None
    assert spec.loader is not None
    native = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(native)
    sys.modules["calipers._native"] = calipers._native = native


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]))
elif "SANITIZED" in os.environ:
    take(os.environ["SANITIZED"])
