"""For pytest: a test that fails on `assert cal.gate(...)` shows the whole table of the gate; so does the fixture.

    def test_model(calipers_gate):
        calipers_gate(cal.evaluate(y, p), ["roc_auc >= 0.8"])

pytest itself shows one line of a value, cut after 240 characters. It loads this module by the entry point in
pyproject.toml; nothing else of the package is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Generator[None, Any, Any]:
    """Add the gates that were not passed, out of the frame in which the assertion failed."""
    report = yield
    if call.excinfo is not None and call.excinfo.errisinstance(AssertionError) and not _has_table(call.excinfo.value):
        frame = call.excinfo.traceback[-1].frame
        for result in {id(value): value for value in frame.f_locals.values() if _is_gate(value)}.values():
            if not result:
                report.sections.append(("calipers gate", result.to_text()))
    return report


@pytest.fixture
def calipers_gate(request: Any) -> Callable[..., Any]:
    """Calls `calipers.gate`; a gate that does not pass fails the test with its table, others are shown by -rA."""

    def gated(*args: Any, **options: Any) -> Any:
        import calipers

        result = calipers.gate(*args, **options)
        if not result:
            pytest.fail(result.to_text(), pytrace=False)
        request.node.add_report_section("call", "calipers gate", result.to_text())
        return result

    return gated


def _has_table(error: BaseException) -> bool:
    """Whether an error is that of `gate(...).check()`, whose text is the table."""
    return type(error).__name__ == "GateFailed"


def _is_gate(value: object) -> bool:
    kind = type(value)
    return kind.__name__ == "GateResult" and kind.__module__ == "calipers.gating.gate"
