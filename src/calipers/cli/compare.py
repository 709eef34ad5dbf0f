"""`calipers compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from calipers.cli.evaluate import PRED, SCORE, TRUTH, _as_in, _find, _names

SHOWN = 3  # of the rows whose truth differs


class Table(NamedTuple):
    """The columns read from a file: the truth, and what each of its models says, as scores or as labels."""

    file: str
    held: dict[str, Any]
    truth: str
    says: list[str]
    labelled: bool


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@click.option("--key", metavar="COLUMN", help="What identifies a row; needed with several files.")
@click.option("--truth", metavar="COLUMN", help="The true label.")
@click.option("--score", metavar="COLUMN", multiple=True, help="The score; with one file, one for each model.")
@click.option("--pred", metavar="COLUMN", multiple=True, help="The predicted label; with one file, one for each model.")
@click.option("--positive", metavar="LABEL", help="The class that the scores are for.")
@click.option("--threshold", type=float, help="Predict the positive class from this score on.")
@click.option("--weight", metavar="COLUMN", help="How much a row counts.")
@click.option("--clusters", metavar="COLUMN", help="Rows that belong together and are not independent.")
@click.option("--metrics", metavar="NAME,...", multiple=True, help="Only these metrics.")
@click.option("--margin", type=float, help="A difference that would not matter: asks for equivalence.")
@click.option("--adjust", type=click.Choice(["holm", "bonferroni", "bh", "none"]), default="holm", show_default=True,
              help="How p-values of several pairs are taken together.")  # fmt: skip
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the resamples.")
@click.option("--json", "as_json", is_flag=True, help="Print the document as JSON, and nothing else.")
def compare(
    files: tuple[str, ...],
    key: str | None,
    truth: str | None,
    score: tuple[str, ...],
    pred: tuple[str, ...],
    positive: str | None,
    threshold: float | None,
    weight: str | None,
    clusters: str | None,
    metrics: tuple[str, ...],
    margin: float | None,
    adjust: str,
    level: float,
    seed: int,
    as_json: bool,
) -> None:
    """Compare models on the same rows.

    FILES are one for each model, matched by --key, or one file with a column
    for each model. Every difference comes with a paired interval, a p-value
    and a verdict.

    \b
    Examples:
      calipers compare a.csv b.csv --key id --positive BAD
      calipers compare both.csv --score a,b --margin 0.01
      calipers compare a.csv b.csv c.csv --key id --metrics roc_auc,f1
    """
    import calipers
    from calipers.engines.files import as_labels, spelled
    from calipers.errors import InputError

    scores, preds = _listed(score), _listed(pred)
    if scores and preds:
        raise InputError("models are compared by --score or by --pred, not by both: labels were cut somewhere already")
    extra = [] if clusters is None else [clusters], [] if weight is None else [weight]
    if len(files) == 1:
        if len(scores or preds) < 2:
            raise InputError(f"{files[0]} alone: name a column for each model with --score a,b, or pass two files")
        tables, names = [_read(files[0], None, truth, scores, preds, *extra)], scores or preds
    else:
        if key is None:
            raise InputError("several files: say which column identifies a row with --key")
        if len(scores or preds) > 1:
            raise InputError("several files: --score or --pred names one column, which every file has")
        tables = [_read(f, key, truth, scores, preds, *(([], []) if i else extra)) for i, f in enumerate(files)]
        names = _stems(files)
    labelled = _same_kind(tables)
    columns = [table.held[column] for table in tables for column in table.says]
    true, *said = as_labels([tables[0].held[tables[0].truth], *(columns if labelled else [])])
    orders = [slice(None)] * len(columns) if key is None or len(files) == 1 else [slice(None), *_matched(tables, key)]
    first = tables[0].held
    result = calipers.compare(
        true,
        {name: column[at] for name, column, at in zip(names, said or columns, orders, strict=True)},
        positive=None if positive is None else _as_in(true, [positive])[0],
        threshold=threshold,
        weights=None if weight is None else first[weight],
        clusters=None if clusters is None else spelled(first[clusters]),
        metrics=_names(metrics),
        margin=margin,
        adjust=adjust,
        level=level,
        seed=seed,
    )
    shown = result.to_json(indent=2) if as_json else repr(result)  # before anything is printed: it may fail
    if truth is None or not (score or pred):
        found = ", ".join(dict.fromkeys(column for table in tables for column in table.says))
        click.echo(f"columns: truth = {tables[0].truth}, {'pred' if labelled else 'score'} = {found}", err=as_json)
    click.echo(shown)


def _listed(given: Sequence[str]) -> list[str]:
    return [name for part in given for name in part.split(",")]


def _read(
    file: str,
    key: str | None,
    truth: str | None,
    scores: list[str],
    preds: list[str],
    labels: list[str],
    numbers: list[str],
) -> Table:
    """The columns of a file; those that were not named are found by their usual names, scores before labels."""
    from calipers.engines.files import File

    source = File(file)
    true = truth or _find(source.names, TRUTH, "--truth", file)
    says, labelled = scores or preds, bool(preds)
    if not says:
        found = _find(source.names, SCORE, "--score", file, needed=False)
        says, labelled = [found or _find(source.names, PRED, "--pred", file)], found is None
    texts = [*([] if key is None else [key]), true, *(says if labelled else []), *labels]
    return Table(file, source.read(texts, [*([] if labelled else says), *numbers]), true, says, labelled)


def _same_kind(tables: Sequence[Table]) -> bool:
    """Whether the models say labels; scores of one and labels of another are refused."""
    from calipers.errors import InputError

    if len({table.labelled for table in tables}) > 1:
        told = ", ".join(f"{table.file}: {table.says[0]}" for table in tables)
        raise InputError(f"some files hold scores and some labels ({told}): name the column with --score or --pred")
    return tables[0].labelled


def _matched(tables: Sequence[Table], key: str) -> list[Any]:
    """For each file after the first, its rows in the order of the first, by key; refused where rows do not match."""
    import numpy as np

    from calipers.engines.files import spelled
    from calipers.errors import InputError

    base, keys = tables[0], _keys(tables[0], key)
    orders = []
    for table in tables[1:]:
        others = _keys(table, key)
        apart = [
            f"{len(rows)} rows of {one.file} are not in {other.file} (such as {rows[0]})"
            for rows, one, other in (
                ([k for k in keys if k not in others], base, table),
                ([k for k in others if k not in keys], table, base),
            )
            if rows
        ]
        if apart:
            raise InputError(f"{'; '.join(apart)}: both files must hold the same rows, by {key}")
        order = np.array([others[k] for k in keys])
        mine, theirs = spelled(base.held[base.truth]), spelled(table.held[table.truth])[order]
        differ = [(k, a, b) for k, a, b in zip(keys, mine.tolist(), theirs.tolist(), strict=True) if str(a) != str(b)]
        if differ:
            told = [f"{key} {k} is {a} in {base.file} and {b} in {table.file}" for k, a, b in differ[:SHOWN]]
            more = "; ..." if len(differ) > SHOWN else ""
            raise InputError(f"the truth differs in {len(differ)} of {len(keys)} rows: {'; '.join(told)}{more}")
        orders.append(order)
    return orders


def _keys(table: Table, key: str) -> dict[str, int]:
    """The row of each key; keys that are absent or not unique are counted and refused."""
    from calipers.engines.files import spelled
    from calipers.errors import InputError

    given = spelled(table.held[key]).tolist()
    absent = sum(k is None or k != k for k in given)
    if absent:
        raise InputError(f"{table.file}: {absent} of {len(given)} rows have no {key}")
    rows = {str(k): i for i, k in enumerate(given)}
    if len(rows) < len(given):
        again = next(k for i, k in enumerate(given) if rows[str(k)] != i)
        repeated = f"{len(given) - len(rows)} rows repeat a {key} of another (such as {again})"
        raise InputError(f"{table.file}: {repeated}: it must be unique")
    return rows


def _stems(files: Sequence[str]) -> list[str]:
    """Names of the models: the files' own, with their folders where those are the same."""
    stems = [Path(file).stem for file in files]
    return stems if len(set(stems)) == len(stems) else list(files)
