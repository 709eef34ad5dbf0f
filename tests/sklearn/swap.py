"""A pytest plugin: scikit-learn's own metric tests with our functions in the place of scikit-learn's.

`python -m pytest -p swap --pyargs sklearn.metrics.tests.test_ranking`, with this folder on the path. Types of
exceptions and warnings are compared, their wording is not. What is left out tests scikit-learn's own machinery
(array API, parameter decorators, scorers), or calls none of our functions. CALIPERS_SWAP_REPORT names a file that
takes the outcomes as JSON.
"""

import inspect
import json
import os
import re

import pytest
import sklearn.metrics as theirs
import sklearn.metrics.cluster as of_clusters

import calipers.sklearn as ours

NAMES = sorted(name for name in ours.__all__ if hasattr(theirs, name))
NAMED = re.compile("|".join(NAMES))  # also inside micro_f1_score
CALLED = re.compile(rf"\b({NAMED.pattern})\b")
MACHINERY = re.compile(r"array_api|polars|metadata|parameter_constraints|scorer|repr_html|docstring|set_config")
OUTCOMES: dict[str, list[str]] = {"passed": [], "failed": []}


def pytest_configure(config: pytest.Config) -> None:
    for name in NAMES:
        setattr(theirs, name, getattr(ours, name))
        if hasattr(of_clusters, name):  # the tests of clusters import from here
            setattr(of_clusters, name, getattr(ours, name))
    for name in ("raises", "warns"):
        setattr(pytest, name, _any_wording(getattr(pytest, name)))


def _any_wording(check):
    return lambda *arguments, match=None, **named: check(*arguments, **named)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if _is_about_us(item)]


def _is_about_us(item: pytest.Item) -> bool:
    if MACHINERY.search(item.nodeid):
        return False
    return bool(NAMED.search(item.nodeid) or CALLED.search(inspect.getsource(item.function)))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and not report.skipped:
        OUTCOMES[report.outcome].append(report.nodeid.partition("::")[2])


def pytest_unconfigure() -> None:
    path = os.environ.get("CALIPERS_SWAP_REPORT")
    if path:
        with open(path, "w") as file:
            json.dump(OUTCOMES | {"names": NAMES}, file)
