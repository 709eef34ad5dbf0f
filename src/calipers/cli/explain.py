"""`calipers explain`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from calipers.cli.evaluate import Limit, read_file
from calipers.cli.options import memory_option, reads
from calipers.cli.output import Output, outputs
from calipers.cli.usage import WrongUse

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

# Arguments of `calipers.evaluate` that this command has no options for.
DEFAULTS = {"labels": None, "metrics": None, "interval": None, "task": None, "seed": 0, "replicates": 1000,
            "missing": "error"}  # fmt: skip


@click.command()
@click.argument("name", metavar="NAME")
@click.argument("files", metavar="[FILE...]", nargs=-1)
@click.option("--got", metavar="NUMBER", help="Value printed by another tool: find the definition that gives it.")
@click.option("--truth", metavar="COLUMN", help="Column of the true label.")
@click.option("--pred", metavar="COLUMN", help="Column of the predicted label.")
@click.option("--score", metavar="COLUMN", multiple=True,
              help="Column of the score; one per class if there are several.")  # fmt: skip
@click.option("--positive", metavar="LABEL", help="The positive class, which the score is for.")
@click.option("--weights", "weights", metavar="COLUMN", help="Column of row weights.")
@click.option("--threshold", type=float, help="Predict positive when score >= this.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@memory_option
@reads
@outputs
def explain(
    name: str,
    files: tuple[str, ...],
    got: str | None,
    truth: str | None,
    pred: str | None,
    score: tuple[str, ...],
    weights: str | None,
    memory: str | None,
    reading: dict[str, Any],
    out: Output,
    **options: Any,
) -> None:
    """Explain a metric, or the code of a finding, a note or an error.

    With a file, a metric is explained with the numbers of the file.

    Shows the definition, the formula with your numbers, the interval, a
    caution, and the value by every other definition with the same name.

    For ranking metrics, the files are judgements and a run, as in calipers
    rank.

    \b
    Examples:
      calipers explain f1
      calipers explain roc_auc predictions.csv --lang vi
      calipers explain average_precision predictions.csv --got 0.731
      calipers explain ndcg@10 qrels.txt run.txt --got 0.426
      calipers explain scores_too_high
    """
    import calipers
    from calipers.report import codes
    from calipers.report.language import language

    out.check(calipers.Explanation)
    out = replace(out, notes_aside=True)  # standard output holds the explanation alone
    lang = language(out.lang).code
    is_code = name in codes.known()
    if is_code and files:
        raise WrongUse("cli.code_has_no_numbers", code=name)
    measure = None if is_code else calipers.metric(name)  # an unknown name is refused before a file is read
    if measure is None or not files:
        out.show(calipers.explain(name, lang=lang, got=got))
        return
    if measure.metric.view.of_queries:
        arguments = {"truth": truth, "pred": pred, "score": score, "weight": weights, "memory": memory, **options}
        out.show(_ranked(name, files, reading, arguments, out).explain(name, lang=lang, got=got))
        return
    columns = {"truth": truth, "pred": pred, "score": score, "by": (), "weights": weights, "groups": None}
    options = {**DEFAULTS, **options}
    read_file(
        files, None, columns, reading, options, out, result_of=lambda ev: ev.explain(name, lang=lang, got=got),
        deciding=[name], limit=Limit(memory),
    )  # fmt: skip


def _ranked(
    name: str, files: tuple[str, ...], reading: dict[str, Any], options: dict[str, Any], out: Output
) -> Evaluation:
    """The evaluation of judgements and a run, for which most options of this command mean nothing."""
    from calipers.cli.rank import measured
    from calipers.errors import InputError
    from calipers.evaluation.evaluate_ranking import ranking_settings
    from calipers.settings import Rules

    level = options.pop("level")
    if unused := next((option for option, value in options.items() if value not in (None, ())), None):
        raise InputError("cli.of_rankings", metric=name, option=unused)
    if len(files) > 2:
        raise InputError("cli.too_many_files", count=len(files), metric=name)
    result, note = measured(files, ranking_settings(name, Rules(), level=level), {}, reading, out.quiet)
    if note:
        out.say(note)
    return result
