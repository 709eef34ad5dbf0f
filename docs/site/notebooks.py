"""The notebooks of the lessons, made from their text and samples: `make pages` writes them."""

from __future__ import annotations

import doctest
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LESSONS = Path(__file__).resolve().parents[1] / "learn"
SAMPLE = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def lessons() -> list[Path]:
    """The pages of the lessons, in all languages."""
    return sorted(LESSONS.glob("*/[0-9]*.md"))


def notebook_of(lesson: Path) -> Path:
    """Where the notebook of a lesson is."""
    return lesson.parent / "notebooks" / f"{lesson.stem}.ipynb"


def notebook(text: str) -> str:
    """A lesson as a notebook without outputs: its last part, which links to the notebook, is left out."""
    lesson = text[: text.rindex("\n## ")]
    lesson = re.sub(r"<details><summary>(.*?)</summary>", r"**\1**", lesson).replace("</details>", "")
    lesson = re.sub(r"\]\((?!http)[^)]*\)", "]", lesson)  # the pages are not beside a notebook that was downloaded
    cells = [cell(kind, source, number) for number, (kind, source) in enumerate(parts(lesson))]
    document = {"cells": cells, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def parts(lesson: str) -> Iterator[tuple[str, str]]:
    """Text and code in turn; code ends a cell where it shows a value."""
    for number, piece in enumerate(SAMPLE.split(lesson)):
        if number % 2 == 0:
            if piece.strip():
                yield "markdown", piece.strip()
            continue
        lines: list[str] = []
        for example in doctest.DocTestParser().get_examples(piece):
            lines.append(example.source.rstrip("\n"))
            if example.want:
                yield "code", "\n".join(lines)
                lines = []
        if lines:
            yield "code", "\n".join(lines)


def cell(kind: str, source: str, number: int) -> dict[str, Any]:
    """A cell as the format of notebooks has it."""
    lines = source.splitlines(keepends=True)
    base: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": lines}
    return base | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def main() -> None:
    """Write the notebooks beside the lessons."""
    for lesson in lessons():
        file = notebook_of(lesson)
        file.parent.mkdir(exist_ok=True)
        file.write_text(notebook(lesson.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
