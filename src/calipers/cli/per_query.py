"""The metrics of each query or user beside a result."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calipers.choices import Lang
    from calipers.evaluation.evaluation import Evaluation


def with_queries(result: Evaluation, text: str, form: str, lang: Lang | None) -> str:
    """The text or the document with the metrics of each query or user."""
    table = result.per_query
    if form == "json":
        document = result.to_dict() | {"per_query": list(table.rows())}
        return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    from calipers.report.terminal import columns
    from calipers.report.text import per_query_lines

    head, rest, tail = text.rpartition("\n\n")
    return head + "\n".join(["", "", *per_query_lines(table, lang, columns())]) + rest + tail
