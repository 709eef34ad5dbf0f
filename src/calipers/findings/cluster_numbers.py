"""What several numbers of clusters give away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.findings.base import Number, rule

KIND = "cluster_selection"


@rule("warning", KIND)
def more_clusters_than_stable(result: Any) -> Iterator[Mapping[str, Number]]:
    """{best} clusters have the highest silhouette, but they are not reproduced on other rows: the adjusted Rand index
    between fits on subsamples is {stability:.2f}, and {other:.2f} for {choice} clusters.

    Use {choice} clusters, or collect more rows before you interpret {best} clusters: their boundaries depend on which
    rows were drawn.
    """
    if result.best != result.choice:
        by_number = {c.k: c for c in result.candidates}
        yield {"best": result.best, "choice": result.choice, "stability": float(by_number[result.best].stability),
               "other": float(by_number[result.choice].stability)}  # fmt: skip


@rule("note", KIND)
def no_stable_number(result: Any) -> Iterator[Mapping[str, Number]]:
    """No number of clusters is stable: the adjusted Rand index between fits on subsamples is at most {most:.2f}.

    The rows may have no clear groups, or groups that this model cannot find. Do not read meaning into single clusters.
    """
    most = max(float(c.stability) for c in result.candidates)
    if most < 0.6:
        yield {"most": most}
