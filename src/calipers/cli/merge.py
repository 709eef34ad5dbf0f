"""`calipers merge`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from calipers.cli.output import outputs

if TYPE_CHECKING:
    from calipers.cli.output import Output


@click.command()
@click.argument("files", metavar="FILE FILE...", nargs=-1, required=True)
@outputs
def merge(files: tuple[str, ...], out: Output) -> None:
    """Combine evaluations of parts of the data.

    Each FILE was written by --save part.calipers. The result equals the
    evaluation of all rows at once. Different models, or the same source twice,
    are refused.

    \b
    Examples:
      calipers evaluate monday.csv --save monday.calipers
      calipers evaluate tuesday.csv --schema monday.calipers -o tuesday.calipers
      calipers merge monday.calipers tuesday.calipers --save week.calipers
      calipers merge *.calipers --md
    """
    from calipers import merge as merged
    from calipers.errors import InputError
    from calipers.evaluation.evaluation import Evaluation
    from calipers.report.documents import load

    out.check(Evaluation)
    parts, sources = [], dict[str, str]()
    for file in files:
        part = load(file)
        if not isinstance(part, Evaluation):
            raise InputError("cli.not_an_evaluation", file=file, kind=part.kind)
        if again := [source for source in part.sources if source in sources]:
            raise InputError("cli.merged_twice", first=sources[again[0]], second=file, source=again[0])
        sources |= dict.fromkeys(part.sources, file)
        parts.append(part)
    out.show(merged(parts))
