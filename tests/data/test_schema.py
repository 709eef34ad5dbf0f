"""What rows mean is found once; then every part of them is read alike."""

import numpy as np
import pytest

import calipers as cal

rng = np.random.default_rng(0)
TRUTH = rng.integers(0, 2, 60)
SCORE = np.clip(0.3 + 0.4 * TRUTH + rng.normal(0, 0.3, 60), 0, 1)
CLASSES = np.array(["ant", "bee", "cat"])[rng.integers(0, 3, 60)]
MATRIX = rng.dirichlet((1, 1, 1), 60)
NUMBERS = rng.normal(size=60).round(2)
SETS = rng.integers(0, 2, (60, 3))


def test_a_schema_says_what_rows_mean():
    schema = cal.Schema.of(["no", "yes", "no"], [0.2, 0.9, 0.4], threshold=0.3)
    assert (schema.task, schema.labels, schema.positive) == ("binary", ("no", "yes"), "yes")
    assert (schema.scored, schema.predicted, schema.threshold) == (True, "", 0.3)
    assert cal.Schema.of(CLASSES, MATRIX).labels == ("ant", "bee", "cat")
    assert cal.Schema.of(NUMBERS, NUMBERS + 1).task == "regression"
    assert cal.Schema.of(SETS, SETS).task == "multilabel"
    assert cal.evaluate(TRUTH, SCORE).schema == cal.Schema.of(TRUTH, SCORE)


def test_parts_that_lack_a_class_are_read_like_the_rest():
    schema = cal.Schema.of(CLASSES, MATRIX)
    part = cal.evaluate(CLASSES[CLASSES != "cat"], MATRIX[CLASSES != "cat"], schema=schema)
    assert part.labels == ("ant", "bee", "cat")
    only = cal.evaluate(TRUTH[TRUTH == 1], SCORE[TRUTH == 1], schema=cal.Schema.of(TRUTH, SCORE))
    assert (only.task, only.positive, only["recall"]) == ("binary", 1, np.mean(SCORE[TRUTH == 1] >= 0.5))


@pytest.mark.parametrize("listed", [None, ["dog", "cat", "cow"]])
def test_score_columns_of_a_frame_keep_their_classes(listed):
    frame = {
        "y": ["cat", "dog", "cow", "dog"], "p_dog": [0.1, 0.8, 0.1, 0.7], "p_cat": [0.8, 0.1, 0.1, 0.2],
        "p_cow": [0.1, 0.1, 0.8, 0.1],
    }  # fmt: skip
    columns = {"truth": "y", "score": ["p_dog", "p_cat", "p_cow"], "labels": listed}
    assert cal.evaluate(frame, **columns)["accuracy"] == 1
    assert cal.evaluate(frame, schema=cal.Schema.of(frame, **columns))["accuracy"] == 1


def test_scores_of_zeros_and_ones_stay_scores():
    schema = cal.Schema.of(TRUTH, SCORE)
    part = cal.evaluate([0, 1, 1], [0.0, 1.0, 1.0], schema=schema)
    assert part["roc_auc"] == 1
    assert cal.evaluate([0, 1, 1], [0.0, 1.0, 1.0]).schema.scored is False


def test_whole_numbers_stay_measurements():
    schema = cal.Schema.of(NUMBERS, NUMBERS + 0.5)
    assert cal.evaluate([1, 2, 3], [1, 2, 5], schema=schema)["mae"] == pytest.approx(2 / 3)
    assert cal.evaluate([1, 2, 3], [1, 2, 5]).task == "multiclass"


def test_label_sets_of_zeros_and_ones_stay_scores():
    schema = cal.Schema.of(SETS, SETS * 0.6 + 0.2)
    assert schema.second_is_scores
    assert cal.evaluate(SETS[:5], SETS[:5] * 1.0, schema=schema).schema == schema


@pytest.mark.parametrize(
    ("truth", "prediction"), [(TRUTH, SCORE), (TRUTH, TRUTH), (CLASSES, MATRIX), (NUMBERS, NUMBERS + 1), (SETS, SETS)]
)
def test_an_empty_part_has_a_schema_and_no_numbers(truth, prediction):
    schema = cal.Schema.of(truth, prediction)
    part = cal.evaluate(truth[:0], prediction[:0], schema=schema)
    assert (part.rows, part.schema) == (0, schema)
    assert all(np.isnan(part[name]) for name in part)
    assert "0" in part.to_text()


