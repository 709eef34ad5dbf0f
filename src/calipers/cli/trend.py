"""`calipers trend`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from calipers.choices import Adjustment
from calipers.cli.options import names
from calipers.cli.output import Output, outputs
from calipers.cli.saved_results import is_result, saved_evaluation
from calipers.cli.usage import WrongUse

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

# A date in the name of a file: a day, a week, a quarter or a month.
NAMED = re.compile(r"(?<!\d)(\d{4}-\d{2}-\d{2}|\d{4}\d{2}\d{2}|\d{4}-?W\d{2}|\d{4}-?Q[1-4]|\d{4}-\d{2})(?!\d)")


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--dates",
    metavar="DATE,...",
    multiple=True,
    callback=names,
    help="Dates of the files, in their order. Default: the source of the evaluation, then the file name.",
)
@click.option("--baseline", metavar="DATE|FILE", help="Period to compare the others with. Default: the first.")
@click.option("--metrics", metavar="NAME,...", multiple=True, callback=names, help="Compute only these metrics.")
@click.option(
    "--adjust",
    type=click.Choice(get_args(Adjustment)),
    default="holm",
    show_default=True,
    help="Adjustment of p-values over periods, metrics and slices.",
)
@click.option("--level", type=float, help="Confidence level. Default: that of the evaluations.")
@outputs
def trend(
    files: tuple[str, ...],
    dates: list[str] | None,
    baseline: str | None,
    metrics: list[str] | None,
    adjust: Adjustment,
    level: float | None,
    out: Output,
) -> None:
    """Show how metrics change over time.

    Each FILE is a saved evaluation of one period (.json or .calipers). The
    result shows each metric with its interval in each period, a test for a trend,
    and each period compared with the baseline. Evaluations must have the same
    task and classes, and different rows.

    \b
    Examples:
      calipers evaluate monday.csv --source 2026-03-02 --save 2026-03-02.json
      calipers trend runs/*.json
      calipers trend a.json b.json c.json --dates 2026-01,2026-02,2026-03
      calipers trend runs/*.calipers --baseline 2026-03-02 --metrics recall
      calipers trend runs/*.json --baseline march.json --html trend.html
    """
    import calipers

    out.check(calipers.Trend)
    for name in metrics or ():
        calipers.metric(name)
    if dates is not None and len(dates) != len(files):
        raise WrongUse("cli.dates_and_files", dates=len(dates), files=len(files))
    evaluations = [saved_evaluation(file) for file in files]
    dated = _by_date(files, evaluations, dates)
    reference: Any = baseline
    if baseline is not None and is_result(baseline):
        reference = saved_evaluation(baseline)
    out.show(calipers.trend(dated, baseline=reference, metrics=metrics, adjust=adjust, level=level))


def _by_date(
    files: Sequence[str], evaluations: Sequence[Evaluation], dates: Sequence[str] | None
) -> Mapping[str, Evaluation]:
    """The evaluations by date; two files of one date are an error that names both."""
    from calipers.errors import InputError

    found: dict[str, tuple[str, Evaluation]] = {}
    for at, (file, ev) in enumerate(zip(files, evaluations, strict=True)):
        date = dates[at] if dates is not None else _date_of(file, ev)
        if date in found:
            raise InputError("cli.same_date", first=found[date][0], second=file, date=date)
        found[date] = file, ev
    return {date: ev for date, (_, ev) in found.items()}


def _date_of(file: str, ev: Evaluation) -> str:
    """The date of an evaluation: its source, of several the first; else the one in the name of the file."""
    from calipers.comparison.dates import is_date
    from calipers.errors import InputError

    if ev.sources and all(map(is_date, ev.sources)):
        return min(ev.sources)
    named = NAMED.findall(Path(file).name)
    if len(named) == 1 and is_date(named[0]):
        return str(named[0])
    raise InputError("cli.no_date", file=file)
