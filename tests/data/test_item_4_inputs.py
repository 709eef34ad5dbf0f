"""Outputs of models and containers of other libraries: (n, 1), one table per label, lazy frames, datasets, masks."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import calipers as cal
from calipers.data.frames import is_frame

rng = np.random.default_rng(4)
TRUTH = rng.integers(0, 2, 60)
SCORE = np.clip(0.3 + 0.4 * TRUTH + rng.normal(0, 0.2, 60), 0, 1)
SETS = rng.integers(0, 2, (60, 3))
SCORES = np.clip(0.3 + 0.4 * SETS + rng.normal(0, 0.2, (60, 3)), 0, 1)


def same(a, b):
    assert a.task == b.task
    assert dict(a) == pytest.approx(dict(b), nan_ok=True)


@pytest.mark.parametrize("truth", [TRUTH, TRUTH[:, None], pl.DataFrame({"y": TRUTH})])
@pytest.mark.parametrize("score", [SCORE, SCORE[:, None], SCORE[:, None].tolist(), pl.DataFrame({"p": SCORE})])
def test_one_column_is_a_column(truth, score):
    same(cal.evaluate(truth, score), cal.evaluate(TRUTH, SCORE))
    same(cal.evaluate(truth, score=score), cal.evaluate(TRUTH, SCORE))


def test_one_column_of_labels_and_of_numbers():
    pred = (SCORE > 0.5).astype(int)
    same(cal.evaluate(TRUTH, pred[:, None]), cal.evaluate(TRUTH, pred))
    same(cal.evaluate(SCORE[:, None], SCORE + 0.1), cal.evaluate(SCORE, SCORE + 0.1))
    assert cal.metrics.roc_auc(TRUTH[:, None], SCORE[:, None]) == cal.metrics.roc_auc(TRUTH, SCORE)


def test_one_label_per_row_stays_a_set_where_the_task_says_so():
    assert cal.evaluate(TRUTH[:, None], SCORE[:, None], task="multilabel").task == "multilabel"


def test_models_are_compared_with_one_column_each():
    found = cal.compare(TRUTH[:, None], {"a": SCORE[:, None], "b": 1 - SCORE})
    assert found["roc_auc"].difference == cal.compare(TRUTH, {"a": SCORE, "b": 1 - SCORE})["roc_auc"].difference


def test_a_list_with_one_table_per_label():
    """As predict_proba of MultiOutputClassifier and of forests gives it."""
    tables = [np.c_[1 - column, column] for column in SCORES.T]
    for score in (tables, [column[:, None] for column in SCORES.T]):
        same(cal.evaluate(SETS, score=score), cal.evaluate(SETS, score=SCORES))
        same(cal.evaluate(SETS, score), cal.evaluate(SETS, SCORES))


def test_tables_of_labels_that_cannot_be_read():
    two = np.c_[1 - SCORES[:, 0], SCORES[:, 0]]
    with pytest.raises(cal.InputError, match=r"one table per label, with 1, 2 columns: pass tables with two columns"):
        cal.evaluate(SETS, score=[two, two, two[:, :1]])
    with pytest.raises(cal.InputError, match=r"with 3 columns"):
        cal.evaluate(SETS, score=[np.c_[two, two[:, :1]]] * 3)
    with pytest.raises(cal.InputError, match="score has shape"):
        cal.evaluate(SETS, score=[two, two])


def test_a_lazy_frame_reads_the_named_columns():
    lazy = pl.LazyFrame({"y": TRUTH, "p": SCORE, "site": ["a", "b"] * 30}).with_columns(other=pl.col("p") * 2)
    assert is_frame(lazy)
    found = cal.evaluate(lazy, truth="y", score="p", by=["site"])
    same(found, cal.evaluate(TRUTH, SCORE))
    assert set(found.by["site"]) == {"a", "b"}
    with pytest.raises(cal.UnknownName, match="no column 'q'"):
        cal.evaluate(lazy, truth="y", score="q")


class Dataset:
    """What is used of a dataset of Hugging Face."""

    def __init__(self, table, rows=None):
        self.table, self.rows = table, range(len(table)) if rows is None else rows

    @property
    def column_names(self):
        return self.table.column_names

    def __len__(self):
        return len(self.rows)

    def select_columns(self, names):
        return Dataset(self.table.select(names), self.rows)

    def with_format(self, kind):
        assert kind == "arrow"
        return self

    def __getitem__(self, key):
        rows = self.rows[key] if isinstance(key, slice) else [self.rows[at] for at in key]
        return self.table.take(pa.array(list(rows)))


def datasets():
    table = pa.table({"label": TRUTH, "p": SCORE, "text": [f"t{at}" for at in range(60)]})
    yield Dataset(table), np.arange(60)
    yield Dataset(table, range(59, -1, -1)), np.arange(59, -1, -1)


@pytest.mark.parametrize(("dataset", "rows"), list(datasets()))
def test_a_dataset_of_hugging_face(dataset, rows):
    found = cal.evaluate(dataset, truth="label", score="p")
    same(found, cal.evaluate(TRUTH[rows], SCORE[rows]))
    worst = found.worst_rows(3)
    assert list(worst["text"]) == [f"t{rows[at]}" for at in worst["row"]]


def test_a_real_dataset_of_hugging_face():
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"label": TRUTH.tolist(), "p": SCORE.tolist()}).shuffle(seed=1)
    same(cal.evaluate(dataset, truth="label", score="p"), cal.evaluate(dataset["label"][:], dataset["p"][:]))


@pytest.mark.parametrize("masked", ["truth", "score", "pred", "weights"])
def test_masked_values_are_missing(masked):
    mask = np.zeros(60, bool)
    mask[[3, 17]] = True
    columns = {"truth": TRUTH, "score": SCORE, "pred": (SCORE > 0.5).astype(int), "weights": np.ones(60)}
    given = columns | {masked: np.ma.array(columns[masked], mask=mask)}
    kept = {name: column[~mask] for name, column in columns.items()}
    def evaluated(c, **options):
        return cal.evaluate(c["truth"], c["pred"], score=c["score"], weights=c["weights"], **options)

    if masked == "weights":
        with pytest.raises(cal.InputError, match="weights"):
            evaluated(given)
        return
    with pytest.raises(cal.InputError, match=r"missing|NaN"):
        evaluated(given)
    found = evaluated(given, missing="drop")
    assert found.rows == 58
    same(found, evaluated(kept))


def test_masked_matrices_and_numbers():
    mask = np.zeros((60, 3), bool)
    mask[5, 1] = True
    y, matrix = rng.integers(0, 3, 60), np.clip(SCORES, 0.01, None) / np.clip(SCORES, 0.01, None).sum(1)[:, None]
    found = cal.evaluate(y, np.ma.array(matrix, mask=mask), missing="drop")
    same(found, cal.evaluate(np.delete(y, 5), np.delete(matrix, 5, 0)))
    numbers = cal.evaluate(np.ma.array(SCORE, mask=mask[:, 1]), SCORE + 0.1, missing="drop", task="regression")
    same(numbers, cal.evaluate(np.delete(SCORE, 5), np.delete(SCORE, 5) + 0.1))
    sets = cal.evaluate(np.ma.array(SETS), np.ma.array(SCORES, mask=mask), missing="drop")
    same(sets, cal.evaluate(np.delete(SETS, 5, 0), np.delete(SCORES, 5, 0)))
