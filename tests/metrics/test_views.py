"""Each thing that a metric can be over has one view, and no module beside the views asks which one it is."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import calipers as cal
import calipers.statistics
from calipers.metrics.base import CATALOGUE
from calipers.metrics.over.base import VIEWS, View
from calipers.report.language import language
from calipers.report.messages import LANGUAGES
from calipers.statistics.base import Statistic
from calipers.statistics.scores import TOP

for module in pkgutil.iter_modules(calipers.statistics.__path__):
    importlib.import_module(f"calipers.statistics.{module.name}")

SOURCE = Path(cal.__file__).parent
# A saved evaluation is in the registry too, once its module is imported, but is no statistic.
HOMES = ("calipers.statistics.", "calipers.metrics.")
KINDS = {kind.__name__ for kind in (*Statistic.registry.values(), *VIEWS) if kind.__module__.startswith(HOMES)}
NAMES = {*KINDS, TOP}
# Where statistics are looked at.
VIEWED = ("metrics/over/", "metrics/views.py")


def names_kinds(node, bound=frozenset()):
    """Whether an expression is a kind of statistic, its name, or a collection of such."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return any(names_kinds(each, bound) for each in node.elts)
    if isinstance(node, ast.Dict):
        return any(key is not None and names_kinds(key, bound) for key in node.keys)
    if isinstance(node, ast.BinOp):  # A | B
        return names_kinds(node.left, bound) or names_kinds(node.right, bound)
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if name == "__name__" and isinstance(node, ast.Attribute):
            return names_kinds(node.value, bound)
        return name in KINDS or name in bound
    return isinstance(node, ast.Constant) and node.value in NAMES


def switches(text):
    """The lines of a module that ask which kind of statistic something is."""
    tree = ast.parse(text)
    assigned = [(node.targets, node.value) for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    bound = {t.id for targets, value in assigned if names_kinds(value) for t in targets if isinstance(t, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(names_kinds(x, bound) for x in (node.left, *node.comparators)):
            yield node.lineno
        if isinstance(node, ast.Dict) and names_kinds(node):
            yield node.lineno
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
            yield from [node.lineno] if names_kinds(node.args[-1], bound) else []
        if isinstance(node, ast.MatchClass) and names_kinds(node.cls):
            yield node.cls.lineno
        if isinstance(node, ast.MatchValue) and names_kinds(node.value, bound):
            yield node.value.lineno


def modules():
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")


def test_no_module_beside_the_views_asks_for_a_kind_of_statistic():
    others = ((name, text) for name, text in modules() if not name.startswith(VIEWED))
    assert [f"{name}:{line}" for name, text in others for line in switches(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "metric.over is ScoreSamples", "x in (OneVsRest, Margins)", '"ScoreSamples" in parts', "x == statistics.Rows",
        "isinstance(x, Errors)", "isinstance(x, Errors | Rows)", "issubclass(x, (Errors, int))", "{ScoreSamples: 1}",
        '{"ConfusionCounts": counted}', "OF = (OneVsRest, Margins)\nx in OF", "KIND = Joint\nx is KIND",
        "match x:\n    case Errors():\n        pass", 'match x:\n    case "Rows":\n        pass',
        "x.__name__ == Sizes.__name__", '"TopScores" in parts', "x not in {RankCounts, int}",
    ],
)  # fmt: skip
def test_a_switch_is_seen(text):
    assert list(switches(text))


@pytest.mark.parametrize(
    "text", ["views.evidence.has(ScoreSamples)", "isinstance(value, Mean)", "Evidence.holding(ConfusionCounts(x))"]
)
def test_what_is_no_switch_is_left_alone(text):
    assert not list(switches(text))


def test_every_metric_has_a_view():
    assert {metric.over for metric in CATALOGUE} <= set(VIEWS)


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: type(view).__name__)
def test_a_view_has_its_words(view):
    assert view.section
    for lang in LANGUAGES:
        words = language(lang)
        assert words.say(f"explain.taken_{view.taken}")
        for name in view.own_symbols:
            assert words.say(f"explain.symbols.{view.taken}.{name}")


def test_a_view_of_ones_own_is_entered_by_its_class():
    class Mine:
        """What a formula takes."""

    class OfMine(View, over=Mine):
        """A view without a statistic."""

    try:
        assert isinstance(VIEWS[Mine], OfMine)
        assert not VIEWS[Mine].from_labels
    finally:
        del VIEWS[Mine]
