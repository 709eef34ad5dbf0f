"""Coverage of the 95 % intervals in calipers.inference: python benchmarks/coverage_trials.py [TRIAL ...].

Each line is one population: how often the rarest outcome that the measure rests on is expected, and for each
method the coverage in percent and the median width among samples that have an interval (the share without is
given). A star marks coverage below 93 % where the rarest outcome is expected five times or more. For average
precision that outcome is a negative above the median positive (or a positive): the number of positives
alone does not tell where it fails.
"""

import math
import sys
from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from calipers.inference import area, calibration, delta, mean, proportion, quantiles
from populations import (
    ELSEWHERE,
    cell_se,
    dor,
    kappa,
    lr_minus,
    lr_plus,
    macro_f1,
    macro_precision,
    mcc,
    placements,
    precision_influence,
    scored,
    tied_auc,
)

LEVEL, SAMPLES = 0.95, 2000
Z = quantiles.z(LEVEL)
GRID = [(n, share) for n in (30, 100, 1000) for share in (0.5, 0.1, 0.02)]


def report(name: str, setting: str, rarest: float, truth: float, methods: dict[str, list]) -> None:
    cells = []
    for method, intervals in methods.items():
        low, high = np.array(intervals)[:, :2].T
        known = ~np.isnan(low)
        share = 100 * np.mean((low <= truth) & (truth <= high)) / max(known.mean(), 1 / len(known))
        star = "*" if share < 93 and rarest >= 5 else " "
        none = f" none {100 - 100 * known.mean():.0f}%" if not known.all() else ""
        cells.append(f"{method} {share:5.1f}{star}({np.nanmedian(high - low):.3f}){none}")
    print(f"{name:15} {setting:36} {rarest:7.1f}  " + "  ".join(cells), flush=True)


# Two scored classes


def auc_trials(rng: np.random.Generator) -> Iterator[tuple]:
    for n, share in GRID:
        if n * share < 2:
            continue
        for value in (0.6, 0.75, 0.9, 0.97):
            for spread, decimals in ((1, None), (1, 1), (0.5, None), (2, None)):
                shift = float(ndtri(value)) * math.hypot(1, spread)
                sums = [placements(*scored(rng, n, share, shift, spread, decimals)) for _ in range(SAMPLES)]
                yield (
                    "auc",
                    f"n={n} share={share} auc={value} sd={spread}{' tied' if decimals else ''}",
                    n * share * (1 - value),
                    tied_auc(shift, decimals) if decimals else value,
                    {
                        "auc": [area.auc(*s, LEVEL) for s in sums],
                        "delong": [area.delong_logit(*s, LEVEL) for s in sums],
                        "newcombe5": [area.newcombe5(s[0], s[3], s[4], LEVEL) for s in sums],
                    },
                )


def precision_trials(rng: np.random.Generator) -> Iterator[tuple]:
    t = np.linspace(-9, 14, 200_001)
    for n, share in (
        (100, 0.5),
        (500, 0.1),
        (1000, 0.5),
        (1000, 0.1),
        (1000, 0.02),
        (2500, 0.02),
        (200, 0.7),
    ):
        for value, spread in ((0.6, 1), (0.75, 1), (0.9, 1), (0.97, 1), (0.9, 0.5), (0.75, 2), (0.9, 2)):
            shift = float(ndtri(value)) * math.hypot(1, spread)
            hits = share * ndtr((shift - t) / spread)
            weight = (
                np.exp(-(((t - shift) / spread) ** 2) / 2) / math.sqrt(2 * math.pi) * (t[1] - t[0]) / spread
            )
            truth = float((hits / (hits + (1 - share) * ndtr(-t))) @ weight)
            intervals: dict[str, list] = {"shipped": [], "kurtosis": [], "z": []}
            for _ in range(SAMPLES):
                add_precision(intervals, *scored(rng, n, share, shift, spread, None))
            setting = f"n={n} share={share} auc={value} sd={spread} ap={truth:.2f}"
            above = 1 - ndtr(shift)
            yield "ap", setting, min(n * share, n * (1 - share) * above), truth, intervals


def elsewhere_trials(rng: np.random.Generator) -> Iterator[tuple]:
    for name, (positive, negative) in ELSEWHERE.items():
        for n, share in ((120, 0.5), (150, 0.7), (300, 0.05), (2000, 0.03)):

            def draw(n, positives, positive=positive, negative=negative):
                return np.arange(n) < positives, np.r_[positive(rng, positives), negative(rng, n - positives)]

            # The truth is that of a million rows.
            whole = draw(1_000_000, int(1_000_000 * share))
            auc, ap = placements(*whole)[0], precision_influence(*whole)[0]
            areas: dict[str, list] = {"auc": [], "delong": [], "newcombe5": []}
            precisions: dict[str, list] = {"shipped": [], "kurtosis": [], "z": []}
            for _ in range(SAMPLES):
                y, s = draw(n, max(2, rng.binomial(n, share)))
                sums = placements(y, s)
                areas["auc"].append(area.auc(*sums, LEVEL))
                areas["delong"].append(area.delong_logit(*sums, LEVEL))
                areas["newcombe5"].append(area.newcombe5(sums[0], sums[3], sums[4], LEVEL))
                add_precision(precisions, y, s)
            setting, rarest = f"n={n} share={share} {name}", n * min(share, 1 - share)
            yield "auc", setting, rarest * (1 - auc), auc, areas
            y, s = whole
            yield "ap", setting, n * float(np.mean(~y & (s > np.median(s[y])))), ap, precisions


