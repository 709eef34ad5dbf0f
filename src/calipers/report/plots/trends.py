"""The chart of a metric over periods."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from calipers.comparison.dates import DAYS
from calipers.comparison.trend_line import FALLING, RISING
from calipers.report.plots.canvas import BAND, WIDE, Canvas
from calipers.report.trend import direction_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.comparison.trend import Trend
    from calipers.comparison.trend_line import TrendLine

COLUMNS = 62  # of the names of periods below the axis
FOUND = ("better", "higher")  # outcomes of a difference that was found


def trend(canvas: Canvas, result: Trend, *, metric: str | None = None) -> Axes:
    """The metric in each period with its interval, the baseline as a band, and the fitted line of a trend."""
    line = result[metric or next(iter(result))]
    words, name = canvas.words, canvas.words.name(line.metric)
    title = canvas.say("trend.title", metric=words.heading(line.metric), direction=direction_text(line, words))
    ax = canvas.axes(WIDE, title, canvas.say(f"trend.{'date' if result.unit == DAYS else 'number'}"), name)
    level = canvas.words.percent(result.level, 0)
    x = [period.time for period in result.periods]
    _baseline(canvas, ax, result, line)
    found = [line.against[p.label].outcome in FOUND if p.label in line.against else False for p in result.periods]
    for series, differs in ((0, False), (2, True)):
        places = [i for i, at in enumerate(found) if at is differs and _known(line, result, i)]
        if not places:
            continue
        estimates = [line.estimates[result.periods[i].label] for i in places]
        at, values = [x[i] for i in places], [float(e) for e in estimates]
        color = canvas.line(series)["color"]
        ends = [(e.low, e.high) if e.low == e.low else (float(e), float(e)) for e in estimates]
        ax.vlines(at, [low for low, _ in ends], [high for _, high in ends], color=color, linewidth=1.4, zorder=2)
        key = "trend.differs" if differs else "trend.periods"
        text = canvas.say(key, level=level, baseline=canvas.label(result.baseline))
        ax.plot(at, values, label=text, zorder=3, **canvas.dot(series, 6))
    if line.direction in (RISING, FALLING):
        known = [x[i] for i in range(len(x)) if _known(line, result, i)]
        p = canvas.words.pvalue(line.adjusted)
        look: dict[str, Any] = canvas.line(1, 1.6)
        ax.plot([known[0], known[-1]], list(line.fitted), label=canvas.say("trend.line", p=p), zorder=2.5, **look)
    _ticks(canvas, ax, result, x)
    canvas.legend_below(ax, 2)
    return ax


def _known(line: TrendLine, result: Trend, index: int) -> bool:
    return math.isfinite(line.estimates[result.periods[index].label])


def _baseline(canvas: Canvas, ax: Axes, result: Trend, line: TrendLine) -> None:
    """The interval of the baseline, across all periods."""
    if not math.isfinite(line.baseline):
        return
    text = canvas.say("trend.baseline", baseline=canvas.label(result.baseline))
    ax.axhline(float(line.baseline), label=text, **canvas.aside)
    if line.baseline.low == line.baseline.low:
        ax.axhspan(line.baseline.low, line.baseline.high, color=canvas.theme.muted, alpha=BAND, linewidth=0, zorder=0.6)


def _ticks(canvas: Canvas, ax: Axes, result: Trend, x: list[float]) -> None:
    """Periods by their names, as many as there is room for."""
    names, span = canvas.labels([period.label for period in result.periods], 12), x[-1] - x[0]
    apart = span / max(1, min(len(x), COLUMNS // (max(map(len, names)) + 2)) - 1)
    places = [0]
    for i in range(1, len(x)):
        if x[i] - x[places[-1]] > 0.99 * apart and (i == len(x) - 1 or x[-1] - x[i] > 0.99 * apart):
            places.append(i)
    if x[-1] - x[places[-1]] > 0.5 * apart:
        places.append(len(x) - 1)
    ax.set_xticks([x[i] for i in places], [names[i] for i in places], parse_math=False)
    shown = dict(zip(x, canvas.labels([period.label for period in result.periods]), strict=True))
    ax.fmt_xdata = lambda at: shown[at]
    ax.set_xlim(x[0] - 0.04 * span, x[-1] + 0.04 * span)
