"""Freezes what ranx says of the ranking that trec/make.py draws, with distinct scores: `pip install ranx`, run this.

ranx keeps the order of tied documents as given; without ties its order is everybody's.
"""

import json
import sys
from pathlib import Path

from ranx import Qrels, Run, evaluate

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "trec"))
from make import tables  # noqa: E402

MEASURES = ["map", "mrr", "ndcg@10", "ndcg_burges@10", "precision@5", "recall@5", "hit_rate@5", "r-precision"]


if __name__ == "__main__":
    qrels, run = tables()
    for name in ("q24", "q03"):  # ranx has no rule for missing queries, and carries over those without relevant ones
        qrels.pop(name), run.pop(name, None)
    run.pop("q99")
    distinct = {q: {d: s + i / 1000 for i, (d, s) in enumerate(sorted(docs.items()))} for q, docs in run.items()}
    measures = evaluate(Qrels(qrels), Run(distinct), MEASURES, return_mean=False)
    document = {"queries": sorted(qrels), "run": distinct,
                "ranx": {name: list(map(float, v)) for name, v in measures.items()}}  # fmt: skip
    (HERE / "frozen.json").write_text(json.dumps(document, indent=0, sort_keys=True), encoding="utf-8")
