"""The pictures of README.md, docs/plots.md and docs/learning.md: `make images`."""

import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeClassifier

import calipers as cal
from calipers import datasets
from calipers.report.atomic_write import write
from calipers.report.plots.files import rendered
from calipers.result import Result

HERE, DPI, COLORS = Path(__file__).parent, 130, 96


def main() -> None:
    """Draw the embedded examples and write the pictures beside this file."""
    debts, days = datasets.load("bad_debt"), datasets.load("weather")
    loans = cal.evaluate(debts, truth="truth", score="score", positive="BAD")
    weather = cal.evaluate(days, truth="truth", score=["p_rain", "p_snow", "p_sun"])
    wary = [0.9 * score + 0.1 * (row * 0.618 % 1) for row, score in enumerate(debts["score"])]
    models = cal.compare(debts["truth"], {"new": debts["score"], "old": wary}, positive="BAD")
    images, digit = load_digits(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    charts = {
        "learning.png": (cal.learning_curve(tree, images, digit, seed=0), "learning", {}),
        "parts.png": (cal.bias_variance(tree, images, digit, replicates=60, seed=0), "parts", {}),
        "roc.png": (loans, "roc", {}),
        "confusion.png": (weather, "confusion", {}),
        "difference.png": (models, "difference", {}),
    }
    rng = np.random.default_rng(3)
    truth = (rng.random(800) < 0.25).astype(int)
    signals = {"logistic regression": 0.9, "gradient boosting v2.1": 1.2, "xgb": 0.9, "neural net": 0.6, "coin": 0}
    five = cal.compare(truth, {
        name: 1 / (1 + np.exp(-(signal * (2 * truth - 1) + rng.normal(size=800) - 1)))
        for name, signal in signals.items()
    })  # fmt: skip
    asked = {"page.png": (loans, "Bad debts", ".answers"), "compare.png": (five, "Five models", "#glance")}
    shots = {name: photographed(*how) for name, how in asked.items()}
    shot = {str(HERE / name): small(png, 64) for name, png in shots.items() if png is not None}
    write(shot | {str(HERE / name): small(rendered(of, kind, ".png", lang="en", dpi=DPI, **how))
           for name, (of, kind, how) in charts.items()})  # fmt: skip


def photographed(result: Result[Any], title: str, last: str) -> bytes | None:
    """The page in a browser, down to its part `last`; None, with a word, where there is no browser."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("pictures of pages left as they are: Playwright and Chromium are needed")
        return None
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        result.save(file := Path(folder) / "page.html", lang="en", title=title)
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1000, "height": 700}, color_scheme="light")
        page.goto(file.as_uri())
        part = page.locator(last).bounding_box()
        assert part is not None
        shown = {"x": 0, "y": 0, "width": 1000, "height": part["y"] + part["height"] + 14}
        png = page.screenshot(full_page=True, clip=shown)
        browser.close()
    return png


def small(png: bytes, colors: int = COLORS) -> bytes:
    """The picture with a palette, a third of its size."""
    from PIL import Image

    held = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(colors).save(held, "PNG", optimize=True)
    return held.getvalue()


if __name__ == "__main__":
    main()
