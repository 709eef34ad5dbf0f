"""A comparison as plain text, at most 80 columns wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers.errors import InputError
from calipers.inference.estimate import digits
from calipers.report.display import fitted, padded, width, wrapped

if TYPE_CHECKING:
    from calipers.comparison import Comparison
    from calipers.differences import Difference

COLUMNS, NAME, MODEL = 80, 17, 7
SHORT = "no evidence"


def render(found: Comparison) -> str:
    """One line a metric and pair, then what was assumed."""
    names = list(found.models)
    ev = found.models[names[0]]
    what, rows = ("runs", "queries") if ev.task == "ranking" else ("models", "rows")
    lines = wrapped(f"{ev.task}: {len(names)} {what} on the same {found.rows} {rows}: {', '.join(names)}", COLUMNS)
    lines += ["", *(_two(found, names) if len(names) == 2 else _many(found))]
    lines += ["", *_assumed(found)]
    return "\n".join(line.rstrip() for line in lines)


def _two(found: Comparison, names: list[str]) -> list[str]:
    percent = f"{100 * found.question.level:g}% interval"
    each = [next(iter(found[name].values())) for name in found]
    values, cells = [[digits(v) for v in d.measured] for d in each], [_numbers(d) for d in each]
    model = min(10, max([MODEL, *(len(v) for pair in values for v in pair)]))
    gap, interval = (max([least, *(len(c[i]) for c in cells)]) for i, least in ((0, 7), (1, 16)))
    spare = COLUMNS - 2 * (model + 1) - gap - interval - 22  # the name gives way where numbers are wide
    wide = (max(10, min(NAME, spare)), model, gap, interval)
    lines = _line("metric", [fitted(name, model) for name in names], ("diff", percent, "p"), "", wide)
    for d, pair, shown in zip(each, values, cells, strict=True):
        lines += _line(d.metric, [fitted(v, model) for v in pair], shown, _short(d), wide)
    return lines


def _many(found: Comparison) -> list[str]:
    percent = f"{100 * found.question.level:g}% interval"
    lines = []
    for name in found:
        values = ", ".join(f"{model} {digits(float(ev[name]))}" for model, ev in found.models.items())
        lines += wrapped(f"{name}: {values}", COLUMNS, "  ")
        overall = found[name].overall
        if overall is not None:
            lines.append(f"  all equal? {overall.method}, p = {overall.pvalue:.2g}")
        wide = max(len(f"{a} - {b}") for a, b in found[name])
        wide = min(wide, COLUMNS - 58)
        lines.append(f"  {padded('', wide)}  difference  {padded(percent, 18)}       p  verdict")
        for d in found[name].values():
            gap, interval, p = _numbers(d)
            pair = padded(fitted(f"{d.first} - {d.second}", wide), wide)
            lines.append(f"  {pair}  {gap:>10}  {padded(interval, 18)}  {p:>6}  {_short(d)}")
        lines.append("")
    return lines[:-1]


def _numbers(d: Difference) -> tuple[str, str, str]:
    if d.difference != d.difference:
        return "-", "", ""
    largest = max(abs(x) for x in (d.difference, d.low, d.high) if x == x)
    decimals = 3 if largest < 100 else 1 if largest < 10_000 else 0
    interval = "" if d.low != d.low else f"[{d.low:+.{decimals}f}, {d.high:+.{decimals}f}]"
    return f"{d.difference:+.{decimals}f}", interval, _p(d.adjusted)


def _p(p: float) -> str:
    return "" if p != p else f"{p:.3f}" if p >= 0.001 else "<0.001"


def _short(d: Difference) -> str:
    return SHORT if d.verdict.startswith(SHORT) else d.verdict


def _line(
    name: str, models: list[str], numbers: tuple[str, str, str], verdict: str, wide: tuple[int, int, int, int]
) -> list[str]:
    """A row of the table, its columns so wide; a name that does not fit stands above it."""
    (gap, interval, p), (first, model, of_gap, of_interval) = numbers, wide
    cells = " ".join(padded(text, model, right=True) for text in models)
    rest = f"{cells} {gap:>{of_gap}}  {padded(interval, of_interval)} {p:>6}  {verdict}"
    above = [name] if width(name) > first else []
    return [*above, padded("" if above else name, first) + rest]


def _assumed(found: Comparison) -> list[str]:
    every = [d for name in found for d in found[name].values()]
    lines = [line for note in found.notes for line in wrapped(f"note: {note}", COLUMNS)]
    if len(found.models) == 2:
        first, second = found.models
        lines += wrapped(f"difference: {first} minus {second}; better or worse is {first}", COLUMNS)
        lines += _curves(found) if found.models[first].task != "regression" else []
    elif found.adjust != "none":
        lines += wrapped(f"p: adjusted over the pairs of models ({found.adjust}), each metric on its own", COLUMNS)
    else:
        lines += wrapped("p: of each pair on its own", COLUMNS)
    if found.margin is not None:
        text = f"equivalent: the difference is smaller than {found.margin:g}, by two one-sided tests"
        lines += wrapped(text, COLUMNS)
    methods: dict[str, list[str]] = {}
    for d in every:
        methods.setdefault(d.method or d.note, []).append(d.metric)
    for method, names in methods.items():
        lines += wrapped(f"{method}: {', '.join(dict.fromkeys(names))}", COLUMNS, "  ")
    more = [f"{d.metric}{_of(found, d)} {d.more_rows}" for d in every if d.more_rows]
    if more:
        rows = "queries" if next(iter(found.models.values())).task == "ranking" else "rows"
        text = f"more {rows} that would settle it, if the differences are as seen: " + ", ".join(more)
        lines += wrapped(text, COLUMNS, "  ")
    return lines


def _curves(found: Comparison) -> list[str]:
    """Which ROC and PR curve is above, where both models have scores."""
    try:
        return [line for kind in ("roc", "pr") for line in wrapped(f"curves: {found.curves(kind)!r}", COLUMNS)]
    except InputError:
        return []


def _of(found: Comparison, d: Difference) -> str:
    return "" if len(found.models) == 2 else f" ({d.first} - {d.second})"
