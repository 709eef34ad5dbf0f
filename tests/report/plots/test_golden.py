"""Every kind of chart as a small picture. To accept a change: CALIPERS_GOLDEN=write pytest tests/report/plots.

Pictures depend on how a version of matplotlib draws text, so the `dev` extra holds it to one minor version.
"""

import io
import os
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from calipers.report.plots.files import rendered

GOLDEN = Path(__file__).parents[2] / "golden" / "plots"
TOLERANCE = 3.0  # root mean square over the pixels, of 255; a band more or less is twice that
COST = {"fp": 1, "fn": 10}
CASES = {
    "roc": ("loans", "roc", {}),
    "roc_vi_print": ("loans", "roc", {"lang": "vi", "theme": "print"}),
    "roc_classes_dark": ("weather", "roc", {"theme": "dark"}),
    "roc_forty": ("forty", "roc", {}),
    "pr": ("loans", "pr", {}),
    "pr_forty": ("forty", "pr", {}),
    "confusion": ("loans", "confusion", {}),
    "confusion_columns": ("weather", "confusion", {"normalise": "truth", "rows": "prediction", "margins": False}),
    "confusion_twelve": ("twelve", "confusion", {}),
    "confusion_forty": ("forty", "confusion", {}),
    "calibration": ("loans", "calibration", {}),
    "scores": ("loans", "scores", {}),
    "thresholds": ("loans", "thresholds", {}),
    "thresholds_cost_vi": ("loans", "thresholds", {"lang": "vi", "cost": COST}),
    "gain": ("loans", "gain", {}),
    "lift": ("loans", "lift", {}),
    "det": ("loans", "det", {}),
    "intervals": ("loans", "intervals", {}),
    "intervals_slices": ("loans", "intervals", {"of": "slices", "metric": "recall"}),
    "intervals_classes": ("weather", "intervals", {"of": "classes", "metric": "f1"}),
    "difference": ("two", "difference", {}),
    "difference_pairs": ("three", "difference", {"metric": "roc_auc"}),
    "models_intervals": ("three", "intervals", {}),
    "models_roc": ("two", "roc", {}),
    "topics": ("articles", "topics", {}),
    "residuals": ("flats", "residuals", {}),
    "predicted": ("flats", "predicted", {}),
    "critical_difference": ("ranks", "critical_difference", {}),
    "folds": ("over_folds", "folds", {}),
    "folds_roc": ("over_folds", "roc", {}),
    "folds_pr_dark": ("over_folds", "pr", {"theme": "dark"}),
    "learning": ("learnt", "learning", {}),
    "validation": ("tuned", "validation", {}),
    "validation_vi_print": ("named", "validation", {"lang": "vi", "theme": "print"}),
    "parts": ("apart", "parts", {}),
    "parts_squared": ("apart_squared", "parts", {}),
}


@pytest.fixture
def draw(request):
    def png(of, kind, how):
        model = {"two": 0, "three": 1}.get(of)
        result = request.getfixturevalue(of if model is None else "models")
        return rendered(result if model is None else result[model], kind, ".png", dpi=50, **{"lang": "en", **how})

    return png


def pixels(png):
    return 255 * imread(io.BytesIO(png))[..., :3]


def apart(one, other):
    return float(np.sqrt(np.mean((one - other) ** 2))) if one.shape == other.shape else float("inf")


@pytest.mark.parametrize("name", CASES)
def test_picture(name, draw):
    png, path = draw(*CASES[name]), GOLDEN / f"{name}.png"
    if os.environ.get("CALIPERS_GOLDEN") == "write":
        path.write_bytes(png)
    distance = apart(pixels(png), pixels(path.read_bytes()))
    assert distance < TOLERANCE, f"{path.name} differs by {distance:.1f}: look at both, then CALIPERS_GOLDEN=write"


def test_a_chart_without_its_band_is_another_picture(draw):
    plain = pixels(draw("loans", "roc", {"band": None}))
    assert apart(plain, pixels((GOLDEN / "roc.png").read_bytes())) > TOLERANCE


def test_pictures_are_small_and_all_in_use():
    assert {path.stem for path in GOLDEN.iterdir()} == set(CASES)
    assert sum(path.stat().st_size for path in GOLDEN.iterdir()) < 600_000
