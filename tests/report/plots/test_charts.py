"""What is drawn is what the evaluation or comparison holds, and what cannot be drawn says why."""

import math

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.text import Text

import calipers as cal
from calipers import datasets
from calipers.errors import InputError, UnknownName
from calipers.report.plots.canvas import POINTS
from calipers.report.plots.files import figure


@pytest.fixture(autouse=True)
def _english(monkeypatch):
    monkeypatch.setenv("CALIPERS_LANG", "en")
    yield
    pyplot.close("all")


def axes_of(result, kind, **how):
    return figure(result, kind, **how).axes[0]


def line(ax, label):
    """The points of the line whose label begins so."""
    lines = [x for x in ax.get_lines() if str(x.get_label()).startswith(label)]
    assert len(lines) == 1, [x.get_label() for x in ax.get_lines()]
    return lines[0].get_xdata(), lines[0].get_ydata()


def texts(ax):
    return [t.get_text() for t in ax.figure.findobj(Text) if t.get_text()]


def test_roc_holds_the_curve_its_band_its_area_and_where_the_predictions_are(loans):
    ax = axes_of(loans, "roc")
    curve, area = loans.curve("roc", band="pointwise", points=POINTS), loans["roc_auc"]
    x, y = line(ax, f"AUC {area.shown()[0]} [{area.shown()[1]}, {area.shown()[2]}]")
    assert x.tolist() == curve.fpr.tolist()
    assert y.tolist() == curve.tpr.tolist()
    band = ax.collections[0].get_paths()[0].vertices
    assert set(curve.low.round(9)) <= set(band[:, 1].round(9))
    assert set(curve.high.round(9)) <= set(band[:, 1].round(9))
    x, y = line(ax, "threshold 0.5")
    assert (x[0], y[0]) == (loans["fpr"], loans["recall"])
    assert (ax.get_title("left"), ax.get_xlabel()) == ("ROC curve: BAD", "false positive rate")
    assert not axes_of(loans, "roc", band=None).collections


def test_precision_is_drawn_in_steps_from_recall_zero(loans):
    ax = axes_of(loans, "pr")
    curve = loans.curve("pr", points=POINTS)
    steps = next(x for x in ax.get_lines() if x.get_label().startswith("AP "))
    assert steps.get_drawstyle() == "steps-pre"
    assert steps.get_xdata().tolist() == [0, *curve.recall]
    assert steps.get_ydata().tolist() == [curve.precision[0], *curve.precision]
    height = steps.axes.get_lines()[1].get_ydata()[0]
    assert height == pytest.approx(0.1), "the line of chance is the prevalence"


def test_classes_and_their_averages_are_on_one_axis(weather):
    for kind, metric in (("roc", "roc_auc"), ("pr", "average_precision")):
        ax = axes_of(weather, kind)
        for label in weather.labels:
            area = weather.classes[label][metric]
            assert line(ax, f"{label}  {area.shown()[0]} [")[0][-1] == pytest.approx(1)
        for average in ("micro", "macro"):
            x, y = line(ax, f"{average} average  {weather[f'{metric}_{average}'].shown()[0]} [")
            curve = weather.curve(kind, average=average).thinned(POINTS)
            assert x.tolist() == ([0, *curve.x] if kind == "pr" else curve.x.tolist())
            assert y[-1] == curve.y[-1]


def test_of_many_classes_the_lowest_are_named_and_no_two_names_are_the_same(forty):
    ax = axes_of(forty, "roc")
    lowest = sorted(forty.labels, key=lambda v: forty.classes[v]["roc_auc"])[:3]
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(set(names)) == 6
    assert names[0] == "37 other classes"
    for name, label in zip(names[1:4], lowest, strict=True):
        assert f"{label[33:35]}…  {forty.classes[label]['roc_auc'].shown()[0]}" in name
    assert len(ax.get_lines()) == 1 + 40 + 2


@pytest.mark.parametrize("kind", ["gain", "lift", "det"])
def test_other_curves_are_those_of_the_evaluation(loans, kind):
    curve, ax = loans.curve(kind, points=POINTS), axes_of(loans, kind)
    lines = [x for x in ax.get_lines() if len(x.get_xdata()) > 10]
    assert len(lines) == 1
    assert lines[0].get_xdata().tolist() == curve.x.tolist()
    assert lines[0].get_ydata().tolist() == curve.y.tolist()


def test_the_perfect_order_and_the_equal_error_rate_are_marked(loans):
    x, _ = line(axes_of(loans, "gain"), "perfect ranking")
    assert x[1] == loans["prevalence"] == 0.1
    x, y = line(axes_of(loans, "det"), "equal error rate 0.250")
    assert (x[0], y[0]) == (loans["eer"], loans["eer"])


