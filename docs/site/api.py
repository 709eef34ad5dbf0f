"""The pages of the Python API, made from signatures and docstrings; every public name has an example."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import sklearn_examples

import calipers
import calipers.sklearn

EXAMPLES = Path(__file__).with_name("examples.md")
GUIDE = re.compile(r'guide "([^"]+)"')  # docstrings name guides by their titles
BEGIN = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def pages() -> Iterator[tuple[str, str]]:
    """Functions, classes and the functions of `calipers.sklearn`."""
    names = [name for name in calipers.__all__ if name != "metrics"]
    classes = [name for name in names if inspect.isclass(getattr(calipers, name))]
    functions = [name for name in names if name not in classes]
    start = (
        "`import calipers as cal` gives all of them. [Classes](classes.md) describes what they return, and "
        "[scikit-learn functions](sklearn.md) those that replace `sklearn.metrics`."
    )
    yield "api/functions.md", "\n".join(["# Functions\n", start + "\n", *(entry(name) for name in functions)])
    begin = BEGIN.search(EXAMPLES.read_text(encoding="utf-8"))
    assert begin is not None
    shared = f"The examples share this start:\n\n```python\n{begin[1]}```\n"
    yield "api/classes.md", "\n".join(["# Classes\n", shared, *(entry(name) for name in classes)])
    functions = sorted(name for name in calipers.sklearn.__all__ if inspect.isfunction(getattr(calipers.sklearn, name)))
    introduction = "Same names, arguments and results as in `sklearn.metrics`. [Details](../sklearn.md).\n"
    parts = []
    for name in functions:
        value = getattr(calipers.sklearn, name)
        parts += [f"## {name}\n", signature(value, name, "calipers.sklearn"), f"{summary(value)}\n"]
        parts.append(f"{sklearn_examples.example(name)}\n")
    yield "api/sklearn.md", "\n".join(["# scikit-learn functions\n", introduction, *parts])


def examples() -> dict[str, str]:
    """The examples of names whose docstrings have none."""
    _, *parts = re.split(r"^## (\w+)\n", EXAMPLES.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(parts[::2], (part.strip() for part in parts[1::2]), strict=True))


def entry(name: str) -> str:
    """A public name: its signature, its docstring, an example, and the members of a class."""
    value = getattr(calipers, name)
    text = inspect.getdoc(value) or ""
    parts = [f"## {name}\n", signature(value, name), markdown(text), ""]
    if ">>>" not in text:
        parts += [examples().get(name, ""), ""]
    if inspect.isclass(value):
        parts += members(value)
    return "\n".join(parts)


def signature(value: Any, name: str, module: str = "cal") -> str:
    """How it is called, one argument per line where they are many."""
    try:
        called = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    listed, keywords = [], False
    for argument in called.parameters.values():
        if argument.kind is argument.KEYWORD_ONLY and not keywords:
            listed.append("*")
        keywords = argument.kind in (argument.KEYWORD_ONLY, argument.VAR_POSITIONAL)
        listed.append(written(argument))
    result = "" if called.return_annotation is called.empty else f" -> {annotation(called.return_annotation)}"
    call = f"({', '.join(listed)}){result}"
    if len(call) > 80:
        call = "(\n    " + ",\n    ".join(listed) + f",\n){result}"
    return f"```text\n{module}.{name}{call}\n```\n"


def written(argument: inspect.Parameter) -> str:
    """An argument with its type and its default."""
    stars = {argument.VAR_POSITIONAL: "*", argument.VAR_KEYWORD: "**"}.get(argument.kind, "")
    kind = "" if argument.annotation is argument.empty else f": {annotation(argument.annotation)}"
    default = "" if argument.default is argument.empty else f" = {argument.default!r}"
    return f"{stars}{argument.name}{kind}{default}"


def annotation(kind: Any) -> str:
    """A type as it is written in the source."""
    return kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))


def members(kind: type) -> list[str]:
    """The public methods and properties that a class defines, with the first sentence of each."""
    lines = []
    for name, value in vars(kind).items():
        described = isinstance(value, property) or hasattr(value, "__get__")
        text = inspect.getdoc(value.fget if isinstance(value, property) else value) if described else None
        if text and not name.startswith("_"):
            lines.append(f"- `{name}`: {summary_of(text)}")
    return ["**Members**\n", *lines, ""] if lines else []


def summary(value: Any) -> str:
    """The first paragraph of a docstring."""
    return summary_of(inspect.getdoc(value) or "")


def summary_of(text: str) -> str:
    """The first paragraph of a text."""
    return linked(text.split("\n\n")[0].replace("\n", " "))


def linked(text: str) -> str:
    """A text in which names of guides are links, and angle brackets and stars are only letters."""
    text = re.sub(r"(?<!`)([*<>_\[\]])(?!`)", r"\\\1", text) if "`" not in text else text
    return GUIDE.sub(lambda m: f"[{title(m)}](../{guides()[title(m)]}.md)", text.replace("\\_", "_"))


def title(match: re.Match[str]) -> str:
    """The title of a guide, which a line of a docstring may break."""
    return " ".join(match[1].split())


@cache
def guides() -> dict[str, str]:
    """The names of the guides by their titles."""
    pages = EXAMPLES.parents[1].glob("*.md")
    return {page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# "): page.stem for page in pages}


def markdown(text: str) -> str:
    """A docstring as Markdown: its samples are blocks of code, the rest are paragraphs."""
    parts = []
    for paragraph in text.split("\n\n"):
        if paragraph.lstrip().startswith(">>>") or (parts and parts[-1].endswith("```") and ">>>" in paragraph):
            parts.append(f"```python\n{paragraph}\n```")
        else:
            parts.append(linked(paragraph))
    return "\n\n".join(parts)