def test_columns_of_a_frame_are_named_once():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"y": TRUTH, "p": SCORE, "region": np.where(np.arange(60) % 2, "north", "south"), "w": 1.5})
    schema = cal.Schema.of(frame, truth="y", score="p", by=["region"], weights="w")
    assert (schema.by, schema.weighted, schema.columns.score) == (("region",), True, "p")
    part = cal.evaluate(frame[:30], schema=schema)
    right = cal.evaluate(frame[:30], truth="y", score="p", by=["region"], weights="w")
    assert part["roc_auc"] == right["roc_auc"]
    assert part.by["region"]["north"]["f1"] == right.by["region"]["north"]["f1"]
    with pytest.raises(cal.InputError, match="schema= already names the columns"):
        cal.evaluate(frame, truth="y", schema=schema)


@pytest.mark.parametrize(
    ("schema", "call", "message"),
    [
        (cal.Schema.of(TRUTH, SCORE), {"positive": 1}, "positive= is already set by schema=: pass only one of them"),
        (cal.Schema.of(TRUTH, SCORE), {"labels": [0, 1]}, "labels= is already set by schema="),
        (cal.Schema.of(TRUTH, SCORE), {"weights": np.ones(60)}, "weighted is True here and False in the schema"),
        (cal.Schema.of(TRUTH, SCORE, by={"half": TRUTH}), {}, r"by is \(\) here and \('half',\) in the schema"),
        (cal.Schema.of(["a", "b"], [0.2, 0.7], positive="b"), {}, "contains the label 0, which is not in"),
    ],
)
def test_rows_that_are_not_as_the_schema_says_are_refused(schema, call, message):
    with pytest.raises(cal.InputError, match=message):
        cal.evaluate(TRUTH, SCORE, schema=schema, **call)


def test_probabilities_stay_probabilities():
    schema = cal.Schema.of(CLASSES, MATRIX)
    with pytest.raises(cal.InputError, match=r"does not contain probabilities .* but the schema expects them"):
        cal.evaluate(CLASSES, MATRIX * 3, schema=schema)
    logits = cal.Schema.of(CLASSES, np.log(MATRIX))
    part = cal.evaluate(CLASSES, MATRIX, schema=logits)  # looks like probabilities, and is read as scores
    assert np.isnan(part["log_loss"])


def test_a_schema_of_a_ranking_is_for_rankings():
    ranking = cal.evaluate_ranking(ranks=[1, 2]).schema
    assert ranking.task == "ranking"
    with pytest.raises(cal.InputError, match="this schema is for rankings: use it with"):
        cal.evaluate(TRUTH, SCORE, schema=ranking)


def test_true_is_not_one_and_a_schema_is_pickled_without_its_plans():
    import pickle

    assert cal.evaluate([False, True], [0.1, 0.9]).labels == (False, True)
    numbers = cal.evaluate([0, 1], [0.1, 0.9])
    assert [type(label) for label in numbers.labels] == [int, int]
    cal.metrics.f1([0, 1], [0, 1])
    assert "plans" not in pickle.loads(pickle.dumps(numbers.schema)).__dict__


@pytest.mark.parametrize(
    ("part", "options", "dropped"),
    [
        (([0, 1], [np.nan, np.nan]), {"missing": "drop"}, 2),
        (([None, None], [0.2, 0.4]), {"missing": "drop"}, 2),
        (([0, 1], [0.2, 0.4]), {"weights": [0.0, 0.0]}, 0),
    ],
    ids=["no scores", "no labels", "no weights"],
)
def test_a_part_may_lose_all_its_rows(part, options, dropped):
    """What is left of the whole is the evaluation of the other parts, and the dropped rows are counted."""
    weights = {"weights": [1.0, 2.0]} if "weights" in options else {}
    schema = cal.Schema.of([0, 1], [0.2, 0.7], **weights)
    rest = cal.evaluate([0, 1], [0.3, 0.9], schema=schema, **{**options, **weights})
    whole = rest.merge(cal.evaluate(*part, schema=schema, **options))
    assert whole.rows == 2
    assert whole["accuracy"] == rest["accuracy"]
    assert [note.values["count"] for note in whole.notes] == [dropped] * bool(dropped)
