"""Estimates below each other with their intervals: of metrics, classes, slices or models, and differences of models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calipers.answers.guessing import guessing
from calipers.comparison.differences import OPEN, direction
from calipers.errors import InputError, UnknownName, nearest
from calipers.gating.checks import FAIL
from calipers.gating.checks import OPEN as UNDECIDED
from calipers.report import gate
from calipers.report.bars import bar_of
from calipers.report.evaluation import SLICED
from calipers.report.layout import displayed
from calipers.report.plots.canvas import Canvas, axis_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.comparison.compare import Comparison
    from calipers.comparison.folds_and_datasets import FoldComparison
    from calipers.evaluation.evaluation import Evaluation
    from calipers.gating.gate import GateResult
    from calipers.inference.estimate import Estimate
    from calipers.metrics.base import Measure
    from calipers.validation.bootstrap_validation import BootstrapValidation
    from calipers.validation.selection import Selection

MOST, ROW, COLUMNS = 60, 0.27, 30  # rows of a chart, inches of one, columns of its name
OF = ("metrics", "classes", "slices")


@dataclass(frozen=True)
class Row:
    """One line of a forest: a name, a value between two bounds, what stands beside it, and whether it is certain."""

    name: str
    value: float
    low: float
    high: float
    text: str
    certain: bool = True
    series: int = 0


def intervals(
    canvas: Canvas, ev: Evaluation, *, of: str = "metrics", metric: str | None = None, by: str | None = None,
    metrics: Sequence[str] | None = None,
) -> Axes:  # fmt: skip
    """Metrics of all rows (metrics=), or one metric (metric=) of every class or of the slices of a column (by=)."""
    if of not in OF:
        raise InputError("report.unknown_of", of=of, known=list(OF))
    if of == "metrics":
        names = [m.name for m in ev.listed if bounded(ev[m.name], m.metric.bounds)] if metrics is None else metrics
        title = canvas.say("intervals.metrics", level=canvas.words.percent(ev.level, 0))
        if not names:
            each = [(m, ev[m.name], guessing(ev, m)) for m in ev.listed]
            return own_scales(canvas, each, title, _count(canvas, ev, ev.rows))
        estimates = {name: ev[name] for name in ([names] if isinstance(names, str) else names)}
        rows = rows_of(canvas, {canvas.words.heading(name): e for name, e in estimates.items()})
        return forest(canvas, rows, title, _count(canvas, ev, ev.rows))
    parts = ev.classes if of == "classes" else _slices(ev, by)
    name = metric or _usual(ev)
    rows = rows_of(canvas, {v: part[name] for v, part in parts.items()})
    values = {"metric": canvas.words.heading(name), "level": canvas.words.percent(ev.level, 0)}
    title = canvas.say(f"intervals.{of}", **values, column=canvas.label(by or next(iter(ev.by), "")))
    whole = ev[name] if of == "slices" else None
    return forest(canvas, rows, title, _count(canvas, ev, ev.rows), None if whole is None else float(whole))


def models(canvas: Canvas, comparison: Comparison, *, metric: str | None = None) -> Axes:
    """One metric of every model."""
    name = metric or next(iter(comparison))
    rows = rows_of(canvas, {model: ev[name] for model, ev in comparison.models.items()})
    level = canvas.words.percent(comparison.settings.level, 0)
    title = canvas.say("intervals.models", metric=canvas.words.heading(name), level=level)
    return forest(canvas, rows, title, _compared(canvas, comparison))


def difference(canvas: Canvas, comparison: Comparison, *, metric: str | None = None) -> Axes:
    """Differences with paired intervals: of every metric between two models, or of one metric between all pairs.

    Right of 0 the candidate, the first of a pair, is better: a loss is drawn the other way round.
    """
    names, level = list(comparison.models), canvas.words.percent(comparison.settings.level, 0)
    if metric is None and len(names) == 2:
        differences = {canvas.words.heading(name): comparison[name][names[1], names[0]] for name in comparison}
        title = canvas.say(
            "difference.two", candidate=canvas.label(names[1]), baseline=canvas.label(names[0]), level=level
        )
        sides = canvas.say("difference.sides", candidate=canvas.label(names[1]), baseline=canvas.label(names[0]))
    else:
        name = metric or next(iter(comparison))
        differences = {f"{canvas.label(a, 14)} − {canvas.label(b, 14)}": d for (a, b), d in comparison[name].items()}
        title = canvas.say("difference.pairs", metric=canvas.words.name(name), level=level)
        sides = canvas.say("difference.sides_of_pairs")
    rows, directed = [], True
    for name, d in differences.items():
        certain, series = d.outcome != OPEN, int(d.winner == d.baseline)
        better = direction(d)
        drawn = (-d.difference, -d.high, -d.low) if better == "lower" else (d.difference, d.low, d.high)
        rows.append(Row(name, *drawn, _verdict(canvas, d), certain, series))
        directed = directed and bool(better)
    counted = _compared(canvas, comparison)
    ax = forest(canvas, rows, title, f"{sides}\n{counted}" if directed else counted, 0.0)
    if directed:
        ax.xaxis.set_major_formatter(axis_numbers(canvas.words, unsigned=True))  # by how much one of them is better
    if comparison.margin is not None:
        ax.axvspan(-comparison.margin, comparison.margin, color=canvas.theme.muted, alpha=0.12, linewidth=0, zorder=0.6)
    return ax


def over_folds(canvas: Canvas, comparison: FoldComparison) -> Axes:
    """The difference of two models over folds."""
    words, certain = canvas.words, comparison.winner is not None
    text = canvas.signed(comparison.difference, comparison.low, comparison.high)
    row = Row(words.say("compare.difference"), comparison.difference, comparison.low, comparison.high, text, certain)
    title = words.say("compare.folds.runs", method=words.remark(comparison.method), count=comparison.folds)
    return forest(canvas, [row], title, words.pvalue(comparison.pvalue), 0.0)


def checks(canvas: Canvas, result: GateResult) -> Axes:
    """What was measured for each check; a hollow point where it is not decided."""
    rows = [
        Row(canvas.label(c.required, COLUMNS), c.value, c.low, c.high, canvas.words.say(f"gate.{c.answer}"),
            c.answer != UNDECIDED, int(c.answer == FAIL))
        for c in result.checks
        if not math.isnan(c.value)
    ]  # fmt: skip
    count = canvas.say("intervals.rows", count=result.rows)
    return forest(canvas, rows, gate.headline(result, canvas.words), count)


def resampled(canvas: Canvas, validation: BootstrapValidation) -> Axes:
    """Metrics over resamples."""
    names = [m.name for m in validation.listed if bounded(validation[m.name], m.metric.bounds)]
    title = canvas.say("intervals.metrics", level=canvas.words.percent(validation.level, 0))
    counted = canvas.say("intervals.rows", count=validation.rows)
    if not names:
        return own_scales(canvas, [(m, validation[m.name], math.nan) for m in validation.listed], title, counted)
    shares = {canvas.words.heading(name): validation[name] for name in names}
    return forest(canvas, rows_of(canvas, shares), title, counted)


def own_scales(
    canvas: Canvas, measured: Sequence[tuple[Measure, Estimate, float]], title: str, counted: str
) -> Axes:
    """Metrics that have no common axis, each on a scale from 0 or its worst value; a dash marks what guessing gives."""
    bars = [(m, e, bar) for m, e, mark in measured if (bar := bar_of(m, e, mark)) is not None]
    names = canvas.labels([canvas.words.heading(m.name) for m, _, _ in bars], COLUMNS)
    rows = [Row(name, bar.value, bar.low, bar.high, canvas.estimate(displayed(m, e)))
            for name, (m, e, bar) in zip(names, bars, strict=True)]  # fmt: skip
    marks = [(at, bar.mark) for at, (_, _, bar) in enumerate(bars[:MOST]) if bar.mark is not None]
    ax = forest(canvas, rows, title, canvas.say("intervals.own_scales", counted=counted))
    ax.vlines([x for _, x in marks], [at - 0.32 for at, _ in marks], [at + 0.32 for at, _ in marks],
              colors=canvas.theme.muted, linestyles=(0, (2, 2)), linewidth=1.2)  # fmt: skip
    ax.set(xlim=(-0.02, 1.02), xticks=[])
    return ax


def candidates(canvas: Canvas, selection: Selection) -> Axes:
    """The mean over folds of every model that was compared."""
    rows = rows_of(canvas, {name: c.average.estimate for name, c in selection.candidates.items()})
    level, metric = canvas.words.percent(selection.level, 0), canvas.words.heading(selection.metric)
    title = canvas.say("intervals.models", metric=metric, level=level)
    return forest(canvas, rows, title, canvas.say("intervals.rows", count=selection.outer.rows))


def _verdict(canvas: Canvas, d: Any) -> str:
    if math.isnan(d.difference):
        return canvas.say("undefined")
    verdict = canvas.say(f"verdict.{d.outcome.replace(' ', '_')}", winner=canvas.label(d.winner or "", 14))
    return f"{canvas.signed(d.difference, d.low, d.high)}  {verdict}"


def bounded(e: Estimate, bounds: tuple[float, float]) -> bool:
    """Whether a metric can stand on an axis of shares beside others."""
    return bounds in ((0, 1), (-1, 1)) and not math.isnan(e)


def _usual(ev: Evaluation) -> str:
    listed = {m.metric.name: m.name for m in ev.listed}
    return next((listed[name] for name in SLICED if name in listed), next(iter(ev), "accuracy"))


def _slices(ev: Evaluation, by: str | None) -> Any:
    if not ev.by:
        raise InputError("report.no_slices")
    if by is None and len(ev.by) > 1:
        raise InputError("report.several_slicings", columns=list(ev.by))
    if by is not None and by not in ev.by:
        raise UnknownName("report.not_sliced_by", by=by, near=nearest(by, ev.by))
    return ev.by[next(iter(ev.by)) if by is None else by]


def rows_of(canvas: Canvas, estimates: Mapping[Any, Estimate]) -> list[Row]:
    """A row for each estimate, under its name."""
    names = canvas.labels(estimates, COLUMNS)
    return [
        Row(name, float(e), float(e.low), float(e.high), canvas.estimate(e))
        for name, e in zip(names, estimates.values(), strict=True)
    ]


def forest(canvas: Canvas, rows: Sequence[Row], title: str, counted: str, reference: float | None = None) -> Axes:
    """The rows, the first on top; what does not fit is counted in the title."""
    if not rows:
        raise InputError("report.no_common_scale")
    listed, left = rows[:MOST], len(rows) - MOST
    ax = canvas.axes((7.2, 0.95 + ROW * len(listed)), title)
    for at, row in enumerate(listed):
        look = canvas.dot(row.series, 6.5)
        if not math.isnan(row.low):
            ax.plot([row.low, row.high], [at, at], color=look["color"], linewidth=1.6, solid_capstyle="butt")
        hollow = {} if row.certain else {"markerfacecolor": canvas.theme.paper, "markeredgecolor": look["color"]}
        ax.plot([row.value], [at], **{**look, **hollow})
        ax.text(1.015, at, row.text, transform=ax.get_yaxis_transform(), va="center", fontsize=8.5)
    if reference is not None:
        ax.axvline(reference, **canvas.aside)
    ax.set_yticks(range(len(listed)), [row.name for row in listed], parse_math=False)
    ax.set_ylim(len(listed) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=6)
    more = canvas.say("intervals.left", count=left) if left > 0 else ""
    ax.set_xlabel(counted + more)
    return ax


def _count(canvas: Canvas, ev: Evaluation, count: int) -> str:
    """How many rows there are, or queries."""
    return canvas.say(f"intervals.{ev.schema.facts.unit}", count=count)


def _compared(canvas: Canvas, comparison: Comparison) -> str:
    return _count(canvas, next(iter(comparison.models.values())), comparison.rows)
