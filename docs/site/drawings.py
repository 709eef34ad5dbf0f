"""Small drawings for the metric cards: one per family, and for counts the cells that the formula uses."""

from __future__ import annotations

import re

from calipers.metrics.base import Metric

BLUE, PALE, GREY, RED = "#4c78a8", "#a9c4e0", "#8a8a8a", "#d1605e"  # visible on white and on black
CELLS = {"tp": (0, 0), "fn": (1, 0), "fp": (0, 1), "tn": (1, 1)}
CALIBRATION = ("ece", "mce", "reliability", "resolution", "uncertainty", "hosmer_lemeshow", "hosmer_lemeshow_p",
               "spiegelhalter_z", "spiegelhalter_p", "calibration_slope", "calibration_intercept",
               "calibration_in_the_large", "integrated_calibration_index")  # fmt: skip
LOSSES = ("log_loss", "brier", "nagelkerke_r2", "hinge", "logistic_loss", "exponential_loss")
TOP = ("top_precision", "top_recall", "top_lift")
PRECISION = ("average_precision", "mean_precision_over_thresholds", "break_even")


def drawing(metric: Metric) -> tuple[str, str]:
    """The name of a metric's drawing, and what it shows in words."""
    taken, name = metric.view.taken, metric.name
    if taken == "class_labels":
        return f"cells-{'-'.join(sorted(top(metric)))}-of-{'-'.join(sorted(used(metric)))}", (
            f"confusion matrix: {', '.join(sorted(top(metric))).upper()} of {', '.join(sorted(used(metric))).upper()}"
        )
    if taken == "class_scores":
        for kind, names in {"calibration": CALIBRATION, "losses": LOSSES, "pr": PRECISION, "top": TOP}.items():
            if name in names:
                return kind, WORDS[kind]
        return "roc", WORDS["roc"]
    return taken, WORDS.get(taken, taken)


WORDS = {
    "rows": "confusion matrix of several classes, the diagonal marked",
    "classes": "confusion matrix of several classes, the diagonal marked",
    "roc": "ROC curve above the diagonal of guessing",
    "pr": "precision-recall curve above the line of guessing",
    "calibration": "calibration curve beside the diagonal",
    "top": "rows in the order of their scores, cut after the first",
    "losses": "loss that grows as the probability of the truth falls",
    "label_sets": "rows with several labels, some of them wrong",
    "queries": "ranked results, the relevant ones marked",
    "numbers": "predictions around the line, with their errors",
    "clusters": "two clusters of points of two classes",
    "points": "two clusters of points and the distance between them",
    "topics": "words of two topics",
    "lists": "lists of recommended items, the relevant ones marked",
}


def used(metric: Metric) -> set[str]:
    """The cells of the confusion matrix in a formula."""
    return set(re.findall(r"\{(tp|fp|fn|tn)\}", metric.formula))


def top(metric: Metric) -> set[str]:
    """The cells before the first division."""
    return set(re.findall(r"\{(tp|fp|fn|tn)\}", metric.formula.partition("/")[0])) or used(metric)


def svg(name: str) -> str:
    """A drawing by its name."""
    if name.startswith("cells-"):
        above, _, below = name.removeprefix("cells-").partition("-of-")
        inside = cells(set(above.split("-")), set(below.split("-")))
    else:
        inside = FAMILIES[name]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="72" height="72" viewBox="0 0 72 72" fill="none" '
        f'stroke-width="2" font-family="sans-serif" font-size="11">{inside}</svg>'
    )


def cells(above: set[str], below: set[str]) -> str:
    """The confusion matrix: what a formula counts is dark, what it divides by is pale."""
    parts = []
    for cell, (column, row) in CELLS.items():
        fill = BLUE if cell in above else PALE if cell in below else "none"
        x, y = 4 + 32 * column, 4 + 32 * row
        parts.append(f'<rect x="{x}" y="{y}" width="32" height="32" fill="{fill}" stroke="{GREY}"/>')
        ink = "#fff" if cell in above else "#222" if cell in below else GREY
        parts.append(f'<text x="{x + 16}" y="{y + 20}" text-anchor="middle" fill="{ink}">{cell.upper()}</text>')
    return "".join(parts)


