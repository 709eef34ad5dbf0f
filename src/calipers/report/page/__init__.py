"""One page that says everything: a self-contained HTML file, complete without scripts, with no request to anywhere."""

from __future__ import annotations

import base64
import hashlib
import platform
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from calipers import __version__
from calipers.choices import Lang
from calipers.comparison.compare import Comparison
from calipers.errors import InputError, MissingExtra
from calipers.evaluation.evaluation import Evaluation
from calipers.gating.gate import GateResult
from calipers.report.first_use import FirstUse
from calipers.report.language import Language, typeset
from calipers.report.page.elements import PageBudget, isolated, short
from calipers.report.plots.theme import THEMES
from calipers.validation.cross_validation import Validation

if TYPE_CHECKING:
    from jinja2 import Template

    from calipers.evaluation.worst_rows import WorstRows
    from calipers.result import AnyResult


SCRIPTS = ("page.js", "workbench_numbers.js", "workbench_drawing.js", "workbench.js")  # the first on every page
LIMIT, LONGEST = 300_000, 300  # bytes of a page; columns of a title
# The next where a page would be too long. Without pictures, the last fits whatever the labels are made of: a column of
# text is at most a letter with three marks, 16 bytes.
BUDGETS = tuple(PageBudget(*row) for row in (
    # numbers, workings, slicings, pairs, rows, lines, charts, entries, classes, boards
    (100, 30, 6, 45, 20, 40, 9, 20, 400, 12),
    (100, 30, 6, 45, 20, 40, 9, 8, 400, 6),
    (40, 8, 3, 15, 20, 40, 9, 8, 200, 4),
    (40, 8, 3, 15, 20, 40, 9, 3, 200, 3),
    (20, 0, 1, 5, 20, 10, 9, 1, 60, 2),
    (20, 0, 1, 5, 10, 10, 2, 1, 20, 1),
    (10, 0, 1, 5, 5, 5, 0, 0, 5, 1),
))  # fmt: skip


def render(
    result: AnyResult,
    *,
    lang: Lang | None = None,
    title: str | None = None,
    command: str | None = None,
    rows: WorstRows | None = None,
) -> str:
    """The page as text. title: what to call it; command: what a reader types to get it again; rows: the worst rows."""
    words = typeset(lang)
    required()
    from calipers.report.page import comparison, evaluation, gate, validation, worst_rows
    from calipers.report.page import result as other

    makers: Any = {Evaluation: evaluation, Comparison: comparison, Validation: validation, GateResult: gate}
    of = makers.get(type(result), other)
    pictures, text = of.pictures(result, words), ""
    first = FirstUse(words, str({key: part for key, part in result.to_dict().items() if key != "translations"}))
    for budget in BUDGETS:
        contents = of.contents(result, words, budget, pictures)
        contents["title"] = contents["name"] if title is None else short(title, LONGEST)
        contents["command"] = command and short(command, 10 * LONGEST)
        contents["reproduce"] = _reproduce(result, words, command)
        contents["worst_rows"] = None if rows is None else worst_rows.contents(rows, words, budget)
        contents["nav"] = worst_rows.nav(contents["nav"], contents["worst_rows"])
        text = _page(contents, words, first.anew())
        if len(text.encode()) <= LIMIT:
            break
    return text


def required() -> None:
    """Refuse where a package is missing, and say which extra has it."""
    try:
        import jinja2  # noqa: F401 - only whether they are there
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtra("report.page_packages") from None


def path_of(path: str) -> str:
    """The name of a page's file, refused where it would hide what the file is."""
    if not path.lower().endswith((".html", ".htm")):
        raise InputError("report.not_a_page", path=path)
    return path


def _page(contents: dict[str, Any], words: Language, met: FirstUse) -> str:
    style, script = _style(), "".join(map(_text, SCRIPTS if contents.get("bench") else SCRIPTS[:1]))
    charts = "".join(str(chart.svg) for chart in contents["every_chart"])
    images = " img-src data:;" if "data:image" in charts else ""  # only the cells of predicted numbers
    policy = (
        f"default-src 'none'; style-src '{_hashed(style)}'; script-src '{_hashed(script)}';{images}"
        " base-uri 'none'; form-action 'none'"
    )

    def say(key: str, **values: Any) -> str:
        """A text of all pages, or of one of their views."""
        return words.say(f"{'page' if words.knows(f'page.{key}') else 'views'}.{key}", **values)

    return _template().render(say=say, words=words, met=met, policy=policy, style=style, script=script, **contents)


def _hashed(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _style() -> str:
    light, dark = THEMES["light"].css(), THEMES["dark"].css()
    style = "".join(map(_text, ("page.css", "answer.css", "workbench.css")))
    return style.replace("/*light*/", light).replace("/*dark*/", dark)


@cache
def _text(name: str) -> str:
    return (files("calipers.report.page") / name).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_text), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=isolated,
    )  # fmt: skip
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    return environment.get_template("page.html")


def _reproduce(result: AnyResult, words: Language, command: str | None) -> list[tuple[str, str]]:
    """What somebody else needs to get the same page."""
    facts = {
        "version": f"Calipers {__version__}, Python {platform.python_version()}",
        "command": command and short(command, 10 * LONGEST),
        "fingerprint": _fingerprint(result),
    }
    return [(words.say(f"page.{key}"), text) for key, text in facts.items() if text]


def _fingerprint(result: AnyResult) -> str:
    """A hash of the statistics that every number is computed from; empty where there are none, or they are gone."""
    every = [result] if isinstance(result, Evaluation) else []
    if isinstance(result, Comparison):
        every = list(result.models.values())
    elif isinstance(result, Validation):
        every = [fold.evaluation for fold in result.folds]
    if not every:
        return ""
    digest = hashlib.sha256()
    for ev in every:
        if not ev.is_live:
            return ""
        digest.update(ev.views.evidence.to_bytes())
    return f"sha256:{digest.hexdigest()[:32]}"