def add_precision(intervals: dict[str, list], y: np.ndarray, s: np.ndarray) -> None:
    ap, influence = precision_influence(y, s)
    square, n = float((influence**2).mean()), len(y)
    kurtosis = float((influence**4).mean()) / square**2 if square > 0 else 1.0
    known = ap, square / n, int(y.sum()), n, LEVEL
    intervals["shipped"].append(area.average_precision(*known))
    intervals["kurtosis"].append(area.average_precision(*known, kurtosis))
    intervals["z"].append(delta.on_scale(ap, math.sqrt(square / n), Z, delta.UNIT))


def loss_trials(rng: np.random.Generator) -> Iterator[tuple]:
    grid = np.linspace(-9, 14, 100_001)
    for n, share in GRID:
        if n * share < 10:
            continue
        for shift, sharpen in ((1.0, 1.0), (2.5, 1.0), (1.5, 2.0)):
            for name, loss, bounds in (
                ("log_loss", lambda x: np.logaddexp(0, x), (0, math.inf)),
                ("brier", lambda x: expit(x) ** 2, (0, 1)),
            ):

                def wrong(y, s, shift=shift, sharpen=sharpen, share=share, loss=loss):
                    x = sharpen * (shift * s - shift**2 / 2 + logit(share))
                    return loss(np.where(y, -x, x))

                density = np.exp(-(grid**2) / 2) / math.sqrt(2 * math.pi) * (grid[1] - grid[0])
                truth = share * density @ wrong(np.True_, grid + shift) + (1 - share) * density @ wrong(
                    np.False_, grid
                )
                hall, plain = [], []
                for _ in range(SAMPLES):
                    x = wrong(*scored(rng, n, share, shift, 1, None))
                    m2, m3 = float(((x - x.mean()) ** 2).sum()), float(((x - x.mean()) ** 3).sum())
                    hall.append(mean.hall(n, float(x.mean()), m2, m3, LEVEL, bounds))
                    plain.append(mean.hall(n, float(x.mean()), m2, 0.0, LEVEL, bounds))
                setting = f"n={n} share={share} shift={shift} x{sharpen}"
                yield name, setting, n * share, truth, {"hall": hall, "t": plain}


# Confusion counts


def smooth(f: Callable, c: np.ndarray, bounds: tuple[float, float], way: str) -> tuple[float, float]:
    """The delta interval of a function of K×K cells.

    plain: as the counts are. half: half a count in each cell, for centre and spread. spread: 1/K added for
    the spread alone, and where the value is on a bound (no scale) one count over all cells for both.
    """
    with np.errstate(all="ignore"):
        value, k = float(f(c)), len(c)
        if way == "plain":
            return delta.on_scale(value, cell_se(f, c), Z, bounds)
        if way == "spread" and bounds[0] < value < bounds[1]:
            return delta.on_scale(value, cell_se(f, c + 1 / k), Z, bounds)
        filled = c + (0.5 if way == "half" else 1 / k**2)
        return delta.on_scale(value, cell_se(f, filled), Z, bounds, centre=float(f(filled)))


def smooth_methods(f: Callable, draws: np.ndarray, bounds: tuple[float, float]) -> dict[str, list]:
    return {way: [smooth(f, c, bounds, way) for c in draws] for way in ("plain", "half", "spread")}


