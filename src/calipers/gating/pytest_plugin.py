"""For pytest: a test that fails on `assert cal.gate(...)` shows the whole table of the gate.

pytest itself shows one line of a value, cut after 240 characters. It loads this module by the entry point in
pyproject.toml; nothing else of the package is imported here.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Generator[None, Any, Any]:
    """Add the gates that were not passed, out of the frame in which the assertion failed."""
    report = yield
    if call.excinfo is not None and call.excinfo.errisinstance(AssertionError):
        frame = call.excinfo.traceback[-1].frame
        for result in {id(value): value for value in frame.f_locals.values() if _is_gate(value)}.values():
            if not result:
                report.sections.append(("calipers gate", result.to_text()))
    return report


def _is_gate(value: object) -> bool:
    kind = type(value)
    return kind.__name__ == "GateResult" and kind.__module__ == "calipers.gating.gate"
