"""Numbers of clusters in words, with a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from calipers.report import layout
from calipers.report.language import Language
from calipers.report.layout import Table
from calipers.report.report import Report

if TYPE_CHECKING:
    from calipers.validation.cluster_selection import ClusterSelection


def report(result: ClusterSelection, lang: Language) -> Report:
    """The choice, the table, and what it is based on."""
    rows = layout.counted(lang, "rows", result.rows)
    stable = lang.say("report.names").join(map(str, result.stable))
    numbers = {"choice": result.choice, "best": result.best, "stable": stable}
    key = "same" if result.choice == result.best else "other"
    return Report(
        lang.say("validation.n_clusters.title", model=result.model, rows=rows, count=len(result.candidates)),
        sentences=(lang.say(f"validation.n_clusters.{key}", **numbers),),
        findings=tuple(result.findings),
        tables=(table(result, lang),),
        assumptions=tuple(_assumed(result, lang)),
    )


def table(result: ClusterSelection, lang: Language) -> Table:
    """One line per number of clusters."""
    level = lang.local(layout.percent(result.level))
    keys = ("clusters", "silhouette", "stability")
    rows = tuple((str(c.k), c.silhouette, c.stability) for c in result.candidates)
    return Table("", tuple(lang.say(f"validation.n_clusters.{key}", level=level) for key in keys), rows)


def _assumed(result: ClusterSelection, lang: Language) -> Iterator[str]:
    yield lang.say("validation.seed") + lang.say("report.colon") + str(result.seed)
    yield lang.say("report.note") + lang.say("report.colon") + lang.say("validation.n_clusters.how", pairs=result.pairs)
