"""Placeholder in a loaded result for what its document lacks: the rows, and everything computed from them."""

from __future__ import annotations

from typing import Any, NoReturn

from calipers.errors import InputError


class Absent:
    """Any use of it is refused, but for its length where the document has that."""

    def __init__(self, length: int | None = None) -> None:
        self._length = length

    def __len__(self) -> int:
        return refuse() if self._length is None else self._length

    def __bool__(self) -> bool:
        return refuse() if self._length is None else self._length > 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # special methods that Python looks up to copy or to pickle
            raise AttributeError(name)
        refuse()

    def __getitem__(self, key: Any) -> Any:
        refuse()

    def __iter__(self) -> Any:
        refuse()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Nothing can be called."""
        refuse()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        refuse()

    def __repr__(self) -> str:
        return "<not in a document>"


def refuse() -> NoReturn:
    """Say what a document cannot do."""
    raise InputError("report.not_in_a_document")
