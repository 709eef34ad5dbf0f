"""What can go wrong, by whose fault. Every message says what was given, what is allowed and what to do."""

from __future__ import annotations

from collections.abc import Iterable


class CalipersError(Exception):
    """Base of every error that Calipers raises on purpose."""


class InputError(CalipersError, ValueError):
    """The data or an argument cannot be measured as given."""


class Unreadable(InputError):
    """A text that does not follow its grammar: why, and the lines that show it with a caret under the place."""

    def __init__(self, why: str, pointed: list[str]) -> None:
        super().__init__(why, pointed)
        self.why, self.pointed = why, pointed

    def __str__(self) -> str:
        return "\n".join([self.why, *self.pointed])


class UnknownName(CalipersError, KeyError):
    """A name that is not in the catalogue, the labels or the columns; the message lists the nearest ones."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would print the repr


class OtherVersion(InputError):
    """A document or bytes that another version of Calipers wrote, and this one does not read."""


class MissingExtra(CalipersError, ImportError):
    """An optional package is needed; the message holds the install command."""


def not_a_number(count: int, first: int, name: str = "score") -> InputError:
    """The error for scores that are NaN, `first` being the first row that has one."""
    return InputError(
        f"{name} has {count} NaN (first at row {first}): a ranking needs ordered scores; "
        'drop those rows or pass missing="drop"'
    )


def quoted(value: object, most: int = 60) -> str:
    """A value as a message quotes it: its repr, the middle of a long one left out.

    >>> quoted("f1"), quoted("f1@" + "1" * 5000)
    ("'f1'", "'f1@11111111111111111111111111...11111111111111111111111111'")
    """
    try:
        text = repr(value)
    except Exception as error:  # whatever the code of an object raises, and integers of more than 4300 digits
        text = f"a {type(value).__name__} that cannot be printed ({type(error).__name__})"
    return text if len(text) <= most else f"{text[: most // 2]}...{text[3 - most // 2 :]}"


def nearest(name: str, known: Iterable[str], count: int = 3) -> str:
    """Text that names the known names closest to a mistyped one.

    >>> nearest("presicion", ["precision", "recall"])
    'did you mean precision?'
    """
    import difflib  # only mistakes pay for it

    known = list(known)
    close = difflib.get_close_matches(name, known, count, 0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    listed = sorted(known)
    return f"known: {', '.join(listed[:12])}{', ...' if len(listed) > 12 else ''}"
