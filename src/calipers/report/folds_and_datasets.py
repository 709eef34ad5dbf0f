"""What is said about comparisons over folds and over data sets; as text, in a few lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from calipers import numerals
from calipers.report.language import Language
from calipers.report.layout import Figure, Table, method_name, percent
from calipers.report.report import Report
from calipers.report.terminal import escape_label, wrapped

if TYPE_CHECKING:
    from calipers.comparison.folds_and_datasets import DatasetComparison, FoldComparison
    from calipers.inference.outcome import Outcome


def folds(comparison: FoldComparison, lang: Language) -> Report:
    """The difference with its interval and verdict, the test, and the probabilities where they were asked for."""
    gap, low, high = numerals.interval(comparison.difference, comparison.low, comparison.high, sign=True)
    difference = Figure(
        comparison.difference, lang.local(gap), "" if comparison.low != comparison.low else lang.interval(low, high)
    )
    verdict = lang.say("compare.verdicts.either_way")
    if comparison.winner is not None:
        verdict = lang.say("compare.verdicts.higher", winner=lang.say(f"compare.folds.{comparison.winner}"))
    p = lang.pvalue(comparison.pvalue)
    title = lang.say("compare.folds.runs", method=lang.remark(comparison.method), count=comparison.folds)
    interval = lang.say("compare.interval", level=lang.local(percent(comparison.level)))
    said = "minus" if comparison.low != comparison.low else "minus_with_interval"
    assumptions = [lang.say(f"compare.folds.{said}", interval=interval)]
    if comparison.probabilities is not None:
        assumptions.append(lang.say("compare.folds.probabilities", **comparison.probabilities._asdict()))
    if comparison.test.note:
        assumptions.append(lang.say("report.note") + lang.say("report.colon") + lang.remark(comparison.test.note))
    first = f"{difference}, {p}{lang.say('report.colon')}{verdict}"

    def lines(columns: int) -> list[str]:
        return [line for text in (first, title, *assumptions) for line in wrapped(text, columns)]

    head = f"{lang.say('compare.difference')} [{interval}]", "p", lang.say("compare.verdict")
    table = Table("", head, ((difference, _p(comparison.pvalue, lang), verdict),))
    return Report(title, tables=(table,), assumptions=tuple(assumptions), lines=lines)


def data_sets(comparison: DatasetComparison, lang: Language) -> Report:
    """Mean ranks, best first, the critical difference, and the pairs."""
    order = sorted(comparison.ranks, key=lambda name: comparison.ranks[name])
    counts = {"models": len(order), "sets": comparison.sets}
    title = lang.say("compare.sets.title", **counts, test=_test(comparison.overall, lang))
    level = lang.local(percent(comparison.level))
    kind = "critical_dunn" if comparison.method == "bonferroni-dunn" else "critical"
    critical = lang.say(f"compare.sets.{kind}", level=level, by=comparison.critical_difference)
    adjusted = lang.say("compare.sets.adjusted", method=method_name(comparison.method))
    pairs: list[tuple[str, float, str]] = []
    for (first, second), p in comparison.pairs.items():
        pair, best = f"{escape_label(first)} - {escape_label(second)}", ""
        if p < 1 - comparison.level:
            best = escape_label(first if comparison.ranks[first] < comparison.ranks[second] else second)
        pairs.append((pair, p, best))

    def lines(columns: int) -> list[str]:
        each = wrapped(title, columns)
        for name in order:
            each += wrapped(escape_label(name), columns, " " * 9, f"  {lang.number(comparison.ranks[name], 3)}  ")
        each += wrapped(critical, columns)
        for pair, p, best in pairs:
            better = lang.say("compare.sets.better", name=best) if best else ""
            each += wrapped(f"{pair}{lang.say('report.colon')}{lang.pvalue(p)}{better}", columns, "    ", "  ")
        return each + wrapped(adjusted, columns)

    return Report(
        title,
        tables=(_ranks(comparison, order, lang), _pairs(pairs, lang)),
        assumptions=(critical, adjusted),
        lines=lines,
    )


def _ranks(comparison: DatasetComparison, order: Sequence[str], lang: Language) -> Table:
    head = lang.say("validation.selection.model"), lang.say("compare.sets.rank")
    return Table("", head, tuple((escape_label(n), _rank(comparison.ranks[n], lang)) for n in order))


def _rank(rank: float, lang: Language) -> Figure:
    return Figure(rank, lang.number(rank, 3))


def _pairs(pairs: Iterable[tuple[str, float, str]], lang: Language) -> Table:
    head = lang.say("compare.pair"), "p", lang.say("compare.verdict")
    none = lang.say("compare.verdicts.either_way")
    rows = tuple(
        (pair, _p(p, lang), lang.say("compare.verdicts.better", winner=best) if best else none)
        for pair, p, best in pairs
    )
    return Table("", head, rows)


def _test(outcome: Outcome, lang: Language) -> str:
    values = {"method": lang.remark(outcome.method), "statistic": lang.local(f"{outcome.statistic:.4g}")}
    return lang.say("compare.sets.test", **values, p=lang.pvalue(outcome.pvalue))


def _p(p: float, lang: Language) -> Figure:
    return Figure(p, lang.local(numerals.pvalue(p)))
