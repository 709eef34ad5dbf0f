"""Freezes what LightGBM and torchmetrics say of 200 drawn queries, with and without ties.

`pip install lightgbm==4.7.0 torch==2.13.0 torchmetrics==1.9.0`, run this. LightGBM measures scores that it is given as
the start of a training that then learns nothing.
"""

import json
from pathlib import Path

import numpy as np

CUTS = (1, 3, 5, 10)


def drawn():
    """Sizes of queries, grades (none relevant in every tenth query), scores, and the same rounded, which ties many."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(3, 25, 200)
    total = int(sizes.sum())
    grades = rng.integers(0, 4, total) * (rng.random(total) < 0.6)
    grades[np.repeat(np.arange(200) % 10 == 0, sizes)] = 0
    scores = 20 + rng.normal(size=total) + 0.5 * grades
    return sizes, grades, {"distinct": scores, "tied": np.round(scores)}


def of_lightgbm(sizes, grades, scores):
    import lightgbm

    options = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": CUTS, "learning_rate": 1e-12,
             "min_data_in_leaf": 10**6, "num_leaves": 2, "verbose": -1}  # fmt: skip
    features, results = np.random.default_rng(1).normal(size=(len(grades), 1)), {}
    train, valid = (lightgbm.Dataset(features, grades, group=sizes, init_score=scores) for _ in range(2))
    kept = lightgbm.record_evaluation(results)
    lightgbm.train(options, train, 1, valid_sets=[valid.set_reference(train)], valid_names=["v"], callbacks=[kept])
    return {name: float(values[0]) for name, values in results["v"].items()}


def of_torchmetrics(sizes, grades, scores):
    import torch
    from torchmetrics import retrieval as r

    query, results = torch.tensor(np.repeat(np.arange(len(sizes)), sizes)), {}
    kinds = {"ndcg": r.RetrievalNormalizedDCG, "map": r.RetrievalMAP, "mrr": r.RetrievalMRR}
    for name, kind in kinds.items():
        target = grades if name == "ndcg" else grades > 0
        for action in ("neg", "skip"):
            measure = kind(empty_target_action=action)
            results[f"{name} {action}"] = float(measure(torch.tensor(scores), torch.tensor(target), indexes=query))
    return results


if __name__ == "__main__":
    sizes, grades, runs = drawn()
    document = {
        name: {"lightgbm": of_lightgbm(sizes, grades, scores), "torchmetrics": of_torchmetrics(sizes, grades, scores)}
        for name, scores in runs.items()
    }
    Path(__file__).with_name("frozen.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
