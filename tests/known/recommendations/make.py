"""Writes what the Recommenders library answers: `python tests/known/recommendations/make.py`.

It needs recommenders 1.2.1 with pandas 2.1, in an environment of its own.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from recommenders.evaluation import python_evaluation as peer

NAMES = {"col_user": "user", "col_item": "item"}
RANKED = {**NAMES, "col_prediction": "score"}


def example(users, items, shown, seed):
    """History, truth with ratings, recommendations with scores, and features; what is shown is not in the history."""
    rng = np.random.default_rng(seed)
    weight = 1 / np.arange(1, items + 1)
    rows = {"history": [], "truth": [], "recommendations": []}
    for user in range(users):
        order = rng.choice(items, items, replace=False, p=weight / weight.sum())
        past, rest = order[:5], order[5:]
        rows["history"] += [(user, int(item)) for item in past]
        liked = rng.choice(rest, 4, replace=False)
        rows["truth"] += [(user, int(item), int(rng.integers(1, 6))) for item in liked]
        rows["recommendations"] += [
            (user, int(item), round(float(rng.normal(3, 1)), 6)) for item in rng.choice(rest, shown, replace=False)
        ]
    rows["history"] += [(users, item) for item in range(items)]  # every item was chosen once
    rows["items"] = [[item, *np.round(rng.random(3), 3).tolist()] for item in range(items)]
    return rows


def answers(rows, k):
    """What the library says of the first k recommendations."""
    history = pd.DataFrame(rows["history"], columns=["user", "item"])
    truth = pd.DataFrame(rows["truth"], columns=["user", "item", "rating"])
    shown = pd.DataFrame(rows["recommendations"], columns=["user", "item", "score"])
    features = pd.DataFrame({"item": [row[0] for row in rows["items"]],
                             "features": [np.array(row[1:]) for row in rows["items"]]})  # fmt: skip
    first = peer.get_top_k_items(shown, col_user="user", col_rating="score", k=k)
    liked = set(map(tuple, truth[["user", "item"]].to_numpy().tolist()))
    first["relevance"] = [float((user, item) in liked) for user, item in zip(first["user"], first["item"], strict=True)]
    similar = {"item_feature_df": features, "item_sim_measure": "item_feature_vector", **NAMES, "col_sim": "sim"}
    ranked = {**RANKED, "col_rating": "rating", "k": k}
    return {
        f"p@{k}": peer.precision_at_k(truth, shown, **ranked),
        f"recall@{k}": peer.recall_at_k(truth, shown, **ranked),
        f"map@{k}": peer.map(truth, shown, **ranked),
        f"map(denominator=min)@{k}": peer.map_at_k(truth, shown, **ranked),
        f"ndcg@{k}": peer.ndcg_at_k(truth, shown, **ranked),
        "rating_rmse": peer.rmse(truth, shown, **RANKED, col_rating="rating"),
        "rating_mae": peer.mae(truth, shown, **RANKED, col_rating="rating"),
        "rating_r2": peer.rsquared(truth, shown, **RANKED, col_rating="rating"),
        f"catalogue_coverage@{k}": peer.catalog_coverage(history, first, **NAMES),
        f"exposure_entropy@{k}": peer.distributional_coverage(history, first, **NAMES),
        f"novelty@{k}": peer.novelty(history, first, **NAMES),
        f"intra_list_diversity@{k}": peer.diversity(history, first, **similar),
        f"serendipity@{k}": peer.serendipity(history, first, **similar, col_relevance="relevance"),
    }


if __name__ == "__main__":
    cases = []
    for users, items, shown, k, seed in ((6, 15, 5, 3, 1), (25, 40, 12, 10, 2), (40, 30, 8, 8, 3)):
        rows = example(users, items, shown, seed)
        cases.append({**rows, "values": {name: float(value) for name, value in answers(rows, k).items()}})
    made = {"peer": f"recommenders {version('recommenders')}", "cases": cases}
    Path(__file__).with_name("frozen.json").write_text(json.dumps(made) + "\n")
