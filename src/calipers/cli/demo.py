"""`calipers demo`."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.output import color_option, lang_option, show

# The example of each task, and what it is asked.
TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "binary": ("bad_debt", {"pred": "predicted", "score": "score", "positive": "BAD", "by": "region"}),
    "multiclass": ("weather", {"score": ["p_rain", "p_snow", "p_sun"], "by": "season"}),
}


@click.command()
@click.argument("task", type=click.Choice(list(TASKS)), default="binary")
@lang_option
@color_option
def demo(task: str, lang: str | None, color: bool) -> None:
    """Evaluate an embedded example.

    \b
    binary      1000 loans, 100 of them bad, and what a model said about each.
    multiclass  600 days of rain, snow or sun, and a forecast for each.

    \b
    Examples:
      calipers demo
      calipers demo multiclass
    """
    import calipers
    from calipers import datasets
    from calipers.report.display import wrapped
    from calipers.report.language import language

    name, asked = TASKS[task]
    result = calipers.evaluate(datasets.load(name), truth="truth", **asked)
    show(result.to_text(lang), color=color)
    click.echo()
    for line in ("demo_own", "demo_number"):
        click.echo(language(lang).say(f"report.{line}"))
    click.echo()
    first = result.findings[0]  # what a reviewer would say first
    for line in [*wrapped(f"! {first.say(lang)}", 80), *wrapped(first.advise(lang), 80, "  ", "  ")]:
        click.echo(line)
