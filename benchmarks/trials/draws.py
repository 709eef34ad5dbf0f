"""What populations are made of."""

import numpy as np

Generator = np.random.Generator
BINARY = {"labels": (0, 1), "positive": 1}
NUMBERS = {"task": "regression"}
OF_LABELS = "accuracy recall precision f1 balanced_accuracy mcc"
OF_BINARY = f"{OF_LABELS} roc_auc average_precision log_loss brier"


def labels(rng: Generator, chance: np.ndarray | float, n: int | None = None) -> np.ndarray:
    """1 with this chance, else 0."""
    chance = np.broadcast_to(chance, n) if n else np.asarray(chance)
    return (rng.random(len(chance)) < chance).astype(np.int8)


def grouped(sizes: np.ndarray) -> np.ndarray:
    """The group of each row, for groups of these sizes."""
    return np.repeat(np.arange(len(sizes)), sizes)
