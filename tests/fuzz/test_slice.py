"""Half a minute of the fuzzer on every run of the tests, and proofs that it can fail. `make fuzz` runs longer."""

import faulthandler
import os
import signal
import time

import checks
import pytest
import run
import targets
from draws import Draw, problem

import calipers as cal

SECONDS = 25.0


@pytest.mark.parametrize("target", list(run.SHARES))
def test_slice(target):
    until = time.monotonic() + SECONDS * run.SHARES[target] / sum(run.SHARES.values())
    case = 0
    while time.monotonic() < until:
        failed = run.attempt(targets.TARGETS[target], Draw(0, target, case))
        assert failed is None, f"{failed[0]}: {failed[1]}\npython tests/fuzz/run.py {target} --case {case}"
        case += 1
    assert case > 0


def test_a_case_is_drawn_the_same_again():
    first, second = (problem(Draw(3, "evaluate", 14)) for _ in range(2))
    assert first == second
    assert first != problem(Draw(3, "evaluate", 15))


def test_brute_force_sees_a_wrong_number():
    case = next(p for p in (problem(Draw(0, "x", i)) for i in range(99)) if p.kind == "numbers")
    right = checks.by_definition(case)
    checks.equal(right.__getitem__, right, "the same")
    with pytest.raises(checks.Disagreement, match="mae is"):
        checks.equal(lambda name: 1.001 * right[name] + 1e-6, right, "other")


def test_bounds_outside_the_range_are_seen():
    good = cal.evaluate_counts(tp=9, fp=1, fn=2, tn=8)["recall"]
    checks.estimate("recall", good)
    with pytest.raises(checks.Disagreement, match="is outside"):
        checks.estimate("recall", type(good).of_dict({**good.to_dict(), "value": 1.5}))
    with pytest.raises(checks.Disagreement, match="leave the range"):
        checks.estimate("recall", type(good).of_dict({**good.to_dict(), "high": 1.5}))
    with pytest.raises(checks.Disagreement, match="wrong order"):
        checks.estimate("recall", type(good).of_dict({**good.to_dict(), "low": 0.9, "high": 0.7}))


def planted(draw):
    """A target that fails in every way that a target can."""
    case = draw.integer(0, 9)
    if case == 0:
        raise ValueError("planted")
    if case == 1:
        faulthandler.disable()  # pytest would print the stack
        os.kill(os.getpid(), signal.SIGSEGV)
    if case == 2:
        time.sleep(3600)


def test_crashes_endless_cases_and_exceptions_are_findings_and_the_run_goes_on(monkeypatch):
    monkeypatch.setitem(targets.TARGETS, "planted", planted)
    monkeypatch.setattr(run, "SLOWEST", 1.0)
    expected = [Draw(5, "planted", i).integer(0, 9) for i in range(30)]
    outcome = run.run("planted", 30, 60.0, seed=5)
    assert outcome.cases == 30
    found = {f.text: f.cases for f in outcome.findings.values()}
    assert found["ValueError: planted"] == [i for i, kind in enumerate(expected) if kind == 0]
    assert found["SIGSEGV"] == [i for i, kind in enumerate(expected) if kind == 1]
    assert found["no answer after 1 s"] == [i for i, kind in enumerate(expected) if kind == 2]
    assert run.report([outcome], seed=5) == 3
