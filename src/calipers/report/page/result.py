"""What the page of any other result holds: its report, with its charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calipers.answers.results import answer_of
from calipers.comparison.trend import Trend
from calipers.report import rendering
from calipers.report.layout import Footnotes
from calipers.report.page import first_screen, validation_charts
from calipers.report.page.elements import SENTENCE, Chart, PageBudget, chart, grid
from calipers.report.page.evaluation import findings_of
from calipers.report.plots import kinds_of
from calipers.report.terminal import fitted
from calipers.validation.bias_variance import BiasVariance
from calipers.validation.sweep import Sweep

if TYPE_CHECKING:
    from calipers.report.language import Language
    from calipers.result import AnyResult


def pictures(result: AnyResult, lang: Language) -> list[Chart]:
    """The charts."""
    if isinstance(result, (Sweep, BiasVariance)):
        return validation_charts.charts(result, lang)
    if isinstance(result, Trend):
        drawn = (chart(result, "trend", lang, key=f"trend-{at}", metric=name) for at, name in enumerate(result))
        return [picture for picture in drawn if picture is not None]
    return [picture for kind in kinds_of(type(result)) if (picture := chart(result, kind, lang, key=f"chart-{kind}"))]


def contents(result: AnyResult, lang: Language, budget: PageBudget, pictures: list[Chart]) -> dict[str, Any]:
    """Everything that the template shows of a result."""
    report, notes, charts = rendering.report(result, lang), Footnotes(lang), pictures[: budget.charts]
    found = answer_of(result)
    answer = None if found is None else first_screen.shown(found, lang)
    tables = [grid(table, notes, f"table-{at}", SENTENCE) for at, table in enumerate(report.tables[: budget.rows])]
    findings = findings_of(report.findings, lang, {"numbers", *(c.key for c in charts)}, budget)
    nav = [
        *(["answer"] if answer else []),
        *(["findings"] if findings else []),
        "numbers",
        *(["charts"] if charts else []),
    ]
    definitions = [fitted(line, SENTENCE) for line in report.assumptions[: budget.lines]]
    remarks = list(notes)
    nav += ["definitions"] if definitions or remarks else []
    return {
        "kind": "result",
        "sections": {},
        "name": lang.say(f"page.title.{result.kind}"),
        "about": fitted(report.title, SENTENCE),
        "labels": (),
        "left": 0,
        "nav": [*nav, "reproduction"],
        "answer": answer,
        "gauges": first_screen.gauges(answer),
        "findings": findings,
        "sentences": [fitted(sentence, SENTENCE) for sentence in report.sentences[: budget.lines]],
        "tables": tables,
        "charts": charts,
        "left_charts": len(pictures) - len(charts),
        "every_chart": charts,
        "definitions": definitions,
        "notes": remarks,
    }
