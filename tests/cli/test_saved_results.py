"""Saved evaluations as arguments: `calipers compare a.json b.json`, `calipers gate week.calipers`."""

import json

import numpy as np
import pytest

import calipers as cal

RNG = np.random.default_rng(2)


def evaluation(n, shift, **options):
    y = RNG.integers(0, 2, n)
    return cal.evaluate(y, 1 / (1 + np.exp(-(shift * (y - 0.5) + RNG.normal(size=n)))), **options)


MARCH, APRIL = evaluation(400, 3.0, source="march"), evaluation(250, 1.5, source="april")


@pytest.fixture
def saved(tmp_path):
    MARCH.save(tmp_path / "march.json")
    MARCH.save(tmp_path / "march.calipers")
    APRIL.save(tmp_path / "april.json")
    APRIL.save(tmp_path / "april.calipers")
    return tmp_path


@pytest.mark.parametrize("ending", ["json", "calipers"])
def test_two_saved_evaluations_are_compared_without_pairing(calipers, saved, ending):
    done = calipers("compare", f"march.{ending}", f"april.{ending}")
    assert (done.returncode, done.stderr) == (0, "")
    both = [cal.load(saved / f"{name}.{ending}") for name in ("march", "april")]
    text = cal.compare_independent(*both, names=["march", "april"]).to_text("en")
    assert done.stdout.strip() == text.replace("primary=", "--primary")
    options = ("--metrics", "recall,f1", "--margin", "0.05", "--primary", "f1", "--json")
    document = json.loads(calipers("compare", f"march.{ending}", f"april.{ending}", *options).stdout)
    assert (document["paired"], list(document["metrics"])) == (False, ["f1", "recall"])
    assert document["settings"]["margin"] == 0.05


def test_a_level_needs_the_statistics(calipers, saved):
    done = calipers("compare", "march.calipers", "april.calipers", "--level", "0.9", "--json")
    assert json.loads(done.stdout)["settings"]["level"] == 0.9
    done = calipers("compare", "march.json", "april.json", "--level", "0.9")
    assert (done.returncode, done.stdout) == (2, "")
    assert "have the level 0.95: pass --level 0.95, or compare .calipers files" in done.stderr


def test_a_saved_evaluation_is_gated_and_is_a_baseline(calipers, saved):
    required = ("--require", "recall >= 0.6", "--quiet")
    done = calipers("gate", "april.calipers", *required)
    right = cal.gate(APRIL, ["recall >= 0.6"])
    assert (done.returncode, done.stdout.strip()) == (right.exit_code, right.to_text("en"))
    against = ("--margin", "0.02", "--metrics", "roc_auc", "--junit", "gate.xml", "--quiet")
    for baseline in ("march.json", "march.calipers"):
        done = calipers("gate", "april.json", "--baseline", baseline, *against)
        last, new = cal.load(saved / baseline), cal.load(saved / "april.json")
        right = cal.gate(new, baseline=last, margin=0.02, metrics="roc_auc")
        printed = done.stdout.partition("pass a ")
        assert (done.returncode, printed[0]) == (right.exit_code, right.to_text("en").partition("pass the result")[0])
        assert " ".join(printed[2].split()) == "file of predictions and --key for a more sensitive test"
        assert right.verdict == "fail"
    assert "roc_auc" in (saved / "gate.xml").read_text("utf-8")


MISTAKES = {
    "march.json is a saved evaluation and rows.csv is not: pass files of": ("compare", "march.json", "rows.csv"),
    "pass two saved evaluations, the baseline first (got 1)": ("compare", "march.json"),
    "--key is for files of predictions, not for saved evaluations": (
        "compare", "march.json", "april.json", "--key", "id",
    ),
    "--adjust is for files of predictions": ("compare", "march.json", "april.json", "--adjust", "holm"),
    "source 'march' is in both evaluations": ("compare", "march.json", "march.calipers"),
    "power.json contains another kind of result (power): an evaluation is needed": (
        "compare", "march.json", "power.json",
    ),
    "pass one saved evaluation (got 2)": ("gate", "march.json", "april.json", "--require", "recall > 0"),
    "--positive is for files of predictions": ("gate", "march.json", "--require", "recall > 0", "--positive", "1"),
    "rows.csv contains predictions: the baseline of a saved evaluation": (
        "gate", "march.json", "--baseline", "rows.csv", "--margin", "0.1", "--metrics", "f1",
    ),
    "absent.calipers does not exist": ("compare", "march.json", "absent.calipers"),
}  # fmt: skip


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes(calipers, saved, message):
    (saved / "rows.csv").write_text("truth,score\n1,0.5\n0,0.2\n")
    (saved / "power.json").write_text(cal.power(accuracy=(0.9, 0.92)).to_json())
    done = calipers(*MISTAKES[message])
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
