"""Two classes, three classes and label sets, over sizes, prevalences and strengths, and scores of hard shapes."""

import math
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from scipy.special import expit, logit, ndtri, softmax

import calipers as cal
from trials.cells import MANY, Answer, Columns, Rows, answer
from trials.draws import BINARY, Generator, labels

SIZES, SHARES, STRENGTHS = (30, 100, 1000), (0.5, 0.1, 0.02), ("weak", "strong")
RESTATED = 0.2
NAMES = {
    "two classes": """accuracy precision recall specificity npv f1 fbeta(beta=2) fbeta(beta=0.5) jaccard
        balanced_accuracy youden_j markedness mcc kappa g_mean lift lr_plus lr_minus diagnostic_odds_ratio roc_auc
        average_precision log_loss brier ece mce""",
    "two classes, restated for a prevalence of 0.2": """precision npv accuracy f1 mcc roc_auc average_precision log_loss
        brier""",
    "three classes": """accuracy balanced_accuracy mcc kappa f1(average=macro) f1(average=weighted)
        precision(average=macro) roc_auc(average=macro) roc_auc(average=micro) average_precision(average=macro)
        average_precision(average=micro) roc_auc_ovo log_loss brier ece""",
    "three labels": """f1(average=macro) f1(average=micro) precision(average=macro) recall(average=macro)
        roc_auc(average=macro) average_precision(average=macro) subset_accuracy hamming_loss jaccard_of_rows f1_of_rows
        ranking_loss""",
    "hard shapes": "roc_auc average_precision",
}
# Shapes on which average precision and the AUC are hard, among them a few negatives among or above the best positives:
# normals as (weight, mean, standard deviation), of the positives and of the negatives.
SHAPES = {
    "wide positives": ([(1.0, 1.5, 2.0)], [(1.0, 0.0, 1.0)]),
    "narrow positives": ([(1.0, 1.43, 0.5)], [(1.0, 0.0, 1.0)]),
    "mixed positives": ([(0.9, 3.0, 1.0), (0.1, 0.0, 1.0)], [(1.0, 0.0, 1.0)]),
    "5 % of negatives like positives": ([(1.0, 3.0, 0.7)], [(0.95, 0.0, 1.0), (0.05, 3.0, 1.0)]),
    "1 % of negatives like positives": ([(1.0, 3.0, 0.7)], [(0.99, 0.0, 1.0), (0.01, 3.0, 1.0)]),
    "2 % of negatives above": ([(1.0, 2.0, 1.0)], [(0.98, 0.0, 1.0), (0.02, 5.0, 0.5)]),
}


def mixture(rng: Generator, n: int, parts: list) -> np.ndarray:
    weights, means, sds = (np.array(column) for column in zip(*parts, strict=True))
    which = rng.choice(len(weights), n, p=weights)
    return means[which] + sds[which] * rng.standard_normal(n)


def shift_of(strength: str) -> tuple[float, float]:
    """How far the classes are apart, and how much too sure the model is: calibrated with AUC 0.7, or not with 0.92."""
    auc, sharpen = {"weak": (0.7, 1.0), "strong": (0.92, 1.5)}[strength]
    return math.sqrt(2) * float(ndtri(auc)), sharpen


def two(strength: str, share: float, rng: Generator) -> Columns:
    y, (shift, sharpen) = labels(rng, share, MANY), shift_of(strength)
    return {"y": y, "p": probability(shift * y + rng.normal(size=MANY), shift, sharpen, share)}


def probability(x: np.ndarray | float, shift: float, sharpen: float, share: float) -> np.ndarray:
    return expit(sharpen * (shift * x - shift**2 / 2 + logit(share)))


def half_way(strength: str, share: float) -> float:
    """The probability half way between the classes, where labels are cut."""
    shift, sharpen = shift_of(strength)
    return float(probability(shift / 2, shift, sharpen, share))


def shaped(shape: str, share: float, rng: Generator) -> Columns:
    y = labels(rng, share, MANY)
    pos, neg = SHAPES[shape]
    return {"y": y, "p": np.where(y == 1, mixture(rng, MANY, pos), mixture(rng, MANY, neg))}


def three(strength: str, share: float, rng: Generator) -> Columns:
    """The last class has this share; probabilities are calibrated."""
    shares = np.array([0.5, 0.3, 0.2] if share == 0.5 else [0.7 - share, 0.3, share])
    shift = {"weak": 1.0, "strong": 2.2}[strength]
    y = rng.choice(3, MANY, p=shares)
    x = rng.standard_normal((MANY, 3)) + shift * np.eye(3)[y]
    return {"y": y, "p": softmax(shift * x + np.log(shares), axis=1)}


def label_sets(strength: str, share: float, rng: Generator) -> Columns:
    """Any of three labels, which depend on each other; the last has this share."""
    cuts = ndtri(1 - np.array([0.4, 0.25, share]))
    shift = {"weak": 0.8, "strong": 2.0}[strength]
    common = rng.standard_normal((MANY, 1))
    y = math.sqrt(0.4) * common + math.sqrt(0.6) * rng.standard_normal((MANY, 3)) > cuts
    x = shift * y + math.sqrt(0.3) * rng.standard_normal((MANY, 1)) + math.sqrt(0.7) * rng.standard_normal((MANY, 3))
    return {"y": y.astype(np.int8), "p": expit(2 * (x - shift / 2 - cuts / 4))}


@dataclass(frozen=True)
class Scored(Rows):
    """The truth of the largest calibration gap is that among the bins which the sample filled."""

    def answer(self, evaluation: cal.Evaluation, name: str, truth: float) -> Answer:
        if name != "mce":
            return super().answer(evaluation, name, truth)
        gaps, bins = true_gaps(self), evaluation.curve("calibration", bins=15)
        return answer(evaluation[name], max(gaps.get(begin, 0.0) for begin in bins.begin))

    def __hash__(self) -> int:
        return hash(self.name)


@lru_cache(maxsize=2)
def true_gaps(trial: Scored) -> dict[float, float]:
    true = trial.evaluation(trial.whole(np.random.default_rng(1))).curve("calibration", bins=15)
    return dict(zip(true.begin, abs(true.outcome - true.score), strict=True))


def plain(kind: str, strength: str, share: float, n: int) -> Rows:
    name, metrics = f"{kind}: {strength}, {n} rows, {share:g}", NAMES[kind]
    if kind == "three classes":
        return Rows(name, partial(three, strength, share), n, metrics, {"labels": (0, 1, 2), "task": "multiclass"})
    if kind == "three labels":
        how = {"labels": ("a", "b", "c"), "task": "multilabel"}
        return Rows(name, partial(label_sets, strength, share), n, metrics, how)
    at = {"prevalence": RESTATED} if "restated" in kind else {}
    how = BINARY | {"threshold": half_way(strength, share)}
    return Scored(name, partial(two, strength, share), n, metrics, how, at=at)


def hard(shape: str, n: int, share: float) -> Rows:
    name = f"hard shapes: {shape}, {n} rows, {share:g}"
    return Rows(name, partial(shaped, shape, share), n, NAMES["hard shapes"], BINARY | {"threshold": 1.0})


def parts() -> dict[str, list[Rows]]:
    grid = [(strength, share, n) for n in reversed(SIZES) for share in SHARES for strength in STRENGTHS]
    listed = {kind: [plain(kind, *setting) for setting in grid] for kind in list(NAMES)[:-1]}
    sizes = ((120, 0.5), (150, 0.7), (1000, 0.05))
    return listed | {"hard shapes": [hard(shape, n, share) for shape in SHAPES for n, share in sizes]}