def count_trials(rng: np.random.Generator) -> Iterator[tuple]:
    for n, share in GRID:
        for label, se, sp in (("weak", 0.6, 0.7), ("strong", 0.9, 0.95)):
            p = np.array([[(1 - share) * sp, (1 - share) * (1 - sp)], [share * (1 - se), share * se]])
            setting, e = f"n={n} share={share} {label}", n * p
            draws = rng.multinomial(n, p.ravel(), SAMPLES).reshape(-1, 2, 2).astype(float)
            both = draws[(draws.sum(2) > 0).all(1)]

            hits = [(c[1, 1], c[0, 1], c[1, 0]) for c in draws]
            jaccard = [proportion.wilson(tp, tp + fp + fn, LEVEL) for tp, fp, fn in hits]
            rare, j = min(e[1, 1], e[0, 1] + e[1, 0]), p[1, 1] / (1 - p[0, 0])
            yield "jaccard", setting, rare, j, {"wilson": jaccard}
            yield (
                "f1",
                setting,
                rare,
                2 * j / (1 + j),
                {"wilson": [(2 * a / (1 + a), 2 * b / (1 + b)) for a, b in jaccard]},
            )
            for beta in (2.0, 0.5):
                b2 = beta**2
                truth = (1 + b2) * p[1, 1] / ((1 + b2) * p[1, 1] + b2 * p[1, 0] + p[0, 1])
                rest = (e[1, 1], e[1, 0] if beta > 1 else e[0, 1])
                yield (
                    f"f{beta:g}",
                    setting,
                    min(rest),
                    truth,
                    {"half": [delta.logit_half(*h, beta, LEVEL) for h in hits]},
                )

            for name, factor in (("balanced", 0.5), ("youden", 1.0)):
                intervals = []
                for c in both:
                    parts = [
                        (factor, c[i, i] / c[i].sum(), *proportion.wilson(c[i, i], c[i].sum(), LEVEL))
                        for i in (0, 1)
                    ]
                    value = factor * (parts[0][1] + parts[1][1]) - (factor == 1)
                    intervals.append(proportion.mover(value, parts, (-1, 1) if factor == 1 else (0, 1)))
                yield name, setting, e.min(), factor * (se + sp) - (factor == 1), {"mover": intervals}

            for f, bounds, rare in (
                (mcc, delta.CORRELATION, e.min()),
                (kappa, delta.CORRELATION, e.min()),
                (lr_plus, delta.RATIO, e[:, 1].min()),
                (lr_minus, delta.RATIO, e[:, 0].min()),
                (dor, delta.RATIO, e.min()),
            ):
                yield f.__name__, setting, rare, float(f(p)), smooth_methods(f, both, bounds)


def class_trials(rng: np.random.Generator) -> Iterator[tuple]:
    for n, share in GRID:
        for label, right in (("weak", 0.6), ("strong", 0.9)):
            shares = np.array([0.7 - share, 0.3, share]) if share < 0.5 else np.array([0.5, 0.3, 0.2])
            p = shares[:, None] * np.where(np.eye(3, dtype=bool), right, (1 - right) / 2)
            draws = rng.multinomial(n, p.ravel(), SAMPLES).reshape(-1, 3, 3).astype(float)
            for f in (macro_f1, macro_precision):
                kept = draws[((draws.sum(2) > 0) & (draws.sum(1) > 0)).all(1)]
                e = n * p
                rare = min(e.diagonal().min(), (e.sum(0) - e.diagonal()).min())
                yield (
                    f.__name__,
                    f"n={n} share={share} {label}",
                    rare,
                    float(f(p)),
                    smooth_methods(f, kept, delta.UNIT),
                )


# Calibration


def calibration_trials(rng: np.random.Generator) -> Iterator[tuple]:
    grid = (np.arange(200_000) + 0.5) / 200_000
    for a, b in ((1, 1), (0.5, 0.5), (1, 9)):
        density = grid ** (a - 1) * (1 - grid) ** (b - 1)
        for label, slope, shift in (
            ("calibrated", 1, 0),
            ("overconfident", 0.5, 0),
            ("shifted", 1, 0.7),
            ("slight", 0.85, 0.1),
        ):
            for n in (100, 1000):
                for bins in (10, 15):
                    gap = density * (expit(slope * logit(grid) + shift) - grid)
                    where = np.minimum((grid * bins).astype(int), bins - 1)
                    mass, off = np.bincount(where, density), np.bincount(where, gap)
                    ece, mce = [], []
                    for _ in range(SAMPLES):
                        p = rng.beta(a, b, n)
                        y = rng.random(n) < expit(slope * logit(p) + shift)
                        where_p = np.minimum((p * bins).astype(int), bins - 1)
                        counts = np.bincount(where_p, minlength=bins)
                        full = np.maximum(counts, 1)
                        columns = [np.bincount(where_p, x, bins) / full for x in (p, y, p * (1 - p))]
                        ece.append(calibration.ece_bounds(counts, *columns, LEVEL))
                        worst = np.max(abs(off / mass)[counts > 0])
                        bounds = calibration.mce_bounds(counts, *columns, LEVEL)
                        mce.append((bounds[0] - worst, bounds[1] - worst))
                    setting = f"n={n} bins={bins} beta({a},{b}) {label}"
                    yield "ece", setting, n / bins, float(abs(off).sum() / mass.sum()), {"bounds": ece}
                    yield "mce", setting, n / bins, 0.0, {"bounds": mce}


TRIALS = {
    "auc": auc_trials,
    "precision": precision_trials,
    "elsewhere": elsewhere_trials,
    "loss": loss_trials,
    "counts": count_trials,
    "classes": class_trials,
    "calibration": calibration_trials,
}

if __name__ == "__main__":
    for chosen in sys.argv[1:] or TRIALS:
        for line in TRIALS[chosen](np.random.default_rng(20240229)):
            report(*line)
