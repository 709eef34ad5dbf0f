"""Whether the columns of a file are numbers predicted for numbers, judged by their cells."""

from __future__ import annotations

from collections.abc import Sequence

from calipers.data import numbers
from calipers.files.delimited import NUMBER

ABSENT = ("", "na", "n/a", "#n/a", "nan", "null", "none")  # as native/stream.cpp reads them


def are_measurements(truth: Sequence[str], predicted: Sequence[str]) -> bool:
    """By the rule that calipers/numbers.py has for arrays: fractions, or many whole numbers beside fractions.

    Beside a truth of fractions, half of the predictions may be no numbers: reading them then says which.

    >>> are_measurements(["1,5", "2"], ["1", "x"]), are_measurements(["0", "1"], ["0.2", "0.7"])
    (True, False)
    """
    samples = (truth, predicted)
    present = [[cell.replace(",", ".") for cell in sample if cell.lower() not in ABSENT] for sample in samples]
    read = [[cell for cell in cells if NUMBER.fullmatch(cell)] for cells in present]
    if not all(read) or len(read[0]) < len(present[0]) or 2 * len(read[1]) < len(present[1]):
        return False
    fractions = [any(float(cell) % 1 for cell in cells) for cells in read]
    many = len({float(cell) for cell in read[0]}) > numbers.MANY and len(read[1]) == len(present[1])
    return fractions[0] or (fractions[1] and many)
