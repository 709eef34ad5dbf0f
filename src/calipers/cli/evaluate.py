"""`calipers evaluate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

TRUTH = ("y_true", "truth", "label", "target", "actual", "class")
PRED = ("y_pred", "pred", "prediction", "predicted")
SCORE = ("y_score", "score", "y_prob", "prob", "y_proba", "proba", "p")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--truth", metavar="COLUMN", help="The true label.")
@click.option("--pred", metavar="COLUMN", help="The predicted label.")
@click.option("--score", metavar="COLUMN", multiple=True, help="The score; one for each class when there are several.")
@click.option("--positive", metavar="LABEL", help="The class that the score is for.")
@click.option("--labels", metavar="A,B,...", help="The classes, in the order of the score columns.")
@click.option("--threshold", type=float, help="Predict the positive class from this score on.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--metrics", metavar="NAME,...", multiple=True, help="Only these metrics.")
@click.option("--by", metavar="COLUMN", multiple=True, help="Evaluate the slices of this column too.")
@click.option("--weight", metavar="COLUMN", help="How much a row counts.")
@click.option("--missing", type=click.Choice(["error", "drop"]), default="error", show_default=True,
              help="What to do about rows with something missing.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the document as JSON, and nothing else.")
def evaluate(
    file: str,
    truth: str | None,
    pred: str | None,
    score: tuple[str, ...],
    positive: str | None,
    labels: str | None,
    threshold: float | None,
    level: float,
    metrics: tuple[str, ...],
    by: tuple[str, ...],
    weight: str | None,
    missing: str,
    as_json: bool,
) -> None:
    """Measure the predictions in a file.

    FILE is CSV (UTF-8, with a header) or Parquet.

    Columns that are not named are found by their usual names (y_true, truth,
    label, ...; y_pred, prediction, ...; score, prob, ...), and the choice is
    printed. Labels of a CSV stay as written, "001" and "NA" too; only when all
    are plain integers (0, 1, 2, ...) are they taken as such.

    \b
    Examples:
      calipers evaluate predictions.csv
      calipers evaluate loans.csv --truth y --score p --positive BAD --by region
      calipers evaluate loans.csv --metrics roc_auc,f1 --json
    """
    import calipers
    from calipers.engines.files import File, are_scores, as_labels, spelled

    source = File(file)
    found_truth = truth or _find(source.names, TRUTH, "--truth", file)
    scores = [name for part in score for name in ([part] if part in source.names else part.split(","))]
    if pred is None and not scores:
        # A threshold cuts scores, so labels that were cut elsewhere are not looked for beside it.
        found_pred = None if threshold is not None else _find(source.names, PRED, "--pred", file, needed=False)
        found_score = _find(source.names, SCORE, "--score", file, needed=found_pred is None)
        scores = [] if found_score is None else [found_score]
    else:
        found_pred = pred
    numbers = [*scores, *([] if weight is None else [weight])]
    held = source.read([found_truth, *([] if found_pred is None else [found_pred]), *by], numbers)
    if found_pred is not None and not scores and are_scores(held[found_pred], held[found_truth]):
        scores, numbers, found_pred = [found_pred], [*numbers, found_pred], None
        held = source.read([found_truth, *by], numbers)
    true, *said = as_labels([held[name] for name in (found_truth, found_pred) if name is not None])
    matrix = None if not scores else held[scores[0]] if len(scores) == 1 else {s: held[s] for s in scores}
    result = calipers.evaluate(
        true,
        said[0] if said else None,
        score=matrix,
        positive=None if positive is None else _as_in(true, [positive])[0],
        labels=None if labels is None else _as_in(true, labels.split(",")),
        weights=None if weight is None else held[weight],
        by={name: spelled(held[name]) for name in by} or None,
        threshold=threshold,
        level=level,
        metrics=_names(metrics),
        missing=missing,
    )
    shown = result.to_json(indent=2) if as_json else repr(result)  # before anything is printed: it may fail
    if truth is None or (pred is None and not score):
        chosen = {"truth": found_truth, "pred": found_pred, "score": ",".join(scores)}
        click.echo("columns: " + ", ".join(f"{k} = {v}" for k, v in chosen.items() if v), err=as_json)
    click.echo(shown)


def _find(names: Sequence[str], usual: Sequence[str], option: str, file: str, *, needed: bool = True) -> Any:
    """The one column with a usual name."""
    from calipers.errors import InputError

    found = [name for name in names if name.lower() in usual]
    if len(found) > 1:
        raise InputError(f"{file} has the columns {' and '.join(found)}: say which one with {option}")
    if not found and needed:
        listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        raise InputError(f"{file} has the columns {listed}: name one with {option}")
    return found[0] if found else None


def _as_in(labels: Any, texts: Sequence[str]) -> list[Any]:
    """Labels written in the shell, as the column holds them: 1 is a number where labels are numbers."""
    if labels.dtype.kind == "b":
        known: dict[str, Any] = {"true": True, "false": False, "1": True, "0": False}
        return [known.get(text.lower(), text) for text in texts]
    if labels.dtype.kind in "iuf":
        return [int(text) if text.removeprefix("-").isdigit() else text for text in texts]
    return list(texts)


def _names(metrics: Sequence[str]) -> list[str] | None:
    """Names with commas between them; a comma inside brackets belongs to the name."""
    import re

    return [name.strip() for part in metrics for name in re.split(r",(?![^(]*\))", part) if name.strip()] or None
