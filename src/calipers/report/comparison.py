"""What is said about a comparison; as text, one line for each metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from calipers import numerals
from calipers.answers import answer_of_models
from calipers.choices import Lang
from calipers.comparison.differences import OPEN, about
from calipers.errors import InputError
from calipers.report import comparison_slices, layout
from calipers.report.answers import ShownAnswer, answer_lines, shown
from calipers.report.language import Language, language
from calipers.report.layout import Cell, Figure
from calipers.report.report import Report
from calipers.report.terminal import COLUMNS, escape_label, fitted, padded, width, wrapped
from calipers.report.text import tabled

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.comparison.crossings import Crossing
    from calipers.comparison.differences import Difference
    from calipers.tasks import Task

NAME, VERDICT, WINNER = 17, 14, 12  # columns of the names and numbers of a line, at least
NOT_ADJUSTED = "*"  # beside an interval where p alone is adjusted


def report(comparison: Comparison, lang: Language) -> Report:
    """A table of verdicts, one for each metric where there are three models or more, and what was assumed."""
    tables = [_verdicts(comparison, lang)] if len(comparison.models) == 2 else _by_metric(comparison, lang)
    slices = tuple(comparison_slices.tables(comparison, lang))
    assumptions = tuple(_assumed(comparison, lang))
    answer = shown(answer_of_models(comparison), lang)
    lines = partial(_lines, comparison, answer, (slices, assumptions), lang)
    tables = [*tables, *slices]
    return Report(_title(comparison, lang), answer=answer, tables=tuple(tables), assumptions=assumptions, lines=lines)


def _lines(
    comparison: Comparison,
    answer: ShownAnswer | None,
    below: tuple[Iterable[layout.Table], Iterable[str]],
    lang: Language,
    columns: int,
) -> list[str]:
    """The answer, one line for each metric and pair, then below it the slices and what was assumed."""
    slices, assumptions = below
    lines = [*wrapped(_title(comparison, lang), columns), *answer_lines(answer, columns), ""]
    lines += _two(comparison, lang, columns) if len(comparison.models) == 2 else _many(comparison, lang, columns)
    lines.append("")
    for table in slices:
        lines += [*tabled(table, layout.Footnotes(lang), columns), ""]
    for text in assumptions:
        lines += wrapped(text, columns)
    return lines


def crossing_text(crossing: Crossing, lang: Lang | None = None) -> str:
    """Which curve is above, or where two curves cross, in a sentence."""
    say, first, second = language(lang).say, escape_label(crossing.first), escape_label(crossing.second)
    kind = crossing.kind.upper()
    if crossing.dominates is not None:
        below = second if crossing.dominates == crossing.first else first
        return say("compare.curves.above", above=escape_label(crossing.dominates), below=below, kind=kind)
    if not crossing.count:
        return say("compare.curves.same", first=first, second=second, kind=kind)
    if crossing.count == 1:
        leaders = [escape_label(name) for *_, name in crossing.stretches if name is not None]
        axis = say(f"page.columns.{crossing.axis}")
        values = {"before": leaders[0], "after": leaders[-1], "axis": axis, "at": crossing.crossings[0]}
        return say("compare.curves.once", **values, kind=kind)
    shares = {"share": crossing.share(crossing.first), "other": crossing.share(crossing.second)}
    return say("compare.curves.often", count=crossing.count, first=first, second=second, **shares, kind=kind)


def _title(comparison: Comparison, lang: Language) -> str:
    task, names = _task(comparison), lang.say("report.names").join(map(escape_label, comparison.models))
    values = {"task": lang.say(f"report.task_{task.name}"), "names": names}
    if not comparison.paired:
        return lang.say("unpaired.title", **values, rows=rows_of_each(comparison, lang))
    rows = layout.counted(lang, task.unit, comparison.rows)
    return lang.say(f"compare.title_{task.compared}", **values, count=len(comparison.models), rows=rows)


def rows_of_each(comparison: Comparison, lang: Language) -> str:
    """How many rows each evaluation has."""
    each = (layout.counted(lang, _task(comparison).unit, ev.rows) for ev in comparison.models.values())
    return lang.say("unpaired.and").join(each)


def _two(comparison: Comparison, lang: Language, columns: int) -> list[str]:
    each = [next(iter(comparison[name].values())) for name in comparison]
    values, cells = [[lang.number(v) for v in d.measured] for d in each], [_numbers(d, lang) for d in each]
    bounds = max(width(c[1]) for c in cells)
    # A long heading would leave no room for the names.
    level = lang.local(f"[{layout.percent(comparison.settings.level)}]")
    head = lang.say("compare.diff"), whole if width(whole := _percent(comparison, lang)) <= bounds else level, "p"
    values = [pair[::-1] for pair in values]  # the baseline first, as the models are named
    gap, bounds = (max(width(c[i]) for c in (head, *cells)) for i in (0, 1))
    longest = 1 + max(width(layout.briefly(d.metric, lang)) for d in each)
    digits = max(len(v) for pair in values for v in pair)
    model = max(digits, min(10, max(width(escape_label(name)) for name in comparison.models)))
    while True:  # shorten the names of the models first, then those of the metrics
        verdicts = [short_verdict(d, lang, model) for d in each]
        verdict = max(map(width, (lang.say("compare.verdicts.open"), *verdicts)))
        spare = columns - 2 * (model + 1) - gap - bounds - verdict - 11
        if spare >= longest or model <= digits:
            break
        model -= 1
    wide = (max(10, min(max(NAME, longest), spare)), model, gap, bounds)
    models = [fitted(escape_label(name), model) for name in comparison.models]
    lines = _line(lang.say("report.metric"), models, head, "", wide)
    for d, pair, numbers, text in zip(each, values, cells, verdicts, strict=True):
        lines += _line(layout.briefly(d.metric, lang), [fitted(v, model) for v in pair], numbers, text, wide)
    return lines


def _many(comparison: Comparison, lang: Language, columns: int) -> list[str]:
    head = f"{padded(lang.say('compare.difference'), 10, right=True)}  {padded(_percent(comparison, lang), 18)}       p"
    lines = []
    for name in comparison:
        verdict = max(VERDICT, *(width(short_verdict(d, lang, WINNER)) for d in comparison[name].values()))
        lines += wrapped(_measured(comparison, name, lang), columns, "  ")
        overall = _overall(comparison, name, lang)
        lines += wrapped(overall, columns, "    ", "  ") if overall else []
        wide = min(max(width(pair_of(d)) for d in comparison[name].values()), columns - 44 - verdict)
        lines.append(f"  {padded('', wide)}  {head}  {lang.say('compare.verdict')}")
        for d in comparison[name].values():
            gap, interval, p = _numbers(d, lang)
            pair = padded(fitted(pair_of(d), wide), wide)
            lines.append(f"  {pair}  {gap:>10}  {padded(interval, 18)}  {p:>6}  {short_verdict(d, lang, WINNER)}")
        lines.append("")
    return lines[:-1]


def _verdicts(comparison: Comparison, lang: Language) -> layout.Table:
    """Of two models: both values, the difference and the verdict, metric by metric."""
    rows = []
    for name in comparison:
        d = next(iter(comparison[name].values()))
        candidate, baseline = (Figure(v, lang.number(v)) for v in d.measured)
        rows.append((layout.called(name, lang), baseline, candidate, *difference_cells(comparison, d, lang)))
    head = (lang.say("report.metric"), *map(escape_label, comparison.models), *difference_head(comparison, lang))
    return layout.Table("", head, tuple(rows))


def _by_metric(comparison: Comparison, lang: Language) -> Iterator[layout.Table]:
    """Of several models: a table of pairs for each metric."""
    for name in comparison:
        rows = tuple((pair_of(d), *difference_cells(comparison, d, lang)) for d in comparison[name].values())
        caption = lang.say("report.semicolon").join(
            filter(None, (_measured(comparison, name, lang), _overall(comparison, name, lang)))
        )
        yield layout.Table(caption, (lang.say("compare.pair"), *difference_head(comparison, lang)), rows)


def difference_head(comparison: Comparison, lang: Language) -> tuple[str, str, str]:
    """The heads of `difference_cells`."""
    return f"{lang.say('compare.difference')} [{_percent(comparison, lang)}]", "p", lang.say("compare.verdict")


def difference_cells(comparison: Comparison, d: Difference, lang: Language) -> tuple[Cell, Cell, Cell]:
    """The difference with its interval, its p-value and the verdict."""
    gap, interval, p = _numbers(d, lang)
    return Figure(d.difference, gap, interval), Figure(d.adjusted, p), _whole(comparison, d, lang)


def _percent(comparison: Comparison, lang: Language) -> str:
    return lang.say("compare.interval", level=lang.local(layout.percent(comparison.settings.level)))


def _measured(comparison: Comparison, name: str, lang: Language) -> str:
    each = (f"{escape_label(model)} {lang.number(ev[name])}" for model, ev in comparison.models.items())
    return layout.called(name, lang) + lang.say("report.colon") + lang.say("compare.separator").join(each)


def _overall(comparison: Comparison, name: str, lang: Language) -> str:
    overall = comparison[name].overall
    if overall is None:
        return ""
    return lang.say("compare.all_equal", method=lang.remark(overall.method), p=overall.pvalue)


def _numbers(d: Difference, lang: Language) -> tuple[str, str, str]:
    if d.difference != d.difference:
        return "-", "", ""
    gap, low, high = numerals.interval(d.difference, d.low, d.high, sign=True)
    mark = "" if d.interval_adjusted else NOT_ADJUSTED
    p = "" if d.adjusted != d.adjusted else lang.local(numerals.pvalue(d.adjusted))
    return lang.local(gap), "" if d.low != d.low else lang.interval(low, high) + mark, p


def pair_of(d: Difference) -> str:
    """Which model minus which."""
    return f"{escape_label(d.candidate)} - {escape_label(d.baseline)}"


def short_verdict(d: Difference, lang: Language, wide: int = COLUMNS) -> str:
    """The verdict in a word or two; the name of the winner so wide."""
    if d.winner is not None:
        return lang.say(f"compare.verdicts.{d.outcome}", winner=fitted(escape_label(d.winner), wide))
    return lang.say(f"compare.verdicts.{'open' if d.outcome == OPEN else d.outcome.replace(' ', '_')}")


def _whole(comparison: Comparison, d: Difference, lang: Language) -> str:
    """The verdict with what would settle it."""
    if d.outcome != OPEN:
        return short_verdict(d, lang)
    if not d.more_rows:
        return lang.say("compare.verdicts.either_way")
    return lang.say(f"compare.verdicts.settled_by_{_task(comparison).unit}", more=about(d.more_rows))


def _task(comparison: Comparison) -> Task:
    """The task of all its models."""
    return next(iter(comparison.models.values())).schema.facts


def _line(
    name: str, models: list[str], numbers: tuple[str, str, str], verdict: str, wide: tuple[int, int, int, int]
) -> list[str]:
    """A row of the table, its columns so wide; a name that does not fit stands above it."""
    (gap, interval, p), (first, model, of_gap, of_interval) = numbers, wide
    cells = " ".join(padded(text, model, right=True) for text in models)
    rest = f"{cells} {padded(gap, of_gap, right=True)}  {padded(interval, of_interval)} {p:>6}  {verdict}"
    above = [name] if width(name) >= first else []
    return [*above, padded("" if above else name, first) + rest]


def _assumed(comparison: Comparison, lang: Language) -> Iterator[str]:
    """The assumptions of the verdicts, one line each."""
    every = [d for name in comparison for d in comparison[name].values()]
    colon, separator = lang.say("report.colon"), lang.say("compare.separator")
    for note in comparison.notes:
        yield lang.say("report.note") + colon + lang.remark(note)
    if len(comparison.models) == 2:
        baseline, candidate = map(escape_label, comparison.models)
        yield lang.say("compare.minus", candidate=candidate, baseline=baseline)
    if not comparison.paired:
        yield lang.say("unpaired.assumed")
    yield from adjustments(comparison, lang)
    if comparison.by:
        yield lang.say("compare.slices.alone")
    yield from _curves(comparison, lang)
    if comparison.margin is not None:
        yield lang.say("compare.margin", margin=lang.local(f"{comparison.margin:g}"))
    methods: dict[str, list[str]] = {}
    for d in every:
        methods.setdefault(d.method or d.note, []).append(layout.briefly(d.metric, lang))
    for method, names in methods.items():
        yield lang.remark(method) + colon + separator.join(dict.fromkeys(names))
    for d in every:
        if d.method and d.note:
            yield layout.briefly(d.metric, lang) + _of(comparison, d, lang) + colon + lang.remark(d.note)
    more = [lang.say("compare.more_each", metric=layout.briefly(d.metric, lang), pair=_of(comparison, d, lang),
                     count=about(d.more_rows)) for d in every if d.more_rows]  # fmt: skip
    if more:
        yield lang.say(f"compare.more_{_task(comparison).unit}", each=separator.join(more))


def adjustments(comparison: Comparison, lang: Language) -> Iterator[str]:
    """Over which tests p-values and intervals are adjusted, and over which they are not."""
    if len(comparison.models) > 2:
        used: dict[str, list[str]] = {}
        for name in comparison:
            d = next(iter(comparison[name].values()))
            kind = "alone" if d.adjustment == "none" else "adjusted" if d.interval_adjusted else "adjusted_p"
            sentence = lang.say(f"compare.{kind}", adjust=layout.method_name(d.adjustment), mark=NOT_ADJUSTED)
            used.setdefault(sentence, []).append(layout.briefly(name, lang))
        for sentence, names in used.items():
            which = lang.say("report.colon") + lang.say("compare.separator").join(names)
            yield sentence if len(used) == 1 else sentence + which
    if comparison.primary is not None:
        yield lang.say("compare.primary", metric=lang.name(comparison.primary))
    elif len(comparison) > 1:
        yield lang.say("compare.several", count=len(comparison))


def _curves(comparison: Comparison, lang: Language) -> list[str]:
    each = (crossing_text(crossing, lang.code) for crossing in crossings(comparison))
    return [lang.say("compare.curve", text=text) for text in each]


def crossings(comparison: Comparison) -> tuple[Crossing, ...]:
    """Which ROC and PR curve is above, of two models that both have scores."""
    if len(comparison.models) != 2 or "roc" not in _task(comparison).charts:
        return ()
    try:
        return comparison.curves("roc"), comparison.curves("pr")
    except InputError:
        return ()


def _of(comparison: Comparison, d: Difference, lang: Language) -> str:
    return "" if len(comparison.models) == 2 else lang.say("report.names_behind", names=pair_of(d))
