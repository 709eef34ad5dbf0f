"""Log loss and Brier score of good models, and Hosmer and Lemeshow's test of calibrated ones."""

from functools import partial

import numpy as np
from scipy.special import expit

from trials.cells import MANY, Columns, Rows
from trials.draws import BINARY, Generator, labels


def saturated(noise: float, rng: Generator) -> Columns:
    """Scores of nearly 0 and 1; this share of the labels is wrong."""
    y = labels(rng, 0.5, MANY)
    p = expit(np.where(y == 1, 6, -6) + rng.normal(size=MANY))
    return {"y": np.where(rng.random(MANY) < noise, 1 - y, y), "p": p}


def mixed(rng: Generator) -> Columns:
    """70 % of the scores are unsure and calibrated, 30 % are extreme; 3 % of the labels of those are wrong."""
    extreme, y = rng.random(MANY) < 0.3, labels(rng, 0.5, MANY)
    p = np.where(extreme, expit(np.where(y == 1, 9, -9) + rng.normal(size=MANY)), rng.uniform(0.3, 0.7, MANY))
    y = np.where(extreme, np.where(rng.random(MANY) < 0.03, 1 - y, y), labels(rng, p))
    return {"y": y, "p": p}


def binormal(shift: float, sharpen: float, rng: Generator) -> Columns:
    """Calibrated for sharpen = 1, overconfident above."""
    y = labels(rng, 0.5, MANY)
    return {"y": y, "p": expit(sharpen * shift * (shift * (y - 0.5) + rng.normal(size=MANY)))}


def heavy(rng: Generator) -> Columns:
    """Log-odds with the tails of Student's t with 1.5 degrees of freedom, calibrated."""
    p = np.clip(expit(rng.standard_t(1.5, MANY)), 1e-12, 1 - 1e-12)
    return {"y": labels(rng, p), "p": p}


def calibrated(a: float, b: float, decimals: int, rng: Generator) -> Columns:
    p = np.clip(np.round(rng.beta(a, b, MANY), decimals), 0.005, 0.995)
    return {"y": labels(rng, p), "p": p}


def losses(name: str, n: int, whole, level: float = 0.95) -> Rows:
    return Rows(
        f"{name}, {n} rows" + ("" if level == 0.95 else f", level {level:.0%}"),
        whole,
        n,
        "log_loss brier",
        BINARY,
        level,
    )


def parts() -> dict[str, list[Rows]]:
    good = [losses("saturated, 1 % noise", n, partial(saturated, 0.01)) for n in (50, 100, 300, 1000)]
    good += [losses("saturated, 5 % noise", n, partial(saturated, 0.05)) for n in (50, 200)]
    good += [losses("overconfident three times", n, partial(binormal, 2.5, 3.0)) for n in (50, 200)]
    good += [losses("nearly perfect", n, partial(binormal, 4.0, 1.0)) for n in (50, 200)]
    good += [losses("log-odds of t1.5", n, heavy) for n in (50, 100, 300)]
    good += [losses("unsure, and extreme with 3 % noise", n, mixed) for n in (50, 100, 300, 1000)]
    plain = [losses("calibrated, AUC 0.76", n, partial(binormal, 1.0, 1.0)) for n in (50, 200)]
    plain += [losses("calibrated, AUC 0.92", n, partial(binormal, 2.0, 1.0)) for n in (50, 200)]
    plain += [losses("calibrated, AUC 0.92", 100, partial(binormal, 2.0, 1.0), level) for level in (0.9, 0.99)]
    fit = [
        Rows(f"calibrated beta({a}, {b}), {n} rows", partial(calibrated, a, b, 9), n, "hosmer_lemeshow_p", BINARY)
        for a, b, n in ((1, 1, 200), (1, 1, 1000), (1, 3, 1000), (1, 3, 5000))
    ]
    fit.append(
        Rows(
            "calibrated beta(2, 3), two decimals, 400 rows",
            partial(calibrated, 2, 3, 2),
            400,
            "hosmer_lemeshow_p",
            BINARY,
        )
    )
    return {"good models": good, "other models": plain, "Hosmer and Lemeshow's test, calibrated": fit}
