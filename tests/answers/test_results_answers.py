"""The answers of results that are not evaluations, comparisons or gates: verdicts are those of their tests."""

import numpy as np
import pytest

import calipers as cal
from calipers.answers import answer_of
from calipers.answers.base import RESULT_TONES
from calipers.report.answers import shown
from calipers.report.language import LANGUAGES, Language

rng = np.random.default_rng(1)


def cards(result):
    return {card.question: card for card in answer_of(result).cards}


def test_of_folds_and_data_sets():
    base = [0.70, 0.71, 0.72, 0.70, 0.69, 0.71, 0.70, 0.72, 0.71, 0.70]
    more = [x + 0.05 + 0.002 * (i % 3) for i, x in enumerate(base)]
    assert cards(cal.compare_folds(base, more, test_share=0.1))["folds"].code == "candidate"
    assert cards(cal.compare_folds(more, base, test_share=0.1))["folds"].code == "baseline"
    assert cards(cal.compare_folds(base, base[::-1], test_share=0.1))["folds"].code == "open"
    rope = cards(cal.compare_folds(base, more, test_share=0.1, rope=0.01))["rope"].numbers
    assert rope["better"] + rope["equal"] + rope["worse"] == pytest.approx(1)
    scores = {"a": np.arange(12.0), "b": np.arange(12.0) + 0.5, "c": np.arange(12.0) - 0.5}
    found = cards(cal.compare_datasets(scores))
    assert (found["ranks"].code, found["ranks"].numbers["leader"]) == ("best", "b")
    assert found["datasets"].code == "differ"
    none = cards(cal.compare_datasets({"a": [1, 2, 3, 4], "b": [2, 1, 4, 3]}))
    assert (none["ranks"].code, none["datasets"].code) == ("level", "open")


def test_of_a_power_without_a_detectable_difference():
    assert cards(cal.power(accuracy=0.99, discordance=0.5, rows=4))["power"].code == "nothing"
    assert cards(cal.power(accuracy=0.9, rows=900))["power"].code == "difference"
    assert cards(cal.power(accuracy=(0.9, 0.92), rows=900))["power"].code == "power"


def test_of_periods_recalibrations_and_decision_curves():
    def period(signal):
        y = rng.integers(0, 2, 4000)
        return cal.evaluate(y, signal * y + rng.normal(size=4000), metrics=["roc_auc", "average_precision"])

    falling = cal.trend(
        {f"2026-0{m}": period(3 - 0.4 * m) for m in range(1, 7)}, metrics=["roc_auc", "average_precision"]
    )
    assert [card.code for card in answer_of(falling).cards] == ["worse", "worse"]
    assert shown(answer_of(falling), Language("en")).sentence == (
        "There is a worsening trend in ROC AUC and average precision."
    )
    x = rng.normal(size=3000)
    y = (rng.random(3000) < 1 / (1 + np.exp(1 - x))).astype(int)
    extreme = 1 / (1 + np.exp(1.5 - 2.5 * x))
    changes = cal.calibrate(y, extreme)
    for card in answer_of(changes).cards:
        change = changes[card.metric]
        assert card.code == ("better" if change.high < 0 else "worse" if change.low > 0 else "open")
    assert answer_of(changes).cards[0].code == "better"
    models = {"good": 1 / (1 + np.exp(1 - x)), "coin": np.full(3000, 0.5)}
    codes = {c.numbers["leader"]: c.code for c in answer_of(cal.decision_curve(y, models)).cards}
    assert codes == {"good": "clear", "coin": "never"}


def test_names_of_users_are_made_harmless_and_stay_as_written():
    scores = {"<b>x\x1b[31m": [0.9, 0.8, 0.95, 0.7], "iModel": [0.7, 0.75, 0.8, 0.5]}
    result = cal.compare_datasets(scores)
    assert "<b>x" not in result.to_html()
    assert "\x1b" not in shown(answer_of(result), Language("en")).cards[1].figure


def test_every_code_can_be_said():
    """Every text of cards.toml that no result above reaches has its values."""
    values = {
        "choice": "a", "best": "b", "count": 2, "value": 0.5, "error": 0.1, "names": "a\nb", "times": 1, "folds": 3,
        "few": 1, "many": 2, "axis": "x", "place": "1", "param": "x", "loss": 0.1, "bias": 0.1, "variance": 0.1,
        "models": 2, "p": 0.1, "runs": 2, "better": 0.1, "equal": 0.1, "worse": 0.1, "leader": "a", "rank": 1.5,
        "level": 0.95, "sets": 2, "rows": 3, "power": 0.8, "difference": 0.1, "given": "", "test": "t", "call": "c",
        "low": 0.0, "high": 1.0, "total": 3, "with_loss": 1, "first": "1", "last": "2", "before": 0.1, "after": 0.2,
        "method": "platt", "clear": "0.1 0.2", "k": 3,
    }  # fmt: skip
    from calipers.answers import Answer, Card
    from calipers.inference.estimate import Estimate, Interval

    estimate = Estimate(0.5, n=9, level=0.95, interval=lambda: Interval(0.4, 0.6, ""))
    for question, codes in RESULT_TONES.items():
        for code in codes:
            numbers = {**values, **({"best": "0.1 0.2"} if question == "benefit" else {})}
            card = Card(question, code, "accuracy", estimate, numbers=numbers)
            for lang in LANGUAGES:
                text = shown(Answer((card,)), Language(lang))
                assert text.sentence, (question, code)
                assert text.cards[0].sentence, (question, code)
