"""Cells that are known to miss, and why: docs/coverage.md prints them, and `make coverage` does not fail for them."""

from trials.rules import Cell, KnownMiss

KNOWN: tuple[KnownMiss, ...] = ()


def known(cell: Cell) -> KnownMiss | None:
    """The entry that explains this miss."""
    return next((miss for miss in KNOWN if miss.explains(cell)), None)
