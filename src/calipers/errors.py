"""The errors of Calipers. Every message says what was given, what is allowed and what to do.

An error is a code with values; its text is made when it is shown, in the reader's language. How to raise one:

1. Write its text under a code, in the table of your package, in `report/i18n/{en,vi,zh}/errors.toml`:
   `score_nan = "{@score} has {count} NaN (first at {row:place}): drop those rows or pass {@missing="drop"}"`
2. `raise InputError("data.score_nan", count=3, row=17)`: exactly the values that the text names.

`report/messages.py` lists the placeholders. `tests/test_codes.py` compares calls and texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Number
from typing import Any, Self

from calipers import addresses
from calipers.remarks import Remark, rendered

LONGEST = 240  # characters that a message shows of a value


class CalipersError(Exception):
    """Base class of the errors of Calipers: a `code` of `errors.toml`, and the `values` of its text."""

    def __init__(self, code: str, /, **values: Any) -> None:
        super().__init__(code)
        self.code, self.values = code, {name: _kept(value) for name, value in values.items()}

    def text(self, lang: str | None = None) -> str:
        """The message in English ("en"), Vietnamese ("vi") or Chinese ("zh"); by default in the reader's language."""
        return rendered(self.code, self.values, lang)

    @property
    def link(self) -> str | None:
        """Where the documentation has the message, once it is published; `calipers explain CODE` shows it offline."""
        return addresses.link(self.code, "errors")

    def __str__(self) -> str:
        return self.text()


class InputError(CalipersError, ValueError):
    """The data or an argument is not valid."""


class Unreadable(InputError):
    """A text that does not follow its grammar: why, and the lines that show it with a caret under the place."""

    def __init__(self, code: str, /, *, pointed: Sequence[str] = (), **values: Any) -> None:
        super().__init__(code, **values)
        self.pointed = pointed

    def __str__(self) -> str:
        return "\n".join([self.text(), *self.pointed])


class UnknownName(CalipersError, KeyError):
    """An unknown metric, label or column; the message lists similar names."""


class UnknownAttribute(CalipersError, AttributeError):
    """An attribute that a result does not have, or that several of its parts have."""


class OtherVersion(InputError):
    """A document or bytes that another version of Calipers wrote, and this one does not read."""


UNMAPPED = ("failed to map segment", "annot allocate memory")  # what the loader says where memory is short


def lacks_memory(error: BaseException | None) -> bool:
    """Whether a module could not be imported because there was no memory for its library."""
    return isinstance(error, ImportError) and any(text in str(error) for text in UNMAPPED)


class OutOfMemory(CalipersError, MemoryError):
    """There is not enough memory; the message says what to do."""


class Unsupported(CalipersError, NotImplementedError):
    """Arguments that fit each other and whose result is not computed."""


class MissingExtra(CalipersError, ImportError):
    """An optional package is needed; the message contains the install command."""


def not_a_number(count: int, first: int, name: str = "score") -> InputError:
    """The error for scores that are NaN, `first` being the first row that has one."""
    return InputError("common.not_a_number", name=name, count=count, row=first)


def quoted(value: object, most: int = 60) -> str:
    """A value as a message quotes it: its repr, the middle of a long one left out.

    >>> quoted("f1"), quoted("f1@" + "1" * 5000)
    ("'f1'", "'f1@11111111111111111111111111...11111111111111111111111111'")
    """
    try:
        text = repr(value)
    except Exception as error:  # the code of an object can raise anything; integers of more than 4300 digits
        text = f"a {type(value).__name__} that cannot be printed ({type(error).__name__})"
    return text if len(text) <= most else f"{text[: most // 2]}...{text[3 - most // 2 :]}"


class Shown(str):
    """What is left of a value in an error: its text and its repr, so that errors can be pickled and hold no data."""

    literal: str

    def __new__(cls, value: object) -> Self:
        """What messages show of a value."""
        try:
            text = str(value)
        except Exception:  # the code of an object can raise anything
            text = quoted(value)
        self = super().__new__(cls, text)
        self.literal = quoted(value, LONGEST)
        return self

    def __repr__(self) -> str:
        return self.literal


def _kept(value: Any) -> Any:
    """Words, numbers, lists of them, remarks and errors as they are; of other values what can be shown."""
    if value is None or isinstance(value, (str, Number, CalipersError)):
        return value
    if isinstance(value, (list, tuple)):
        return type(value)(map(_kept, value)) if type(value) in (list, tuple) else Shown(value)
    return Shown(value)


def nearest(name: str, known: Iterable[str], count: int = 3) -> Remark:
    """Text that names the known names closest to a mistyped one.

    >>> nearest("presicion", ["precision", "recall"])
    'did you mean precision?'
    """
    import difflib  # imported here, because only errors need it

    known = list(known)
    close = difflib.get_close_matches(name, known, count, 0.5)
    if close:
        return Remark("common.did_you_mean", names=close)
    listed = sorted(known)
    return Remark("common.known", names=listed[:12] + (["..."] if len(listed) > 12 else []))
