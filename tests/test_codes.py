"""Every error and remark is a code whose text exists in three languages, with the values that the text names."""

import ast
import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import calipers
from calipers import errors
from calipers.arguments import UnknownArgument
from calipers.cli.usage import WrongUse, WrongValue
from calipers.errors import CalipersError, InputError, MissingExtra, UnknownName, Unreadable
from calipers.partitions.engine import BeyondMemory
from calipers.remarks import Remark
from calipers.report import messages
from calipers.report.messages import LANGUAGES
from calipers.sklearn.inputs import InvalidParameter

SOURCE = Path(calipers.__file__).parent
CLASSES = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, CalipersError)]
CLASSES += [BeyondMemory, UnknownArgument, InvalidParameter, WrongUse, WrongValue]
MAKERS = {c.__name__ for c in CLASSES} | {"Remark", "warn"}
FILES = {"errors": MAKERS - {"Remark"}, "remarks": {"Remark"}}
NOT_VALUES = {"pointed"}  # of Unreadable
JOINTS = {f"common.{name}" for name in ("or", "and", *messages.JOINS.values())}  # made from the words of the templates


@cache
def trees():
    """The source, parsed when a test asks and not when tests are collected."""
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


def templates(lang):
    return {code: text for file in FILES for code, text in messages.texts(lang, file).items()}


ENGLISH = templates("en")


