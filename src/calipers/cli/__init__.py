"""The shell: `calipers COMMAND`. Arguments are parsed before NumPy is imported, so that help comes at once."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from itertools import pairwise

import click

from calipers import __version__, addresses  # importlib.metadata would cost as much as click
from calipers.cli.address_space import prepare
from calipers.cli.calibrate import calibrate
from calipers.cli.clusters import clusters
from calipers.cli.compare import compare
from calipers.cli.completion import completion
from calipers.cli.counts import counts
from calipers.cli.demo import demo
from calipers.cli.evaluate import evaluate
from calipers.cli.explain import explain
from calipers.cli.gate import gate
from calipers.cli.merge import merge
from calipers.cli.metrics import metrics
from calipers.cli.power import power
from calipers.cli.rank import rank
from calipers.cli.recommendations import recommendations
from calipers.cli.show import show
from calipers.cli.topics import topics
from calipers.cli.trend import trend
from calipers.cli.usage import message_of
from calipers.cli.validate import validate
from calipers.errors import CalipersError, Unreadable, lacks_memory
from calipers.remarks import Remark

USED = ("numpy", "scipy", "click", "duckdb", "pyarrow", "scikit-learn")
HELP = {"-h", "--help"}
STREAMS = ("stdin", "stdout", "stderr")
LIMITS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


def _versions(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    import platform
    from importlib.metadata import PackageNotFoundError, version

    versions = [f"python {platform.python_version()}"]
    for name in USED:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(f"no {name}")
    click.echo(f"calipers {__version__}\n{', '.join(versions)}")
    ctx.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_versions,
              help="Show the versions of Calipers and its dependencies.")  # fmt: skip
def shell() -> None:
    """Evaluate machine-learning models: every metric with a confidence interval.

    \b
    Examples:
      calipers demo
      calipers evaluate predictions.csv
      calipers compare a.csv b.csv --key id
      calipers gate predictions.csv --require "recall >= 0.8"
      calipers rank qrels.txt run.txt
      calipers topics topics.txt texts.txt
      calipers validate data.csv --truth y --model sklearn.linear_model:Ridge
      calipers counts --tp 55 --fp 50 --fn 45 --tn 850
      calipers show result.json --md
      calipers trend runs/*.json
    """


COMMANDS = (
    evaluate, compare, gate, calibrate, rank, clusters, recommendations, topics, validate, counts, show, merge, trend,
    explain, metrics, power, demo, completion,
)  # fmt: skip
for _command in COMMANDS:
    shell.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. Exit codes: 0, 2 what the user can fix (one line says how), 1 a bug, 130 Ctrl-C; of a gate, 3 fail
    and 4 inconclusive."""
    closed = [name for number, name in enumerate(STREAMS) if _is_closed(number, name)]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character shows its number
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number and signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores the signal, and so do we
            signal.signal(number, _stop)
    if "stdout" in closed:
        _say(CalipersError("cli.output_closed").text())
        sys.exit(2)
    try:
        sys.exit(_run(arguments))
    except BrokenPipeError:  # the reader of the output has closed the pipe
        _drop_output()
        sys.exit(0)


class Stopped(SystemExit):
    """A signal asked the process to end, which it does as after Ctrl-C: temporary files are removed."""


RECEIVED: list[int] = []  # such signals


def _stop(number: int, frame: object) -> None:
    RECEIVED.append(number)
    raise Stopped(128 + number)


def _is_closed(number: int, name: str) -> bool:
    """Whether a standard stream was closed; /dev/null takes its place, before a file that is opened would take it."""
    if getattr(sys, name) is not None:
        return False
    empty = os.open(os.devnull, os.O_RDWR)
    if empty != number:
        os.dup2(empty, number)
        os.close(empty)
    if name != "stdin":
        setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115 - for good
    return True


def _drop_output() -> None:
    """Let go of what standard output does not take: Python would try again, and complain, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str] | None) -> int:
    if "_CALIPERS_COMPLETE" in os.environ:
        shell.main(prog_name="calipers")  # click prints the completions and exits
    from calipers.cli.messages import Shell
    from calipers.report.messages import worded

    args = list(sys.argv[1:] if arguments is None else arguments)
    try:
        # Not shell.main: it takes a closed pipe for a failure, and Ctrl-C for two lines.
        with worded(Shell()), shell.make_context("calipers", args.copy(), obj=args) as context:
            if not HELP & set(args):
                prepare()
            shell.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "")
        return 2
    except (KeyboardInterrupt, click.Abort, Stopped):
        if not RECEIVED:
            _say(CalipersError("cli.interrupted").text(_language(args)))
            return 130
        number = RECEIVED.pop()
        _say(CalipersError("cli.stopped", signal=signal.Signals(number).name).text(_language(args)))
        return 128 + number
    except click.ClickException as error:
        error_context = getattr(error, "ctx", None)
        _say(message_of(error, _language(args)) + (f" ({error_context.command_path} --help)" if error_context else ""))
        return 2
    except CalipersError as error:
        with worded(Shell()):
            _say(error.text(_language(args)) + (f" (calipers explain {error.code})" if sys.stderr.isatty() else ""))
        if isinstance(error, Unreadable):
            click.echo("\n".join(error.pointed), err=True)
        return 2
    except BrokenPipeError:
        raise
    except MemoryError as error:
        short = CalipersError("cli.no_memory_for", error=error) if str(error) else CalipersError("cli.no_memory")
        _say(short.text(_language(args)))
        return 2
    except Exception as error:
        if isinstance(error, OSError) and error.errno in LIMITS:
            if error.filename is None:  # errors about files have a file name
                _drop_output()
            file = error.filename or Remark("cli.standard_output")
            _say(CalipersError("cli.not_written", file=file, why=error.strerror).text(_language(args)))
            return 2
        if lacks_memory(error):
            _say(CalipersError("cli.no_memory_for", error=error).text(_language(args)))
            return 2
        if os.environ.get("CALIPERS_DEBUG") == "1":
            raise
        place = f" at {addresses.REPOSITORY}/issues" if addresses.published() else ""
        _say(
            f"{type(error).__name__}: {error}. This is a bug in Calipers: please report it{place}, "
            "with what CALIPERS_DEBUG=1 shows"
        )
        return 1
    return 0


def _language(args: Sequence[str]) -> str | None:
    """What --lang asks for, also where the options could not be read."""
    after = dict(pairwise(args)).get("--lang")
    return after or next((arg.partition("=")[2] for arg in args if arg.startswith("--lang=")), None)


def _say(message: str) -> None:
    """One line on standard error, in which nothing moves the cursor."""
    line = " ".join(message.split())
    printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in line)
    with suppress(OSError):  # standard error is closed too
        click.echo(f"calipers: {printable}", err=True)
