"""Bootstrap intervals of evaluations: the same spread as the formulas give, seeds, and every kind of rows."""

import numpy as np
import pytest

import calipers as cal
from calipers.errors import InputError
from calipers.metrics.base import CATALOGUE
from calipers.metrics.resolve import resolve
from calipers.metrics.tables import Tables
from calipers.resampling.bootstrap import Bootstrap

RNG = np.random.default_rng(4)
N = 600
TRUTH = (RNG.random(N) < 0.4).astype(int)
SCORE = 1 / (1 + np.exp(-RNG.normal(1.5 * TRUTH - 0.75)))
CLASS = RNG.integers(0, 4, N)
SAID = np.where(RNG.random(N) < 0.6, CLASS, RNG.integers(0, 4, N))
MATRIX = RNG.exponential(size=(N, 4)) + np.eye(4)[CLASS]
MATRIX /= MATRIX.sum(1, keepdims=True)
SETS = (RNG.random((N, 3)) < 0.4).astype(int)
MARKED = np.where(RNG.random((N, 3)) < 0.75, SETS, 1 - SETS)
BINARY = ("accuracy", "f1", "mcc", "balanced_accuracy", "fbeta(beta=2)", "roc_auc", "gini", "average_precision",
          "log_loss", "brier", "lr_minus", "precision", "kappa", "youden_j", "f1(average=macro)")


def width(estimate):
    return estimate.high - estimate.low


def test_the_spread_is_that_of_the_formulas():
    plain = cal.evaluate(TRUTH, SCORE)
    drawn = cal.evaluate(TRUTH, SCORE, interval="percentile", replicates=3000)
    for name in BINARY:
        assert drawn[name].method == "percentile, 3000 resamples"
        assert width(drawn[name]) == pytest.approx(width(plain[name]), rel=0.12), name


def test_the_spread_of_weighted_rows_is_that_of_the_formulas():
    weights = RNG.exponential(size=N) + 0.2
    plain = cal.evaluate(TRUTH, SCORE, weights=weights)
    drawn = cal.evaluate(TRUTH, SCORE, weights=weights, interval="percentile", replicates=3000)
    for name in BINARY:
        assert width(drawn[name]) == pytest.approx(width(plain[name]), rel=0.15), name


def test_the_spread_of_many_classes_and_of_label_sets():
    options = {"interval": "percentile", "replicates": 400}
    for truth, pred, names in (
        (CLASS, SAID, ("accuracy", "f1(average=macro)", "f1(average=weighted)", "precision(average=micro)", "mcc")),
        (CLASS, MATRIX, ("log_loss", "brier", "roc_auc(average=macro)", "roc_auc_ovo", "top_k(k=2)")),
        (SETS, MARKED, ("subset_accuracy", "hamming_loss", "jaccard_of_rows")),
    ):
        plain = cal.evaluate(truth, pred, metrics=names)
        drawn = cal.evaluate(truth, pred, metrics=names, **options)
        for name in names:
            assert drawn[name].method == "percentile, 400 resamples"
            assert width(drawn[name]) == pytest.approx(width(plain[name]), rel=0.25), name


def test_classes_and_slices_are_drawn_too():
    half = np.arange(N) % 2
    ev = cal.evaluate(CLASS, MATRIX, interval="percentile", replicates=200, by={"half": half})
    plain = cal.evaluate(CLASS, MATRIX, by={"half": half})
    for name in ("recall", "roc_auc"):
        assert ev.classes[2][name].method == "percentile, 200 resamples"
        assert width(ev.classes[2][name]) == pytest.approx(width(plain.classes[2][name]), rel=0.35)
    result, expected = ev.by["half"][0]["accuracy"], plain.by["half"][0]["accuracy"]
    assert width(result) == pytest.approx(width(expected), rel=0.3)


def test_one_label_of_a_set():
    result = cal.evaluate(SETS, MARKED, interval="bca", replicates=200).classes[1]["f1"]
    expected = cal.evaluate(SETS, MARKED).classes[1]["f1"]
    assert width(result) == pytest.approx(width(expected), rel=0.35)


NO_FORMULA = ("ks", "eer", "break_even", "partial_auc", "average_precision(interpolation=11-point)", "ece",
              "average_precision(interpolation=all-point)", "mean_precision_over_thresholds", "resolution",
              "reliability")


@pytest.mark.parametrize("name", NO_FORMULA)
def test_what_has_no_formula_has_a_bootstrap(name):
    plain = cal.evaluate(TRUTH, SCORE)[name]
    if name != "ece":
        assert plain.reason.endswith('use interval="bca" for a bootstrap interval')
    for method in ("bca", "percentile", "basic"):
        estimate = cal.evaluate(TRUTH, SCORE, interval={name: method}, replicates=200)[name]
        assert estimate.method == f"{method}, 200 resamples"
        low, high = CATALOGUE[name].metric.bounds
        assert low <= estimate.low < estimate.high <= high
        if name not in ("ece", "reliability"):  # noise biases these upwards
            assert estimate.low <= estimate <= estimate.high


