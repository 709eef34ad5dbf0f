"""Freezes what PyCM says of three confusion matrices: `pip install pycm`, then run this file."""

import json
from pathlib import Path

import pycm

HERE = Path(__file__).parent
TABLES = [
    [[20, 5, 1], [4, 15, 6], [1, 3, 25]],
    [[30, 0, 2, 1], [7, 12, 3, 0], [0, 4, 9, 2], [5, 0, 1, 24]],
    [[40, 10], [25, 25]],
]
NAMES = (
    "PI", "KappaUnbiased", "Alpha", "AC1", "S", "B", "V", "C", "LambdaA", "LambdaB", "ReferenceEntropy",
    "ResponseEntropy", "JointEntropy", "ConditionalEntropy", "MutualInformation", "RCI", "Kappa", "Overall_ACC", "NIR",
    "Overall_MCC", "ARI",
)  # fmt: skip

if __name__ == "__main__":
    frozen = []
    for table in TABLES:
        found = pycm.ConfusionMatrix(matrix={i: dict(enumerate(row)) for i, row in enumerate(table)})
        frozen.append({"table": table, "pycm": {name: float(getattr(found, name)) for name in NAMES}})
    (HERE / "frozen.json").write_text(json.dumps(frozen, indent=0), encoding="utf-8")
