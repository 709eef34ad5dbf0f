"""Rows that were drawn again: those that are present, and what their groups add up to."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]


def present(s: ScoreSamples, pos: Array, neg: Array) -> ScoreSamples:
    """The samples with these weights, less the rows that weigh nothing."""
    mine, theirs = pos > 0, neg > 0
    weights = (part.astype(np.float64, copy=False) for part in (pos[mine], neg[theirs]))
    return ScoreSamples(s.pos[mine], s.neg[theirs], *weights)


def joined(first: Array | None, second: Array | None) -> Array | None:
    """Both columns as one, None where there are none."""
    return None if first is None or second is None else np.concatenate((first, second))


def group_numbers(groups: Array) -> Array:
    """The group of each row by number, from 0."""
    return np.unique(groups, return_inverse=True)[1]


def summed_by_group(influence: Array, groups: Array | None) -> Array:
    """Influences of groups: those of their rows added up."""
    return influence if groups is None else np.bincount(group_numbers(groups), influence)
