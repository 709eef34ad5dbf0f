"""Comparisons over folds and over data sets as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers.report.language import Language, language
from calipers.report.layout import percent
from calipers.report.terminal import escape_label, wrapped

if TYPE_CHECKING:
    from calipers.comparison.folds_and_datasets import DatasetComparison, FoldComparison
    from calipers.inference.outcome import Outcome

COLUMNS = 80


def folds(found: FoldComparison, lang: str | None = None) -> str:
    """The difference with its interval and verdict, the test, and the probabilities where they were asked for."""
    spoken = language(lang)
    gap, low, high = (f"{x:+.4f}" for x in (found.difference, found.low, found.high))
    bounds = "" if found.low != found.low else f" {spoken.interval(low, high)}"
    verdict = spoken.say("compare.verdicts.either_way")
    if found.winner is not None:
        verdict = spoken.say("compare.verdicts.higher", winner=spoken.say(f"compare.folds.{found.winner}"))
    texts = [
        f"{spoken.local(gap)}{bounds}, {_p(found.pvalue, spoken)}{spoken.say('report.colon')}{verdict}",
        spoken.say("compare.folds.runs", method=spoken.remark(found.method), count=found.folds),
    ]
    if found.probabilities is not None:
        texts.append(spoken.say("compare.folds.probabilities", **found.probabilities._asdict()))
    if found.test.note:
        texts.append(spoken.say("report.note") + spoken.say("report.colon") + spoken.remark(found.test.note))
    return "\n".join(line for text in texts for line in wrapped(text, COLUMNS))


def data_sets(found: DatasetComparison, lang: str | None = None) -> str:
    """Mean ranks, best first, the critical difference, and the pairs."""
    spoken = language(lang)
    order = sorted(found.ranks, key=lambda name: found.ranks[name])
    counts = {"models": len(order), "sets": found.sets}
    lines = wrapped(spoken.say("compare.sets.title", **counts, test=_test(found.overall, spoken)), COLUMNS)
    for name in order:
        lines += wrapped(escape_label(name), COLUMNS, " " * 9, f"  {spoken.number(found.ranks[name], 3)}  ")
    level = spoken.local(percent(found.level))
    lines += wrapped(spoken.say("compare.sets.critical", level=level, by=found.critical_difference), COLUMNS)
    for (first, second), p in found.pairs.items():
        text = f"{escape_label(first)} - {escape_label(second)}{spoken.say('report.colon')}{_p(p, spoken)}"
        if p < 1 - found.level:
            best = first if found.ranks[first] < found.ranks[second] else second
            text += spoken.say("compare.sets.better", name=escape_label(best))
        lines += wrapped(text, COLUMNS, "    ", "  ")
    return "\n".join([*lines, *wrapped(spoken.say("compare.sets.adjusted", method=found.method), COLUMNS)])


def _test(found: Outcome, lang: Language) -> str:
    told = {"method": lang.remark(found.method), "statistic": lang.local(f"{found.statistic:.4g}")}
    return lang.say("compare.sets.test", **told, p=_p(found.pvalue, lang))


def _p(p: float, lang: Language) -> str:
    return lang.local(f"p = {p:.2g}")
