"""Inputs that the fuzzer found, as a caller would write them: an answer, or an error that names the argument."""

import numpy as np
import pytest
from hostile import Refuses

import calipers as cal
from calipers import _native
from calipers.inference.folds import five_by_two_f, five_by_two_t, shift
from calipers.inference.groups import between
from calipers.inference.jackknife import effective_differences
from calipers.inference.resampled import acceleration, bca
from calipers.statistics.moments import Moments

HUGE = 10**400


def test_groups_of_rows_with_only_one_class():
    ev = cal.evaluate(["a"] * 6, ["a"] * 6, task="multiclass", groups=[0, 0, 1, 1, 2, 2])
    assert ev["accuracy"] == 1
    assert ev["accuracy"].low < 0.7


@pytest.mark.parametrize("unit", [1e-250, 1e-30, 1e200])
def test_the_spread_of_groups_has_any_unit(unit):
    rng = np.random.default_rng(0)
    u, codes = rng.normal(size=60), np.arange(60) // 3
    plain, other = between(u, None, codes), between(u * unit, None, codes)
    assert other.sums / unit == pytest.approx(plain.sums)
    assert acceleration(u * unit) == pytest.approx(acceleration(u))
    if unit == 1e-30:
        assert other.variance / unit / unit == pytest.approx(plain.variance)


@pytest.mark.parametrize("unit", [1e-250, 1e250])
def test_differences_over_folds_have_any_unit(unit):
    d = np.random.default_rng(0).normal(1.0, 1.0, 10)
    plain, other = shift(d, 0.25), shift(d * unit, 0.25)
    assert other.mean / unit == pytest.approx(plain.mean)
    assert other.error / unit == pytest.approx(plain.error)
    for test in (five_by_two_t, five_by_two_f):
        assert test(d * unit).pvalue == pytest.approx(test(d).pvalue)


def test_errors_of_any_size_with_groups_have_an_answer():
    truth, codes = 1e200 * np.arange(1.0, 9), np.arange(8) // 2
    ev = cal.evaluate(truth, truth * 1.1, task="regression", groups=codes)
    assert ev["mae"] == pytest.approx(4.5e199)
    assert "rescale" in ev["mae"].reason
    assert isinstance(ev.findings, tuple)
    assert isinstance(cal.evaluate(truth, truth * 1.1, task="regression").findings, tuple)


def test_a_level_next_to_one_has_bounds():
    replicates = np.arange(101.0)
    assert bca(replicates, 50, 1 - 1e-16, 0.0) == pytest.approx((0.0, 100.0), abs=0.1)


