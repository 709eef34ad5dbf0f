"""Remarks: a code with values. Reports write one in the language of the reader; as a string, it is English."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
        return cls._made(rendered(code, values, python=True), code, values)

    @classmethod
    def _made(cls, text: str, code: str, values: Mapping[str, Any]) -> Self:
        self = super().__new__(cls, text)
        self.code, self.values = code, values
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (str(self), self.code, dict(self.values))


# Additions to the name of a method: "paired t, grouped", "wilson, over folds".
BESIDES = (
    "inference.grouped", "inference.effective", "inference.textbook", "inference.resamples", "validation.over",
)  # fmt: skip


def core(method: str) -> str:
    """A method without what it allows for besides: "paired t" of "paired t, grouped"."""
    while isinstance(method, Remark) and method.code in BESIDES:
        method = method.values["method"]
    return method


def code_of(remark: str) -> str:
    """The code of a remark; empty for a plain text."""
    return remark.code if isinstance(remark, Remark) else ""


def coded(texts: Mapping[str, str | Sequence[str]]) -> dict[str, Any]:
    """The codes and values of remarks by their names in a document, which holds their English beside it.

    >>> coded({"reason": Remark("metrics.a_count"), "method": "wilson"})
    {'reason': {'code': 'metrics.a_count'}}
    """
    every = {name: _coded(text) for name, text in texts.items()}
    return {name: code for name, code in every.items() if code and code != [None] * len(code)}


def _coded(value: Any) -> Any:
    if isinstance(value, Remark):
        return {"code": value.code, **{key: _value(each) for key, each in value.values.items()}}
    return None if isinstance(value, str) else [_coded(each) for each in value]


def _value(value: Any) -> Any:
    if isinstance(value, Remark):
        return _coded(value)
    if isinstance(value, list | tuple):
        return [_value(each) for each in value]
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)) else str(value)


def plain(value: Any) -> Any:
    """A value that JSON can hold: NaN as None, infinities as texts."""
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else "inf" if value > 0 else "-inf"


def with_codes(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as JSON can hold them, and the codes of the remarks among them, from which other languages are made."""
    texts = {name: value for name, value in values.items() if isinstance(value, str) or _is_texts(value)}
    codes = coded(texts)
    return {**{name: plain(value) for name, value in values.items()}, **({"codes": codes} if codes else {})}


def _is_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)


def decoded(text: str, code: Any) -> str:
    """The remark that a document describes; the text alone where its code and values are not of this version."""
    try:
        remark = _remark(code)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return text
    return Remark._made(text, remark.code, remark.values) if isinstance(remark, Remark) else text


def _remark(value: Any) -> Any:
    if isinstance(value, list):
        return [_remark(each) for each in value]
    if value in ("inf", "-inf"):  # as JSON holds them
        return float(value)
    if not isinstance(value, Mapping):
        return value
    code = value["code"]
    return Remark(code, **{key: _remark(each) for key, each in value.items() if key != "code"})


def _unpickled(text: str, code: str, values: Mapping[str, Any]) -> Remark:
    return Remark._made(text, code, values)


def rendered(code: str, values: Mapping[str, Any], lang: str | None = None, *, python: bool = False) -> str:
    """The text of a code, with names as the reader or as Python writes them: the only access to texts of report/."""
    from calipers.report import messages  # imported here, because report.messages imports errors

    return messages.english(code, values) if python else messages.text(code, values, lang)
