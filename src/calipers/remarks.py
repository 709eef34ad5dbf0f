"""Remarks: a code with values. Reports write one in the language of the reader; as a string, it is English."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self


class Remark(str):
    """What an estimate or a result remarks: its English text, made from a code of `remarks.toml` and values.

    >>> Remark("common.did_you_mean", names=["precision"])
    'did you mean precision?'
    >>> Remark("common.did_you_mean", names=["precision"]).code
    'common.did_you_mean'
    """

    code: str
    values: Mapping[str, Any]

    def __new__(cls, code: str, /, **values: Any) -> Self:
        """The remark of a code, with the values that its text names."""
        return cls._made(rendered(code, values, "en", python=True), code, values)

    @classmethod
    def _made(cls, text: str, code: str, values: Mapping[str, Any]) -> Self:
        self = super().__new__(cls, text)
        self.code, self.values = code, values
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (str(self), self.code, dict(self.values))


def _unpickled(text: str, code: str, values: Mapping[str, Any]) -> Remark:
    return Remark._made(text, code, values)


def rendered(code: str, values: Mapping[str, Any], lang: str | None = None, *, python: bool = False) -> str:
    """The text of a code, as the reader names things or always as Python does: the one door to the texts of report/."""
    from calipers.report.messages import PYTHON, text  # not at import: that of the texts needs errors

    return text(code, values, lang, PYTHON if python else None)
