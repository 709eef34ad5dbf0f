"""A contact sheet per language of every kind of page, in both themes and two widths: `make review`.

A page is drawn once per language, photographed from its top, and made small: the sheets show layout, not words.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from sklearn.naive_bayes import GaussianNB

import calipers as cal
from calipers import datasets
from calipers.report.atomic_write import write

HERE, LANGUAGES, THEMES = Path(__file__).parent, ("en", "vi", "zh"), ("light", "dark")
WIDTHS = {1280: (1920, 0.25), 390: (1140, 0.42)}  # of a window: how much of the page, and how small
GAP, QUALITY = 8, 55


def loans() -> Any:
    """Two classes with scores, sliced."""
    return cal.evaluate(datasets.load("bad_debt"), truth="truth", score="score", positive="BAD", by=["region"])


def weather() -> Any:
    """Three classes with scores."""
    return cal.evaluate(datasets.load("weather"), truth="truth", score=["p_rain", "p_snow", "p_sun"], by=["season"])


def sixty() -> Any:
    """Sixty classes, labels only."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 60, 2400)
    wrong = rng.random(2400) < np.linspace(0.05, 0.5, 60)[truth]
    predicted = np.where(wrong, np.where(rng.random(2400) < 0.5, (truth + 1) % 60, rng.integers(0, 60, 2400)), truth)
    return cal.evaluate([f"class_{i:02d}" for i in truth], [f"class_{i:02d}" for i in predicted])


def topics() -> Any:
    """Label sets with scores."""
    rng, labels = np.random.default_rng(6), ["sport", "money", "law", "science", "film", "weather"]
    truth = rng.random((300, 6)) < [0.3, 0.2, 0.1, 0.4, 0.08, 0.25]
    sets = [{label for label, has in zip(labels, row, strict=True) if has} for row in truth]
    return cal.evaluate(sets, score=np.clip(0.4 * truth + 0.6 * rng.random((300, 6)), 0, 1), labels=labels)


def flats() -> Any:
    """Predicted numbers."""
    return cal.evaluate(datasets.load("flats"), truth="truth", pred="predicted", by="district")


def searches() -> Any:
    """Ranked documents."""
    return cal.evaluate_ranking(datasets.path("search.qrels"), datasets.path("search.run"))


def two() -> Any:
    """Two models."""
    debts = datasets.load("bad_debt")
    wary = [0.9 * score + 0.1 * (row * 0.618 % 1) for row, score in enumerate(debts["score"])]
    return cal.compare(debts["truth"], {"old": wary, "new": debts["score"]}, positive="BAD")


def five() -> Any:
    """Five models."""
    rng = np.random.default_rng(3)
    truth = (rng.random(800) < 0.25).astype(int)
    signals = {"logistic regression": 0.9, "gradient boosting v2.1": 1.4, "xgb": 0.9, "net-final2": 0.6, "coin": 0}
    scores = {name: 1 / (1 + np.exp(-(s * (2 * truth - 1) + rng.normal(size=800) - 1))) for name, s in signals.items()}
    return cal.compare(truth, scores)


def folds() -> Any:
    """A model over folds."""
    debts = datasets.load("bad_debt")
    features = [[score] for score in debts["score"]]
    return cal.cross_validate(GaussianNB(), features, debts["truth"], positive="BAD", seed=0)


def gate() -> Any:
    """Requirements, of which some pass, some fail and some are open."""
    asked = ["roc_auc >= 0.8", "recall >= 0.5", "log_loss <= 0.25", "precision >= 0.7", "by region: recall >= 0.4"]
    return cal.gate(loans(), asked)


def clusters() -> Any:
    """Clusters against classes and by geometry."""
    flowers = datasets.load("flowers")
    sizes = np.column_stack((flowers["length"], flowers["width"]))
    return cal.evaluate_clusters(flowers["cluster"], flowers["species"], sizes)


def films() -> Any:
    """Lists of recommended items."""
    truth, shown, history, items = (
        datasets.path(f"films_{name}.csv") for name in ("truth", "recommendations", "history", "items")
    )
    return cal.evaluate_recommendations(truth, shown, history=history, items=items, min_rating=4)


def articles() -> Any:
    """Topics of a model in texts."""
    return cal.evaluate_topics(datasets.path("articles_topics.json"), datasets.path("articles.jsonl"))


def week() -> Any:
    """A metric over seven days."""
    rng = np.random.default_rng(2)
    days = {}
    for day in range(1, 8):
        truth = (rng.random(400) < 0.3).astype(int)
        score = 1 / (1 + np.exp(-rng.normal((1.6 - 0.15 * day) * (2 * truth - 1))))
        days[f"2026-03-{day:02d}"] = cal.evaluate(truth, score)
    return cal.trend(days)


MAKERS: tuple[Callable[[], Any], ...] = (
    loans, weather, sixty, topics, flats, searches, two, five, folds, gate, clusters, films, articles, week,
)  # fmt: skip


def main(languages: tuple[str, ...]) -> None:
    """Write the sheets of these languages beside this file."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    results = {make.__name__: make() for make in MAKERS}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        for lang in languages:
            rows = []
            for name, result in results.items():
                result.save(file := Path(folder) / f"{name}-{lang}.html", lang=lang)
                rows.append([photograph(page, file, width, theme) for theme in THEMES for width in WIDTHS])
                print(lang, name, flush=True)
            write({str(HERE / f"{lang}.webp"): sheet(rows)})
        browser.close()


def photograph(page: Page, file: Path, width: int, theme: Any) -> Image.Image:
    """The upper part of a page, made small."""
    height, scale = WIDTHS[width]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=theme)
    page.goto(file.as_uri())
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return picture.resize((round(width * scale), round(height * scale)), Image.Resampling.LANCZOS)


def sheet(rows: list[list[Image.Image]]) -> bytes:
    """The pictures in a grid."""
    wide = sum(picture.width + GAP for picture in rows[0]) + GAP
    tall = sum(row[0].height + GAP for row in rows) + GAP
    canvas = Image.new("RGB", (wide, tall), "#8a8f98")
    y = GAP
    for row in rows:
        x = GAP
        for picture in row:
            canvas.paste(picture, (x, y))
            x += picture.width + GAP
        y += row[0].height + GAP
    buffer = io.BytesIO()
    canvas.save(buffer, "WEBP", quality=QUALITY)
    return buffer.getvalue()


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or LANGUAGES)
