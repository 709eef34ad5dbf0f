"""Variances by the complex step: against numerical differentiation, and against counts drawn again and again."""

import numpy as np
import pytest

import calipers as cal
from calipers.metrics import gradient
from calipers.metrics.averages import over_classes
from calipers.metrics.base import CATALOGUE
from calipers.metrics.resolve import resolve
from calipers.metrics.values import number
from calipers.statistics.confusion import ConfusionCounts, Margins, OneVsRest

TABLES = {
    "two classes": np.array([[40, 10], [5, 45]]),
    "three classes": np.array([[50, 7, 3], [4, 30, 9], [8, 2, 20]]),
    "an empty cell": np.array([[50, 0, 3], [4, 30, 9], [8, 2, 20]]),
}
OVER_CLASSES = ["f1", "precision", "recall", "jaccard", "fbeta(beta=2)", "g_mean", "mcc", "kappa", "accuracy"]


def table_of(cells):
    return ConfusionCounts(tuple(range(len(cells))), np.asarray(cells), None, int(np.sum(cells)))


def counts_of(cells):
    tp = np.diagonal(cells, axis1=-2, axis2=-1)
    fp, fn = cells.sum(-2) - tp, cells.sum(-1) - tp
    return OneVsRest(tp, fp, fn, cells.sum((-2, -1))[..., None] - tp - fp - fn)


def function_of(name, average):
    """A function from K x K cells (leading axes allowed) to the value of a metric."""
    measure = CATALOGUE[name]
    if measure.metric.over is Margins:
        return lambda cells: number(measure.formula(Margins.of(counts_of(cells))))

    def averaged(cells):
        return over_classes(
            measure.metric.with_parameters({**measure.parameters, "average": average}), np.ones(cells.shape[-1], bool)
        )(counts_of(cells))

    return averaged


def spread_of(name, average, table, fixed=False, added=0.0):
    measure = CATALOGUE[name]
    if measure.metric.over is Margins:
        return gradient.of_margins(measure.formula, table, fixed, added)
    measure = measure.metric.with_parameters({**measure.parameters, "average": average})
    return gradient.of_classes(over_classes(measure, np.ones(len(table.labels), bool)), table, fixed, added)


def numerical(f, cells, strata=None, squares=None):
    """The delta method with central differences of every cell."""
    cells = cells.astype(float)
    slopes, step = np.empty(cells.shape), 1e-4
    for at in np.ndindex(cells.shape):
        move = np.zeros(cells.shape)
        move[at] = step
        slopes[at] = (f(cells + move) - f(cells - move)) / (2 * step)
    squares = cells if squares is None else squares
    total = (squares * slopes**2).sum()
    for part in [np.ones(cells.shape, bool)] if strata is None else strata:
        total -= (cells * slopes)[part].sum() ** 2 * squares[part].sum() / cells[part].sum() ** 2
    return total


@pytest.mark.parametrize("cells", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("name", OVER_CLASSES)
def test_numerical_differentiation(name, average, cells):
    f, table = function_of(name, average), table_of(cells)
    value, variance, _ = spread_of(name, average, table)
    assert value == pytest.approx(f(cells.astype(float)))
    assert variance == pytest.approx(numerical(f, cells), rel=1e-5)
    added = spread_of(name, average, table, added=0.5)
    assert added[0] == pytest.approx(f(cells + 0.5))
    assert added[1] == pytest.approx(numerical(f, cells + 0.5), rel=1e-5)


@pytest.mark.parametrize("name", ["mcc", "f1", "accuracy"])
def test_fixed_shares_and_weights(name):
    cells = TABLES["three classes"]
    rows = [np.arange(3)[:, None].repeat(3, 1) == k for k in range(3)]
    f = function_of(name, "macro")
    fixed = spread_of(name, "macro", table_of(cells), fixed=True)[1]
    assert fixed == pytest.approx(numerical(f, cells, rows), rel=1e-5)
    assert fixed < spread_of(name, "macro", table_of(cells))[1]
    squares = cells * np.array([0.5, 2.0, 1.0])
    weighted = ConfusionCounts((0, 1, 2), cells.astype(float), squares, 60)
    assert spread_of(name, "macro", weighted)[1] == pytest.approx(numerical(f, cells, squares=squares), rel=1e-5)


@pytest.mark.parametrize(("name", "average"), [("mcc", None), ("f1", "macro"), ("f1", "means"), ("kappa", None)])
def test_counts_drawn_again(name, average):
    """A multinomial of 4000 rows: the variance of 20 000 draws has a standard error of 1%."""
    cells = TABLES["three classes"] * 30
    draws = np.random.default_rng(8).multinomial(cells.sum(), cells.ravel() / cells.sum(), 20_000).reshape(-1, 3, 3)
    f = function_of(name, average or "macro") if average != "means" else None
    simulated = f(draws.astype(float)) if f else np.array([_of_means(d) for d in draws[:5000]])
    assert simulated.var() == pytest.approx(
        spread_of(name, average or "macro", table_of(cells))[1], rel=0.05 if f else 0.09
    )


def _of_means(cells):
    precision, recall = (np.mean(cells.diagonal() / cells.sum(axis)) for axis in (0, 1))
    return 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("name", ["g_mean", "lr_plus", "dor", "lift", "precision", "youden_j"])
def test_four_counts(name):
    counts = OneVsRest(*np.array([40.0, 10.0, 5.0, 45.0]))
    measure = CATALOGUE[name]

    def f(cells):
        (tp, fp), (fn, tn) = cells[..., :, 0], cells[..., :, 1]
        return number(measure.formula(OneVsRest(tp, fp, fn, tn)))

    cells = np.array([[40, 5], [10, 45]])
    assert gradient.of_one(measure.formula, counts, 0.0)[1] == pytest.approx(numerical(f, cells), rel=1e-5)
    rates = gradient.of_one(measure.formula, counts._replace(fixed=True), 0.0)[1]
    assert rates == pytest.approx(
        numerical(f, cells, [np.array([[1, 1], [0, 0]], bool), np.array([[0, 0], [1, 1]], bool)]), rel=1e-5
    )


def test_dependent_labels_are_bounded_from_above():
    """of_labels knows the margins only: no dependence between the labels can make the variance larger."""
    rng = np.random.default_rng(3)
    f = over_classes(CATALOGUE["f1_macro"], np.ones(2, bool))
    truth = rng.random((4000, 1)) < 0.4
    pred = truth ^ (rng.random((4000, 1)) < 0.2)
    both = [np.repeat(x, 2, 1) for x in (truth, pred)]  # the second label is the first one: fully dependent

    def counts(t, s):
        return OneVsRest(*(x.sum(0).astype(float) for x in (t & s, ~t & s, t & ~s, ~t & ~s)))

    draws = [f(counts(*(x[rows] for x in both))) for rows in rng.integers(0, 4000, (1500, 4000))]
    assert gradient.of_labels(f, counts(*both), 0.0)[1] == pytest.approx(np.var(draws), rel=0.15)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["f1", "precision", "jaccard"])
