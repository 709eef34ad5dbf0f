"""A module that was built differently (`make sanitize`) gives the bits of the usual one: sorts, walks and losses."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from calipers import _native
from calipers.statistics.probability_losses import losses
from calipers.statistics.sorting import sorted_samples

N = 60_001


def lines() -> list[str]:
    """What is computed of each kind of scores, and a digest of its bits."""
    rng = np.random.default_rng(5)
    codes, weights = rng.integers(0, 2, N).astype(np.uint8), rng.random(N) + 0.25
    kinds = {
        "uniform": rng.random(N),
        "rounded": rng.integers(0, 2_000, N) / 2_000,
        "leaves": rng.random(2_000)[rng.integers(0, 2_000, N)],
        "spiky": np.where(rng.random(N) < 0.5, 0.3 + 1e-12 * rng.random(N), rng.random(N)),
        "ascending": np.sort(rng.random(N)),
    }
    out = []
    for name, scores in kinds.items():
        for dtype in (np.float64, np.float32):
            x = scores.astype(dtype)
            split = [_native.split_scores(x, codes, 1, for_numpy)[0] for for_numpy in (False, True)]
            plain, weighted = sorted_samples(x, codes, 1), sorted_samples(x, codes, 1, weights)
            walks = _native.walk(plain.pos, plain.neg), _native.walk_weighted(*weighted[:4])
            numbers = [np.float64(getattr(walk, key)) for walk in walks for key in dir(walk) if key[0] != "_"]
            found = repr([losses(*samples[:4]) for samples in (plain, weighted)]).encode()
            digest = hashlib.sha1(b"".join(map(bytes, (*split, *weighted[:4], *numbers, found))))
            out.append(f"{name} {np.dtype(dtype)} {digest.hexdigest()}")
    return out


@pytest.mark.skipif("SANITIZED" not in os.environ, reason="compares two builds: make sanitize KIND=plain")
def test_another_build_has_the_same_bits():
    usual = {key: value for key, value in os.environ.items() if key not in ("SANITIZED", "LD_PRELOAD", "PYTHONPATH")}
    result = subprocess.run([sys.executable, __file__], capture_output=True, text=True, env=usual, check=False)
    assert (result.stdout.splitlines(), result.stderr) == (lines(), "")


if __name__ == "__main__":
    print("\n".join(lines()))
