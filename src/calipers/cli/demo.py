"""`calipers demo`."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.charts import write
from calipers.cli.output import color_option, lang_option, say, show
from calipers.cli.page import check_page, html_option, paged

# The example of each task, and what it is asked.
TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "binary": ("bad_debt", {"pred": "predicted", "score": "score", "positive": "BAD", "by": "region"}),
    "multiclass": ("weather", {"score": ["p_rain", "p_snow", "p_sun"], "by": "season"}),
    "regression": ("flats", {"pred": "predicted", "by": "district"}),
}


RANKING = "ranking"


@click.command()
@click.argument("task", type=click.Choice([*TASKS, RANKING]), default="binary")
@html_option
@lang_option
@color_option
def demo(task: str, page: str | None, lang: str | None, color: bool) -> None:
    """Evaluate an embedded example.

    \b
    binary      1000 loans, 100 of them bad, and what a model said about each.
    multiclass  600 days of rain, snow or sun, and a forecast for each.
    ranking     50 searches, their judged documents, and what an engine found.
    regression  500 flats, their rents, and what a model said about each.

    \b
    Examples:
      calipers demo
      calipers demo --html report.html
      calipers demo multiclass
      calipers demo ranking
      calipers demo regression
    """
    import calipers
    from calipers import datasets
    from calipers.report.display import wrapped
    from calipers.report.language import language

    check_page(page)
    if task == RANKING:
        ranked = calipers.rank(datasets.path("search.qrels"), datasets.path("search.run"))
        show(repr(ranked), color=color)
        _write(page, ranked, lang)
        click.echo()
        click.echo("Your own files:     calipers rank qrels.txt run.txt")
        click.echo("What a number is:   calipers metrics ndcg")
        return
    name, asked = TASKS[task]
    result = calipers.evaluate(datasets.load(name), truth="truth", **asked)
    show(result.to_text(lang), color=color)
    _write(page, result, lang)
    click.echo()
    spoken = language(lang)
    click.echo(spoken.say("report.demo_own"))
    click.echo(spoken.say("report.demo_number", name="r2" if task == "regression" else "mcc"))
    for first in result.findings[:1]:  # what a reviewer would say first
        click.echo()
        for line in [*wrapped(f"! {first.say(lang)}", 80), *wrapped(first.advise(lang), 80, "  ", "  ")]:
            click.echo(line)


def _write(page: str | None, result: Any, lang: str | None) -> None:
    """The page, where one was asked for, and a word on where it is."""
    if page is not None:
        write(paged(page, result, lang))
        click.echo()
        say(f"written: {page}")
