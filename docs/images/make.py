"""The pictures of README.md and docs/plots.md: `make images`."""

import io
from pathlib import Path

import calipers as cal
from calipers import datasets
from calipers.report.plots.files import rendered, write

HERE, DPI, COLORS = Path(__file__).parent, 130, 96


def main() -> None:
    """Draw the embedded examples and write the pictures beside this file."""
    debts, days = datasets.load("bad_debt"), datasets.load("weather")
    loans = cal.evaluate(debts, truth="truth", score="score", positive="BAD")
    weather = cal.evaluate(days, truth="truth", score=["p_rain", "p_snow", "p_sun"])
    wary = [0.9 * score + 0.1 * (row * 0.618 % 1) for row, score in enumerate(debts["score"])]
    models = cal.compare(debts["truth"], {"new": debts["score"], "old": wary}, positive="BAD")
    charts = {
        "roc.png": (loans, "roc", {}),
        "confusion.png": (weather, "confusion", {}),
        "difference.png": (models, "difference", {}),
    }
    write({str(HERE / name): small(rendered(of, kind, ".png", lang="en", dpi=DPI, **how))
           for name, (of, kind, how) in charts.items()})  # fmt: skip


def small(png: bytes) -> bytes:
    """The picture with a palette, a third of its size."""
    from PIL import Image

    held = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(COLORS).save(held, "PNG", optimize=True)
    return held.getvalue()


if __name__ == "__main__":
    main()
