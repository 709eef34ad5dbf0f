"""Documents and bytes that are damaged, or that another version wrote: an error that names what is wrong."""

import json
import pkgutil
import subprocess
import sys

import pytest

import calipers as cal
from calipers.errors import OtherVersion
from calipers.statistics.base import HOMES, Statistic
from calipers.statistics.confusion import ConfusionCounts

EV = cal.evaluate([0, 0, 1, 1, 1], score=[0.1, 0.6, 0.4, 0.9, 0.8], positive=1, by={"site": list("aabbb")})
DAMAGES = {
    "a task": (["task"], "x", "task is 'x', and should be one of binary, multiclass, multilabel, regression, ranking"),
    "a matrix": (["confusion"], [1, 2], r"confusion is \[1, 2\], and should be 2 x 2 counts, 0 or more"),
    "counts": (["confusion"], [[1, -2], [3, 4]], "confusion is .*, and should be 2 x 2 counts"),
    "a ragged matrix": (["confusion"], [[1, 2], [3]], "confusion is .*, and should be 2 x 2 counts"),
    "rows": (["rows"], -1, "rows is -1, and should be a whole number, 0 or more"),
    "a range": (["metrics", "accuracy", "value"], 7.0, r"metrics.accuracy.value is 7.0, and should be from 0 to 1"),
    "bounds": (["metrics", "accuracy", "low"], 0.99999, "metrics.accuracy is .*a lower and an upper bound, in this"),
    "a level": (["metrics", "accuracy", "level"], 95, r"metrics.accuracy.level is 95, and should be between 0 and 1"),
    "a number": (["metrics", "accuracy", "value"], "x", r"metrics.accuracy.value is 'x', and should be a number"),
    "labels": (["labels", "values"], [0, 0], r"labels is \[0, 0\], and should be labels that differ"),
    "a type": (["labels", "values"], ["0", 1], r"labels is '0', and should be a label of the type int"),
    "a positive": (["positive", "values"], [7], r"positive is 7, and should be one of the labels"),
    "an unknown metric": (["metrics", "acuracy"], {}, "no metric is called 'acuracy'; did you mean accuracy"),
    "a slice": (["by", "site", "evaluations", 0, "task"], None, "task is None"),
    "notes": (["notes"], "x", "notes is 'x', and should be a list of texts"),
    "rules": (["definitions", "ranking"], 7.0, "definitions.ranking is 7.0, and should be the rules of a ranking"),
    "codes": (["codes"], 7, "codes is 7, and should be codes of remarks by their names"),
    "codes of an estimate": (["metrics", "accuracy", "codes"], 7, "metrics.accuracy.codes is 7, and should be"),
    "a finding": (["findings"], [{"code": "x"}], "no finding is called 'x'"),
}


def test_the_document_is_sound():
    assert cal.Evaluation.from_json(EV.to_json()).to_text() == EV.to_text()


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_remarks_of_a_document_are_translated_by_their_codes(lang):
    again = cal.Evaluation.from_json(EV.to_json())
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
    again = cal.Evaluation.from_dict(plain)
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
    assert cal.Evaluation.from_dict(document)["recall"].flags == ("a remark",)


@pytest.mark.parametrize("what", DAMAGES)
def test_item_8_a_damaged_document_says_where(what):
    path, value, message = DAMAGES[what]
    document = place = json.loads(EV.to_json())
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(cal.CalipersError, match=message):
        cal.Evaluation.from_dict(document)


def test_item_8_an_impossible_estimate_is_refused():
    document = json.loads(EV.to_json())
    document["metrics"]["accuracy"] |= {"value": 7.0, "low": 9.0, "high": -3.0}
    with pytest.raises(cal.InputError, match=r"metrics\.accuracy"):
        cal.Evaluation.from_dict(document)


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "", "5", "null", "[1, 2]", None, b"\xff"])
def test_item_8_what_is_no_document(text):
    with pytest.raises(cal.InputError, match=r"this is not JSON|a document is a JSON object"):
        cal.Evaluation.from_json(text)


@pytest.mark.parametrize("key", ["metrics", "labels", "definitions", "by", "classes", "rows"])
def test_item_8_what_is_missing_is_named(key):
    document = json.loads(EV.to_json())
    del document[key]
    with pytest.raises(cal.InputError, match=f"this document is damaged: '{key}' is missing"):
        cal.Evaluation.from_dict(document)


def test_item_8_the_document_of_another_result_is_named():
    compared = cal.compare([0, 1, 1, 0], {"a": [0.1, 0.4, 0.7, 0.2], "b": [0.9, 0.6, 0.2, 0.1]}, positive=1)
    with pytest.raises(cal.InputError, match="this is the document of a comparison, and"):
        cal.Evaluation.from_json(compared.to_json())
    with pytest.raises(cal.InputError, match="this is the document of a gate, and"):
        cal.Evaluation.from_json(cal.gate(EV, "accuracy > 0.1").to_json())


def test_item_8_a_newer_document_is_its_own_error():
    with pytest.raises(OtherVersion, match="schema 99, of a newer Calipers; this one reads 1"):
        cal.Evaluation.from_dict({"calipers": 99})


def test_item_8_bytes_are_read_in_a_fresh_process(tmp_path):
    (tmp_path / "x").write_bytes(EV.views.evidence.to_bytes())
    code = "from calipers.statistics.base import Statistic; print(type(Statistic.from_bytes(open('x', 'rb').read())))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "<class 'calipers.statistics.combine.Evidence'>\n", done.stderr


def test_item_8_every_statistic_has_its_home():
    import calipers.statistics as package

    for module in pkgutil.iter_modules(package.__path__):
        __import__(f"calipers.statistics.{module.name}")
    ours = {name: kind.__module__.rpartition(".") for name, kind in Statistic.registry.items()}
    assert {name: home for name, (where, _, home) in ours.items() if where == "calipers.statistics"} == HOMES


def test_item_8_bytes_of_a_newer_version_are_not_called_damaged(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(ConfusionCounts, "version", 2)
        newer = EV.views.confusion.to_bytes()
    with pytest.raises(OtherVersion, match="a ConfusionCounts of version 2; this Calipers reads version 1"):
        Statistic.from_bytes(newer)


def test_item_8_bytes_must_be_bytes():
    with pytest.raises(cal.InputError, match="data is str: pass the bytes that to_bytes gave"):
        Statistic.from_bytes("CALIPERS")