def literals(node):
    """The codes that an expression may be; None for a sentence, or what cannot be seen."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value] if " " not in node.value else None
    if isinstance(node, ast.IfExp):
        both = literals(node.body), literals(node.orelse)
        return None if None in both else [*both[0], *both[1]]
    return [] if isinstance(node, ast.Name) and node.id == "code" else None  # the literal stands elsewhere


def calls():
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and maker(node) in MAKERS and node.args:
                yield path, node


def maker(call):
    name = getattr(call.func, "attr", None)
    return getattr(call.func, "id", None if name == "warn" else name)  # warnings.warn is Python's


def test_every_code_has_a_text_in_its_file_and_gets_the_values_that_the_text_names():
    for path, call in calls():
        where = f"{path}:{call.lineno}"
        for code in literals(call.args[0]) or []:
            file = next(file for file, makers in FILES.items() if maker(call) in makers)
            assert code in messages.texts("en", file), f"{where}: {code} is not in i18n/en/{file}.toml"
            given = {keyword.arg for keyword in call.keywords} - NOT_VALUES
            if None not in given:  # **values cannot be seen
                assert given == messages.names(ENGLISH[code]), f"{where}: values of {code}: {given}"


def test_no_code_is_in_both_files():
    assert not messages.texts("en", "errors").keys() & messages.texts("en", "remarks").keys()


def test_every_text_is_used():
    used = {n.value for tree in trees().values() for n in ast.walk(tree) if isinstance(n, ast.Constant)}
    unused = [code for code in ENGLISH if code not in used and code not in JOINTS]
    assert not unused, f"no code of the source: take them out of the three languages: {unused}"


@pytest.mark.parametrize("lang", [code for code in LANGUAGES if code != "en"])
def test_every_language_names_the_same_values_and_arguments(lang):
    for file in FILES:
        ours, theirs = messages.texts("en", file), messages.texts(lang, file)
        assert list(ours) == list(theirs), f"i18n/{lang}/{file}.toml has other codes, or another order, than English"
        for code, text in ours.items():
            assert messages.names(theirs[code]) == messages.names(text), (lang, code)
            assert arguments(theirs[code]) == arguments(text), (lang, code)


def arguments(template):
    return {field for _, field, _, _ in messages.parsed(template) if field and field.startswith("@")}


def test_no_error_or_remark_is_a_sentence():
    sentences = [f"{path}:{call.lineno}" for path, call in calls() if literals(call.args[0]) is None]
    assert not sentences, f"errors and remarks that are no codes: {sentences}"


def test_a_sentence_is_no_text():
    with pytest.raises(KeyError):
        str(InputError("a sentence"))


def test_an_error_is_shown_in_the_language_of_the_reader(monkeypatch):
    error = InputError("common.not_a_number", name="score", count=3, row=17)
    assert str(error) == error.text("en") == (
        'score contains 3 NaN (first at row 17): remove these rows or pass missing="drop"'
    )
    monkeypatch.setenv("CALIPERS_LANG", "vi")
    assert str(error) == error.text("vi")
    assert "dòng 17" in str(error)
    monkeypatch.setenv("CALIPERS_LANG", "klingon")
    assert str(error) == error.text("en")


@pytest.mark.parametrize("kind", CLASSES)
def test_errors_keep_their_code_and_values_when_pickled(kind):
    error = kind("common.not_a_number", name="score", count=3, row=17)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.code, again.values, str(again)) == (kind, error.code, error.values, str(error))


def test_errors_hold_what_they_show_of_a_value_and_not_the_value():
    class Hostile:
        def __repr__(self):
            raise RuntimeError

    for value in (object(), np.arange(3), Hostile(), {"a": [1, {2}]}, (1, [2, {3}]), lambda: 0, 10**5000):
        error = InputError("common.not_a_number", name=value, count=1, row=0)
        assert pickle.loads(pickle.dumps(error)).values == error.values
        assert filled("{name!r}", error.values) == errors.quoted(value, errors.LONGEST)
    assert len(filled("{@labels:x}", {"x": list(range(1000))})) < 300
    error = InputError("common.not_a_number", name=ValueError("so"), count=1, row=0)
    assert filled("{name} {name!r}", error.values) == "so ValueError('so')"


def test_errors_are_what_python_expects():
    assert issubclass(UnknownName, KeyError)
    assert issubclass(MissingExtra, ImportError)
    error = Unreadable("common.not_a_number", pointed=["  a", "  ^"], name="score", count=1, row=0)
    assert str(error) == error.text() + "\n  a\n  ^"
    assert pickle.loads(pickle.dumps(error)).pointed == ["  a", "  ^"]


def test_a_remark_is_english_in_the_words_of_python_whoever_reads(monkeypatch):
    monkeypatch.setenv("CALIPERS_LANG", "zh")
    remark = Remark("common.did_you_mean", names=["recall", "f1"])
    again = pickle.loads(pickle.dumps(remark))
    assert remark == again == "did you mean recall or f1?"
    assert (again.code, again.values) == (remark.code, remark.values)


def filled(template, values, lang="en", wording=messages.PYTHON):
    return messages._Filling(lang, wording).text(template, values)


def test_what_may_stand_between_braces():
    inner = InputError("common.not_a_number", name="score", count=3, row=17)
    names = ["a", "b", "c"]
    for template, expected in {
        "{x:.2f} {x} {n}": "0.50 0.5 7",
        "{names:list}; {names:or}; {names:and}; {one:or}": "a, b, c; a, b or c; a, b and c; a",
        "{n:row|rows} {unit:row|rows}": "rows row",
        "{label:quoted} {label!r} {label}": "'BAD' 'BAD' BAD",
        "{x:percent}": "50.0%",
        "{@positive} {@positive:label} {@missing=\"drop\"}": "positive= positive='BAD' missing=\"drop\"",
        "{@by[label]} {@weights[n]}": "by['BAD'] weights[7]",
        "{@labels=['a', 'b']}": "labels=['a', 'b']",
        "{@*argument} {@*argument:n}": "bins= bins=7",
        "a{@python:, or b}{@shell:, or c}": "a, or b",
        "no: {inner}": f"no: {inner}",
        "{n:place}": "row 7",
    }.items():
        values = {"argument": "bins", "x": 0.5, "n": 7, "unit": 1, "names": names, "one": ["a"], "label": "BAD",
                  "inner": inner}  # fmt: skip
        assert filled(template, values) == expected
    assert filled("{x:.2f} {label}", {"x": 0.5, "label": "v1.2"}, "vi") == "0,50 v1.2"
    assert filled("{n:place}", {"n": 7}, "zh") == "第 7 行"
