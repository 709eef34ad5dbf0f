"""Thresholds of each label and of each model, and thresholds that the shell chooses."""

import numpy as np
import pytest
from click.testing import CliRunner

import calipers as cal
from calipers.cli import shell
from calipers.errors import InputError

rng = np.random.default_rng(2)
LABELS = (rng.random((80, 3)) < [0.2, 0.5, 0.4]).astype(int)
SCORES = np.clip(0.3 + 0.4 * LABELS + rng.normal(0, 0.25, (80, 3)), 0, 1)
EACH = {0: 0.3, 1: 0.5, 2: 0.7}
TRUTH, SCORE = LABELS[:, 1], SCORES[:, 1]
OTHER = np.clip(SCORE + rng.normal(0, 0.2, 80), 0, 1)


def test_item_2_each_label_has_its_own_threshold():
    ev = cal.evaluate(LABELS, SCORES, threshold=EACH)
    same = cal.evaluate(LABELS, (SCORES >= [0.3, 0.5, 0.7]).astype(int))
    for name in ("f1(average=macro)", "f1(average=micro)", "hamming_loss", "subset_accuracy"):
        assert ev[name] == same[name]
    assert ev.predictions == "score >= the threshold of the label: 0 0.3, 1 0.5, 2 0.7"
    for back in (cal.loads(ev.to_json()), cal.loads(ev.to_bytes())):
        assert back["f1(average=macro)"] == ev["f1(average=macro)"]
        assert back.settings.threshold == ev.settings.threshold
    for lang in ("en", "vi", "zh"):
        assert "0,7" in ev.to_text(lang).replace("0.7", "0,7")


def test_the_best_threshold_of_each_label():
    scored = cal.evaluate(LABELS, SCORES)
    best = {label: scored.best_threshold("f1", label=label) for label in scored.labels}
    ev = cal.evaluate(LABELS, SCORES, threshold=best)
    for label in ev.labels:
        assert ev.classes[label]["f1"] == pytest.approx(best[label].value)


@pytest.mark.parametrize(
    ("y", "s", "threshold", "message"),
    [
        (LABELS, SCORES, {0: 0.5, 1: 0.5}, r"needs one threshold for each label \(0, 1 and 2\); missing or unknown: 2"),
        (LABELS, SCORES, {0: 0.5, 1: 0.5, 2: 0.5, 3: 1}, "missing or unknown: 3"),
        (TRUTH, SCORE, {0: 0.5, 1: 0.5}, "is for multi-label data: pass one number"),
        (LABELS, SCORES, {0: "x", 1: 0.5, 2: 0.5}, "'x' is not a number"),
    ],
)
def test_thresholds_that_do_not_fit(y, s, threshold, message):
    with pytest.raises(InputError, match=message):
        cal.evaluate(y, s, threshold=threshold)


def test_item_2_each_model_has_its_own_threshold():
    both = cal.compare(TRUTH, {"a": SCORE, "b": OTHER}, threshold={"a": 0.4, "b": 0.6}, metrics=["f1", "roc_auc"])
    one, other = (cal.evaluate(TRUTH, s, threshold=t)["f1"] for s, t in ((SCORE, 0.4), (OTHER, 0.6)))
    assert both["f1"].measured == (other, one)
    assert [ev.threshold for ev in both.models.values()] == [0.4, 0.6]
    labels = cal.compare(TRUTH, {"a": (SCORE >= 0.4).astype(int), "b": (OTHER >= 0.6).astype(int)}, metrics=["f1"])
    assert both["f1"].difference == labels["f1"].difference
    assert (both["f1"].low, both["f1"].high) == (labels["f1"].low, labels["f1"].high)
    assert cal.loads(both.to_json()).to_text() == both.to_text()


def test_models_of_several_labels_share_thresholds_or_have_their_own():
    shared = cal.compare(LABELS, {"a": SCORES, "b": SCORES**2}, threshold=EACH, metrics=["hamming_loss"])
    own = cal.compare(LABELS, {"a": SCORES, "b": SCORES**2}, threshold={"a": EACH, "b": 0.5}, metrics=["hamming_loss"])
    alone = cal.evaluate(LABELS, SCORES, threshold=EACH)["hamming_loss"]
    assert shared["hamming_loss"].measured[1] == own["hamming_loss"].measured[1] == alone
    assert own["hamming_loss"].measured[0] == cal.evaluate(LABELS, SCORES**2, threshold=0.5)["hamming_loss"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "x.csv"
    lines = [f"{y},{s:.6f},{o:.6f}" for y, s, o in zip(TRUTH, SCORE, OTHER, strict=True)]
    path.write_text("\n".join(["truth,score,other", *lines]))
    return str(path)


def run(*arguments):
    return CliRunner().invoke(shell, [*arguments, "--quiet"], env={"LANG": "C"})


@pytest.mark.parametrize("rule", ["f1", "recall at precision >= 0.6", "cost(fn_cost=10)"])
def test_the_shell_chooses_a_threshold(file, rule):
    ev = cal.evaluate(TRUTH, np.round(SCORE, 6))
    best = ev.best_threshold(rule)
    out = run("evaluate", file, "--score", "score", "--threshold", rule, "--json")
    loaded = cal.loads(out.output)
    assert loaded.settings.threshold == float(best)
    assert loaded["recall"] == ev.at(threshold=float(best))["recall"]
    assert f"{best.value:.3f} here, {best.cross_fitted:.3f}" in loaded.notes[-1]


def test_thresholds_of_models_in_the_shell(file):
    both = ("compare", file, "--score", "score,other", "--metrics", "f1", "--json")
    out = run(*both, "--threshold", "score=0.4", "--threshold", "other=0.6")
    d = cal.loads(out.output)["f1"]
    assert d.measured == (cal.evaluate(TRUTH, np.round(OTHER, 6), threshold=0.6)["f1"],
                          cal.evaluate(TRUTH, np.round(SCORE, 6), threshold=0.4)["f1"])  # fmt: skip
    assert run(*both, "--threshold", "0.4").exit_code == 0
    wrong = run(*both, "--threshold", "score=x")
    assert "is not a threshold" in str(wrong.exception) + wrong.output
