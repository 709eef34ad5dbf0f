"""Tables of papers and of other programs' manuals, with their sources; answers as fractions where they are."""

import numpy as np
import pytest

import calipers as cal

# Cohen 1960, Educ. Psychol. Meas. 20, table 1 as shares of 200 patients: kappa = (.70 - .41) / (1 - .41).
COHEN = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
# Altman & Bland 1994, BMJ 308:1552 and 309:102: liver scan against pathology.
LIVER = {"tp": 231, "fp": 32, "fn": 27, "tn": 54}
# Wikipedia, "Sensitivity and specificity": faecal occult blood screen of 2030 people.
BOWEL = {"tp": 20, "fp": 180, "fn": 10, "tn": 1820}
# Newcombe 1998, Statist. Med. 17:857-872, table I, method 3 (Wilson score): r, n, low, high.
WILSON = [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]


def test_cohen_1960():
    ev = cal.evaluate_counts(COHEN)
    assert ev["kappa"] == pytest.approx((0.70 - 0.41) / (1 - 0.41))
    assert ev["accuracy"] == pytest.approx(0.70)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (
            LIVER,
            {"recall": 231 / 258, "specificity": 54 / 86, "ppv": 231 / 263, "npv": 54 / 81, "prevalence": 258 / 344},
        ),
        (
            BOWEL,
            {
                "sensitivity": 2 / 3, "specificity": 0.91, "ppv": 0.1, "npv": 1820 / 1830, "fpr": 0.09, "fnr": 1 / 3,
                "fdr": 0.9, "for": 10 / 1830, "lr_plus": (2 / 3) / 0.09, "lr_minus": (1 / 3) / 0.91,
                "dor": 20 * 1820 / (180 * 10),
                "accuracy": 1840 / 2030, "f1": 40 / 230, "jaccard": 20 / 210, "youden_j": 2 / 3 + 0.91 - 1,
                "markedness": 0.1 + 1820 / 1830 - 1, "g_mean": (2 / 3 * 0.91) ** 0.5, "lift": 0.1 / (30 / 2030),
                "mcc": (20 * 1820 - 180 * 10) / (200 * 30 * 2000 * 1830) ** 0.5,
                "balanced_accuracy": (2 / 3 + 0.91) / 2,
            },
        ),
    ],
)  # fmt: skip
def test_diagnostic_tables(counts, expected):
    ev = cal.evaluate_counts(**counts)
    assert {name: float(ev[name]) for name in expected} == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(("hits", "trials", "low", "high"), WILSON)
def test_newcombe_1998(hits, trials, low, high):
    recall = cal.evaluate_counts(tp=hits, fn=trials - hits, fp=3, tn=4)["recall"]
    assert (round(recall.low, 4), round(recall.high, 4)) == (low, high)
    assert recall.method == "wilson"


def test_hanley_and_mcneil_1982():
    """Radiology 143:29-36, table I: 58 normal and 51 abnormal CT images rated 1 to 5; theta = 0.893."""
    normal, abnormal = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)
    truth = np.repeat([0, 1], [58, 51])
    rating = np.concatenate([np.repeat(np.arange(1, 6), counts) for counts in (normal, abnormal)]).astype(float)
    ev = cal.evaluate(truth, rating, metrics=["roc_auc"])
    assert round(ev["roc_auc"], 3) == 0.893
    assert ev["roc_auc"].low < 0.893 - 0.05 < 0.893 + 0.03 < ev["roc_auc"].high  # their standard error is 0.032


def test_hand_and_till_2001_agrees_with_two_classes():
    """Mach. Learn. 45:171-186: with two classes M is the area itself."""
    rng = np.random.default_rng(1)
    truth, p = rng.integers(0, 2, 60), rng.random(60)
    both = cal.evaluate(truth, np.column_stack((1 - p, p)), task="multiclass", metrics=["roc_auc_ovo"])
    assert both["roc_auc_ovo"] == pytest.approx(cal.metrics.roc_auc(truth, p))


def test_eleven_points_and_all_points():
    """Manning, Raghavan and Schuetze 2008, ch. 8: interpolated precision never rises with recall."""
    truth = [1, 0, 1, 0, 0, 1, 0, 0, 1, 1]
    score = np.arange(10, 0, -1.0)
    precision = np.array([1 / 1, 2 / 3, 3 / 6, 4 / 9, 5 / 10])
    best = np.maximum.accumulate(precision[::-1])[::-1]
    ap = {
        kind: cal.metric(f"average_precision(interpolation={kind})")(truth, score)
        for kind in ("step", "11-point", "all-point")
    }
    assert ap["step"] == pytest.approx(precision.mean())
    assert ap["all-point"] == pytest.approx(best.mean())
    assert ap["11-point"] == pytest.approx((best[0] * 3 + 2 * best[1:].sum()) / 11)
