"""Drive the entry points with random inputs and report what fails: `python tests/fuzz/run.py [TARGET ...]`.

Every case is drawn from (seed, target, number), so `--case 123` repeats one alone. Cases run in a child process: a
crash of native code or an endless loop is a finding with its case, and the run continues with the next case.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SLOWEST = 60.0  # seconds after which a case counts as endless
MEMORY = 8 * 2**30  # an input of some rows needs no more
SHARES = {  # of the time box
    "evaluate": 30, "metric": 8, "name": 10, "requirement": 10, "counts": 5, "compare": 10, "ranking": 5,
    "document": 10,
    "statistic": 2, "file": 10, "sketch": 5,
}  # fmt: skip


@dataclass
class Finding:
    """One way to fail: where, with what words, and the cases that show it."""

    where: str
    text: str
    cases: list[int] = field(default_factory=list)


@dataclass
class Outcome:
    """What a target's run gave."""

    target: str
    cases: int = 0
    seconds: float = 0.0
    findings: dict[str, Finding] = field(default_factory=dict)

    def add(self, case: int, where: str, text: str) -> None:
        """Enter a failure under its place and its words without numbers."""
        words = re.sub(r"[-\d.]+(e[+-]?\d+)?|'[^']*'|\"[^\"]*\"|\[.*\]", "#", text)[:120]
        found = self.findings.setdefault(f"{where} {words}", Finding(where, text))
        found.cases.append(case)


def attempt(target: Callable[[Any], None], draw: Any) -> tuple[str, str] | None:
    """None, or where the target failed and how."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "Warning: converting a masked element")  # NumPy's, of a list with one
            target(draw)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return place(error), f"{type(error).__name__}: {str(error)[:600]}"
    return None


def place(error: BaseException) -> str:
    """The innermost frame of the library, or else of the fuzzer."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f"{os.sep}calipers{os.sep}" in f.filename] or frames
    return f"{os.path.basename(ours[-1].filename)}:{ours[-1].name}" if ours else "?"


def work(target: str, seed: int, cases: range, until: float, at: Any, results: Any) -> None:
    """Run cases until they or the time are at an end; `at` holds the case under way, or the first that was not run."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from draws import Draw
    from targets import TARGETS

    for case in cases:
        at.value = case
        if time.time() > until:
            break
        failed = attempt(TARGETS[target], Draw(seed, target, case))
        if failed is not None:
            results.send((case, *failed))
    else:
        at.value = cases.stop
    os._exit(0)  # what the libraries behind do at their end is no part of the trial


def run(target: str, inputs: int, seconds: float, seed: int, start: int = 0) -> Outcome:
    """All cases of one target, in a child process that is started again behind whatever kills it."""
    outcome, begun, end = Outcome(target), time.time(), start + inputs
    case, until = start, begun + seconds
    while case < end and time.time() < until:
        at, exitcode = _child(outcome, seed, range(case, end), until)
        if exitcode == 0:
            case = at
            break
        how = signal.Signals(-exitcode).name if exitcode < 0 else f"exit code {exitcode}"
        if exitcode == -signal.SIGKILL:
            how = f"no answer after {SLOWEST:.0f} s"
        outcome.add(at, "(the process)", how)
        case = at + 1
    outcome.cases, outcome.seconds = case - start, time.time() - begun
    return outcome


def _child(outcome: Outcome, seed: int, cases: range, until: float) -> tuple[int, int]:
    """One process over the cases: the case at which it ended, and its exit code."""
    context = multiprocessing.get_context("fork")
    at, (receiver, sender) = context.Value("q", cases.start), context.Pipe(duplex=False)
    child = context.Process(target=work, args=(outcome.target, seed, cases, until, at, sender))
    child.start()
    sender.close()
    seen, since, shown = cases.start, time.time(), time.time()
    while True:
        try:
            while receiver.poll(0.2):
                outcome.add(*receiver.recv())
        except EOFError:
            break
        now = time.time()
        if at.value != seen:
            seen, since = at.value, now
        elif now - since > SLOWEST:
            child.kill()
        if now - shown > 10:
            shown = now
            print(
                f"  {outcome.target}: case {at.value:,}, {len(outcome.findings)} findings", file=sys.stderr, flush=True
            )
    child.join()
    return at.value, child.exitcode or 0


def report(outcomes: list[Outcome], seed: int) -> int:
    """Print what failed, most frequent first; the number of findings."""
    for outcome in outcomes:
        failed = sum(len(f.cases) for f in outcome.findings.values())
        line = f"{outcome.target:12} {outcome.cases:>9,} inputs  {outcome.seconds:7.1f} s  {failed:>6,} failed"
        print(f"{line}, {len(outcome.findings)} findings")
    for outcome in outcomes:
        for found in sorted(outcome.findings.values(), key=lambda f: -len(f.cases)):
            print(f"\n[{outcome.target}] {found.where}: {found.text}")
            again = f"python tests/fuzz/run.py {outcome.target} --seed {seed} --case {found.cases[0]}"
            print(f"  {len(found.cases)} cases; repeat: {again}")
    return sum(len(outcome.findings) for outcome in outcomes)


def once(target: str, seed: int, case: int) -> None:
    """Run one case in this process, with its traceback."""
    from draws import Draw
    from targets import TARGETS

    warnings.simplefilter("error")
    TARGETS[target](Draw(seed, target, case))
    print(f"{target} {case}: an answer, or a refusal as it should be")


def main() -> None:
    """Read the arguments, run, and exit with 1 where something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"one or more of {', '.join(SHARES)} (default: all)"
    )
    parser.add_argument(
        "--inputs", type=int, default=10**9, help="how many inputs per target (default: as time allows)"
    )
    parser.add_argument("--seconds", type=float, default=600.0, help="time box, shared by the targets (default: 600)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--case", type=int, help="repeat this case alone, with its traceback")
    asked = parser.parse_args()
    targets = asked.targets or list(SHARES)
    if unknown := set(targets) - set(SHARES):
        parser.error(f"no target is called {', '.join(unknown)}: {', '.join(SHARES)}")
    if asked.case is not None:
        once(targets[0], asked.seed, asked.case)
        return
    whole = sum(SHARES[target] for target in targets)
    outcomes = [
        run(target, asked.inputs, asked.seconds * SHARES[target] / whole, asked.seed, asked.start) for target in targets
    ]
    sys.exit(1 if report(outcomes, asked.seed) else 0)


if __name__ == "__main__":
    main()