def grid(marked: set[tuple[int, int]], wrong: set[tuple[int, int]] = frozenset(), size: int = 3) -> str:
    """A grid with marked cells."""
    step = 64 // size
    return "".join(
        f'<rect x="{4 + step * x}" y="{4 + step * y}" width="{step}" height="{step}" stroke="{GREY}" '
        f'fill="{BLUE if (x, y) in marked else RED if (x, y) in wrong else "none"}"/>'
        for y in range(size)
        for x in range(size)
    )


def path(points: str, color: str, dashes: str = "") -> str:
    """A line through points."""
    return f'<polyline points="{points}" stroke="{color}"{f" stroke-dasharray={dashes!r}" if dashes else ""}/>'


def dots(places: str, color: str) -> str:
    """Points."""
    pairs = (place.split(",") for place in places.split())
    return "".join(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{color}"/>' for x, y in pairs)


AXES = path("6,4 6,66 68,66", GREY)
DIAGONAL = path("6,66 68,4", GREY, "3 3")
FAMILIES = {
    "rows": grid({(0, 0), (1, 1), (2, 2)}),
    "classes": grid({(0, 0), (1, 1), (2, 2)}),
    "roc": AXES + DIAGONAL + path("6,66 10,40 18,24 34,14 68,4", BLUE),
    "pr": AXES + path("6,54 68,54", GREY, "3 3") + path("6,8 26,12 44,24 58,38 68,54", BLUE),
    "calibration": AXES + DIAGONAL + path("6,66 22,60 38,44 54,22 68,4", BLUE) + dots("22,60 38,44 54,22", BLUE),
    "top": "".join(
        f'<rect x="{6 + 12 * i}" y="{8 + 8 * i}" width="9" height="{58 - 8 * i}" stroke="{GREY}" '
        f'fill="{BLUE if i < 2 else "none"}"/>'
        for i in range(5)
    ) + path("29,2 29,70", RED, "3 3"),
    "losses": AXES + path("9,6 14,30 24,46 40,57 68,65", BLUE),
    "label_sets": grid({(0, 0), (2, 0), (1, 1), (0, 2)}, {(2, 1), (1, 2)}),
    "queries": "".join(
        f'<rect x="6" y="{6 + 13 * i}" width="{60 - 6 * i}" height="9" fill="{BLUE if i in (0, 2) else "none"}" '
        f'stroke="{GREY}"/>'
        for i in range(5)
    ),
    "numbers": AXES + DIAGONAL + dots("18,46 30,50 42,22 56,24", BLUE) + path("18,46 18,54", RED)
    + path("30,50 30,42", RED) + path("42,22 42,30", RED) + path("56,24 56,16", RED),
    "clusters": f'<circle cx="22" cy="24" r="18" stroke="{GREY}"/><circle cx="50" cy="48" r="18" stroke="{GREY}"/>'
    + dots("16,20 26,18 20,32 52,40", BLUE) + dots("28,28 44,50 56,52 48,58", RED),
    "points": f'<circle cx="20" cy="22" r="16" stroke="{GREY}"/><circle cx="52" cy="50" r="16" stroke="{GREY}"/>'
    + dots("14,18 24,18 20,30", BLUE) + dots("46,48 58,48 52,58", BLUE) + path("24,26 48,46", RED, "2 2"),
    "topics": "".join(
        f'<rect x="{x}" y="{6 + 13 * i}" width="{26 - 3 * i}" height="8" fill="{color}"/>'
        for x, color in ((6, BLUE), (40, RED))
        for i in range(5)
    ),
    "lists": "".join(
        f'<rect x="{6 + 22 * x}" y="{6 + 15 * y}" width="17" height="10" stroke="{GREY}" '
        f'fill="{BLUE if (x + 2 * y) % 3 == 0 else "none"}"/>'
        for x in range(3)
        for y in range(4)
    ),
}  # fmt: skip
