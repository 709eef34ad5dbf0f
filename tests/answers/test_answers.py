"""Verdicts follow from intervals and tests; the sentence says what they are, good news included."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import calipers as cal
from calipers import datasets
from calipers.answers import TONES, VERDICTS, Answer, Card, answer, answer_over_folds
from calipers.answers.classes import probabilities
from calipers.errors import InputError
from calipers.report.answers import shown
from calipers.report.language import Language
from calipers.report.messages import LANGUAGES


def binary(kind, n=400):
    """Truth and scores of a model of this kind."""
    rng = np.random.default_rng(5)
    y = (rng.random(n) < 0.3).astype(int)
    if kind == "good":
        p = rng.beta(1, 2, 2000)
        return (rng.random(2000) < p).astype(int), p
    scores = {
        "useless": lambda: rng.permutation(np.where(y == 1, 0.29, 0.31) + rng.normal(0, 0.05, n)),
        "inverted": lambda: np.clip(0.5 - 0.2 * y + rng.normal(0, 0.15, n), 0, 1),
        "perfect": lambda: np.where(y == 1, 0.9 + 0.05 * rng.random(n), 0.1 * rng.random(n)),
        "majority": lambda: np.full(n, y.mean()),
    }
    return y, scores[kind]()


def codes(ev):
    return {card.question: card.code for card in answer(ev).cards}


def said(ev, lang="en"):
    return shown(answer(ev), Language(lang)).sentence


def test_a_good_model_is_called_good():
    ev = cal.evaluate(*binary("good"))
    assert codes(ev) == {"ranking": "better", "decisions": "more_accurate", "probabilities": "calibrated"}
    assert {card.tone for card in answer(ev).cards} == {"good"}
    matrix = ev.confusion
    assert said(ev) == (
        f"The model ranks class 1 rows clearly better than guessing; it finds {matrix[1, 1]} of the "
        f"{matrix[1, 1] + matrix[1, 0]} class 1 rows at threshold 0.5, with {matrix[0, 1]} false alarms, and its "
        "probabilities agree with the outcomes."
    )


def test_the_example_of_the_sketch():
    ev = cal.evaluate(datasets.load("bad_debt"), truth="truth", score="score", positive="BAD", threshold=0.5)
    assert said(ev) == (
        "The model ranks BAD rows clearly better than guessing, but it misses 45 of the 100 BAD rows at threshold 0.5 "
        "and raises 50 false alarms, and its probabilities are too high."
    )
    vietnamese = (
        "Mô hình xếp hạng các mẫu BAD rõ ràng tốt hơn đoán ngẫu nhiên, nhưng mô hình bỏ sót 45 trong 100 mẫu BAD"
    )
    assert said(ev, "vi").startswith(vietnamese)
    assert said(ev, "zh").startswith("模型对 BAD 样本的排序明显优于随机猜测，但模型漏掉 100 个 BAD 样本中的 45 个")
    ranking, decisions, probabilities = shown(answer(ev), Language("en")).cards
    assert (ranking.sign, decisions.sign, probabilities.sign) == ("✓", "!", "✗")
    assert (decisions.figure, decisions.caption) == ("55 of 100", "BAD found")
    assert "always predicting GOOD gives 90.0%" in decisions.sentence
    assert ranking.bar.mark == 0.5 < ranking.bar.low < ranking.bar.value < ranking.bar.high


@pytest.mark.parametrize(
    ("kind", "ranking", "decisions", "begins"),
    [
        ("useless", "open", None, "The model's ranking"),
        ("inverted", "worse", "worse", "The model ranks and predicts worse than guessing"),
        ("perfect", "perfect", "perfect", "The model ranks and predicts every row correctly"),
        ("majority", "constant", "always", "The model gives every row the same score"),
    ],
)
def test_the_sentence_of_each_kind_of_model(kind, ranking, decisions, begins):
    ev = cal.evaluate(*binary(kind))
    assert codes(ev)["ranking"] == ranking
    assert decisions is None or codes(ev)["decisions"] == decisions
    assert said(ev).startswith(begins)
    for lang in ("vi", "zh"):
        assert said(ev, lang)[-1] in ".。"
        assert "{" not in said(ev, lang)


def test_the_kinds_of_model_in_other_languages():
    inverted = cal.evaluate(*binary("inverted"))
    assert said(inverted, "vi").startswith("Mô hình xếp hạng và dự đoán kém hơn đoán ngẫu nhiên")
    assert said(cal.evaluate(*binary("perfect")), "zh").startswith("模型对所有样本的排序和预测都正确")
    assert said(cal.evaluate(*binary("useless")), "vi").startswith("Cách xếp hạng")
    assert said(cal.evaluate(*binary("good")), "zh").startswith("模型对类别 1 样本的排序明显优于随机猜测")
    assert "dự đoán lớp 0 cho mọi mẫu" in said(cal.evaluate(*binary("majority")), "vi")


def test_few_rows_decide_nothing():
    ev = cal.evaluate([0, 1, 1, 0, 1], [0.1, 0.8, 0.6, 0.3, 0.4])
    assert codes(ev) == {"ranking": "open", "decisions": "open", "probabilities": "few"}
    assert said(ev) == (
        "The model's ranking and its decisions cannot be distinguished from guessing, and there are too few rows to "
        "judge its probabilities."
    )
    assert said(ev, "zh").startswith("模型的排序和判定都与随机猜测无法区分")


def test_all_right_on_a_handful_of_rows_is_no_proof():
    """The interval of 3 + 3 right predictions begins above one half, but guessing gives them once in twenty."""
    ev = cal.evaluate([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.1, 0.8, 0.9, 0.7])
    assert ev["balanced_accuracy"].low > 0.5
    assert codes(ev)["decisions"] == "open"
    assert codes(cal.evaluate([0] * 5 + [1] * 5, [0.1] * 5 + [0.9] * 5))["decisions"] == "perfect"


def test_one_class_in_the_test_data_is_said_first():
    ev = cal.evaluate([0] * 200, list(np.linspace(0.01, 0.4, 200)))
    assert codes(ev)["decisions"] == "one_class"
    assert "ranking" not in codes(ev)
    assert said(ev).startswith("All 200 rows of the test data are class 0, so ranking and decisions cannot be measured")
    assert said(ev, "vi").startswith("Cả 200 mẫu kiểm thử đều là lớp 0")
    assert ev.findings[0].code == "only_one_class"


def test_the_verdict_is_that_of_the_interval():
    """Wherever the interval of the area excludes one half the model is called better, and nowhere else."""
    rng = np.random.default_rng(3)
    seen = set()
    for shift in np.linspace(-0.6, 0.6, 41):
        y = np.arange(80) % 2
        ev = cal.evaluate(y, y * shift + rng.normal(size=80), metrics=["roc_auc"])
        low, high = ev["roc_auc"].low, ev["roc_auc"].high
        code = codes(ev)["ranking"]
        assert code == ("better" if low > 0.5 else "worse" if high < 0.5 else "open")
        seen.add(code)
    assert seen == {"better", "worse", "open"}


def test_only_what_was_asked_for_is_answered():
    y, s = binary("good")
    assert list(codes(cal.evaluate(y, s, metrics=["f1"]))) == ["decisions"]
    assert list(codes(cal.evaluate(y, s, metrics=["brier"]))) == ["probabilities"]
    assert said(cal.evaluate(y, s, metrics=["brier"])) == "The model's probabilities agree with the outcomes."
    assert list(codes(cal.evaluate(y, (s > 0.5).astype(int), positive=1))) == ["decisions"]


def test_groups_of_rows_leave_the_calibration_open():
    y, s = binary("good")
    ev = cal.evaluate(y, s, groups=np.arange(len(y)) // 4)
    assert codes(ev)["probabilities"] == "dependent"
    assert codes(ev)["decisions"] == "unknown"  # McNemar's test needs independent rows
    assert codes(ev)["ranking"] == "better"


def test_several_classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 400)
    p = rng.dirichlet(np.ones(4), 400)
    p[np.arange(400), y] += 0.6
    ev = cal.evaluate(y, p / p.sum(1, keepdims=True))
    assert codes(ev)["ranking"] == "better"
    assert codes(ev)["decisions"] == "more_accurate"
    right = int(np.trace(ev.confusion.counts))
    assert f"it predicts {right} of 400 rows correctly" in said(ev)
    useless = cal.evaluate(y, rng.dirichlet(np.ones(4), 400))
    assert codes(useless)["decisions"] == "open"
    assert answer(useless).cards[1].mark == 0.25


def test_several_labels():
    rng = np.random.default_rng(0)
    y = (rng.random((200, 3)) < 0.3).astype(int)
    ev = cal.evaluate(y, np.clip(y * 0.4 + rng.random((200, 3)) * 0.5, 0, 1), task="multilabel")
    assert codes(ev) == {"ranking": "better", "decisions": "sets"}
    assert f"all labels of {100 * ev['subset_accuracy']:.1f}% of the rows right" in said(ev)


def test_predicted_numbers():
    rng = np.random.default_rng(0)
    x = rng.normal(10, 3, 300)
    good, biased = cal.evaluate(x, x + rng.normal(0, 1, 300)), cal.evaluate(x, x + 1 + rng.normal(0, 1, 300))
    assert codes(good) == {"size": "better", "bias": "none", "where": "alike"}
    assert said(good).endswith("clearly better than always predicting the mean, and no bias was found.")
    size = answer(good).cards[0].numbers
    assert size["naive"] == pytest.approx(x.std())  # the RMSE of always predicting the mean
    assert codes(biased)["bias"] == "too_high"
    assert said(biased).endswith("but they are 0.973 too high on average.")
    assert codes(cal.evaluate(x, rng.permutation(x)))["size"] == "worse"
    assert codes(cal.evaluate(x, np.full(300, x.mean())))["size"] == "open"
    assert codes(cal.evaluate(x, x))["size"] == "perfect"
    growing = cal.evaluate(x, x + rng.normal(0, np.exp(x / 4)))
    assert codes(growing)["where"] == "grow"
    assert "误差随预测值增大" in said(growing, "zh")


def test_a_slight_bias_of_many_rows_is_not_called_bad():
    rng = np.random.default_rng(0)
    x = rng.normal(10, 3, 20000)
    card = answer(cal.evaluate(x, x + 0.05 + rng.normal(0, 1, 20000))).cards[1]
    assert (card.code, card.tone) == ("slight", "open")
    assert card.estimate.low > 0


def test_rankings():
    qrels, runs = {}, {}
    for q in range(8):
        qrels[f"q{q}"] = {"d1": 1, "d2": 0, "d3": int(q % 2)}
        runs[f"q{q}"] = {"d1": 0.9 if q < 5 else 0.1, "d2": 0.5, "d3": 0.3}
    ev = cal.evaluate_ranking(qrels, runs)
    first, queries, worst = answer(ev).cards
    assert (first.numbers["hits"], first.numbers["queries"]) == (5, 8)
    assert said(ev).startswith("The first result is relevant for 5 of 8 queries, and half of the queries have")
    values = ev.per_query["ndcg@10"]
    assert queries.numbers["middle"] == pytest.approx(np.median(values))
    assert worst.numbers["names"].split("\n")[0] == f"q{int(values.argmin())}"
    assert {card.tone for card in answer(ev).cards} == {"plain"}


def test_folds_name_the_model():
    from sklearn.naive_bayes import GaussianNB

    from calipers.answers import answer_over_folds

    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    folds = cal.cross_validate(GaussianNB(), y[:, None] + rng.normal(size=(200, 1)), y, seed=0)
    text = shown(answer_over_folds(folds), Language("en")).sentence
    assert text.startswith("GaussianNB ranks class 1 rows clearly better than guessing; its decisions are clearly")
    again = cal.loads(folds.to_json())
    assert shown(answer_over_folds(again), Language("en")).sentence == text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_code_has_words(lang):
    words = Language(lang)
    for question, verdicts in VERDICTS.items():
        for code, verdict in verdicts.items():
            if words.knows(f"cards.{question}.title"):
                parts = ("headline", "sentence", *(() if TONES[verdict] == "plain" else ("verdict",)))
                assert all(words.knows(f"cards.{question}.{code}.{part}") for part in parts), (question, code)
                continue
            assert words.knows(f"answers.card.{question}.{code}") or code == "measured", (question, code)
            assert TONES[verdict] == "plain" or words.knows(f"answers.verdict.{verdict}")


def test_the_answer_is_kept_in_the_document():
    for ev in (cal.evaluate(*binary("good")), cal.evaluate(np.arange(50.0), np.arange(50.0) ** 1.1)):
        again = cal.loads(ev.to_json())
        assert said(again) == said(ev)
        assert again.to_dict()["answer"] == ev.to_dict()["answer"]


def test_a_document_whose_answer_is_damaged_is_refused():
    document = cal.evaluate(*binary("good")).to_dict()
    del document["answer"]["cards"][1]["numbers"]["hits"]
    import json

    with pytest.raises(InputError, match="the numbers that its sentences need"):
        cal.loads(json.dumps(document))


def test_labels_of_users_are_made_harmless():
    card = Card("decisions", "always", numbers={"label": "a\x1b[31m" + "x" * 90, "right": 1.0, "rows": 2.0})
    text = shown(Answer((card,)), Language("en")).sentence
    assert "\x1b" not in text
    assert len(text) < 80


def test_probabilities_over_folds_are_tested_on_all_out_of_fold_predictions():
    debts = datasets.load("bad_debt")
    validation = cal.cross_validate(GaussianNB(), [[s] for s in debts["score"]], debts["truth"], positive="BAD", seed=0)
    card = answer_over_folds(validation).cards[2]
    assert (card.question, card.code) == ("probabilities", "too_high")
    assert card.numbers == probabilities(validation.pooled()).numbers
    again = cal.loads(validation.to_json())
    assert answer_over_folds(again).to_dict() == answer_over_folds(validation).to_dict()
    assert again.to_text("vi") == validation.to_text("vi")
    asked = {"metrics": ["f1"], "positive": "BAD", "seed": 0}
    labels = cal.cross_validate(GaussianNB(), [[s] for s in debts["score"]], debts["truth"], **asked)
    assert "probabilities" not in [card.question for card in answer_over_folds(labels).cards]


def test_a_calibration_error_that_the_tests_miss_is_not_called_calibrated():
    """Low and high scores err in turn, so that neither the mean nor the spread differs."""
    truth, score = [1, 0, 1, 0, 0, 1] * 40, [0.9, 0.2, 0.4, 0.7, 0.1, 0.8] * 40
    ev = cal.evaluate(truth, score)
    card = next(card for card in answer(ev).cards if card.question == "probabilities")
    assert card.estimate.low > card.mark
    assert (card.code, card.tone) == ("uneven", "open")
    for lang in LANGUAGES:
        assert shown(answer(ev), Language(lang)).cards[-1].sentence


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e4])
def test_weights_of_any_unit_are_said_as_rows(unit):
    rng = np.random.default_rng(3)
    truth = (rng.random(2000) < 0.1).astype(int)
    score = np.clip(0.1 + 0.4 * truth + rng.normal(0, 0.15, 2000), 0, 1)
    weights = rng.gamma(4, 0.25, 2000)
    ev = cal.evaluate(truth, score=score, weights=weights * unit)
    mean = weights.mean()
    hits, positives = (round(weights[keep].sum() / mean) for keep in ((truth == 1) & (score >= 0.5), truth == 1))
    assert f"it finds {hits} of the {positives} class 1 rows at threshold 0.5" in str(ev).replace("\n", " ")


def test_a_light_error_is_no_perfect_prediction():
    truth = np.repeat([0, 1], 50)
    ev = cal.evaluate(truth, np.r_[1, truth[1:]], weights=np.r_[1e-9, np.full(99, 0.7)])
    assert answer(ev).cards[0].code != "perfect"
