"""`calipers gate`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, get_args

import click

from calipers.choices import Inconclusive
from calipers.cli.evaluate import Limit, read_file
from calipers.cli.options import asks, memory_option, names, reads
from calipers.cli.output import Output, outputs
from calipers.cli.saved_results import are_results, is_result, refuse_options, saved_evaluation
from calipers.cli.usage import WrongUse, WrongValue
from calipers.tasks import task_of

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.evaluation.evaluation import Evaluation
    from calipers.gating.gate import GateResult


EVERY = "*"  # the margin of metrics without one
TAKEN = ("require", "baseline", "margin", "metrics", "inconclusive", "junit")  # by a saved evaluation


def _margins(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> dict[str, float]:
    """Margins by metric; a plain number is that of every other one."""
    margins: dict[str, float] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise WrongValue("cli.not_a_margin", text=text) from None
        if (name.strip() or EVERY) in margins:
            raise WrongValue("cli.margin_twice", text=text)
        margins[name.strip() or EVERY] = value
    return margins


@click.command()
@click.option("--require", metavar="TEXT", multiple=True,
              help='A requirement such as "recall >= 0.8"; can be repeated.')  # fmt: skip
@click.option("--baseline", metavar="FILE",
              help="Previous model: predictions for the same rows, or a saved evaluation.")  # fmt: skip
@click.option("--key", metavar="COLUMN", help="Column that identifies a row, to match the baseline.")
@click.option(
    "--margin",
    metavar="[NAME=]NUMBER",
    multiple=True,
    callback=_margins,
    help="Largest acceptable loss against the baseline, for all metrics or one.",
)
@click.option(
    "--metrics",
    metavar="NAME,...",
    multiple=True,
    callback=names,
    help="Compare these with the baseline. Default: the required metrics.",
)
@memory_option
@click.option("--inconclusive", type=click.Choice(get_args(Inconclusive)), help="Count inconclusive as pass or fail.")
@asks
@reads
@click.option("--junit", metavar="FILE", help="Also write the results as JUnit XML.")
@outputs
def gate(
    files: tuple[str, ...],
    sql: str | None,
    require: tuple[str, ...],
    baseline: str | None,
    key: str | None,
    margin: dict[str, float],
    metrics: list[str] | None,
    memory: str | None,
    inconclusive: Inconclusive | None,
    columns: dict[str, Any],
    reading: dict[str, Any],
    junit: str | None,
    out: Output,
    **options: Any,
) -> None:
    """Check a model against requirements: pass, fail or inconclusive.

    \b
    A requirement is METRIC OP NUMBER, where OP is >=, >, <= or <:
      recall >= 0.8           pass: the whole interval meets it; fail: it is
                              clearly missed; otherwise inconclusive, with the
                              number of extra rows needed to decide
      roc_auc.low >= 0.9      compares one bound; also .high and .value
      recall >= 0.8 at precision >= 0.5
                              at the best threshold with this precision
      by region: recall >= 0.7, by region=north: ..., class cat: ...
                              for every slice, one slice, one class

    All requirements must pass. With --baseline, no metric may be worse than
    that of the previous model by more than --margin. Files are read as in
    calipers evaluate; FILE and --baseline can also be saved evaluations.

    Exit codes: 0 pass, 3 fail, 4 inconclusive, 2 on a usage or input error.

    \b
    Examples:
      calipers gate predictions.csv --require "roc_auc.low >= 0.90"
      calipers gate new.csv --require "recall >= 0.8" --baseline last.csv \\
          --key id --margin 0.005 --junit gate.xml
      calipers gate new.csv --baseline last.json --margin 0.01 --metrics f1
      calipers gate week.calipers --require "recall >= 0.8"
    """
    if not require and baseline is None:
        raise WrongUse("cli.nothing_required")
    if baseline is None and (key or margin or metrics):
        raise WrongUse("cli.no_baseline")
    if baseline is not None and not margin:
        raise WrongUse("cli.no_margin")
    import calipers
    from calipers.files.choosing import measure_numbers
    from calipers.gating.requirements import Requirement
    from calipers.report.atomic_write import refuse

    out.check(calipers.GateResult)  # errors that do not depend on the rows are raised before the file is read
    for name in (*(metrics or ()), *(name for name in margin if name != EVERY)):
        calipers.metric(name)
    if junit is not None:
        refuse(junit)
    required = [Requirement.of(text) for text in require]
    by = dict.fromkeys(r.subject.name for r in required if r.subject is not None and r.subject.kind == "by")
    columns["by"] = tuple(by)
    deciding = [*(r.bar.metric for r in required), *(metrics or ())]
    find = None if baseline is None else partial(
        _last, files, sql, baseline, key, columns, reading, options, out.quiet, measure_numbers(deciding)
    )  # fmt: skip

    def judged(ev: Evaluation) -> GateResult:
        last = None if find is None else find(ev)
        of = margin or None
        return calipers.gate(ev, required, baseline=last, margin=of, metrics=metrics, inconclusive=inconclusive)

    if files and are_results(files):
        _of_result(files, judged, junit, out)
    options["metrics"] = None  # compute every statistic: a requirement may need any of them
    beside = None if junit is None else lambda result: {junit: result.to_junit(out.lang).encode()}
    limit = Limit(memory, in_memory=baseline is not None and not is_result(baseline))
    result = read_file(
        files, sql, columns, reading, options, out, result_of=judged, beside=beside, deciding=deciding, limit=limit
    )
    raise click.exceptions.Exit(result.exit_code)


def _of_result(
    files: tuple[str, ...], judged: Callable[[Evaluation], GateResult], junit: str | None, out: Output
) -> NoReturn:
    """The gate of a saved evaluation."""
    if len(files) != 1:
        raise WrongUse("cli.one_result", count=len(files))
    refuse_options(TAKEN)
    result = judged(saved_evaluation(files[0]))
    ready = out.ready(result)
    beside = {} if junit is None else {junit: result.to_junit(out.lang).encode()}
    out.show(ready._replace(files={**ready.files, **beside}))
    raise click.exceptions.Exit(result.exit_code)


def _last(
    files: tuple[str, ...],
    sql: str | None,
    baseline: str,
    key: str | None,
    columns: dict[str, Any],
    reading: dict[str, Any],
    options: dict[str, Any],
    quiet: bool,
    of_numbers: bool | None,
    ev: Evaluation,
) -> Evaluation | list[Comparison]:
    """The baseline: a document, or comparisons on the same rows, by labels and by scores where files have both."""
    import calipers
    from calipers.cli.compare import matched
    from calipers.cli.progress import Progress
    from calipers.errors import InputError
    from calipers.files.spellings import as_in, as_labels
    from calipers.files.table import Table
    from calipers.remarks import Remark

    if is_result(baseline):
        return saved_evaluation(baseline)
    if are_results(files):
        raise InputError("cli.baseline_of_results", file=baseline)
    if key is None:
        raise InputError("cli.baseline_key", file=baseline)
    if any(file == "-" or Path(file).is_fifo() for file in files):
        raise InputError("cli.baseline_pipe")
    progress = Progress(visible=not quiet)
    try:
        with Table(files, sql=sql, watch=progress, **reading) as table:
            mine = _models(table, columns, key, options, of_numbers, first=True)
        with Table([baseline], watch=progress, **reading) as table:
            theirs = _models(table, columns, key, options, of_numbers, first=False)
    finally:
        progress.close()
    kinds = [kind for kind in mine if kind in theirs]
    if not kinds:
        of = Remark("cli.the_query") if sql is not None else ", ".join(files)
        raise InputError("cli.nothing_in_common", files=of, baseline=baseline)
    comparisons = []
    for kind in kinds:
        models = matched([mine[kind], theirs[kind]], key)
        true, *labels = as_labels([mine[kind].truth, *(models if mine[kind].labelled else ())])
        new, last = labels or models
        comparisons.append(
            calipers.compare(
                true,
                {"baseline": last, "candidate": new},
                positive=None if ev.positive is None else as_in(true, [str(ev.positive)])[0],
                weights=mine[kind].weights,
                groups=mine[kind].groups,
                threshold=options["threshold"] if kind == "score" else None,
                **{name: options[name] for name in ("level", "missing", "seed", "task")},
            )
        )
    return comparisons


def _models(
    table: Any, columns: dict[str, Any], key: str, options: dict[str, Any], of_numbers: bool | None, *, first: bool
) -> dict[str, Any]:
    """What a file says by kind, "pred" before "score", in the columns that an evaluation would use."""
    from calipers.comparison.file_models import choose_models
    from calipers.files.choosing import choose

    has_threshold = options["threshold"] is not None
    chosen = choose(table, columns["truth"], columns["pred"], columns["score"], has_threshold=has_threshold)
    rows = (key, columns["groups"], columns["weights"]) if first else (key, None, None)
    kinds = {"pred": [chosen.pred] if chosen.pred else [], "score": chosen.scores if len(chosen.scores) == 1 else []}
    return {
        kind: choose_models(
            table,
            chosen.truth,
            *((), used) if kind == "pred" else (used, ()),
            *rows,
            alone=False,
            of_numbers=of_numbers if options["task"] is None else task_of(options["task"]).of_numbers,
        ).read(table)
        for kind, used in kinds.items()
        if used
    }