def test_calibration_holds_bins_bands_rows_and_the_error(loans):
    for how in ({}, {"bins": 5, "rule": "mass"}):
        ax = axes_of(loans, "calibration", **how)
        curve = loans.curve("calibration", band="pointwise", **how)
        x, y = line(ax, "expected calibration error ")
        assert (x.tolist(), y.tolist()) == (curve.score.tolist(), curve.outcome.tolist())
        ends = np.array([segment[:, 1] for segment in ax.collections[0].get_segments()])
        assert ends.tolist() == np.stack((curve.low, curve.high), 1).tolist()
        assert [bar.get_height() for bar in ax.child_axes[0].patches] == curve.rows.tolist()
    name = "ece(bins=5, rule=mass)"
    assert any(loans[name].shown()[0] in text for text in texts(ax))


def test_calibration_of_several_classes_is_that_of_the_top_class(weather):
    days = datasets.load("weather")
    score = np.column_stack([days[f"p_{name}"] for name in ("rain", "snow", "sun")])
    right = np.array(["rain", "snow", "sun"])[score.argmax(1)] == np.array(days["truth"])
    same = cal.evaluate(right.astype(int), score.max(1)).curve("calibration", band="pointwise")
    ax = axes_of(weather, "calibration")
    x, y = line(ax, f"expected calibration error {weather['ece'].shown()[0]}")
    assert (x.tolist(), y.tolist()) == (same.score.tolist(), same.outcome.tolist())
    assert (ax.get_title("left"), ax.get_ylabel()) == ("Calibration of the class with the\nhighest score",
                                                       "share of correct predictions")  # fmt: skip
    assert axes_of(weather, "calibration", label="rain").get_title("left") == "Calibration curve: rain"


def test_scores_are_shares_of_each_class_with_the_threshold(loans):
    ax = axes_of(loans, "scores", bins=10)
    curve = loans.curve("scores", bins=10)
    named = {patch.get_label(): patch.get_data() for patch in ax.patches if "rows" in patch.get_label()}
    assert list(named) == ["BAD (100 rows)", "GOOD (900 rows)"]
    for stairs, side in zip(named.values(), ("positive", "negative"), strict=True):
        assert stairs.values.tolist() == curve[f"{side}_share"].tolist()
    assert list(line(ax, "threshold 0.5")[0]) == [0.5, 0.5]
    assert "threshold 0.3" in texts(axes_of(loans.at(threshold=0.3), "scores"))


def test_labels_that_were_given_have_no_threshold():
    ev = cal.evaluate([0, 1, 1, 0], [0, 1, 0, 0], score=[0.1, 0.9, 0.4, 0.3])
    assert ev.threshold is None
    assert not any("threshold" in text for text in texts(axes_of(ev, "scores")))
    assert "given labels" in texts(axes_of(ev, "roc"))


def test_metrics_and_cost_against_the_threshold(loans):
    cost = {"fp": 1, "fn": 10}
    fig = figure(loans, "thresholds", metrics=["precision", "f1"], cost=cost)
    ax, cost_axes = fig.axes
    curve = loans.curve("thresholds", metrics=["precision", "f1"], cost=cost, points=POINTS)
    assert line(ax, "F1")[1].tolist() == curve.f1.tolist()
    assert cost_axes.get_lines()[0].get_ydata().tolist() == curve.cost.tolist()
    best = loans.best_threshold(cost=cost)
    assert (cost_axes.get_lines()[1].get_xdata()[0], cost_axes.get_lines()[1].get_ydata()[0]) == (best, best.value)
    assert f"lowest cost {best.value:.3f} at {best:.3f}" in texts(ax)


