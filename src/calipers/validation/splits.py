"""Which rows a model is fitted on and which it is tested on, by scikit-learn's splitters."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.validation.models import Array

HOLD_OUT = 0.25  # the share of test rows if cv="holdout"


@dataclass(frozen=True)
class Splits:
    """Pairs of training and test rows, and what was done, in a few words each.

    repeats: how often all rows were split; alone: whether each test set is a single row, which few metrics are for.
    """

    pairs: tuple[tuple[Array, Array], ...]
    done: tuple[str, ...]
    repeats: int = 1
    alone: bool = False
    notes: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """What was done, in one line."""
        return Remark("validation.description", parts=self.done)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def trained(self) -> int:
        """Training rows of a split, on average."""
        return round(sum(len(train) for train, _ in self.pairs) / len(self.pairs))

    @property
    def ratio(self) -> float:
        """Test rows for each training row, which says how much the training sets have in common."""
        return sum(len(test) for _, test in self.pairs) / sum(len(train) for train, _ in self.pairs)


def splits(
    cv: Any,
    rows: int,
    y: Any = None,
    *,
    groups: Any = None,
    stratified: bool = False,
    repeats: int = 1,
    seed: int = 0,
    shuffle: bool = True,
) -> Splits:
    """The splits that `cv` asks for; stratified ones need y, rows of one group stay together.

    >>> splits(5, 10).description
    '5 folds, shuffled'
    >>> splits("holdout", 100, repeats=3).description
    'hold-out of 25% of the data, repeated 3 times, shuffled'
    """
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise InputError("validation.not_repeats", repeats=repeats)
    if isinstance(cv, str):
        if cv == "loo":
            return _one_out(rows, groups, repeats)
        if cv == "5x2":
            _once(repeats, "validation.repeats_with_5x2")
            return _folds(2, rows, y, groups, stratified, 5, seed)
        if cv != "holdout":
            raise InputError("validation.unknown_cv", cv=cv)
        cv = HOLD_OUT
    if isinstance(cv, float):
        return _hold_out(cv, rows, y, groups, stratified, repeats, seed)
    if isinstance(cv, int) and not isinstance(cv, bool):
        if not shuffle:
            _once(repeats, "validation.repeats_without_shuffle")
        return _folds(cv, rows, y, groups, stratified, repeats, seed, shuffle=shuffle)
    _once(repeats, "validation.repeats_with_own_splits")
    return _own_splits(cv, rows, y, groups)


def _once(repeats: int, code: str) -> None:
    if repeats != 1:
        raise InputError(code, repeats=repeats)


def _folds(
    k: int, rows: int, y: Any, groups: Any, stratified: bool, repeats: int, seed: int, *, shuffle: bool = True
) -> Splits:
    from sklearn import model_selection as scikit

    if not 2 <= k <= rows:
        raise InputError("validation.folds_of_rows", cv=k, rows=rows)
    kinds = {(False, False): "KFold", (True, False): "StratifiedKFold", (False, True): "GroupKFold",
             (True, True): "StratifiedGroupKFold"}  # fmt: skip
    splitter = getattr(scikit, kinds[stratified, groups is not None])
    pairs = tuple(
        pair
        for state in _states(seed, repeats)
        for pair in _pairs(splitter(k, shuffle=shuffle, random_state=state if shuffle else None), rows, y, groups)
    )
    what = Remark("validation.folds", count=k)
    return _checked(pairs, what, y, groups, stratified, repeats, shuffled=shuffle)


def _hold_out(share: float, rows: int, y: Any, groups: Any, stratified: bool, repeats: int, seed: int) -> Splits:
    from sklearn import model_selection as scikit

    if not 0 < share < 1:
        raise InputError("validation.not_a_holdout_share", cv=share)
    by_class = stratified and groups is None
    kind = scikit.GroupShuffleSplit if groups is not None else scikit.ShuffleSplit
    splitter = (scikit.StratifiedShuffleSplit if by_class else kind)(1, test_size=share, random_state=None)
    pairs = []
    for state in _states(seed, repeats):
        splitter.random_state = state
        pairs += list(_pairs(splitter, rows, y, groups))
    what = Remark("validation.hold_out", percent=100 * share)
    return _checked(tuple(pairs), what, y, groups, by_class, repeats)


def _one_out(rows: int, groups: Any, repeats: int) -> Splits:
    from sklearn import model_selection as scikit

    _once(repeats, "validation.repeats_with_loo")
    if groups is not None:
        pairs = tuple(_pairs(scikit.LeaveOneGroupOut(), rows, None, groups))
        return Splits(pairs, (Remark("validation.leave_one_group_out"),))
    pairs = tuple(_pairs(scikit.LeaveOneOut(), rows, None, None))
    return Splits(pairs, (Remark("validation.leave_one_out"),), alone=True)


def _own_splits(cv: Any, rows: int, y: Any, groups: Any) -> Splits:
    if hasattr(cv, "split"):
        parts, description = list(_pairs(cv, rows, y, groups)), repr(cv).replace("\n", "")
    elif isinstance(cv, Iterable):
        parts, description = list(cv), Remark("validation.as_given")
    else:
        raise InputError("validation.unknown_cv", cv=cv)
    pairs = []
    for at, pair in enumerate(parts):
        if len(pair) != 2:
            raise InputError("validation.parts_of_split", at=at, parts=len(pair))
        pairs.append((_index(pair[0], rows, at), _index(pair[1], rows, at)))
    if not pairs:
        raise InputError("validation.no_splits")
    times = np.bincount(np.concatenate([test for _, test in pairs]), minlength=rows)
    alone = all(len(test) == 1 for _, test in pairs)
    notes = _shared(pairs, groups)
    if (never := int((times == 0).sum())):
        notes += (Remark("validation.never_tested", count=never, total=rows),)
    return Splits(tuple(pairs), (description,), int(times.max()), alone, notes)


def _pairs(splitter: Any, rows: int, y: Any, groups: Any) -> Iterator[tuple[Array, Array]]:
    """The pairs of a splitter, which needs no columns of X; classes with few rows get a note of ours."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        try:
            yield from splitter.split(np.zeros((rows, 1)), y, groups)
        except ValueError as error:
            raise InputError("validation.not_split", error=str(error)) from None


