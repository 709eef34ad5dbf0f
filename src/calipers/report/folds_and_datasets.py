"""Comparisons over folds and over data sets as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers.choices import Lang
from calipers.report.language import Language, language
from calipers.report.layout import percent
from calipers.report.terminal import escape_label, wrapped

if TYPE_CHECKING:
    from calipers.comparison.folds_and_datasets import DatasetComparison, FoldComparison
    from calipers.inference.outcome import Outcome

COLUMNS = 80


def folds(comparison: FoldComparison, lang: Lang | None = None) -> str:
    """The difference with its interval and verdict, the test, and the probabilities where they were asked for."""
    spoken = language(lang)
    gap, low, high = (f"{x:+.4f}" for x in (comparison.difference, comparison.low, comparison.high))
    bounds = "" if comparison.low != comparison.low else f" {spoken.interval(low, high)}"
    verdict = spoken.say("compare.verdicts.either_way")
    if comparison.winner is not None:
        verdict = spoken.say("compare.verdicts.higher", winner=spoken.say(f"compare.folds.{comparison.winner}"))
    texts = [
        f"{spoken.local(gap)}{bounds}, {_p(comparison.pvalue, spoken)}{spoken.say('report.colon')}{verdict}",
        spoken.say("compare.folds.runs", method=spoken.remark(comparison.method), count=comparison.folds),
    ]
    if comparison.probabilities is not None:
        texts.append(spoken.say("compare.folds.probabilities", **comparison.probabilities._asdict()))
    if comparison.test.note:
        texts.append(spoken.say("report.note") + spoken.say("report.colon") + spoken.remark(comparison.test.note))
    return "\n".join(line for text in texts for line in wrapped(text, COLUMNS))


def data_sets(comparison: DatasetComparison, lang: Lang | None = None) -> str:
    """Mean ranks, best first, the critical difference, and the pairs."""
    spoken = language(lang)
    order = sorted(comparison.ranks, key=lambda name: comparison.ranks[name])
    counts = {"models": len(order), "sets": comparison.sets}
    lines = wrapped(spoken.say("compare.sets.title", **counts, test=_test(comparison.overall, spoken)), COLUMNS)
    for name in order:
        lines += wrapped(escape_label(name), COLUMNS, " " * 9, f"  {spoken.number(comparison.ranks[name], 3)}  ")
    level = spoken.local(percent(comparison.level))
    lines += wrapped(spoken.say("compare.sets.critical", level=level, by=comparison.critical_difference), COLUMNS)
    for (first, second), p in comparison.pairs.items():
        text = f"{escape_label(first)} - {escape_label(second)}{spoken.say('report.colon')}{_p(p, spoken)}"
        if p < 1 - comparison.level:
            best = first if comparison.ranks[first] < comparison.ranks[second] else second
            text += spoken.say("compare.sets.better", name=escape_label(best))
        lines += wrapped(text, COLUMNS, "    ", "  ")
    return "\n".join([*lines, *wrapped(spoken.say("compare.sets.adjusted", method=comparison.method), COLUMNS)])


def _test(outcome: Outcome, lang: Language) -> str:
    values = {"method": lang.remark(outcome.method), "statistic": lang.local(f"{outcome.statistic:.4g}")}
    return lang.say("compare.sets.test", **values, p=_p(outcome.pvalue, lang))


def _p(p: float, lang: Language) -> str:
    return lang.local(f"p = {p:.2g}")
