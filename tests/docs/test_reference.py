"""The reference is complete: every public name has an example, every command and option an entry, every metric a whole
card, and every kind of document a schema that documents follow."""

import inspect
import json
from pathlib import Path

import api
import cards
import commands
import drawings
import numpy as np
import pytest
import schemas
import sklearn.metrics
import sklearn_examples

import calipers as cal
import calipers.sklearn
from calipers.cli import shell
from calipers.metrics import catalogue
from calipers.report.documents import KINDS


def test_every_public_name_has_an_example_and_an_entry():
    examples = api.examples()
    without = [name for name in cal.__all__ if ">>>" not in (getattr(cal, name).__doc__ or "") + examples.get(name, "")]
    assert not without, "add an example to the docstring or to docs/site/examples.md"
    text = "".join(page for _, page in api.pages())
    assert [name for name in cal.__all__ if name != "metrics" and f"## {name}\n" not in text] == []


def test_the_examples_of_scikit_learn_functions_are_what_scikit_learn_returns():
    for name in (name for name in cal.sklearn.__all__ if inspect.isfunction(getattr(cal.sklearn, name))):
        given, more = sklearn_examples.arguments(name), sklearn_examples.KEYWORDS.get(name, {})
        ours, theirs = (getattr(of, name)(*given, **more) for of in (cal.sklearn, sklearn.metrics))
        if isinstance(ours, str):
            assert ours == theirs
        else:
            np.testing.assert_allclose(flat(ours), flat(theirs), rtol=1e-12, err_msg=name)
        assert ">>> " in sklearn_examples.example(name)


def flat(result):
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(part).astype(float) for part in parts])


def test_docstrings_name_guides_by_titles_that_exist():
    source = Path(cal.__file__).parent
    named = {api.title(match) for file in source.rglob("*.py") for match in api.GUIDE.finditer(file.read_text("utf-8"))}
    assert named
    assert not named - api.guides().keys()
    public = [getattr(cal, name) for name in cal.__all__]
    public += [member for value in public if isinstance(value, type) for member in vars(value).values()]
    assert not [value for value in public if "docs/" in (value.__doc__ or "")], "an installed package has no docs/"


def test_every_command_and_option_is_on_the_page():
    ((_, page),) = commands.pages()
    for name, command in shell.commands.items():
        entry = page.partition(f"## calipers {name}\n")[2].partition("\n## ")[0]
        for option in (option for param in command.params for option in param.opts if option.startswith("--")):
            assert option in entry, f"{name} {option}"


def test_every_card_has_a_drawing_and_a_value_of_guessing():
    for metric in catalogue():
        name, words = drawings.drawing(metric)
        assert drawings.svg(name).startswith("<svg"), metric.name
        assert len(words) > 5
        assert cards.guessed(metric.name), f"{metric.name}: add a value of guessing to docs/site/cards.py"
        assert cards.interval(metric.name), metric.name
    assert cards.guessed("roc_auc") == "0.5"
    assert cards.guessed("fdr") == "1 minus the prevalence"
    assert cards.interval("f1").startswith("wilson")


def test_the_equivalents_in_scikit_learn_exist():
    assert [name for name in cards.SKLEARN.values() if not hasattr(calipers.sklearn, name)] == []
    assert [name for name in cards.SKLEARN if name not in {metric.name for metric in catalogue()}] == []
    assert [name for name in cards.GUESSED if name not in {metric.name for metric in catalogue()}] == []


def test_every_kind_of_document_has_a_schema():
    assert {file.stem for file in schemas.FOLDER.glob("*.json")} == set(KINDS), "run: make pages"


DOCUMENTS = [
    lambda: cal.evaluate([0, 1, 1, 0, 1], [0.2, 0.7, 0.4, 0.1, 0.9]),
    lambda: cal.evaluate(["a", "b", "c", "a"], ["a", "b", "b", "a"]),
    lambda: cal.evaluate([1.5, 2.0, 3.5], [1.0, 2.5, 3.0]),
    lambda: cal.evaluate_counts(tp=5, fp=2, fn=1, tn=9),
    lambda: cal.gate(cal.evaluate([0, 1] * 50, [0.2, 0.7] * 50), ["recall >= 0.5"], inconclusive="pass"),
    lambda: cal.compare([0, 1] * 20, {"a": [0.2, 0.7] * 20, "b": [0.3, 0.4] * 20}, metrics=["accuracy"]),
    lambda: cal.power(accuracy=(0.8, 0.9)),
    lambda: cal.explain("mae"),
]


@pytest.mark.parametrize("make", DOCUMENTS)
def test_a_document_follows_its_schema(make):
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    document = json.loads(make().to_json())
    schema = json.loads((schemas.FOLDER / f"{document['kind']}.json").read_text(encoding="utf-8"))
    errors = [f"{list(e.absolute_path)}: {e.message[:200]}" for e in validator(schema).iter_errors(document)]
    assert errors == []
    assert list(validator(schema).iter_errors({**document, "format": "x"}))
