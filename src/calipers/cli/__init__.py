"""The shell: `calipers COMMAND`. Arguments are parsed before NumPy is imported, so that help comes at once."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

import click

from calipers import __version__  # importlib.metadata would cost as much as click
from calipers.cli.compare import compare
from calipers.cli.counts import counts
from calipers.cli.demo import demo
from calipers.cli.evaluate import evaluate
from calipers.cli.metrics import metrics
from calipers.cli.power import power
from calipers.errors import CalipersError

# Arguments of the library that messages name, and the options that stand for them.
SAME = ("positive", "threshold", "missing", "labels", "level", "metrics", "tp", "fp", "fn", "tn", "clusters", "margin",
        "auc", "accuracy", "sd", "difference", "rows", "discordance", "prevalence", "correlation", "power")  # fmt: skip
OPTIONS = {name: name for name in SAME} | {"weights": "weight"}


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, message="%(prog)s %(version)s")
def shell() -> None:
    """Measure models: every number with its confidence interval.

    \b
    calipers demo
    calipers evaluate predictions.csv
    calipers compare a.csv b.csv --key id
    calipers counts --tp 55 --fp 50 --fn 45 --tn 850
    """


for _command in (evaluate, compare, counts, metrics, power, demo):
    shell.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; what Calipers refuses is one line and exit code 2, what it did not foresee is exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character shows its number
    try:
        shell.main(arguments, prog_name="calipers")
    except CalipersError as error:
        _say(as_options(str(error)))
        sys.exit(2)
    except Exception as error:
        if os.environ.get("CALIPERS_DEBUG") == "1":
            raise
        _say(
            f"{type(error).__name__}: {error}. This is a defect of Calipers: please report it, with what "
            "CALIPERS_DEBUG=1 shows"
        )
        sys.exit(1)


def as_options(message: str) -> str:
    """A message of the library as the shell says it: its arguments are options here.

    >>> as_options("pass positive='BAD', or threshold=")
    "pass --positive 'BAD', or --threshold"
    """
    names = "|".join(OPTIONS)
    said = re.sub(rf"(?<![\w(])({names})=(?=[\w\"'\[.-])", lambda m: f"--{OPTIONS[m[1]]} ", message)
    return re.sub(rf"(?<![\w(-])({names})=", lambda m: f"--{OPTIONS[m[1]]}", said)


def _say(message: str) -> None:
    click.echo("calipers: " + " ".join(message.split()), err=True)
