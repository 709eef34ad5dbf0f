"""`calipers show`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from calipers.cli.output import outputs

if TYPE_CHECKING:
    from calipers.cli.output import Output


@click.command()
@click.argument("file", metavar="FILE")
@outputs
def show(file: str, out: Output) -> None:
    """Print a saved result, or convert it.

    FILE is the output of --json of any command, or a file written by
    result.save("x.json"); - is standard input.

    \b
    Examples:
      calipers show result.json
      calipers show result.json --md --lang vi
      calipers show result.json --html result.html
      calipers evaluate predictions.csv --json | calipers show - --csv
    """
    from calipers.report.documents import load, loads

    result = loads(sys.stdin.buffer.read()) if file == "-" else load(file)
    out.check(type(result))
    out.show(result)
