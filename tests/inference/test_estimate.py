"""A number with its two bounds: a float in every way, with what it knows beside it."""

import math
import pickle

import numpy as np
import pytest

import calipers as cal
from calipers.inference.estimate import Estimate, Interval


def make(value=0.5, low=0.25, high=0.75, method="wilson", **more):
    return Estimate(value, n=10, level=0.95, interval=lambda: Interval(low, high, method), **more)


def test_it_is_a_float():
    e = make()
    assert isinstance(e, float)
    assert (e + 1, 2 * e, -e, e < 0.6, round(e, 1), float(e)) == (1.5, 1.0, -0.5, True, 0.5, 0.5)
    assert type(float(e)) is float
    assert np.asarray([e, e]).dtype == np.float64
    assert math.isclose(e, 0.5)
    assert {e: "here"}[0.5] == "here"


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (make(), "0.500 [0.250, 0.750]"),
        (make(math.nan, math.nan, math.nan, "", reason="no rows"), "nan (no rows)"),
        (make(0.5, math.nan, math.nan, "a count"), "0.500"),
        (make(12345.6, 12000, 13000), "12,346 [12,000, 13,000]"),
        (make(math.inf, math.nan, math.nan, "the value is infinite"), "inf"),
    ],
)
def test_text(estimate, text):
    assert str(estimate) == repr(estimate) == f"{estimate}" == text


def test_formats_as_a_float():
    assert (f"{make():.1%}", f"{make():>8.3f}", f"{make():}") == ("50.0%", "   0.500", "0.500 [0.250, 0.750]")
    assert f"{make()!s:>22}" == "  0.500 [0.250, 0.750]"


def test_bounds_are_found_once_and_only_when_asked_for():
    calls = []

    def find():
        calls.append(1)
        return Interval(0.1, 0.9, "wilson", ("based on very few rows (2)",))

    e = Estimate(0.5, n=4, level=0.9, interval=find, flags=("first",))
    assert float(e) == 0.5
    assert calls == []
    assert (e.low, e.high, e.method, e.flags, e.level, e.n) == (
        0.1,
        0.9,
        "wilson",
        ("first", "based on very few rows (2)"),
        0.9,
        4,
    )
    assert calls == [1]


def test_reasons():
    assert make().reason == ""
    without = make(0.5, math.nan, math.nan, "a test statistic")
    assert (without.method, without.reason) == ("", "no interval: it is a test statistic")
    assert make(math.nan, math.nan, math.nan, "x", reason="no rows").reason == "no rows"


@pytest.mark.parametrize(
    "estimate",
    [
        make(flags=("few rows",)),
        make(math.nan, math.nan, math.nan, "", reason="no rows"),
        make(0.5, math.nan, math.nan, "a count"),
        make(math.inf, 1.0, math.inf),
        cal.evaluate([0, 1, 1, 0], [0.2, 0.7, 0.1, 0.4])["roc_auc"],
        cal.evaluate([0, 1, 1, 0], [0.2, 0.7, 0.1, 0.4])["mcc"],
    ],
)
def test_pickles_and_documents(estimate):
    for back in (pickle.loads(pickle.dumps(estimate)), Estimate.of_dict(estimate.to_dict())):
        assert type(back) is Estimate
        assert repr(back) == repr(estimate)
        assert [*map(repr, (float(back), back.low, back.high))] == [
            *map(repr, (float(estimate), estimate.low, estimate.high))
        ]
        for name in ("level", "n", "method", "reason", "flags"):
            assert getattr(back, name) == getattr(estimate, name), name
        assert back.to_dict() == estimate.to_dict()


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.12345, "0.123"), (999.99949, "1000"), (1234.5, "1234"), (-0.5, "-0.500"), (math.inf, "inf")],
)
def test_a_value_without_an_interval_is_written_alone(value, text):
    assert str(make(value, math.nan, math.nan)) == text
