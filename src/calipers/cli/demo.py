"""`calipers demo`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from calipers.cli.output import Output, outputs
from calipers.cli.usage import WrongUse
from calipers.tasks import task_of

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.report.language import Language


class Example(NamedTuple):
    """An embedded file, the arguments with which it is evaluated, and a metric to try next."""

    file: str
    options: dict[str, Any]
    metric: str
    own: str = "report.demo_own"


EXAMPLES = {
    "binary": Example("bad_debt", {"pred": "predicted", "score": "score", "positive": "BAD", "by": "region"}, "mcc"),
    "multiclass": Example("weather", {"score": ["p_rain", "p_snow", "p_sun"], "by": "season"}, "mcc"),
    "regression": Example("flats", {"pred": "predicted", "by": "district"}, "r2"),
    "ranking": Example("search", {}, "ndcg", "report.demo_own_run"),
    "clusters": Example("flowers", {}, "v_measure", "report.demo_own_clusters"),
    "recommendations": Example("films", {}, "novelty", "report.demo_own_recommendations"),
    "topics": Example("articles", {}, "c_v", "report.demo_own_topics"),
}
PAGE = "calipers-demo.html"


@click.command()
@click.argument("task", type=click.Choice(list(EXAMPLES)), default="binary")
@click.option("--no-html", is_flag=True, help=f"Do not write an HTML report. Default: write {PAGE} in this folder.")
@outputs
def demo(task: str, no_html: bool, out: Output) -> None:
    """Evaluate a built-in example and write an HTML report.

    \b
    binary      1,000 loans, 100 of them bad, with predictions of a model.
    multiclass  600 days of rain, snow or sun, with a forecast for each.
    clusters    180 flowers of three species, clustered by their petals.
    ranking     50 searches with judged documents and search results.
    recommendations
                10 films for each of 100 viewers, and what they liked.
    regression  500 flats with their rents and the predictions of a model.
    topics      300 short articles and the topics that a model found in them.

    \b
    Examples:
      calipers demo
      calipers demo --html report.html --lang vi
      calipers demo multiclass
      calipers demo ranking --no-html
      calipers demo regression
      calipers demo clusters
      calipers demo recommendations
      calipers demo topics
    """
    if out.page is not None and no_html:
        raise WrongUse("cli.html_or_not")
    from calipers.evaluation.evaluation import Evaluation
    from calipers.report.language import language

    out.check(Evaluation)
    result, lang = _measured(task), language(out.lang)
    if out.is_document:
        out.show(result)
        return
    out.print(result.to_text(out.lang))
    _hints(task, result, lang)
    out.write(replace(out, page=None).files(result))
    if not no_html:
        click.echo(f"\n{_written(out, result, lang)}")


def _measured(task: str) -> Evaluation:
    import calipers
    from calipers import datasets

    example = EXAMPLES[task]
    if task_of(task).ranked:
        return calipers.evaluate_ranking(*(datasets.path(f"{example.file}.{end}") for end in ("qrels", "run")))
    if example.file == "films":
        truth, shown, history, items = (
            datasets.path(f"films_{name}.csv") for name in ("truth", "recommendations", "history", "items")
        )
        return calipers.evaluate_recommendations(truth, shown, history=history, items=items, min_rating=4)
    if example.file == "flowers":
        rows = datasets.load(example.file)
        sizes = [list(pair) for pair in zip(rows["length"], rows["width"], strict=True)]
        return calipers.evaluate_clusters(rows["cluster"], rows["species"], sizes)
    if task_of(task).of_topics:
        files = (datasets.path(f"{example.file}{end}") for end in ("_topics.json", ".jsonl"))
        return calipers.evaluate_topics(*files)
    return calipers.evaluate(datasets.load(example.file), truth="truth", **example.options)


def _hints(task: str, result: Evaluation, lang: Language) -> None:
    """What to type next, and what a reviewer would say first."""
    from calipers.report.terminal import wrapped

    example = EXAMPLES[task]
    click.echo()
    click.echo(lang.say(example.own))
    click.echo(lang.say("report.demo_number", name=example.metric))
    for first in result.findings[:1]:
        click.echo()
        for line in [*wrapped(f"! {lang.finding(first)}", 80), *wrapped(lang.advice(first), 80, "  ", "  ")]:
            click.echo(line)


def _written(out: Output, result: Evaluation, lang: Language) -> str:
    """Write the page, and say where it is; one that nobody asked for may fail, and the line says why."""
    from calipers.errors import InputError, MissingExtra

    page = replace(out, page=out.page or PAGE, charts=[], quiet=True)
    try:
        page.write(page.files(result))
    except (MissingExtra, InputError) as error:
        if out.page is not None:
            raise
        return str(error)
    return lang.say("report.demo_page", file=page.page)
