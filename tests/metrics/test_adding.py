"""A newcomer writes one decorated function, and everything else follows from it."""

import json

import numpy as np
import pytest

import calipers as cal
from calipers.errors import InputError, UnknownName
from calipers.metrics.base import CATALOGUE
from calipers.metrics.values import Proportion
from calipers.statistics.confusion import OneVsRest
from calipers.statistics.scores import ScoreSamples

TRUTH = ["a", "b", "c", "a", "b", "c", "a", "a"]
SAID = ["a", "b", "b", "a", "a", "c", "b", "a"]


@pytest.fixture
def caught():
    @cal.metrics.metric(
        over=OneVsRest, better="higher", bounds=(0.0, 1.0), formula="({tp} + {bonus}) / ({tp} + {fn} + {bonus})",
        undefined="nothing to catch", aliases=("netted",), shorthands={"caught_twice": "caught(bonus=2)"},
        headline={"binary": (None,), "multiclass": ("macro",)},
    )  # fmt: skip
    def caught(c, *, bonus=1.0):
        """The share caught, with a bonus."""
        return (c.tp + bonus) / (c.tp + c.fn + bonus)

    yield caught
    CATALOGUE.remove("caught")


def test_one_function_is_enough(caught):
    ev = cal.evaluate(
        TRUTH, SAID, metrics=["caught_macro", "caught(average=weighted)", "netted(bonus=2, average=micro)"]
    )
    shares = np.array([4 / 5, 2 / 3, 2 / 3])
    assert list(ev) == ["caught(average=macro)", "caught(average=weighted)", "caught(bonus=2, average=micro)"]
    assert ev["caught_macro"] == pytest.approx(shares.mean())
    assert ev["caught(average=weighted)"] == pytest.approx(shares @ [4, 2, 2] / 8)
    assert ev["caught_twice(average=micro)"] == pytest.approx((5 + 2) / (8 + 2))
    assert ev["caught_macro"].low < ev["caught_macro"] < ev["caught_macro"].high
    assert ev["caught_macro"].method == "delta (wilson)"
    assert ev.classes["a"]["caught"] == pytest.approx(4 / 5)
    assert json.loads(ev.to_json())["metrics"]["caught(average=macro)"]["value"] == ev["caught_macro"]
    assert "caught(average=macro)" in cal.evaluate(TRUTH, SAID)  # a headline of its task


def test_it_has_every_door(caught):
    truth, score = [0, 1, 1, 0, 1], [0.2, 0.9, 0.4, 0.6, 0.8]
    expected = pytest.approx((2 + 1) / (3 + 1))
    assert str(caught) == "caught"
    assert caught(truth, score) == expected
    assert cal.metric("caught")(truth, score) == cal.metrics.caught(truth, score) == expected
    assert cal.metrics.netted(truth, score, bonus=2) == cal.metric("caught_twice")(truth, score) == pytest.approx(4 / 5)
    assert caught in (cal.metric("caught"), cal.metric("netted"))
    ev = cal.evaluate(truth, score)
    assert ev.at(threshold=0.7)["caught"] == expected
    assert ev.best_threshold("caught") == 0.4
    assert cal.evaluate_counts(tp=2, fp=1, fn=1, tn=1)["caught"] == expected
    assert caught in [cal.metric(m.name) for m in cal.metrics.catalogue()]
    back = cal.loads(ev.to_json())
    assert back["caught"] == expected


def test_what_it_returns_names_its_interval(caught):
    @cal.metrics.metric(
        over=ScoreSamples, better="higher", bounds=(0.0, 1.0), formula="{above} / {positives}", undefined="no positives"
    )
    def above_half(s):
        """The fraction of positives above one half."""
        return Proportion(np.float64((s.pos > 0.5).sum()), np.float64(len(s.pos)))

    try:
        estimate = cal.metrics.above_half([0, 1, 1, 1], [0.1, 0.7, 0.4, 0.9])
        assert estimate == pytest.approx(2 / 3)
        assert estimate.method == "wilson"
        missing = cal.evaluate([0, 0], [0.1, 0.7])["above_half"]
        assert np.isnan(missing)
        assert missing.reason == "no positives"
    finally:
        CATALOGUE.remove("above_half")


def test_a_name_is_taken_once(caught):
    for taken in ("caught", "netted", "f1", "dice"):
        with pytest.raises(InputError, match=f"a metric is already called '{taken}'"):
            cal.metrics.metric(
                over=OneVsRest,
                better="",
                bounds=(0, 1),
                formula="1",
                undefined="never",
                aliases=() if taken != "netted" else ("netted",),
            )(_named(taken if taken != "netted" else "other"))


def _named(name):
    def function(c):
        """Nothing."""
        return 1.0

    function.__name__ = name
    return function


def test_and_it_goes_again(caught):
    CATALOGUE.remove("caught")
    for name in ("caught", "netted", "caught_twice", "caught_macro"):
        with pytest.raises(UnknownName, match=f"no metric is called '{name}'"):
            cal.metric(name)
    with pytest.raises(AttributeError):
        cal.metrics.caught  # noqa: B018 - the look-up itself is tested
    CATALOGUE.add(caught.metric)
    assert cal.metric("netted") == caught
