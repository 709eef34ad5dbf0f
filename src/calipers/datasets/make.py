"""Writes the example files: `python -m calipers.datasets.make`."""

from __future__ import annotations

import random
from pathlib import Path

HERE = Path(__file__).parent
# How often each pair of true and predicted label occurs, and the shape (alpha, beta) of its scores: the probability
# of BAD, drawn from a beta distribution on the side of 0.5 that the predicted label stands for.
CELLS = {
    ("BAD", "BAD"): (55, 3.0, 2.2),
    ("BAD", "GOOD"): (45, 1.6, 1.8),
    ("GOOD", "BAD"): (50, 1.1, 4.0),
    ("GOOD", "GOOD"): (850, 1.0, 2.4),
}
REGIONS = {"north": 0.34, "south": 0.28, "east": 0.22, "west": 0.16}


def bad_debt(seed: int = 2012) -> str:
    """1000 loans as CSV: what became of them, what a model said, its probability of BAD, and the region."""
    draw = random.Random(seed)
    rows = []
    for (truth, predicted), (count, alpha, beta) in CELLS.items():
        low = 0.5 if predicted == "BAD" else 0.0
        for _ in range(count):
            score = low + 0.4999 * draw.betavariate(alpha, beta)
            rows.append(f"{truth},{predicted},{score:.4f},{draw.choices(list(REGIONS), list(REGIONS.values()))[0]}")
    draw.shuffle(rows)
    return "\n".join(["truth,predicted,score,region", *rows, ""])


if __name__ == "__main__":
    (HERE / "bad_debt.csv").write_text(bad_debt(), encoding="utf-8", newline="\n")
