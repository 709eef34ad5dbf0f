"""Text in terminal columns: how wide it is, how it is shortened, and how a hostile label is made harmless."""

from __future__ import annotations

import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

COLUMNS, NARROWEST, WIDEST = 80, 60, 120  # columns of text without a terminal; the fewest and the most columns on one
ELLIPSIS = "…"
CLOSING = ",.;:!?%…、。，．；：！？％～"
PVALUE, GLUE = re.compile(r"\bp [<=] "), "\0"  # no line ends within "p < 0.001"
MARKS = 3  # combining marks on one letter: Vietnamese needs two


def columns() -> int:
    """The columns of the terminal that standard output is, within limits: longer lines are hard to read."""
    if not sys.stdout.isatty():
        return COLUMNS
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size((COLUMNS, 24)).columns))


def escape_label(value: object) -> str:
    r"""A label as one line of visible characters; what would move the cursor, hide or pile up is shown escaped.

    >>> escape_label("a\x1b[31mb\n"), escape_label(""), escape_label("nước"), escape_label(" a")
    ('a\\x1b[31mb\\n', "''", 'nước', "' a'")
    """
    text = str(value)
    if text != text.strip(" ") or not text:
        text = f"'{text}'"  # spaces at an edge are seen only between quotes
    if text.isascii() and text.isprintable():
        return text
    characters, piled = [], 0
    for at, character in enumerate(text):
        piled = 0 if _columns(character) else piled + 1  # also marks that Unicode does not call combining, as in Thai
        plain = (character.isprintable() or _shapes(text, at)) and piled <= MARKS
        characters.append(character if plain else character.encode("unicode_escape").decode("ascii"))
    return "".join(characters)


def _shapes(text: str, at: int) -> bool:
    """Whether a joiner stands between letters that it shapes, as in Persian and in the scripts of India."""
    neighbours = text[at - 1 : at] + text[at + 1 : at + 2]
    return text[at] in "\u200c\u200d" and len(neighbours) == 2 and all(
        unicodedata.category(c) in ("Lo", "Mn", "Mc") and unicodedata.east_asian_width(c) not in "WF"
        for c in neighbours
    )