def test_a_seed_gives_the_same_bounds_and_another_gives_others():
    def bounds(seed):
        ev = cal.evaluate(TRUTH, SCORE, interval="bca", replicates=100, seed=seed)
        return [ev[name].interval for name in ("f1", "roc_auc", "log_loss", "eer")]

    assert bounds(1) == bounds(1)
    assert all(a != b for a, b in zip(bounds(1), bounds(2), strict=True))
    one = cal.metrics.roc_auc(TRUTH, SCORE, interval="bca", replicates=100, seed=1)
    assert one.interval == bounds(1)[1]


def test_the_bounds_do_not_depend_on_the_number_of_threads(monkeypatch):
    results = set()
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("CALIPERS_THREADS", threads)
        ev = cal.evaluate(TRUTH, SCORE, interval="bca", replicates=64)
        results.add(tuple(ev[name].interval for name in ("roc_auc", "average_precision", "log_loss", "brier", "mcc")))
    assert len(results) == 1


def test_the_kernel_draws_what_the_rows_draw():
    """Measures with a kernel of their own are those of the samples that all others are measured in."""
    ev = cal.evaluate(TRUTH, SCORE, interval="bca", replicates=50)
    bootstrap = Bootstrap(ev.views, 3, 50)
    for name in ("roc_auc", "gini", "average_precision", "ks", "log_loss", "brier", "eer", "break_even"):
        measure = CATALOGUE[name]
        value = resolve(measure, ev.views).value
        fast = bootstrap.draws(measure, value).values
        samples = (bootstrap._resample(ev.views.samples, (None, None), r) for r in range(50))
        np.testing.assert_allclose(fast, bootstrap._each(measure, samples, 50), rtol=1e-11)


def test_many_tables_at_once_are_each_by_itself():
    tables = RNG.integers(0, 9, (30, 3, 3)).astype(float)
    tables[0] = np.diag([3, 0, 5])
    ev = cal.evaluate_counts(np.ones((3, 3), int), labels=["a", "b", "c"])
    names = ("f1(average=macro)", "fbeta(beta=2, average=weighted)", "f1(average=means)", "precision(average=micro)",
             "kappa", "balanced_accuracy", "lr_plus(average=macro)")
    for name in names:
        each = [float(cal.evaluate_counts(t.astype(int), labels=["a", "b", "c"])[name]) for t in tables]
        measure = CATALOGUE[name]
        result = measure.metric.view.of_tables(measure, ev.views, Tables(tables))
        np.testing.assert_allclose(result, each, rtol=1e-12, err_msg=name)


def test_restated_prevalences_are_drawn_within_the_classes():
    drawn = cal.evaluate(TRUTH, SCORE, interval="percentile", replicates=2000).at(prevalence=0.05)
    plain = cal.evaluate(TRUTH, SCORE).at(prevalence=0.05)
    for name in ("precision", "accuracy", "mcc", "roc_auc", "average_precision"):
        assert drawn[name].method == "percentile, 2000 resamples"
        assert width(drawn[name]) == pytest.approx(width(plain[name]), rel=0.3), name
    assert width(drawn["prevalence"]) == pytest.approx(0, abs=1e-12)


def test_counts_are_drawn_without_rows_and_lone_classes_say_why_not():
    estimate = cal.evaluate_counts([[55, 45], [50, 850]], positive=0, interval="bca")["f1"]
    assert estimate.low < estimate < estimate.high
    single = cal.evaluate_counts(tp=[10, 17], fp=[5, 7], fn=[3, 10], interval="bca")["f1(average=macro)"]
    assert single.reason == (
        "no interval: a bootstrap needs the rows, and they were not kept; "
        "for a Spark or Dask data frame, pass key= or groups="
    )


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InputError, match="interval='bca' is not available for hosmer_lemeshow: it has no interval"):
        cal.metrics.hosmer_lemeshow(TRUTH, SCORE, interval="bca")
    with pytest.raises(InputError, match="replicates=3: must be a whole number, 10 or more"):
        cal.evaluate(TRUTH, SCORE, replicates=3)
    with pytest.raises(InputError, match="seed=-1: must be a whole number, 0 or more"):
        cal.evaluate(TRUTH, SCORE, seed=-1)


def test_a_bar_shows_on_a_terminal_when_it_takes_long(monkeypatch, capsys):
    monkeypatch.setattr("calipers.progress.PATIENCE", -1.0)
    cal.metrics.ks(TRUTH, SCORE, interval="bca", replicates=16).interval  # noqa: B018
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    cal.metrics.ks(TRUTH, SCORE, interval="bca", replicates=16).interval  # noqa: B018
    assert capsys.readouterr().err.startswith("\r[                        ] resampling: 0 of 16")
