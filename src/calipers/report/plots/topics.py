"""The coherence of each topic with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers.report.plots.canvas import Canvas
from calipers.report.plots.forest import forest, rows_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.evaluation.evaluation import Evaluation


def topics(canvas: Canvas, ev: Evaluation, *, metric: str | None = None) -> Axes:
    """One metric of every topic, the best first, beside the mean over topics."""
    name = metric or next(iter(next(iter(ev.classes.values()))))
    each = {topic: part[name] for topic, part in ev.classes.items()}
    known = sorted((topic for topic in each if each[topic] == each[topic]), key=lambda topic: -float(each[topic]))
    rows = rows_of(canvas, {topic: each[topic] for topic in known})
    title = canvas.say("intervals.topics", metric=canvas.words.heading(name), level=canvas.words.percent(ev.level, 0))
    counted = canvas.say(f"intervals.{ev.schema.facts.unit}", count=ev.rows)
    return forest(canvas, rows, title, canvas.say("intervals.topics_mean", counted=counted), float(ev[name]))