def caret(text: str, at: int, columns: int = 80) -> list[str]:
    """The text and, below it, a caret under the character `at`; of a long text, the part around it.

    >>> print(*caret("recall => 0.8", 7), sep="\\n")
      recall => 0.8
             ^
    """
    start = max(0, at - columns // 2) if width(escape_label(text)) > columns - 4 else 0
    before, after = (escape_label(f"|{part}|")[1:-1] for part in (text[start:at], text[at:]))  # edges keep their spaces
    return ["  " + _start(before + after, columns - 4), "  " + " " * width(before) + "^"]


def width(text: str) -> int:
    """The columns that a text takes: 2 for wide characters, 0 for combining marks.

    >>> width("abc"), width("中文"), width("e" + chr(0x301))
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


@lru_cache(4096)  # as many characters as texts have
def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fitted(text: str, columns: int) -> str:
    """The text in at most so many columns, its middle left out: the ends distinguish long labels.

    >>> fitted("a_long_label_1", 9), fitted("中文标签很长", 7)
    ('a_lo…el_1', '中…长')
    """
    if width(text) <= columns:
        return text
    tail = (columns - 1) // 2
    return _start(text, columns - 1 - tail).rstrip() + ELLIPSIS + _end(text, tail).lstrip()


def distinct_labels(values: Iterable[object], columns: int) -> list[str]:
    """Labels beside each other in at most so many columns each, which stay different when they are shortened.

    >>> distinct_labels(["a long name, part 1 of it", "a long name, part 2 of it"], 12)
    ['…me, part 1…', '…me, part 2…']
    """
    texts = [escape_label(v) for v in values]
    labels = [fitted(text, columns) for text in texts]
    if len(set(labels)) == len(set(texts)):
        return labels
    start, end = (_shared([t[::way] for t in texts]) for way in (1, -1))
    labels = [_middle(text, start, end, columns) for text in texts]
    if len(set(labels)) == len(set(texts)):
        return labels
    digits = len(str(len(texts)))
    return [f"{fitted(text, columns - digits - 2)} #{at}" for at, text in enumerate(texts, 1)]


def _shared(texts: list[str]) -> int:
    """How many characters all texts begin with."""
    least, most = min(texts), max(texts)
    return next((at for at, c in enumerate(least) if c != most[at]), len(least))


def _middle(text: str, start: int, end: int, columns: int) -> str:
    """What a label has of its own, with as much of what all have before it as there is room for.

    >>> _middle("a_long_name_of_class_07_here", 21, 5, 12)
    '…f_class_07…'
    """
    own = text[start : max(start, len(text) - end)]
    room = max(0, columns - width(own) - 2)
    before, after = text[max(0, start - room) : start], ELLIPSIS if end else ""
    return fitted(f"{ELLIPSIS if start > room else ''}{before}{own}{after}", columns)


def _start(text: str, columns: int) -> str:
    used = 0
    for at, character in enumerate(text):
        used += _columns(character)
        if used > columns:
            return text[:at]
    return text


def _end(text: str, columns: int) -> str:
    used = 0
    for at in range(len(text), 0, -1):
        used += _columns(text[at - 1])
        if used > columns:
            return text[at:].lstrip("".join(c for c in text[at:] if not _columns(c)))
    return text


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """The text filled with spaces to so many columns."""
    fill = " " * (columns - width(text))
    return fill + text if right else text + fill


def wrapped(text: str, columns: int, indent: str = "  ", first: str = "") -> list[str]:
    """The text broken into lines of at most so many columns; lines after the first are indented.

    Lines end at spaces and between Chinese characters, never before closing punctuation or inside a Latin word.

    >>> wrapped("one two three", 8), wrapped("准确率（accuracy）。", 16)
    (['one two', '  three'], ['准确率', '  （accuracy）。'])
    """
    lines, line, taken = [], first, width(first)
    for space, word in _words(text, columns - len(indent)):
        between = "" if not line.strip() or line == first else space
        taken += len(between) + width(word)
        if taken > columns and line.strip():
            lines.append(line)
            line, taken = indent + word, width(indent + word)
        else:
            line += between + word
    return [*lines, line]


def _words(text: str, columns: int) -> Iterator[tuple[str, str]]:
    """The parts between which a line may end, each with the space before it, if there is one.

    >>> [word for _, word in _words("准确率（p < 0.001）。", 80)]
    ['准', '确', '率', '（p < 0.001）。']
    """
    for word in PVALUE.sub(lambda found: found[0].replace(" ", GLUE), text).split(" "):
        space = " "
        for part in _parts(word):
            for piece in _pieces(part, columns):
                yield space, piece.replace(GLUE, " ")
                space = ""


def _parts(word: str) -> Iterator[str]:
    """A word between spaces, split where Chinese allows a line to end.

    >>> list(_parts("F1（macro）为0.5。"))
    ['F1', '（macro）', '为', '0.5。']
    """
    start = 0
    for at in range(1, 0 if word.isascii() else len(word)):
        before, after = word[at - 1], word[at]
        if (_columns(before) == 2 or _columns(after) == 2) and not _opens(before) and not _closes(after):
            yield word[start:at]
            start = at
    yield word[start:]


def _pieces(part: str, columns: int) -> Iterator[str]:
    """A part, cut only when it is longer than a line."""
    while width(part) > columns:
        end = len(_start(part, columns)) or 1
        while end > 1 and _closes(part[end]):
            end -= 1
        yield part[:end]
        part = part[end:]
    yield part


def _opens(character: str) -> bool:
    return unicodedata.category(character) in ("Ps", "Pi")


def _closes(character: str) -> bool:
    """Whether no line may begin with the character: closing punctuation, and marks on the character before."""
    return character in CLOSING or unicodedata.category(character) in ("Pe", "Pf") or not _columns(character)
