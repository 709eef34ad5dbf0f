"""Saved evaluations as arguments of commands: `calipers compare a.json b.json`, `calipers gate week.calipers`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calipers.cli.usage import WrongUse

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.evaluation.evaluation import Evaluation

ENDING = ".calipers"
LARGEST = 10_000_000  # bytes: documents are far smaller
COMPARED = ("metrics", "margin", "primary", "level")  # options of `calipers compare` that saved evaluations take
SHOWN = ("as_json", "as_md", "as_csv", "page", "saved", "charts", "theme", "lang", "quiet", "color")  # of any result


def are_results(files: Sequence[str]) -> bool:
    """Whether the files are saved results; an error for some of them beside files of rows."""
    found = {file: is_result(file) for file in files}
    if len(set(found.values())) > 1:
        saved, rows = (next(file for file, known in found.items() if known is one) for one in (True, False))
        raise WrongUse("cli.results_and_rows", result=saved, rows=rows)
    return any(found.values())


def is_result(file: str) -> bool:
    """Whether a file is a saved result: .calipers, or the JSON of one."""
    return file.lower().endswith(ENDING) or _document(file) is not None


def saved_evaluation(file: str) -> Evaluation:
    """The evaluation that a file holds."""
    import calipers
    from calipers.errors import InputError

    text = None if file.lower().endswith(ENDING) else _document(file)
    result = calipers.load(file) if text is None else calipers.loads(text)
    if not isinstance(result, calipers.Evaluation):
        raise InputError("cli.another_result", file=file, kind=result.kind)
    return result


def compare_results(files: Sequence[str], names: Sequence[str], options: dict[str, Any]) -> Comparison:
    """The comparison of two saved evaluations; options: of `calipers compare`."""
    import calipers

    if len(files) != 2:
        raise WrongUse("cli.two_results", count=len(files))
    refuse_options(COMPARED)
    both = [saved_evaluation(file) for file in files]
    level = options["level"] if "level" in typed_options() else None
    taken = {name: options[name] for name in COMPARED if name != "level"}
    return calipers.compare_independent(*both, names=names, level=level, **taken)


def refuse_options(taken: Sequence[str]) -> None:
    """An error for a typed option that is of files of rows."""
    unused = [option for name, option in typed_options().items() if name not in (*taken, *SHOWN)]
    if unused:
        raise WrongUse("cli.not_for_results", option=unused[0])


def typed_options() -> dict[str, str]:
    """The options that were typed, by their names in Python."""
    ctx = click.get_current_context()
    options = [param for param in ctx.command.params if isinstance(param, click.Option) and param.name]
    typed = click.core.ParameterSource.COMMANDLINE
    return {str(p.name): p.opts[-1] for p in options if ctx.get_parameter_source(str(p.name)) is typed}


def _document(file: str) -> str | None:
    """The text of a result's document, or None where the file holds rows."""
    import json

    path = Path(file)
    if not path.is_file() or path.stat().st_size > LARGEST:  # a pipe can be read only once
        return None
    try:
        with open(file, "rb") as opened:
            if not opened.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
                return None
            opened.seek(0)
            text = opened.read().decode("utf-8-sig")
            document = json.loads(text)
    except (OSError, ValueError):  # reading the file as rows will raise an error that says what is wrong
        return None
    known = isinstance(document, dict) and ("calipers" in document or document.keys() >= {"format", "kind"})
    return text if known else None
