"""Writes what scikit-learn answers for small clusterings: `python tests/known/clusters/make.py`."""

import json
from pathlib import Path

import numpy as np
import sklearn.metrics as peer

import sklearn

NAMES = {
    "rand": peer.rand_score,
    "adjusted_rand": peer.adjusted_rand_score,
    "mutual_information": peer.mutual_info_score,
    "homogeneity": peer.homogeneity_score,
    "completeness": peer.completeness_score,
    "v_measure": peer.v_measure_score,
    "v_measure(beta=2)": lambda t, p: peer.v_measure_score(t, p, beta=2),
    "fowlkes_mallows": peer.fowlkes_mallows_score,
    **{
        f"{ours}(mean={mean})": lambda t, p, f=f, mean=mean: f(t, p, average_method=mean)
        for ours, f in (
            ("normalised_mutual_information", peer.normalized_mutual_info_score),
            ("adjusted_mutual_information", peer.adjusted_mutual_info_score),
        )
        for mean in ("arithmetic", "geometric", "min", "max")
    },
}


def examples():
    """Random clusterings of several shapes, and a perfect one."""
    rng = np.random.default_rng(26)
    for rows, classes, clusters, right in ((12, 2, 3, 0.7), (60, 3, 3, 0.9), (100, 5, 8, 0.5), (200, 10, 4, 0.2)):
        truth = rng.integers(0, classes, rows)
        yield truth, np.where(rng.random(rows) < right, truth % clusters, rng.integers(0, clusters, rows))
    yield np.repeat([0, 1, 2], 5), np.repeat([7, 5, 6], 5)


if __name__ == "__main__":
    cases = [
        {"truth": t.tolist(), "clusters": p.tolist(), "values": {name: float(f(t, p)) for name, f in NAMES.items()}}
        for t, p in examples()
    ]
    made = {"peer": f"scikit-learn {sklearn.__version__}", "cases": cases}
    Path(__file__).with_name("frozen.json").write_text(json.dumps(made, indent=1) + "\n")
