"""Tasks are records of facts, and no module beside them compares names of tasks."""

import ast
import copy
import pickle
from pathlib import Path
from typing import get_args

import pytest

import calipers as cal
from calipers.choices import ComparisonTask, ModelTask, TaskName
from calipers.findings.base import RULES, VALIDATION
from calipers.metrics.base import CATALOGUE
from calipers.report.language import language
from calipers.report.messages import LANGUAGES
from calipers.report.page.evaluation import AREAS, CURVES
from calipers.report.plots import KINDS
from calipers.tasks import MULTILABEL, TASKS, UNKNOWN, Task, task_of
from calipers.validation.problems import Problem

SOURCE = Path(cal.__file__).parent
NAMES = {*TASKS, *get_args(ModelTask)}
OBJECTS = {name.upper() for name in TASKS}
# The words of others that are spelled like ours.
EXCEPTIONS = {
    "sklearn/averaging.py": "scikit-learn's average='binary'",
    "report/answers.py": "a question about a model: how well it ranks",
}


def names_tasks(node, bound=frozenset()):
    """Whether an expression is a name of a task, a collection of such names, or a task itself."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return bool(node.elts) and any(names_tasks(each, bound) for each in node.elts)
    if isinstance(node, ast.Dict):
        return any(key is not None and names_tasks(key, bound) for key in node.keys)
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = node.id if isinstance(node, ast.Name) else node.attr
        return name in OBJECTS or name in bound
    return isinstance(node, ast.Constant) and node.value in NAMES


def comparisons(text):
    """The lines of a module that compare something with a name of a task."""
    tree = ast.parse(text)
    assigned = [(node.targets, node.value) for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    bound = {t.id for targets, value in assigned if names_tasks(value) for t in targets if isinstance(t, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(names_tasks(x, bound) for x in (node.left, *node.comparators)):
            yield node.lineno
        if isinstance(node, ast.MatchValue) and names_tasks(node.value, bound):
            yield node.value.lineno


def files():
    for path in sorted(SOURCE.rglob("*.py")):
        if path.relative_to(SOURCE).parts[0] != "tasks":
            yield path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")


def test_no_module_compares_names_of_tasks():
    assert [f"{name}:{line}" for name, text in files() if name not in EXCEPTIONS for line in comparisons(text)] == []


def test_every_exception_is_needed():
    assert {name for name, text in files() if name in EXCEPTIONS and list(comparisons(text))} == set(EXCEPTIONS)


@pytest.mark.parametrize(
    "text",
    [
        'x.task == "binary"', '"ranking" != x', 'x in ("binary", "multiclass")', 'x not in {"regression"}',
        "x is BINARY", "x == tasks.RANKING", 'x in {"binary": 1}', 'ONE = "ranking"\nx == ONE',
        'OF = ("binary", "multiclass")\nx in OF', 'match x:\n    case "binary":\n        pass',
        'match x:\n    case "a" | "binary":\n        pass',
    ],
)  # fmt: skip
def test_a_comparison_is_seen(text):
    assert list(comparisons(text))


def test_the_table_and_the_types_hold_the_same_names():
    assert set(TASKS) == set(get_args(ComparisonTask))
    of_evaluate = tuple(name for name, task in TASKS.items() if not (task.ranked or task.of_topics))
    assert get_args(TaskName) == of_evaluate
    assert all(name == task.name for name, task in TASKS.items())


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_the_facts_of_a_task_fit_each_other(task):
    kinds = (task.one_class, task.label_sets, task.of_numbers, task.ranked, task.clustered, task.of_topics)
    assert sum(kinds) == 1
    assert task.one_class == (task.why_not_confused == "")  # one true and one predicted class make a table
    assert not (task.one_score and task.top_class)
    assert task.one_class or not task.has_positive
    assert set(task.charts) <= set(KINDS[cal.Evaluation])
    assert set(task.usual_charts) | set(task.page_charts) <= set(task.charts)
    assert set(task.page_charts) <= {*CURVES, *AREAS, "intervals", "contingency", "silhouette"}
    for scored in (True, False):
        metric = CATALOGUE[task.usual_metric(scored=scored)].metric
        assert metric.better
        assert metric.of_numbers == task.of_numbers


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
def test_a_task_has_its_words(task, lang):
    words = language(lang)
    assert words.say(f"report.task_{task.name}")
    for key in (f"report.{task.unit}_n", f"compare.title_{task.compared}", f"plots.intervals.{task.unit}"):
        assert words.say(key, count=3, task="", rows="", names="")


def test_nothing_is_known_before_the_rows_are_read():
    assert task_of(None) is task_of("forecasting") is UNKNOWN
    assert not any(value is True for value in vars(UNKNOWN).values())


def test_a_task_is_one_object_also_after_a_journey():
    for task in (*TASKS.values(), UNKNOWN):
        assert pickle.loads(pickle.dumps(task)) is copy.deepcopy(task) is task


def test_rows_know_the_facts_of_their_task():
    ev = cal.evaluate([{"a"}, {"a", "b"}], [{"a"}, {"b"}])
    assert ev.task == "multilabel"
    assert ev.schema.facts is ev.views.facts is MULTILABEL


@pytest.mark.parametrize(
    ("problem", "task"),
    [
        (Problem("regression"), "regression"),
        (Problem("ranking"), "ranking"),
        (Problem("classification", ("a", "b", "c")), "multiclass"),
        (Problem("classification", (0, 1), 1), "binary"),
        (Problem("classification", several=True), "multilabel"),
    ],
)
def test_what_a_model_predicts_is_evaluated_as_a_task(problem, task):
    assert isinstance(problem.facts, Task)
    assert problem.facts.name == task


def test_metrics_and_findings_name_tasks_that_exist():
    results = (
        cal.Validation,
        cal.LearningCurve,
        cal.ValidationCurve,
        cal.BiasVariance,
        cal.Calibration,
        cal.Trend,
        cal.ClusterSelection,
    )
    kinds = {result.kind for result in results}
    assert {name for metric in CATALOGUE for name in metric.headline} <= set(TASKS)
    assert {name for entry in RULES.values() for name in entry.tasks} - kinds - {VALIDATION} <= set(TASKS)
