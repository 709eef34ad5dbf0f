"""Documents and bytes that are damaged, or that another version wrote: an error that names what is wrong."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import calipers as cal
from calipers.errors import OtherVersion
from calipers.statistics.base import Statistic
from calipers.statistics.confusion import ConfusionCounts

EV = cal.evaluate([0, 0, 1, 1, 1], score=[0.1, 0.6, 0.4, 0.9, 0.8], positive=1, by={"site": list("aabbb")})
DAMAGES = {
    "a task": (["task"], "x", "task is 'x', but should be one of binary, multiclass, multilabel, regression, ranking"),
    "a matrix": (["confusion"], [1, 2], r"confusion is \[1, 2\], but should be 2 x 2 counts, 0 or more"),
    "counts": (["confusion"], [[1, -2], [3, 4]], r"confusion is \[\[1, -2\], \[3, 4\]\], but should be 2 x 2"),
    "a ragged matrix": (["confusion"], [[1, 2], [3]], r"confusion is \[\[1, 2\], \[3\]\], but should be 2 x 2"),
    "rows": (["rows"], -1, "rows is -1, but should be a whole number, 0 or more"),
    "a range": (["metrics", "accuracy", "value"], 7.0, r"metrics\.accuracy\.value is 7\.0, but should be from 0 to 1"),
    "bounds": (["metrics", "accuracy", "low"], 0.99999, "metrics.accuracy is .*a lower and an upper bound, in this"),
    "a level": (["metrics", "accuracy", "level"], 95, r"metrics\.accuracy\.level is 95, but should be between 0 and 1"),
    "a number": (["metrics", "accuracy", "value"], "x", r"metrics\.accuracy\.value is 'x', but should be a number"),
    "labels": (["labels", "values"], [0, 0], r"labels is \[0, 0\], but should be distinct labels"),
    "a type": (["labels", "values"], ["0", 1], "labels is '0', but should be a label of the type int"),
    "a positive": (["positive", "values"], [7], r"positive is \[7\], but should be one of the labels"),
    "an unknown metric": (["metrics", "acuracy"], {}, "no metric is called 'acuracy'; did you mean accuracy"),
    "a slice": (["by", "site", "evaluations", 0, "task"], None, "task is None"),
    "notes": (["notes"], "x", "notes is 'x', but should be a list of texts"),
    "rules": (["settings", "ranking"], 7.0, r"settings\.ranking is 7\.0, but should be an object with names"),
    "codes": (["codes"], 7, "codes is 7, but should be an object with names"),
    "codes of an estimate": (["metrics", "accuracy", "codes"], 7,
        r"metrics\.accuracy\.codes is 7, but should be an object"),
    "a finding": (["findings"], [{"code": "x", "severity": "note", "numbers": {}}], "no finding is called 'x'"),
}


def test_the_document_is_sound():
    assert cal.loads(EV.to_json()).to_text() == EV.to_text()


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_remarks_of_a_document_are_translated_by_their_codes(lang):
    again = cal.loads(EV.to_json())
    assert again.to_text(lang) == EV.to_text(lang)
    assert again.to_json() == EV.to_json()
    few = next(e for e in map(EV.__getitem__, EV) if e.flags)
    assert few.to_dict()["codes"]["flags"][0].keys() >= {"code"}


def test_a_document_without_codes_shows_its_texts_as_they_are():
    def without(document):
        if isinstance(document, dict):
            return {key: without(value) for key, value in document.items() if key != "codes"}
        return [without(value) for value in document] if isinstance(document, list) else document

    plain = without(json.loads(EV.to_json()))
    again = cal.loads(json.dumps(plain))
    assert json.loads(again.to_json()) == plain
    flag = next(flag for name in EV for flag in EV[name].flags)
    assert flag in " ".join(again.to_text("vi").split())


@pytest.mark.parametrize("codes", [
    {"flags": [{"code": "of.another_version"}]}, {"flags": [{"code": "inference.rows_of_rarer"}]},
    {"flags": [{"code": "inference.rows_of_rarer", "count": "x"}]}, {"flags": [7]}, {"flags": ["x"]},
])  # fmt: skip
def test_codes_that_this_version_does_not_read_leave_the_text(codes):
    document = json.loads(EV.to_json())
    document["metrics"]["recall"] |= {"flags": ["a remark"], "codes": codes}
    assert cal.loads(json.dumps(document))["recall"].flags == ("a remark",)


@pytest.mark.parametrize("what", DAMAGES)
def test_item_8_a_damaged_document_says_where(what):
    path, value, message = DAMAGES[what]
    document = place = json.loads(EV.to_json())
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(cal.CalipersError, match=message):
        cal.loads(json.dumps(document))


def test_item_8_an_impossible_estimate_is_refused():
    document = json.loads(EV.to_json())
    document["metrics"]["accuracy"] |= {"value": 7.0, "low": 9.0, "high": -3.0}
    with pytest.raises(cal.InputError, match=r"metrics\.accuracy"):
        cal.loads(json.dumps(document))


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "", "5", "null", "[1, 2]", None, b"\xff"])
def test_item_8_what_is_no_document(text):
    with pytest.raises(cal.InputError, match=r"this is not JSON|a result is a JSON object"):
        cal.loads(text)


@pytest.mark.parametrize("key", ["metrics", "labels", "settings", "by", "classes", "rows"])
def test_item_8_what_is_missing_is_named(key):
    document = json.loads(EV.to_json())
    del document[key]
    with pytest.raises(cal.InputError, match=f"this .json result is damaged: '{key}' is missing"):
        cal.loads(json.dumps(document))


def test_item_8_a_newer_document_is_its_own_error():
    for text in ('{"format": 99}', '{"calipers": 99}'):
        with pytest.raises(OtherVersion, match=r"this \.json result has format 99 of a newer version of Calipers"):
            cal.loads(text)


@pytest.mark.parametrize("document", [{"format": n} for n in (None, 1, "2", True)] + [{"calipers": None}])
def test_other_formats_are_refused(document):
    with pytest.raises(cal.InputError, match=r"this .json result has format .*; this version of Calipers reads 2"):
        cal.loads(json.dumps(document))


def test_an_unknown_kind_is_refused():
    with pytest.raises(cal.InputError, match="kind is 'evalution', but should be one of evaluation, comparison"):
        cal.loads('{"format": 2, "kind": "evalution"}')


def test_what_is_wrong_with_a_file_is_said_with_its_name(tmp_path):
    path = tmp_path / "x.json"
    wrong = {
        "a,b": "this is not JSON: ", "{}": "this is not a Calipers result", '{"format": 2}': "this .json result is"
    }
    for text, message in wrong.items():
        path.write_text(text)
        with pytest.raises(cal.InputError, match=f"^{re.escape(str(path))}: {message}"):
            cal.load(path)
    path.write_text('{"format": 99}')
    with pytest.raises(OtherVersion, match=f"^{re.escape(str(path))}: .* of a newer version of Calipers"):
        cal.load(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(cal.InputError, match=r"nowhere\.json does not exist$"):
        cal.load(tmp_path / "nowhere.json")
    with pytest.raises(cal.InputError, match=f"^{re.escape(str(tmp_path))} cannot be read: "):
        cal.load(tmp_path)
    with pytest.raises(cal.InputError, match=r"path=\[\] has type list: pass the name of a file"):
        cal.load([])


OLD = sorted((Path(__file__).parent / "version_0_1").glob("*.json"))  # written by the code at commit b21ef86


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_evaluations_saved_by_version_0_1_load(path):
    old = json.loads(path.read_text("utf-8"))
    ev = cal.load(path)
    assert (type(ev), ev.task, ev.rows) == (cal.Evaluation, old["task"], old["rows"])
    assert {name: ev[name].to_dict() for name in ev} == old["metrics"]
    assert [f.to_dict() for f in ev.findings] == old["findings"]
    assert ev.to_dict()["by"].keys() == old["by"].keys()
    for name, parts in old["by"].items():
        each = zip(ev.by[name].values(), parts["evaluations"], strict=True)
        assert all({n: part[n].to_dict() for n in part} == saved["metrics"] for part, saved in each)
    assert cal.loads(ev.to_json()).to_text() == ev.to_text()


def test_other_results_of_version_0_1_are_named():
    for document in ({"calipers": 1, "comparison": []}, {"calipers": 1, "kind": "validation", "task": "binary"}):
        with pytest.raises(cal.InputError, match=r"'(comparison|validation)'\) of version 0.1, of which only evalu"):
            cal.loads(json.dumps(document))


GATE = cal.gate(EV, "accuracy > 0.1")
COMPARED = cal.compare(
    [0, 1] * 20, {"A": [0.2, 0.7] * 15 + [0.6, 0.4] * 5, "B": [0.3, 0.6] * 20}, metrics=["accuracy", "roc_auc"]
)
EV_OF_B = cal.evaluate([0, 1] * 20, [0.3, 0.6] * 20)
FOLDS = cal.compare_folds([0.8, 0.82, 0.79, 0.81], [0.84, 0.85, 0.8, 0.83], test_share=0.25, rope=0.01)
SETS = cal.compare_datasets({"a": [0.8, 0.7, 0.9, 0.6], "b": [0.9, 0.8, 0.95, 0.7], "c": [0.7, 0.75, 0.8, 0.5]})
PAIR = ("metrics", "accuracy", "pairs", 0)
WRONG = [  # a result, a place of its document, a value that it cannot have, and what the error says
    (GATE, ("checks", 0, "answer"), "maybe", r"checks\[0\]\.answer is 'maybe', but should be one of pass, fail"),
    (GATE, ("checks", 0, "low"), 2.0, r"checks\[0\] is \[2.0, .*\], but should be a lower and an upper bound"),
    (GATE, ("verdict",), "fail", "verdict is 'fail', but should be the result that follows from its checks"),
    (GATE, ("rows",), -1, "rows is -1, but should be a whole number, 0 or more"),
    (GATE, ("settings", "level"), 95, r"settings\.level is 95, but should be between 0 and 1"),
    (FOLDS, ("test", "pvalue"), 1.5, r"test\.pvalue is 1.5, but should be from 0 to 1"),
    (FOLDS, ("probabilities", "equal"), None, r"probabilities\.equal is None, but should be a number"),
    (COMPARED, (*PAIR, "winner"), "C", r".*accuracy.pairs\[0\]\.winner is 'C', but should be one of None, B, A"),
    (COMPARED, (*PAIR, "outcome"), "won", r".*accuracy.pairs\[0\]\.outcome is 'won', but should be one of better"),
    (COMPARED, (*PAIR, "low"), 2, r".*accuracy.pairs\[0\] is \[2.0, .*\], but should be a lower and an upper bound"),
    (COMPARED, ("metrics", "accuracy", "pairs"), [], ".*accuracy.pairs is .*, but should be a list of 1"),
    (COMPARED, ("baseline",), "B", "baseline is 'B', but should be the name of the first model"),
    (COMPARED, ("evaluations", "A", "metrics"), {}, "evaluations.A is 'accuracy', but should be every metric"),
    (SETS, ("ranks", "a"), 7, r"ranks\.a is 7, but should be from 1 to 3"),
    (SETS, ("pairs", 0, "first"), "d", r"pairs\[0\].first is 'd', but should be one of a, b, c"),
    (cal.power(accuracy=(0.9, 0.92)), ("given",), 3, "given is 3, but should be a text"),
    (cal.which_test(folds=10), ("why",), "so", "why is 'so', but should be a list of texts"),
    (cal.explain("recall"), ("facts", 0), ["a"], r"facts is \['a'\], but should be two texts"),
    (cal.explain("recall"), ("facts",), [], r"facts is \[\], but should be a list that is not empty"),
    (EV, ("task",), "guess", "task is 'guess', but should be one of binary"),
    (EV, ("confusion",), [[1]], r"confusion is \[\[1\]\], but should be . x . counts"),
]


def test_what_needs_the_rows_of_a_comparison_is_refused():
    back = cal.loads(COMPARED.to_json())
    assert back.curves("roc") == COMPARED.curves("roc")
    assert back["roc_auc"]["A", "B"] == COMPARED["roc_auc"]["A", "B"]
    with pytest.raises(
        cal.InputError, match=r"this result was read from a \.json file, which contains no rows: compute"
    ):
        back["f1"]
    with pytest.raises(cal.InputError, match=r"this evaluation was read from a \.json result, which contains no rows"):
        back.models["A"].at(0.3)
    with pytest.raises(cal.InputError, match=r"this result was read from a \.json file, which contains no rows"):
        cal.gate(EV_OF_B, baseline=back, margin=0.1, metrics="accuracy")


def test_curves_that_cross_often_are_written_in_a_few_numbers():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 4000)
    score = truth + rng.normal(0, 2, 4000)
    scores = {"A": score, "B": score + rng.normal(0, 0.02, 4000)}
    compared = cal.compare(truth, scores, metrics=["roc_auc"])
    assert len(compared.curves("roc").stretches) > 200
    back = cal.loads(compared.to_json())
    assert len(compared.to_json()) < 5000
    assert back.to_text() == compared.to_text()
    with pytest.raises(cal.InputError, match=r"read from a \.json file, which contains no"):
        back.curves("roc").crossings  # noqa: B018


@pytest.mark.parametrize(("result", "place", "value", "message"), WRONG)
def test_values_that_no_result_has_are_refused_and_named(result, place, value, message):
    document = json.loads(result.to_json())
    part = document
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    with pytest.raises(cal.InputError, match=f"this .json result is damaged: {message}"):
        cal.loads(json.dumps(document))


@pytest.fixture(scope="module")
def over_folds():
    tree = pytest.importorskip("sklearn.tree")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    X, model = np.c_[y + rng.normal(0, 1, 80), rng.normal(size=80)], tree.DecisionTreeClassifier(max_depth=2)
    two = {"small": model, "large": tree.DecisionTreeClassifier()}

    class Fails(tree.DecisionTreeClassifier):
        def fit(self, X, y, **options):
            if self.max_depth == 3:
                raise RuntimeError("three is too deep")
            return super().fit(X, y, **options)

    return {
        "folds": cal.cross_validate(model, X, y, cv=3, seed=0),
        "repeated": cal.cross_validate(model, X, y, cv=3, repeats=2, seed=0, interval="folds", metrics="accuracy"),
        "classes": cal.cross_validate(model, X, np.array(list("abc"))[rng.integers(0, 3, 80)], cv=3, seed=0),
        "numbers": cal.cross_validate(tree.DecisionTreeRegressor(max_depth=2), X, X[:, 0], cv=3, seed=0),
        "leave-one-out": cal.cross_validate(model, X, y, cv="loo", seed=0, metrics=["accuracy", "roc_auc"]),
        "hold-out": cal.cross_validate(model, X, y, cv="holdout", seed=0),
        "nested": cal.cross_validate(model, X, y, cv=3, seed=0, interval="nested", repeats=2, metrics=["accuracy"]),
        "bootstrap": cal.bootstrap_validate(model, X, y, replicates=10, seed=0, method="optimism"),
        "sizes": cal.learning_curve(model, X, y, cv=3, seed=0, sizes=[10, 20, 40], metrics=["accuracy", "lr_plus"]),
        "values": cal.validation_curve(model, X, y, "max_depth", [1, 2, None], cv=3, seed=0, simpler="first"),
        "failures": cal.validation_curve(Fails(), X, y, "max_depth", [1, 2, 3], cv=3, seed=0, metrics=["accuracy"]),
        "squares": cal.bias_variance(tree.DecisionTreeRegressor(), X, X[:, 0], replicates=10, seed=0),
        "choice": cal.select(two, X, y, cv=3, seed=0, metric="roc_auc"),
    }  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_results_over_folds_come_back_in_every_form(over_folds, lang):
    for name, result in over_folds.items():
        back = cal.loads(result.to_json())
        assert back.to_dict() == result.to_dict(), name
        for form in ("to_text", "to_markdown", "to_html"):
            assert getattr(back, form)(lang) == getattr(result, form)(lang), (name, form)


def test_what_came_back_still_computes_from_the_values_of_the_folds(over_folds):
    back = {name: cal.loads(result.to_json()) for name, result in over_folds.items()}
    assert float(back["sizes"].slope()) == float(over_folds["sizes"].slope())
    assert back["values"].simplest() == over_folds["values"].simplest()
    assert back["choice"].pvalues == over_folds["choice"].pvalues
    assert back["bootstrap"].by("oob").estimates("accuracy") == over_folds["bootstrap"].estimates("accuracy")
    folds = zip(back["folds"].folds, over_folds["folds"].folds, strict=True)
    assert all(float(a.evaluation["accuracy"]) == float(b.evaluation["accuracy"]) for a, b in folds)


def test_what_needs_the_rows_of_folds_is_refused(over_folds):
    back = {name: cal.loads(result.to_json()) for name, result in over_folds.items()}
    needing = [
        lambda: back["folds"].curve("roc"), lambda: back["folds"].predictions, lambda: back["folds"]["kappa"],
        lambda: back["folds"].pooled().at(0.3), lambda: back["folds"].folds[0].train[0],
        lambda: back["folds"].folds[0].model.predict([[1, 2]]), lambda: back["bootstrap"].by("oob")["accuracy"],
        lambda: back["squares"].by_row, lambda: back["choice"].model.fit([[1]], [1]),
    ]  # fmt: skip
    for ask in needing:
        with pytest.raises((cal.InputError, cal.UnknownName), match=r"\.json (result|file), which contains no rows"):
            ask()


OF_FOLDS = [  # which result, a place, a wrong value, and what the error says
    ("folds", ("metrics", "accuracy", "folds", "values"), [0.5], "values is 1, but should be a list of 3"),
    ("folds", ("splits", "sizes", 0), [0, 5], "sizes is .0, 5., but should be above 0"),
    ("folds", ("metrics", "accuracy", "train", "value"), 7, "train.value is 7, but should be from 0 to 1"),
    ("folds", ("settings", "method"), "guess", "settings.method is 'guess', but should be one of rows, folds, nested"),
    ("repeated", ("settings", "method"), "rows", "factors is None, but should be two numbers if intervals come"),
    ("repeated", ("problem", "metrics"), [], "problem.metrics is .., but should be a list that is not empty"),
    ("bootstrap", ("metrics", "accuracy", "estimates"), {}, "estimates is .., but should be one of"),
    ("sizes", ("places",), [20, 10, "x"], "places is .*, but should be above 0"),
    ("failures", ("metrics", "accuracy", "folds"), [[1, 2]], "folds is .*, but should be a list of 3"),
    ("squares", ("settings", "loss"), "cubic", "settings.loss is 'cubic', but should be one of"),
    ("choice", ("choice",), "other", "choice is 'other', but should be one of small, large"),
]


@pytest.mark.parametrize(("name", "place", "value", "message"), OF_FOLDS)
def test_values_over_folds_are_checked(over_folds, name, place, value, message):
    document = part = json.loads(over_folds[name].to_json())
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    with pytest.raises(cal.InputError, match=f"this .json result is damaged: .*{message}"):
        cal.loads(json.dumps(document))


@pytest.mark.parametrize(
    ("of", "kind"),
    [(EV.views.evidence, "statistics.combine.Evidence"), (EV, "evaluation.saved.SavedEvaluation")],
    ids=["statistics", "evaluation"],
)
def test_item_8_bytes_are_read_in_a_fresh_process(of, kind, tmp_path):
    (tmp_path / "x").write_bytes(of.to_bytes())
    code = "from calipers.statistics.base import Statistic; print(type(Statistic.from_bytes(open('x', 'rb').read())))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == f"<class 'calipers.{kind}'>\n", done.stderr


def test_item_8_bytes_of_a_newer_version_are_not_called_damaged(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(ConfusionCounts, "version", 2)
        newer = EV.views.confusion.to_bytes()
    with pytest.raises(OtherVersion, match="this ConfusionCounts has version 2; this version of Calipers reads"):
        Statistic.from_bytes(newer)


def test_item_8_bytes_must_be_bytes():
    with pytest.raises(cal.InputError, match=r"data has type str: pass the bytes that to_bytes\(\) returned"):
        Statistic.from_bytes("CALIPERS")


def test_an_infinite_threshold_keeps_its_code():
    """The fuzzer found it: the code of a remark with an infinite value was lost."""
    ev = cal.evaluate([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.3], threshold=-math.inf)
    assert cal.loads(ev.to_json()).to_json() == ev.to_json()


def test_an_infinite_margin_is_refused():
    y = [0, 1, 1, 0, 1, 0]
    document = cal.compare(y, {"a": y, "b": y[::-1]}, metrics=["accuracy"], margin=0.1).to_dict()
    document["settings"]["margin"] = "inf"
    with pytest.raises(cal.InputError):
        cal.loads(json.dumps(document))