def test_confusion_numbers_shares_margins_and_orientation(weather):
    counts, ax = weather.confusion.counts, axes_of(weather, "confusion")
    cells = {t.xy: t.get_text() for t in ax.texts if hasattr(t, "xy") and "%" not in t.get_text()}
    assert {(c, r): str(n) for (r, c), n in np.ndenumerate(counts)} == cells
    shares = [t.get_text() for t in ax.texts if "%" in t.get_text()]
    assert shares == [f"{100 * x:.1f}%" for x in weather.confusion.normalised("truth").ravel()]
    margins = [t.get_text() for t in ax.texts if not hasattr(t, "xy")]
    assert sorted(margins) == sorted(map(str, [*counts.sum(0), *counts.sum(1), counts.sum()]))
    depth = np.asarray(ax.collections[0].get_array())[..., 3]
    assert depth == pytest.approx(0.62 * weather.confusion.normalised("truth"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted class", "true class")
    turned = axes_of(weather, "confusion", rows="prediction", normalise="prediction", margins=False)
    assert (turned.get_xlabel(), turned.get_ylabel()) == ("true class", "predicted class")
    expected = weather.confusion.T.normalised("prediction")
    assert [t.get_text() for t in turned.texts] == [f"{100 * x:.1f}%" for x in expected.ravel()]


def test_confusion_of_many_classes_has_no_numbers_and_every_name_once(forty, twelve):
    ax = axes_of(forty, "confusion")
    assert not ax.texts
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert len(set(names)) == 40
    assert [name[-3:-1] for name in names] == [f"{i:02d}" for i in range(40)]
    shares = forty.confusion.normalised("truth")
    assert np.asarray(ax.images[0].get_array())[..., 3] == pytest.approx(np.sqrt(np.nan_to_num(shares)))
    numbers = [t for t in axes_of(twelve, "confusion").texts if hasattr(t, "xy")]
    assert len(numbers) == np.count_nonzero(twelve.confusion.counts)


def test_intervals_of_metrics_slices_classes_and_models(loans, weather, models):
    ax = axes_of(loans, "intervals", metrics=["recall", "log_loss"])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["Recall", "Log loss"]
    ends = [list(x.get_xdata()) for x in ax.get_lines() if len(x.get_xdata()) == 2]
    assert ends == [[loans[m].low, loans[m].high] for m in ("recall", "log_loss")]
    ax = axes_of(loans, "intervals", of="slices", metric="recall")
    for name, label in zip(loans.by["region"], ax.get_yticklabels(), strict=True):
        assert label.get_text() == name
        assert str(loans.by["region"][name]["recall"]) in texts(ax)
    assert list(ax.get_lines()[-1].get_xdata()) == [loans["recall"]] * 2, "the line is that of all rows"
    ax = axes_of(weather, "intervals", of="classes", metric="f1")
    assert str(weather.classes["snow"]["f1"]) in texts(ax)
    ax = axes_of(models[1], "intervals", metric="roc_auc")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["gradient boosting", "logistic regression", "noisy"]


def test_rankings_count_queries():
    qrels, run = datasets.path("search.qrels"), datasets.path("search.run")
    assert axes_of(cal.evaluate_ranking(qrels, run), "intervals").get_xlabel() == "50 queries"
    both = cal.compare(qrels, {"a": run, "b": run}, metrics=["ndcg@10"])
    assert axes_of(both, "difference").get_xlabel() == "← a better  |  b better →\n50 queries"


def test_default_intervals_are_of_metrics_on_one_scale(loans):
    names = [t.get_text() for t in axes_of(loans, "intervals").get_yticklabels()]
    assert "Accuracy" in names
    assert "Log loss" not in names


def test_item_a9_right_of_zero_the_candidate_is_better(models):
    """A loss is drawn the other way round, and the numbers of the axis have no sign."""
    comparison = models[0]
    baseline, candidate = comparison.models
    ax = axes_of(comparison, "difference")
    points = [x.get_xdata()[0] for x in ax.get_lines() if len(x.get_xdata()) == 1]
    for name, drawn in zip(comparison, points, strict=True):
        d = comparison[name][candidate, baseline]
        assert drawn == (-d.difference if cal.metric(name).metric.better == "lower" else d.difference)
        assert d.winner is None or (drawn > 0) == (d.winner == candidate)
    assert ax.get_xlabel().startswith(f"← {baseline} better  |  {candidate} better →")
    ax.figure.canvas.draw()
    ticks = [text.get_text() for text in ax.get_xticklabels()]
    assert any(ticks)
    assert not any("−" in text or "-" in text for text in ticks)


def test_item_c15_models_have_precision_recall_and_calibration_curves(models):
    comparison = models[0]
    for kind, metric in (("pr", "average_precision"), ("calibration", "ece")):
        ax = axes_of(comparison, kind)
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        for name, ev in comparison.models.items():
            assert any(label.startswith(name) and ev[metric].shown()[0] in label for label in labels)


def test_item_1_calibration_by_slice():
    """One curve per slice, as the evaluation of its rows has it."""
    rng = np.random.default_rng(3)
    y, region = rng.integers(0, 2, 300), np.array(["north", "south"] * 150)
    p = np.clip(0.3 + 0.4 * y + rng.normal(0, 0.2, 300), 0, 1)
    ax = axes_of(cal.evaluate(y, p, by={"region": region}), "calibration", by="region")
    for name in ("north", "south"):
        alone = cal.evaluate(y[region == name], p[region == name])
        label = next(x.get_label() for x in ax.get_lines() if name in str(x.get_label()))
        assert alone["ece"].shown()[0] in label
        x, outcome = line(ax, label)
        curve = alone.curve("calibration")
        assert list(x) == pytest.approx(list(curve.score))
        assert list(outcome) == pytest.approx(list(curve.outcome))


def test_differences_with_verdicts_and_margin(models):
    two, three = models
    ax = axes_of(two, "difference")
    d = two["roc_auc"].difference, two["roc_auc"].low, two["roc_auc"].high
    numbers = "{:+.3f} [{:+.3f}, {:+.3f}]  ".format(*d).replace("-", "−")
    assert two["roc_auc"].winner == two.baseline
    assert any(
        text.startswith(numbers) and text.endswith(" better") and len(text) > len(numbers) + 7 for text in texts(ax)
    )
    assert len(ax.get_yticklabels()) == len(two)
    ax = axes_of(three, "difference", metric="roc_auc")
    assert len(ax.get_yticklabels()) == 3
    assert ax.patches[0].get_extents().width > 0, "the margin is a band"
    dots = [x for x in ax.get_lines() if x.get_marker() in ("o", "s")]
    hollow = [x.get_markerfacecolor() != x.get_markeredgecolor() for x in dots]
    assert len(hollow) == 3


def test_models_curves_and_where_they_cross(models):
    two, three = models
    ax, crossing = axes_of(two, "roc"), two.curves("roc")
    x, _ = line(ax, "the curves cross; ")
    assert tuple(x) == crossing.crossings
    shares = [f"{crossing.share(name):.0%}" for name in two.models]
    assert any(text.endswith(f"above on {shares[0]} and {shares[1]} of the axis") for text in texts(ax))
    assert len(ax.get_legend().get_texts()) == 3
    assert len(axes_of(three, "roc").get_legend().get_texts()) == 3


def test_mean_ranks_and_groups(ranks):
    ax = axes_of(ranks, "critical_difference")
    for name, rank in ranks.ranks.items():
        assert any(name in text and f"{rank:.2f}" in text for text in texts(ax))
    bars = [x.get_xdata() for x in ax.get_lines() if x.get_linewidth() == 4]
    assert [(round(a + 0.04, 9), round(b - 0.04, 9)) for a, b in bars] == [
        (round(ranks.ranks[group[0]], 9), round(ranks.ranks[group[-1]], 9)) for group in ranks.groups
    ]
    assert f"critical difference {ranks.critical_difference:.2f}" in texts(ax)
    control = cal.compare_datasets({"A": [0.9, 0.8, 0.7, 0.9], "B": [0.8, 0.7, 0.6, 0.8]}, control="A")
    assert "bars connect models that do not differ significantly (Holm)" in texts(control.plot().figure.axes[0])


@pytest.mark.parametrize("name", ["loans", "weather"])
def test_every_kind_says_so_in_every_language_and_theme(name, request):
    ev = request.getfixturevalue(name)
    label = {} if name == "loans" else {"label": "rain"}
    for kind in ev.schema.facts.charts:
        how = {} if kind in ("confusion", "intervals") else label
        by_language = {
            code: texts(axes_of(ev, kind, lang=code, text_as_text=True, **how)) for code in ("en", "vi", "zh")
        }
        assert by_language["vi"] != by_language["en"] != by_language["zh"]
        assert any(c > "\u4e00" for c in "".join(by_language["zh"]))
        assert not any("0.2" in text for text in by_language["vi"]), "decimal commas"


def test_axes_are_returned_and_used_and_nothing_global_changes(loans):
    def settings():
        return {key: value for key, value in mpl.rcParams.items() if key != "backend"}

    before = settings()
    ax = loans.plot("roc")
    assert ax.figure.number in pyplot.get_fignums()
    _, (left, right) = pyplot.subplots(1, 2)
    assert loans.plot("confusion", ax=left, theme="dark") is left
    assert loans.plot("pr", right) is right
    assert settings() == before


def test_what_the_user_told_matplotlib_does_not_reach_a_chart(loans):
    settings = {"text.usetex": True, "font.size": 40, "axes.grid": False, "axes.titlelocation": "center"}
    with mpl.rc_context(settings):
        ax = loans.plot("roc")
        ax.figure.canvas.draw()
        assert not any(text.get_usetex() for text in ax.get_xticklabels())
    assert ax.get_title("left") == "ROC curve: BAD"


def test_long_titles_are_broken_and_many_models_are_named_best_first():
    title = "A title that says much more than a small confusion matrix has room for"
    ax = cal.plot_confusion([[1, 0], [0, 1]], title=title[:60])
    assert 1 < len(ax.get_title("left").split("\n")) < 4
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    many = {f"model {i}": rng.normal(size=200) + 0.2 * i * truth for i in range(9)}
    ax = axes_of(cal.compare(truth, many, metrics=["roc_auc"], threshold=0.5), "roc")
    names = [text.get_text().partition("  ")[0] for text in ax.get_legend().get_texts()]
    areas = {name: float(cal.metrics.roc_auc(truth, scores)) for name, scores in many.items()}
    assert names == ["6 other models", *sorted(areas, key=areas.get, reverse=True)[:3]]


def test_what_cannot_be_drawn_leaves_no_figure_and_says_why(loans, weather, models):
    labels, margins = cal.evaluate([0, 1, 1, 0], [0, 1, 0, 0]), cal.evaluate([0, 1], [-2.0, 3.0])
    refused = {
        "no chart of an Evaluation is called 'rock'; available: roc, pr, ": lambda: loans.plot("rock"),
        "is called 'difference', but Comparison has one; available": lambda: loans.plot("difference"),
        "of a Comparison is called 'det', but Evaluation has one; available: difference": lambda: models[0].plot("det"),
        "the residuals chart is for regression, but the task is binary: available charts are roc,": lambda: loans.plot(
            "residuals"
        ),
        "the roc chart has no option 'bnd'; did you mean band?": lambda: loans.plot("roc", bnd=None),
        "the roc chart needs scores, but this evaluation kept only labels: pass score= to evaluate, and with":
            lambda: labels.plot("roc"),
        "the gain chart shows one class: pass label= ('rain', 'snow', 'sun')": lambda: weather.plot("gain"),
        "no theme is called 'drak'; did you mean dark?": lambda: loans.plot("roc", theme="drak"),
        "lang='fr' is not known: pass en": lambda: loans.plot("roc", lang="fr"),
        "rows='down' is not known: pass": lambda: loans.plot("confusion", rows="down"),
        "normalise='rows' is not known: pass one of truth, prediction, all, or None for counts":
            lambda: loans.plot("confusion", normalise="rows"),
        "of='models' is not known: pass metrics, classes or slices": lambda: loans.plot("intervals", of="models"),
        "there are no slices by 'regio'; did you mean region?":
            lambda: loans.plot("intervals", of="slices", by="regio"),
        "this evaluation has no slices: pass by= to evaluate": lambda: labels.plot("intervals", of="slices"),
        "no calibration chart: scores range from -2 to 3": lambda: margins.plot("calibration"),
        "read from a .json result, which contains no rows: evaluate": lambda: cal.loads(loans.to_json()).plot("roc"),
    }
    for text, call in refused.items():
        with pytest.raises((InputError, UnknownName)) as error:
            call()
        assert text in str(error.value)
    assert not pyplot.get_fignums()


def test_documents_draw_what_they_hold(loans):
    back = cal.loads(loans.to_json())
    assert texts(axes_of(back, "confusion")) == texts(axes_of(loans, "confusion"))
    assert texts(axes_of(back, "intervals")) == texts(axes_of(loans, "intervals"))


def test_hostile_labels_are_text():
    names = ["$\\frac{", "a\nb", "", "</script><img src=x onerror=alert(1)>"]
    truth = np.array(names, object)[np.random.default_rng(0).integers(0, 4, 80)]
    ax = cal.evaluate(truth, truth[::-1]).plot("confusion")
    ax.figure.canvas.draw()
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert sorted(labels) == ["$\\frac{", "''", "</script>…lert(1)>", "a\\nb"]


@pytest.mark.parametrize(
    ("truth", "score"),
    [([0, 1], [0.2, 0.8]), ([1, 1, 1], [0.1, 0.2, 0.9]), ([0, 1, 1], [0.3, 0.3, 0.3]), ([0, 1, 1], [0.0, np.inf, 1.0])],
    ids=["two rows", "one class", "constant", "infinite"],
)
def test_poor_data_is_drawn_as_far_as_it_goes(truth, score):
    ev = cal.evaluate(truth, score, labels=[0, 1], threshold=0.5)
    for kind in ("roc", "pr", "det", "gain", "lift", "scores", "thresholds", "confusion", "intervals"):
        ax = axes_of(ev, kind)
        ax.figure.canvas.draw()
        assert ax.get_title("left")
    if math.isnan(ev["roc_auc"]):
        assert "AUC undefined" in texts(axes_of(ev, "roc"))
