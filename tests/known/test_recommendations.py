"""What the Recommenders library answers: its own test tables, and random recommendations with their generator."""

import json
from pathlib import Path

import numpy as np
import pytest

import calipers as cal

FROZEN = json.loads((Path(__file__).parent / "recommendations" / "frozen.json").read_text())


def columns(rows, *names):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize("case", FROZEN["cases"], ids=lambda case: str(len(case["truth"])))
def test_recommenders_library(case):
    truth, shown = columns(case["truth"], "user", "item", "rating"), columns(
        case["recommendations"], "user", "item", "score"
    )
    history = columns(case["history"], "user", "item")
    items = {row[0]: row[1:] for row in case["items"]}
    ev = cal.evaluate_recommendations(
        truth, shown, list(case["values"]), history=history, items=items, min_rating=0, missing_users="skip"
    )
    for name, value in case["values"].items():
        assert ev[name] == pytest.approx(value, rel=1e-9), name


def test_tables_of_the_recommenders_library():
    """tests/unit/recommenders/evaluation/test_python_evaluation.py and its conftest.py, which print five digits."""
    users = [1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1, 1]
    rated = [3, 1, 4, 5, 6, 7, 2, 5, 6, 8, 9, 10, 11, 12, 13, 14, 1, 2]
    stars = [3, 5, 5, 3, 3, 1, 5, 5, 5, 4, 4, 3, 3, 3, 2, 1, 5, 4]
    shown = [12, 10, 3, 5, 11, 13, 4, 10, 7, 13, 1, 3, 5, 2, 11, 14, 3, 10]
    score = [12, 14, 13, 12, 11, 10, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 14, 13]
    ev = cal.evaluate_recommendations(
        {"user": users, "item": rated, "rating": stars}, {"user": users, "item": shown, "score": score}, min_rating=0
    )
    known = {"ndcg@10": 0.38172, "map@10": 0.23613, "map(denominator=min)@10": 0.23613, "p@10": 0.26666,
             "recall@10": 0.37777, "rating_rmse": 7.254309, "rating_mae": 6.375, "rating_r2": -31.699029}  # fmt: skip
    assert {name: float(ev[name]) for name in known} == pytest.approx(known, rel=1e-4)


@pytest.mark.parametrize("similarity", ["features", "co-occurrence"])
def test_diversity_data_of_the_recommenders_library(similarity):
    """Co-occurrence in the history is the cosine similarity of rows of the matrix of items and users."""
    history = {"user": [1, 1, 1, 2, 2, 3, 3, 3], "item": [1, 2, 4, 3, 4, 3, 4, 5]}
    shown = {"user": [1, 1, 2, 2, 3, 3], "item": [3, 5, 2, 5, 1, 2]}
    truth = {"user": [1, 2, 2, 3], "item": [3, 2, 5, 1]}
    if similarity == "features":
        features = [[0, 1, 1, 0, 0], [0, 1, 0, 1, 0], [0, 0, 1, 1, 0], [0, 0, 1, 0, 1], [0, 0, 0, 1, 1]]
        own = {"intra_list_diversity": 0.5, "serendipity": 0.4028}
    else:
        features = np.zeros((5, 3))
        features[np.array(history["item"]) - 1, np.array(history["user"]) - 1] = 1
        own = {"intra_list_diversity": 0.43096, "serendipity": 0.43408}
    items = dict(enumerate(np.array(features, float), 1))
    ev = cal.evaluate_recommendations(truth, shown, history=history, items=items)
    known = {"catalogue_coverage": 0.8, "exposure_entropy": 1.9183, "novelty": 2.83333, **own}
    assert {name: float(ev[name]) for name in known} == pytest.approx(known, rel=1e-4)
