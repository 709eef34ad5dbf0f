"""Freezes what trec_eval says of a small ranking with ties: `pip install pytrec_eval-terrier`, then run this file.

pytrec_eval calls trec_eval's own C code (version 9) query by query. Scores are whole numbers, so that its single
precision makes no difference.
"""

import json
import random
from pathlib import Path

import pytrec_eval

HERE = Path(__file__).parent
MEASURES = {
    "map", "bpref", "recip_rank", "Rprec", "ndcg", "ndcg_cut.5", "ndcg_cut.10", "P.5", "P.10", "recall.5", "recall.10",
    "success.1", "success.5", "map_cut.10", "11pt_avg", "iprec_at_recall", "set_F", "set_P", "set_recall",
    "relative_P.5", "infAP",
}  # fmt: skip


def tables(seed: int = 9) -> tuple[dict, dict]:
    """Judgements of 25 queries and a run with many ties; q24 is not in the run, and q99 is in the run alone."""
    draw = random.Random(seed)
    grades = (0, 0, 0, 1, 2, 3)
    qrels = {f"q{q:02d}": {f"d{d}": draw.choice(grades) for d in draw.sample(range(40), 15)} for q in range(25)}
    qrels["q03"] = dict.fromkeys(qrels["q03"], 0)  # none is relevant
    qrels["q04"] = dict.fromkeys(qrels["q04"], 1)  # all are
    run = {q: {f"d{d}": float(draw.randint(0, 7)) for d in draw.sample(range(40), draw.randint(1, 25))} for q in qrels}
    run["q99"] = run.pop("q24")
    return qrels, run


def sampled(qrels: dict, seed: int = 5) -> dict:
    """The same judgements with two of five documents of each pool not judged, which is -1."""
    draw = random.Random(seed)
    return {q: {d: -1 if draw.random() < 0.4 else grade for d, grade in each.items()} for q, each in qrels.items()}


if __name__ == "__main__":
    qrels, run = tables()
    measures = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    evaluator = pytrec_eval.RelevanceEvaluator(sampled(qrels), {"infAP", "map", "bpref", "ndcg", "gm_map"})
    document = {"qrels": qrels, "run": run, "trec_eval": measures}
    document |= {"sampled": sampled(qrels), "trec_eval_sampled": evaluator.evaluate(run)}
    logs = pytrec_eval.RelevanceEvaluator(qrels, {"gm_map"}).evaluate(run)
    geometric = [query["gm_map"] for query in logs.values()]
    document["gm_map"] = pytrec_eval.compute_aggregated_measure("gm_map", geometric)
    (HERE / "frozen.json").write_text(json.dumps(document, indent=0, sort_keys=True), encoding="utf-8")
