"""Charts of models over folds, sizes, values and resamples: what they hold, and the tables behind them."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.text import Text
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

import calipers as cal
from calipers.errors import InputError, UnknownName
from calipers.report.language import language
from calipers.report.page.validation_charts import charts
from calipers.report.plots.files import figure

RESULTS = ("over_folds", "learnt", "tuned", "named", "apart", "apart_squared")
KIND = {"over_folds": "folds", "learnt": "learning", "tuned": "validation", "named": "validation"}


@pytest.fixture(autouse=True)
def _english(monkeypatch):
    monkeypatch.setenv("CALIPERS_LANG", "en")
    yield
    pyplot.close("all")


def axes_of(result, kind, **how):
    return figure(result, kind, **how).axes[0]


def line(ax, label):
    (curve,) = (x for x in ax.get_lines() if str(x.get_label()).startswith(label))
    return curve.get_xdata(), curve.get_ydata()


def texts(ax):
    return [t.get_text() for t in ax.figure.findobj(Text) if t.get_text()]


def test_every_fold_is_a_point_and_the_mean_has_its_interval(over_folds):
    ax = axes_of(over_folds, "folds", metrics=["accuracy", "roc_auc"])
    for at, name in enumerate(("accuracy", "roc_auc")):
        points = [x for x in ax.get_lines() if len(x.get_xdata()) == 5 and abs(x.get_ydata().mean() - at) < 0.5]
        assert points[0].get_xdata() == pytest.approx(over_folds.averaged()[name].values)
        e = over_folds[name]
        assert any(list(x.get_xdata()) == [e.low, e.high] for x in ax.get_lines())
        assert f"{e.shown()[0]} [{e.shown()[1]}, {e.shown()[2]}]" in texts(ax)
    assert ax.get_title("left") == "5 folds and their mean, 95% interval"
    assert "Log loss" not in texts(axes_of(over_folds, "folds")), "no share: it has an axis of its own"
    assert "Log loss" in texts(axes_of(over_folds, "folds", metrics="log_loss"))


@pytest.mark.parametrize(("kind", "metric"), [("roc", "AUC"), ("pr", "AP")])
def test_curves_of_folds_with_their_mean_and_band(over_folds, kind, metric):
    ax, curves = axes_of(over_folds, kind), over_folds.curve(kind)
    x, y = line(ax, f"mean  {metric} 0.")
    assert (x.tolist(), y.tolist()) == (curves.mean.x.tolist(), curves.mean.y.tolist())
    grey = [x for x in ax.get_lines() if x.get_linewidth() == 0.8]
    assert [len(x.get_xdata()) for x in grey] == [len(curve.x) for curve in curves.folds]
    band = ax.collections[0].get_paths()[0].vertices
    assert set(curves.mean.low.round(9)) <= set(band[:, 1].round(9))
    assert axes_of(over_folds, kind, label=1).get_title("left").endswith(": 1")


def test_several_classes_are_averaged_and_a_fold_without_a_class_has_no_part():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    validation = cal.cross_validate(GaussianNB(), rng.normal(size=(120, 2)) + y[:, None], y, seed=0)
    ax = axes_of(validation, "roc")
    assert ax.get_title("left") == "ROC curve, macro average"
    assert f"mean  AUC {validation['roc_auc(average=macro)'].shown()[0]}" in ax.get_legend().get_texts()[1].get_text()
    assert axes_of(validation, "roc", label=2).get_legend().get_texts()[1].get_text() == "mean"
    few = np.zeros(60, int)
    few[:2] = 1
    rare = cal.cross_validate(GaussianNB(), rng.normal(size=(60, 2)) + few[:, None], few, cv=3, seed=0)
    assert not np.isnan(rare.curve("roc").mean.y).any()
    assert rare.curve("roc").mean.note.endswith("over 2 folds")


def test_sizes_with_bands_and_what_the_folds_span(learnt):
    ax, curve = axes_of(learnt, "learning", metric="log_loss"), learnt.curve("log_loss")
    x, y = line(ax, "test data, 95% interval over 5 folds")
    assert (x.tolist(), y.tolist()) == (list(learnt.sizes), curve.test.tolist())
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert set(curve.low.round(9)) | set(curve.high.round(9)) <= set(band.round(9))
    _, y = line(ax, "training data, range over the folds")
    assert y.tolist() == curve.train.tolist()
    assert ax.get_xscale() == "log"
    assert [label.get_text() for label in ax.get_xticklabels()] == [str(n) for n in learnt.sizes]
    assert (ax.get_title("left"), ax.get_xlabel()) == ("Learning curve: log loss", "training rows")


def test_values_with_the_best_and_the_simplest_that_will_do(tuned, named):
    ax, own = axes_of(tuned, "validation"), tuned["roc_auc"]
    x, y = line(ax, f"best: {tuned.best()}")
    assert (x[0], y[0]) == (tuned.best(), own.test[own.best])
    x, _ = line(ax, f"simplest within one standard error: {tuned.simplest()}")
    assert x[0] == tuned.simplest()
    assert ax.get_xscale() == "linear"
    categories = axes_of(named, "validation")
    assert [label.get_text() for label in categories.get_xticklabels()] == ["gini", "entropy", "$wrong$"]
    categories.figure.canvas.draw()
    assert categories.get_xlim()[1] > line(categories, "test")[0][2] == 2, "what failed has its place"


def test_the_bars_of_a_loss_add_up(apart, apart_squared):
    for bias_variance, names in ((apart, ("bias", "unbiased", "biased")), (apart_squared, ("bias", "variance"))):
        ax = axes_of(bias_variance, "parts")
        bars = [(bar.get_x(), bar.get_width()) for bar in ax.patches]
        signs = [-1 if name == "biased" else 1 for name in names]
        assert [width for _, width in bars[:-1]] == pytest.approx(
            [sign * bias_variance[name] for sign, name in zip(signs, names, strict=True)]
        )
        for (start, width), (next_start, _) in pairwise(bars[:-1]):
            assert start + width == pytest.approx(next_start)
        assert sum(bars[-2]) == pytest.approx(float(bias_variance["loss"]))
        assert bars[-1] == pytest.approx((0, float(bias_variance["loss"])))
    assert "Bias and variance of zero-one loss, 95% intervals" in texts(axes_of(apart, "parts"))


@pytest.mark.parametrize("name", RESULTS)
def test_every_language_and_theme(name, request):
    result = request.getfixturevalue(name)
    kind = KIND.get(name, "parts")
    by_language = {code: texts(axes_of(result, kind, lang=code, text_as_text=True)) for code in ("en", "vi", "zh")}
    assert by_language["vi"] != by_language["en"] != by_language["zh"]
    assert any(c > "\u4e00" for c in "".join(by_language["zh"]))
    assert not any("0.2" in text for text in by_language["vi"]), "decimal commas"
    figure(result, kind, theme="dark").canvas.draw()


@pytest.mark.parametrize("name", RESULTS)
def test_a_page_has_every_chart_with_its_numbers(name, request):
    result, words = request.getfixturevalue(name), language("en")
    pictures = charts(result, words)
    expected = {"over_folds": ["chart-roc", "chart-pr"], "learnt": ["learning-0", "learning-1"]}
    assert [c.key for c in pictures] == expected.get(name, [f"{KIND.get(name, 'parts')}{'-0' * (name in KIND)}"])
    for chart in pictures:
        assert str(chart.svg).startswith("<svg")
        assert chart.table is None or all(len(row) == len(chart.table.head) for row in chart.table.rows)
    table = pictures[-1].table if name == "over_folds" else pictures[0].table
    assert table.rows
    if name == "learnt":
        assert table.head[:4] == ("training rows", "test", "lower bound", "upper bound")
        assert [row[0].text for row in table.rows] == [str(n) for n in result.sizes]
        assert table.rows[-1][1].text == f"{result['accuracy'].test[-1]:.3f}"
    if name == "over_folds":
        assert table.head == ("recall", "precision", "lower bound", "upper bound")


def test_plot_of_results_with_one_kind(learnt, apart, over_folds):
    _, (left, right) = pyplot.subplots(1, 2)
    assert learnt.plot(ax=left, metric="log_loss") is left
    assert apart.plot(ax=right, lang="vi") is right
    assert over_folds.plot("roc").get_legend() is not None


def test_what_cannot_be_drawn_says_why(over_folds, corners):
    numbers = cal.cross_validate(Ridge(), corners[1], corners[1][:, 0] * 1.5, seed=0)
    with pytest.raises(
        InputError, match="the roc chart is for classification, but the task is regression: use the folds chart"
    ):
        numbers.plot("roc")
    assert "RMSE" in texts(axes_of(numbers, "folds"))
    _, X, y = corners
    with pytest.raises(
        InputError, match="the roc chart needs scores: request a metric that uses scores, such as roc_auc, for a model"
    ):
        cal.cross_validate(GaussianNB(), X, y, metrics="accuracy").plot("roc")
    single = cal.cross_validate(GaussianNB(), X[:30], y[:30], cv="loo")
    with pytest.raises(InputError, match="test sets of one row have no metrics per fold to draw: use pooled"):
        single.plot("folds")
    with pytest.raises(InputError, match="no fold has the roc curve, because a class is missing from every test set"):
        single.plot("roc")
    with pytest.raises(
        UnknownName, match="no chart of a Validation is called 'lift', but Evaluation has one; available"
    ):
        over_folds.plot("lift")
    with pytest.raises(InputError, match="the learning chart has no option 'metrics'; did you mean metric"):
        cal.learning_curve(*corners, sizes=[1.0]).plot(metrics="f1")
