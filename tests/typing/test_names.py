"""The public names: the same for people, for `dir`, for `help` and for type checkers."""

import ast
import collections.abc
import inspect
import pydoc
import re
from pathlib import Path
from typing import get_args

import pytest

import calipers as cal
from calipers import choices, settings
from calipers.comparison.folds_and_datasets import FOLD_TESTS
from calipers.evaluation import curves, residuals
from calipers.inference.intervals import METHODS
from calipers.inference.multiple import ADJUSTMENTS
from calipers.inference.published import PUBLISHED
from calipers.inference.resampled import RESAMPLED
from calipers.metrics.calling import CallOptions
from calipers.report.messages import LANGUAGES
from calipers.report.plots import KINDS
from calipers.report.plots.theme import THEMES
from calipers.report.reference import attributes
from calipers.validation.bootstrap_validation import ALIASES

SOURCE = Path(cal.__file__).parent
PUBLIC = [(name, getattr(cal, name)) for name in cal.__all__]


def test_dir_lists_the_public_names_alone():
    assert dir(cal) == sorted(cal.__all__)
    names = set(dir(cal.metrics))
    assert {"f1", "sensitivity", "roc_auc", "fbeta_from", "Measure", "catalogue"} <= names
    other = names - {m.name for m in cal.metrics.catalogue()} - set(cal.metrics.__all__)
    assert all(isinstance(getattr(cal.metrics, name), cal.Measure) for name in other)
    assert not {"base", "import_module", "counts", "TYPE_CHECKING", "CATALOGUE", "for"} & names


def test_checkers_import_what_is_public():
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    imported = {}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    for node in (node for node in nodes if node.module.startswith("calipers")):
        home = node.module.removeprefix("calipers").removeprefix(".")
        imported |= {alias.asname or alias.name: f"{home}:{alias.name}" for alias in node.names}
    imported["metrics"] = "metrics:"
    assert imported == cal._HOMES
    assert sorted(imported) == sorted(cal.__all__)


def test_a_name_that_is_not_public_says_so():
    with pytest.raises(AttributeError, match="module 'calipers' has no attribute 'nonsense'"):
        cal.nonsense  # noqa: B018 - the look-up itself is tested
    with pytest.raises(AttributeError, match="no metric is called 'nonsense'"):
        cal.metrics.nonsense  # noqa: B018


def test_the_stub_of_metrics_is_what_the_catalogue_says():
    stub = (SOURCE / "metrics" / "attributes.pyi").read_text(encoding="utf-8")
    assert stub == attributes(), "run: make pages"


def test_help_of_a_metric_is_its_own():
    text = pydoc.plain(pydoc.render_doc(cal.metrics.fbeta))
    assert "fbeta(y_true, y_pred=None, *, beta=1.0, average=None, score=None" in text
    assert inspect.getdoc(cal.metrics.fbeta.metric.function).splitlines()[0] in text
    assert inspect.signature(cal.metric("fbeta(beta=2)")).parameters["beta"].default == 2
    assert "average" not in inspect.signature(cal.metrics.accuracy).parameters
    assert cal.metrics.f1.__doc__ != cal.metrics.recall.__doc__ != cal.Measure.__doc__
    assert cal.Measure.__doc__.startswith("A metric with its parameters and average")
    assert list(inspect.signature(cal.Measure).parameters) == ["metric", "parameters", "average"]


@pytest.mark.parametrize("metric", list(cal.metrics.catalogue()), ids=lambda m: m.name)
def test_checkers_know_the_parameters_of_a_metric(metric):
    assert metric.parameters.keys() <= CallOptions.__annotations__.keys()


def test_every_result_is_a_public_type():
    functions = [(name, f) for name, f in PUBLIC if inspect.isfunction(f) and not name.startswith("plot_")]
    results = {name: f.__annotations__["return"] for name, f in functions}
    others = {"adjust_pvalues": "Array", "fbeta_from": "Number", "load": "AnyResult", "loads": "AnyResult"}
    assert {name: of for name, of in results.items() if of not in cal.__all__} == others
    kinds = [(name, kind) for name, kind in PUBLIC if inspect.isclass(kind)]
    methods = {
        f"{name}.{key}": of.__annotations__.get("return", "")
        for name, kind in kinds
        for key, value in vars(kind).items()
        if not key.startswith("_")
        for of in [getattr(value, "fget", None) or getattr(value, "compute", None) or getattr(value, "__func__", value)]
        if inspect.isfunction(of)
    }
    named = {word for of in methods.values() for word in re.findall(r"[A-Z]\w+", of)}
    public = {*cal.__all__, "Loss", "Verdict", *vars(collections.abc), "Any", "Self", "None", "Array", "Label"}
    assert named - public == INTERNAL


# What reports read (people read the results), and the frames of pandas.
INTERNAL = {"Average", "DataFrame", "OutOfFold", "Settings", "Task", "Views"}


CHARTS = {kind.__name__: charts for kind, charts in KINDS.items()}


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (choices.IntervalMethod, {*RESAMPLED, *(m for methods in METHODS.values() for m in methods)} - {"none"}),
        (choices.Adjustment, ADJUSTMENTS),
        (choices.PairedTest, PUBLISHED),
        (choices.FoldTest, FOLD_TESTS),
        (choices.BootstrapName, {*get_args(choices.BootstrapMethod), *ALIASES}),
        (choices.Ties, settings.TIES),
        (choices.Unjudged, settings.UNJUDGED),
        (choices.MissingQueries, settings.ABSENT),
        (choices.NoRelevant, settings.NO_RELEVANT),
        (choices.ThresholdCurve, curves.KINDS),
        (choices.NumberCurve, residuals.KINDS),
        (choices.EvaluationChart, CHARTS["Evaluation"]),
        (choices.ComparisonChart, CHARTS["Comparison"]),
        (choices.DatasetChart, CHARTS["DatasetComparison"]),
        (choices.ValidationChart, CHARTS["Validation"]),
        (choices.Band, {band for _, bands in curves.BANDS.values() for band in bands}),
        (choices.Lang, LANGUAGES),
        (choices.Theme, THEMES),
    ],
)
def test_checkers_and_tables_have_the_same_words(choice, words):
    assert sorted(get_args(choice)) == sorted(words)