def test_labels_beyond_the_range_of_floats():
    ev = cal.evaluate([HUGE, 0, 1], [1.0, 0.0, 1.0])
    assert ev["accuracy"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cal.metrics.mae([0.5, 1], np.array(["1e4000", "0"]).astype(np.longdouble)), "inf"),
        (lambda: cal.evaluate(["a"], [[0.1, 0.9]]), "y_pred has 2 columns"),
        (lambda: cal.evaluate_counts(Refuses()), "matrix does not contain numbers"),
        (lambda: cal.evaluate_counts([[1, 2], [HUGE, 3]]), "matrix does not contain numbers"),
        (lambda: cal.evaluate_counts([[9, 1], [2, 8]], metrics=np.array(3)), "metrics=array"),
        (lambda: cal.evaluate(np.array({1, 2}, object), [[1], [2]], task="multilabel"), "y_true"),
        (lambda: cal.evaluate_ranking(relevances=[Refuses(), [1, 0]]), "stays on the device|Refuses"),
        (
            lambda: cal.evaluate_ranking(
                qrels={"q": {"d": 1}, "r": "x"}, run={"query": ["q"], "doc": ["d"], "score": [1.0]}
            ),
            "'r'",
        ),
        (lambda: cal.evaluate_ranking(qrels={"q": {"d": 1}, None: 5}, run={"q": {"d": 1.0}}), "None"),
        (lambda: cal.evaluate([0, 1], score={"a": np.zeros((2, 2)), "b": [1, 0]}), "'a'. is a table"),
        (lambda: cal.evaluate_ranking(qrels={"q": {"d": HUGE}}, run={"q": {"d": 1.0}}), "relevance"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(call, message):
    with pytest.raises(cal.CalipersError, match=message):
        call()


def test_losses_of_any_size_merge():
    one, other = (Moments.of_values(np.array([value, value]), None) for value in (0.0, 1.5e150))
    assert one.merge(other).mean == pytest.approx(0.75e150)


def test_residuals_of_any_size_have_a_curve():
    truth = 1e200 * np.arange(1.0, 30)
    curve = cal.evaluate(truth, truth * 1.1, task="regression").curve("residuals")
    assert np.isfinite(curve.error).all()


def test_one_number_without_a_row_is_refused():
    with pytest.raises(cal.CalipersError, match="y_true"):
        cal.evaluate(np.array(3), np.array(3.5))


def test_numbers_beside_labels_of_text_are_scores():
    ev = cal.evaluate(["GOOD", "BAD"], [1.0, 0.0], positive="GOOD")
    assert ev["accuracy"] == 1
    assert ev["roc_auc"] == 1


def test_differences_that_overflow_count_every_row():
    assert effective_differences(np.array([np.inf, 1.0, 2.0])) == 3


def test_squares_that_overflow_within_groups_have_an_answer():
    truth, codes = 1e160 * np.arange(1.0, 13), np.arange(12) // 3
    with np.errstate(all="raise"):
        ev = cal.evaluate(truth, truth[::-1].copy(), task="regression", groups=codes)
        assert all(ev[name].reason for name in ("mse", "r2", "concordance"))


def test_categories_of_several_types_do_not_reach_pyarrow():
    """Pyarrow ends the process over a date beside a long double."""
    pd = pytest.importorskip("pandas")
    kinds = np.array([np.datetime64("2026-01-01"), np.longdouble(0.1)], dtype=object)
    with pytest.raises(cal.CalipersError):
        cal.evaluate(pd.Series(pd.Categorical(kinds)), [0, 1])
    text = pd.Series(pd.Categorical(["a", "b", "a"]))
    assert cal.evaluate(text, ["a", "b", "b"])["accuracy"] == pytest.approx(2 / 3)


def test_the_positive_class_is_the_label_of_the_rows():
    assert cal.evaluate([False, True, True], [0.1, 0.9, 0.6], positive=1).positive is True
    assert cal.evaluate([0, 1, 1], [0.1, 0.9, 0.6], positive=True)["recall"] == 1


def test_no_rows_have_no_cost():
    with pytest.raises(cal.InputError, match="is empty"):
        cal.evaluate_counts(tp=0, fp=0, fn=0, tn=0).expected_cost([[0, 1], [5, 0]])


class ThreeOfTen:
    """A sequence of three items that claims to have ten."""

    def __len__(self):
        return 10

    def __getitem__(self, index):
        if index > 2:
            raise IndexError(index)
        return index % 2


def test_a_list_has_the_length_of_its_items():
    expected = cal.evaluate_ranking(relevances=[[0, 1, 0], [2, 1]])
    assert dict(cal.evaluate_ranking(relevances=[ThreeOfTen(), [2, 1]])) == dict(expected)
    scored = cal.evaluate_ranking([ThreeOfTen(), [2, 1]], [[3, 2, 1], [2, 1]])
    assert dict(scored) == dict(expected)
    with pytest.raises(cal.CalipersError, match="query 0"):
        cal.evaluate_ranking([ThreeOfTen(), [2, 1]], [list(range(10)), [2, 1]])


def test_suggestions_may_come_from_an_iterator():
    lists, answers = [["a", "b"], ["c", "d"]], [["b"], ["c"]]
    of_iterators = cal.evaluate_ranking(lists=[iter(one) for one in lists], answers=answers)
    assert dict(of_iterators) == dict(cal.evaluate_ranking(lists=lists, answers=answers))


def test_the_kernel_of_rankings_checks_where_queries_begin():
    gains, pool = np.array([1.0, 0.0]), np.array([1.0])
    for starts in ([0, 10], [0, 2, 1], [1, 2], [0, -1]):
        at, ends = np.array(starts), np.minimum(np.arange(len(starts)), 1)
        with pytest.raises(TypeError, match="starts do not fit the rows"):
            _native.rank_measures(at, gains, None, ends, pool, [("p", 1.0, 1.0, 0.0)], False)
        with pytest.raises(TypeError, match="starts do not fit the rows"):
            _native.known_gains(at, gains)
