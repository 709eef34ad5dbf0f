"""Properties that are computed once: the only values that are ever put into a frozen object."""

import ast
import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import calipers as cal
from calipers.cached import given, is_known, lazy
from calipers.statistics.portable import Portable
from calipers.statistics.rows import Rows
from calipers.statistics.scores import ScoreSamples

SOURCE = Path(cal.__file__).parent


def is_dictionary(node):
    """Whether an expression is the dictionary of an object: x.__dict__ or vars(x)."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "vars"
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"


def writes(text):
    """The lines that write into the dictionary of an object, or around its being frozen."""
    tree = ast.parse(text)
    changing = {"update", "pop", "popitem", "setdefault", "clear", "__setitem__", "__delitem__"}
    making = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__post_init__"]
    allowed = {id(inner) for node in making for inner in ast.walk(node)}  # a dataclass may normalise its own fields
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and is_dictionary(node.value) and not isinstance(node.ctx, ast.Load):
            yield node.lineno
        if isinstance(node, ast.AugAssign) and is_dictionary(node.target):
            yield node.lineno
        if isinstance(node, ast.Attribute) and node.attr in changing and is_dictionary(node.value):
            yield node.lineno
        if isinstance(node, ast.Attribute) and node.attr == "__setattr__" and id(node) not in allowed:
            yield node.lineno


def test_item_5_nothing_is_written_into_frozen_objects():
    modules = sorted(SOURCE.rglob("*.py"))
    found = [f"{path.relative_to(SOURCE)}:{line}" for path in modules for line in writes(path.read_text("utf-8"))]
    assert {line.partition(":")[0] for line in found} == {"cached.py"}


@pytest.mark.parametrize(
    "text",
    [
        'x.__dict__["a"] = 1', 'del x.__dict__["a"]', 'x.__dict__["a"] += 1', "x.__dict__.update(a=1)",
        'x.__dict__.pop("a")', 'vars(x)["a"] = 1', "vars(x).update(a=1)", 'object.__setattr__(x, "a", 1)',
        "x.__dict__ |= {}",
    ],
)  # fmt: skip
def test_a_write_is_seen(text):
    assert list(writes(text))


def test_reading_is_no_write():
    assert not list(writes('x.__dict__["a"]; dict(x.__dict__); vars(x).items()'))


class Circle:
    def __init__(self):
        self.asked = 0

    @lazy
    def area(self):
        self.asked += 1
        return 2.5


def test_a_lazy_property_is_computed_once():
    circle = Circle()
    assert not is_known(circle, "area")
    assert circle.area == circle.area == 2.5
    assert circle.asked == 1
    assert is_known(circle, "area")


def test_what_is_given_is_not_computed():
    circle = given(Circle(), area=1.0)
    assert circle.area == 1.0
    assert not circle.asked


@pytest.mark.parametrize("name", ["radius", "asked", "__init__"])
def test_only_lazy_properties_can_be_given(name):
    with pytest.raises(TypeError, match=f"Circle.{name} is not a lazy property"):
        given(Circle(), **{name: 1})


@pytest.mark.parametrize("journey", [
    lambda s: Portable.from_bytes(s.to_bytes()), lambda s: pickle.loads(pickle.dumps(s)), copy.deepcopy,
], ids=["bytes", "pickle", "copy"])  # fmt: skip
def test_what_a_pass_found_of_a_statistic_is_no_state(journey):
    y, p = np.array([1.0, 2.0, 6.0]), np.array([1.0, 3.0, 3.0])
    rows = Rows(y, p, None)
    assert (rows.mean, rows.median, rows.least) == (3.0, 2.0, (1.0, 1.0))
    again = journey(rows)
    assert again.found.mean is None
    assert again.mean == rows.mean
    samples = ScoreSamples(np.array([0.4, 0.6]), np.array([0.1, 0.5]), None, None, together=True)
    assert not journey(samples).together
    assert journey(samples).areas.pairs2 == samples.areas.pairs2
