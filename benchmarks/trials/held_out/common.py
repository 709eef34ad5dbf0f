"""What several of these populations are made of."""

import numpy as np

Generator = np.random.Generator
BINARY = {"labels": (0, 1), "positive": 1}
NUMBERS = {"task": "regression"}
OF_BINARY = "accuracy recall precision f1 balanced_accuracy mcc roc_auc average_precision log_loss brier"
OF_ERRORS = "bias mae mse rmse median_ae r2"


def labels(rng: Generator, chance: np.ndarray) -> np.ndarray:
    return (rng.random(len(chance)) < chance).astype(np.int8)


def grouped(sizes: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(len(sizes)), sizes)
