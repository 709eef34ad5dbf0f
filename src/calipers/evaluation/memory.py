"""Amounts of memory, as people write them."""

from __future__ import annotations

import re

from calipers.errors import InputError

UNITS = {
    "": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30,
    "TIB": 2**40,
}  # fmt: skip
LEAST = 64_000  # bytes


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
