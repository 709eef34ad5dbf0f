"""A limit of the address space (`ulimit -v`), under which some libraries end the process or wait for ever."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from calipers.errors import CalipersError

# kB. On two cores, Python, NumPy, SciPy and DuckDB take about 415,000 before the first row is read, and 10 million rows
# can be evaluated in 450,000. Each further core is a thread, whose stack takes 8 MiB.
LEAST = 430_000 + 10_000 * (os.cpu_count() or 1)
M_ARENA_MAX = -8  # of glibc's malloc.h


def prepare() -> None:
    """Refuse a limit that is too small for the libraries, and load them before rows take the space.

    OpenBLAS, which SciPy loads, waits for ever where it cannot have its buffers, of which each thread takes some.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY:
        return
    if soft < LEAST * 1024:
        raise CalipersError("cli.address_space", limit=soft // 1024, least=LEAST)
    import ctypes

    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(M_ARENA_MAX, 1)  # each thread would reserve 64 MB for what it allocates
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name in ("duckdb", "scipy.special"):  # the latter with OpenBLAS
        import_module(name)
