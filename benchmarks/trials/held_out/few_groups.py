"""Few groups whose scores share an offset, and groups of very different sizes: written down after their intervals were
chosen on the populations of areas/groups.py, and run once.
"""

import numpy as np
from scipy.special import expit

from trials.cells import Columns, Rows
from trials.held_out.common import BINARY, OF_BINARY, Generator, grouped, labels


def clinics(rng: Generator) -> Columns:
    """Nine groups only, logistic offsets."""
    g = grouped(np.full(6_000, 45))
    y = labels(rng, np.full(len(g), 0.35))
    x = 1.7 * y - 1.2 + rng.logistic(0, 0.5, 6_000)[g] + 0.9 * rng.normal(size=len(g))
    return {"y": y, "p": expit(x), "groups": g}


def machines(rng: Generator) -> Columns:
    """Geometric sizes, and one machine in ten is far from the others."""
    g = grouped(3 + rng.geometric(1 / 25, 8_000))
    y = labels(rng, np.full(len(g), 0.5))
    own = rng.normal(size=8_000) * np.where(rng.random(8_000) < 0.1, 1.8, 0.6)
    return {"y": y, "p": expit(2.2 * y - 1.1 + own[g] + rng.normal(size=len(g))), "groups": g}


def lessons(rng: Generator) -> Columns:
    """One-sided gamma offsets, and shares of positives that differ."""
    g = grouped(np.full(12_000, 18))
    y = labels(rng, rng.beta(2, 6, 12_000)[g])
    x = 2 * y - 2 + 0.6 * (rng.gamma(2, 1, 12_000) - 2)[g] + rng.normal(size=len(g))
    return {"y": y, "p": expit(x), "groups": g}


def operators(rng: Generator) -> Columns:
    """Uniform sizes, Gumbel offsets, few positives."""
    g = grouped(rng.integers(5, 61, 9_000))
    y = labels(rng, np.full(len(g), 0.15))
    x = 2.4 * y - 2.4 + 0.85 * (rng.gumbel(0, 1, 9_000) - 0.577)[g] + rng.normal(size=len(g))
    return {"y": y, "p": expit(x), "groups": g}


def subjects(rng: Generator) -> Columns:
    """One class per group, Student's t with five degrees of freedom."""
    g, own = grouped(np.full(12_000, 20)), labels(rng, np.full(12_000, 0.5))
    x = 1.8 * own[g] - 0.9 + 0.6 * rng.standard_t(5, 12_000)[g] + rng.normal(size=len(g))
    return {"y": own[g], "p": expit(x), "groups": g}


def shops(rng: Generator) -> Columns:
    """Lognormal sizes up to 120, of which a few have most rows; one class per group, 12 % positive."""
    sizes = np.clip(np.round(rng.lognormal(0.8, 1.6, 40_000)), 1, 120).astype(int)
    g, own = grouped(sizes), labels(rng, np.full(40_000, 0.12))
    x = 2.3 * own[g] - 1.9 + 0.8 * rng.normal(size=40_000)[g] + 0.8 * rng.normal(size=len(g))
    return {"y": own[g], "p": expit(x), "groups": g}


FEW_GROUPS = [
    Rows("9 clinics of 45 rows, logistic offsets", clinics, 9, OF_BINARY, BINARY),
    Rows("14 machines, geometric sizes, a tenth far away", machines, 14, OF_BINARY, BINARY),
    Rows("22 lessons of 18 rows, gamma offsets", lessons, 22, OF_BINARY, BINARY),
    Rows("32 operators of 5 to 60 rows, Gumbel offsets, 15 % positive", operators, 32, OF_BINARY, BINARY),
    Rows("18 subjects of one class, 20 rows each, t5 offsets", subjects, 18, OF_BINARY, BINARY),
    Rows("160 shops, lognormal sizes, 12 % positive", shops, 160, OF_BINARY, BINARY),
]