def _index(value: Any, rows: int, at: int) -> Array:
    index = np.asarray(value)
    if index.dtype == bool and len(index) == rows:
        index = np.flatnonzero(index)
    if index.ndim != 1 or not index.size or index.dtype.kind not in "iu":
        raise InputError("validation.not_row_numbers", at=at)
    if index.min() < 0 or index.max() >= rows:
        row = index.max() if index.max() >= rows else index.min()
        raise InputError("validation.row_of_split", at=at, row=row, rows=rows)
    return index


def _checked(
    pairs: tuple[tuple[Array, Array], ...],
    what: str,
    y: Any,
    groups: Any,
    stratified: bool,
    repeats: int,
    *,
    shuffled: bool = True,
) -> Splits:
    rest = {
        Remark("validation.times", count=repeats): repeats > 1,
        Remark("validation.stratified"): stratified,
        Remark("validation.shuffled"): shuffled,
        Remark("validation.groups_kept"): groups is not None,
    }
    done = (what, *(word for word, so in rest.items() if so))
    return Splits(pairs, done, repeats, False, (*_shared(pairs, groups), *(_rare(pairs, y) if stratified else ())))


def _shared(pairs: Iterable[tuple[Array, Array]], groups: Any) -> tuple[str, ...]:
    """A note where rows, or rows of one group, are in the training and in the test set of one split."""
    if groups is not None:
        groups = np.unique(np.asarray(groups), return_inverse=True)[1]
    both = sum(
        bool(np.isin(test if groups is None else groups[test], train if groups is None else groups[train]).any())
        for train, test in pairs
    )
    code = "validation.same_rows" if groups is None else "validation.same_groups"
    return (Remark(code, count=both),) if both else ()


def _rare(pairs: Iterable[tuple[Array, Array]], y: Any) -> tuple[str, ...]:
    """A note where a class has too few rows for every test set to hold one."""
    codes = np.unique(np.asarray(y), return_inverse=True)[1]
    classes = int(codes.max()) + 1
    lacking = sum(len(np.unique(codes[test])) < classes for _, test in pairs)
    return (Remark("validation.class_untested", count=lacking),) if lacking else ()


def _states(seed: int, count: int) -> list[int]:
    """A seed for each repetition."""
    return [int(s.generate_state(1)[0]) for s in np.random.SeedSequence(seed).spawn(count)]
