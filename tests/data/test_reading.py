"""What a newcomer's hands do: names that say more than positions, and input that means something else."""

import re

import duckdb
import numpy as np
import pandas as pd
import pytest

import calipers as cal
from calipers.errors import InputError, UnknownName

TRUTH = ["a", "b", "c"]
SHARES = {"c": [0.1, 0.1, 0.8], "b": [0.1, 0.8, 0.1], "a": [0.8, 0.1, 0.1]}
PREFIXED = {f"p_{name}": column for name, column in SHARES.items()}


@pytest.mark.parametrize(
    "evaluate",
    [
        lambda: cal.evaluate(TRUTH, pd.DataFrame(SHARES)),
        lambda: cal.evaluate(TRUTH, score=SHARES),
        lambda: cal.evaluate({"t": TRUTH, **SHARES}, truth="t", score=["b", "c", "a"]),
        lambda: cal.evaluate({"t": TRUTH, **PREFIXED}, truth="t", score=["p_c", "p_b", "p_a"]),
        lambda: cal.evaluate(TRUTH, pd.DataFrame(SHARES)[["a", "b", "c"]].to_numpy()),
        lambda: cal.evaluate(TRUTH, pd.DataFrame(SHARES).to_numpy(), labels=["c", "b", "a"]),
    ],
    ids=["frame", "mapping", "named", "prefixed", "sorted", "labels="],
)  # fmt: skip
def test_score_columns_go_to_the_classes_they_name(evaluate):
    assert evaluate()["accuracy"] == 1


def test_the_note_says_which_column_was_taken_for_which_class():
    frame = {"t": TRUTH, "x": SHARES["a"], "y": SHARES["b"], "z": SHARES["c"]}
    ev = cal.evaluate(frame, truth="t", score=["x", "y", "z"])
    assert ev.notes == ("score columns: a = x, b = y, c = z",)
    assert ev["accuracy"] == 1


def test_a_table_with_names_is_read_by_them():
    table = pd.DataFrame([[9, 1], [2, 8]], index=["ill", "well"], columns=["well", "ill"])
    ev = cal.evaluate_counts(table, positive="ill")
    assert ev["accuracy"] == 3 / 20
    assert ev.confusion["ill", "well"] == 9
    with pytest.raises(InputError, match=re.escape("the rows are named ['ill', 'well'] but the columns ['well', 'i']")):
        cal.evaluate_counts(table.rename(columns={"ill": "i"}))


def test_whole_numbers_that_must_be_scores_are_no_labels():
    truth, score = np.tile([0, 1], 50), np.arange(100)
    text = (
        "y_pred contains 98 labels that are not in y_true (2, 3, 4, 5, 6, 7 and ...): if they are scores, pass them as "
        'score=; if they are numbers, pass task="regression"; if they are classes, list all classes with labels='
    )
    with pytest.raises(InputError, match=re.escape(text)):
        cal.evaluate(truth, score)
    assert cal.evaluate(truth, score=score)["roc_auc"] == pytest.approx(0.51)
    assert cal.evaluate([0, 1, 1], [0, 1, 2]).notes == ("predicted labels that never occur among the true labels: 2",)
    assert cal.evaluate([0, 0], [0, 1]).notes == ()


def test_a_slice_of_missing_values_keeps_its_rows_beside_one_of_that_name():
    ev = cal.evaluate([0, 1] * 4, [0, 1] * 4, by={"g": [None, "(missing)"] * 4})
    assert {k: v.rows for k, v in ev.by["g"].items()} == {"(missing)": 4, "(missing)*": 4}


@pytest.mark.parametrize("weight", [1e-300, 1e300])
def test_weights_whose_squares_no_double_holds(weight):
    with pytest.raises(InputError, match=re.escape("rescale the weights to lie between 1e-50 and 1e50")):
        cal.evaluate([0, 1], [0, 1], weights=[1, weight])


@pytest.mark.parametrize("scale", [1e-40, 1e40])
def test_the_unit_of_the_weights_does_not_matter(scale):
    truth, pred = [0, 1, 1, 0, 1], [0, 1, 0, 0, 1]
    for name, estimate in cal.evaluate(truth, pred, weights=np.full(5, scale)).items():
        plain = cal.evaluate(truth, pred)[name]
        assert (estimate.low, float(estimate), estimate.high) == pytest.approx((plain.low, float(plain), plain.high))


def test_counts_that_no_double_holds():
    with pytest.raises(InputError, match=re.escape("tp= sums to more than 2**53, which cannot be counted exactly")):
        cal.evaluate_counts(tp=1e300, fp=1, fn=1, tn=1)


@pytest.mark.parametrize("cost", [5, {}, {"fp": float("nan")}])
def test_prices_are_finite_numbers_by_name(cost):
    with pytest.raises(InputError, match=re.escape('pass finite costs, such as {"fp": 1, "fn": 10}; the others are 0')):
        cal.evaluate([0, 1], [0.2, 0.7]).best_threshold(cost=cost)


def test_a_rule_that_is_undefined_everywhere():
    with pytest.raises(InputError, match="<lambda> is undefined at every threshold"):
        cal.evaluate([0, 1], [0.2, 0.7]).best_threshold(lambda c: c.tp * np.nan)


@pytest.mark.parametrize("text", ["{", '{"calipers": 1}', '{"calipers": 1, "labels": 3}'])
def test_documents_that_are_none(text):
    with pytest.raises(InputError, match=r"this is not JSON|this .json result is damaged"):
        cal.loads(text)


def test_other_hands():
    ev = cal.evaluate([0, 1], [0.2, 0.7])
    with pytest.raises(UnknownName, match="metrics are requested by name, not by 3"):
        ev[3]
    with pytest.raises(InputError, match="y_true has type generator: pass a list or an array"):
        cal.evaluate((x for x in [0, 1]), [0, 1])
    with pytest.raises(InputError, match="no row has a label: list the labels with labels="):
        cal.evaluate([set(), set()], [set(), set()])
    with pytest.raises(InputError, match="beta=-1: must be a number greater than 0"):
        cal.evaluate([0, 1], [0, 1], metrics=["fbeta(beta=-1)"])
    with pytest.raises(UnknownName, match="is defined for one class, but there are several: pass positive= to"):
        cal.evaluate(["a", "b"], ["a", "b"])["f1"]


def test_duckdb_relations_are_read_once_and_decimals_refused():
    relation = duckdb.sql("select * from (values ('n', 0.2::double), ('y', 0.7::double), ('y', 0.4::double)) t(y, p)")
    ev = cal.evaluate(relation, truth="y", score="p", positive="y")
    assert ev["roc_auc"] == 1
    with pytest.raises(InputError, match="cast them in the query"):
        cal.evaluate(duckdb.sql("select 1 t, .5 p union all select 0, .2"), truth="t", score="p")


def test_log_loss_stays_below_its_greatest_value():
    loss = cal.evaluate([0, 1, 1, 0], [0, 1, 0, 0.5])["log_loss"]
    assert loss < loss.high < 36.1