@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
def test_paired_labels_have_the_variance_of_their_rows(name, average, weighted):
    """The variance from counts of pairs is the sum of squared influences of the rows, each found by leaving it out."""
    rng = np.random.default_rng(6)
    common = rng.normal(size=(400, 1))
    truth = common + rng.normal(size=(400, 3)) > 0.6
    pred = np.where(rng.random(truth.shape) < 0.25, common > 0.3, truth)
    weights = rng.choice([0.5, 1.0, 3.0], 400) if weighted else None
    measure = CATALOGUE[f"{name}(average={average})"]

    def value(w):
        return measured(measure, truth, pred, w)

    own = np.ones(400) if weights is None else weights
    step = 1e-4
    influence = np.array([value(own + step * own * (np.arange(400) == r)) for r in range(400)]) - value(own)
    ev = cal.evaluate(truth.astype(int), pred.astype(int), weights=weights, metrics=[measure.name])
    spread = resolve(measure, ev.views).value.spread(0.0)
    assert spread.value == pytest.approx(value(own))
    assert spread.variance == pytest.approx(((influence / step) ** 2).sum(), rel=2e-3)


def measured(measure, truth, pred, weights):
    ev = cal.evaluate(truth.astype(int), pred.astype(int), weights=weights, metrics=[measure.name])
    return float(ev[measure.name])


def test_freedom_is_that_of_the_variance():
    """2 / (relative variance) of the delta variance over multinomial draws, within a tenth."""
    cells = np.array([[300, 60], [12, 28]])
    draws = np.random.default_rng(2).multinomial(cells.sum(), cells.ravel() / cells.sum(), 4000).reshape(-1, 2, 2)
    variances = np.array([spread_of("mcc", None, table_of(d)).variance for d in draws])
    relative = variances.var() / variances.mean() ** 2
    assert 1.2 * 2 / relative > spread_of("mcc", None, table_of(cells)).freedom
    many = spread_of("mcc", None, table_of(cells * 10)).freedom
    assert many == pytest.approx(10 * spread_of("mcc", None, table_of(cells)).freedom)


def test_a_restated_precision_has_the_interval_of_its_likelihood_ratio():
    """Precision at a set prevalence is a map of the likelihood ratio, and rows added to cells do not change that."""
    ev = cal.evaluate_counts(tp=9, fp=356, fn=7, tn=628)
    ratio, restated = ev["lr_plus"], ev.at(prevalence=0.2)["precision"]
    ends = [x * 0.25 / (1 + x * 0.25) for x in (ratio.low, ratio.high)]
    assert (restated.low, restated.high) == pytest.approx(ends, rel=2e-3)
    table = table_of(np.array([[628, 356], [7, 9]])).restated(np.array([0.8, 0.2]))
    kept = table.plus(0.5, fixed=True)
    np.testing.assert_allclose(kept.cells.sum(1), table.cells.sum(1))
    np.testing.assert_allclose(kept.cells[1], (np.array([7, 9]) + 0.5) / 17 * table.cells[1].sum())


def test_classes_predicted_as_often_as_they_are_true():
    """Then precision has the denominators of recall, but its shares are not of different rows."""
    ev = cal.evaluate_counts([[50, 6, 4], [4, 30, 6], [6, 4, 20]])
    assert ev["precision(average=macro)"].method == "delta (wilson)"
    assert ev["recall(average=macro)"].method == "wilson, effective rows"
