"""`calipers calibrate`."""

from __future__ import annotations

from typing import Any, get_args

import click

from calipers.choices import CalibrationMethod
from calipers.cli.options import asks, reads
from calipers.cli.output import Output, outputs, read_as


@click.command()
@asks
@click.option("--method", type=click.Choice(get_args(CalibrationMethod)), default="platt", show_default=True,
              help="How to recalibrate.")  # fmt: skip
@reads
@outputs
def calibrate(
    files: tuple[str, ...], sql: str | None, columns: dict[str, Any], reading: dict[str, Any], method: Any,
    out: Output, **options: Any,
) -> None:  # fmt: skip
    """Fit a map that recalibrates probabilities.

    Prints what the map changes on rows that it was not fitted on, and whether
    it is worth it. --save map.json saves the map; in Python,
    calipers.load("map.json").apply(p) applies it. FILE is read as in calipers
    evaluate. Use data that the model was not trained on.

    \b
    Examples:
      calipers calibrate predictions.csv --method isotonic --save map.json
      calipers calibrate loans.csv --truth y --score p --positive BAD
      calipers calibrate loans.csv --plot calibration=before_after.png
    """
    import calipers
    from calipers.cli.evaluate import described
    from calipers.cli.progress import Progress
    from calipers.errors import InputError
    from calipers.evaluation.evaluate_file import read_rows
    from calipers.files.table import Table

    out.check(calipers.Calibration)
    progress = Progress(visible=not out.quiet)
    try:
        with Table(files, sql=sql, watch=progress, **reading) as table:
            rows = read_rows(table, {**columns, "by": ()}, {**options, "metrics": None})
            steps = table.steps()
            settings, inputs = rows.question({**options, "metrics": None}, None)
    finally:
        progress.close()
    truth, _, score, weights, _, groups = inputs.values
    if score is None:
        raise InputError("decisions.no_scores")
    result = calipers.calibrate(
        truth, score, method=method, positive=settings.positive, labels=settings.labels, weights=weights,
        groups=groups, level=settings.level, missing=settings.missing, seed=settings.seed,
    )  # fmt: skip
    out.show(result, read_as(steps), described(rows.chosen))
