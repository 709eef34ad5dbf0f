"""Amounts of memory, as people write them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from calipers.errors import InputError

UNITS = {
    "": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30,
    "TIB": 2**40,
}  # fmt: skip
LEAST = 64_000  # bytes
SHARE = 4  # an evaluation in memory may take 1/4 of the memory of the machine
CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
UNKNOWN = 1 << 32  # bytes, where a machine does not say how many it has


def bytes_of(memory: str | int) -> int:
    """How many bytes an amount of memory is.

    >>> bytes_of("256 MB"), bytes_of("1.5GiB"), bytes_of(100_000)
    (256000000, 1610612736, 100000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(memory))
    unit = UNITS.get(found[2].upper()) if found and not isinstance(memory, (bool, float)) else None
    amount = 0 if found is None or unit is None else int(float(found[1]) * unit)
    if amount < LEAST:
        raise InputError("evaluation.not_a_memory", memory=memory)
    return amount


def machine_share() -> int:
    """The bytes that an evaluation takes by default: a share of what the machine, its cgroup or `ulimit -v` has.

    Of `ulimit -v`, what libraries and threads have mapped already is not available for rows.
    """
    return max(LEAST, min(_limits(), default=UNKNOWN) // SHARE)


def reuse_freed_memory() -> None:
    """Let the C library keep some freed memory for the next chunk of rows, whose pages the system would have to zero.

    The GNU C library keeps twice as much as the largest block that was freed so far, of at most 32 MB.
    """
    np.empty((32 << 20) - (1 << 14), np.uint8)


def _limits() -> Iterator[int]:
    if hasattr(os, "sysconf") and {"SC_PAGE_SIZE", "SC_PHYS_PAGES"} <= os.sysconf_names.keys():
        yield os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for name in CGROUPS:
        path = Path(name)
        if path.exists() and (text := path.read_text().strip()).isdigit():
            yield int(text)
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        yield soft - _mapped()


def _mapped() -> int:
    """The bytes of address space that this process has already; 0 where the system does not say."""
    own = Path("/proc/self/statm")
    return int(own.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if own.exists() else 0
