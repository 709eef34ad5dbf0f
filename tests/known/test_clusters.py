"""Published tables of clusterings, and what scikit-learn and R (fpc, mclust) answer."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import calipers as cal

HERE = Path(__file__).parent / "clusters"
FROZEN = json.loads((HERE / "frozen.json").read_text())


def rows_of(table):
    """Classes and clusters of the rows behind a table, classes in its rows."""
    table = np.array(table)
    truth, clusters = np.indices(table.shape)
    return np.repeat(truth.ravel(), table.ravel()), np.repeat(clusters.ravel(), table.ravel())


def test_manning_raghavan_schuetze_2008():
    """Introduction to Information Retrieval, section 16.3: 17 points, three classes in three clusters.

    Purity 12/17; of 136 pairs TP 20, FP 20, FN 24, TN 72: Rand (20 + 72)/136; NMI .36.
    """
    truth, clusters = rows_of([[5, 1, 2], [1, 4, 0], [0, 1, 3]])
    ev = cal.evaluate_clusters(clusters, truth)
    assert ev["purity"] == pytest.approx(12 / 17)
    assert ev["rand"] == pytest.approx((20 + 72) / 136)
    assert ev["pair_precision"] == pytest.approx(20 / 40)
    assert ev["pair_recall"] == pytest.approx(20 / 44)
    assert ev["pair_f1"] == pytest.approx(2 * 20 / 84)
    assert round(float(ev["nmi"]), 2) == 0.36


def test_hubert_and_arabie_1985():
    """The index of J. Classif. 2, in the example of 10 rows that Yeung and Ruzzo (2001) work through: .313."""
    truth, clusters = rows_of([[1, 1, 0], [1, 2, 1], [0, 0, 4]])
    assert round(float(cal.evaluate_clusters(clusters, truth)["adjusted_rand"]), 3) == 0.313


def test_meila_2007_bounds():
    """From one part to K equal parts the variation of information is log K; of independent partitions, the sum."""
    truth, clusters = rows_of([[4], [4], [4], [4]])
    assert cal.evaluate_clusters(clusters, truth)["variation_of_information"] == pytest.approx(np.log(4))
    truth, clusters = rows_of(np.full((2, 4), 3))
    assert cal.evaluate_clusters(clusters, truth)["variation_of_information"] == pytest.approx(np.log(8))


@pytest.mark.parametrize("case", FROZEN["cases"])
def test_scikit_learn(case):
    ev = cal.evaluate_clusters(case["clusters"], case["truth"])
    for name, value in case["values"].items():
        assert ev[name] == pytest.approx(value, rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize("case", json.loads((HERE / "r.json").read_text()), ids=lambda c: f"{c['how']}-{c['distance']}")
def test_fpc_and_mclust(case):
    """Flowers in clusters of R's hclust; single rows among them."""
    path = files("calipers.datasets") / "flowers.csv"
    rows = np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding="utf8")
    X = np.column_stack([rows["length"], rows["width"]])
    ev = cal.evaluate_clusters(case["labels"], rows["species"], X, distance=case["distance"])
    for name, value in case["values"].items():
        assert ev[name] == pytest.approx(value, rel=1e-9), name
    of_clusters = dict(zip(ev.per_cluster["cluster"].tolist(), ev.per_cluster["silhouette"].tolist(), strict=True))
    assert [of_clusters[k] for k in sorted(of_clusters)] == pytest.approx(case["of_clusters"], rel=1e-9)
