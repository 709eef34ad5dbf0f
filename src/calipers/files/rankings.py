"""Ranked documents in files: one table of rows with judgements, or judgements and a run beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from calipers.errors import InputError, UnknownName, nearest
from calipers.files import trec
from calipers.files.column_names import DOC, QUERY, RELEVANCE, SCORE, fold
from calipers.files.table import Table

AT_ONCE = 2_000_000  # rows in memory; of a longer Parquet file, the queries are taken in parts
Named = dict[str, str]  # columns by what they hold
Usual = Mapping[str, tuple[str, ...]]  # the usual names of columns by what they hold
USUAL: Usual = {"query": QUERY, "doc": DOC, "score": SCORE, "relevance": RELEVANCE}


def find_columns(
    known: Sequence[str], needed: Sequence[str], named: Named, where: str, usual_names: Usual = USUAL
) -> Named:
    """The columns that hold what is wanted: those that were named, and others by their usual names.

    >>> find_columns(["qid", "docno", "score", "label"], ["query", "score", "relevance"], {}, "the frame")
    {'query': 'qid', 'score': 'score', 'relevance': 'label'}
    """
    columns: Named = {}
    for what in needed:
        usual = set(map(fold, usual_names[what]))
        names = [named[what]] if named.get(what) else [name for name in known if fold(name) in usual]
        if named.get(what) and names[0] not in known:
            raise UnknownName("files.no_column", file=where, name=names[0], nearest=nearest(names[0], known))
        if len(names) > 1:
            raise InputError("files.which_column", file=where, names=names, what=what)
        if not names and what != "doc":
            raise InputError("files.name_column", file=where, names=known[:12], what=what)
        if names:
            columns[what] = names[0]
    return columns


def read_pair(path: Any, form: trec.Format, named: Named, reading: dict[str, Any]) -> tuple[Any, ...]:
    """Query, document and number of a TREC file, or of a table with such columns."""
    if trec.is_trec(path, form):
        return trec.read(path, form)
    with Table([str(path)], **reading) as table:
        needed = ["query", "doc", "relevance" if form is trec.QRELS else "score"]
        columns = find_columns(table.names, needed, named, Path(path).name)
        if "doc" not in columns:
            raise InputError("files.name_column", file=Path(path).name, names=table.names[:12], what="doc")
        data = table.read([], [columns[needed[2]]], [columns["query"], columns["doc"]])
        return data["group", columns["query"]], data["group", columns["doc"]], data["number", columns[needed[2]]]


def blocks(
    table: Table, named: Named, at_once: int = AT_ONCE, watch: Callable[[int, int], object] = lambda at, of: None
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Query, document (or None), score and relevance of whole queries, some queries after others."""
    parts = -(-table.count() // at_once) if table.can_be_parted else 1
    texts = [named["query"], *([named["doc"]] if "doc" in named else [])]
    for part in range(max(1, parts)):
        watch(part, parts)
        only = None if parts < 2 else (named["query"], parts, part)
        data = table.read([], [named["score"], named["relevance"]], texts, only=only)
        query = data["group", named["query"]]
        if len(data["number", named["score"]]):
            doc = data["group", named["doc"]] if "doc" in named else None
            yield query, doc, data["number", named["score"]], data["number", named["relevance"]]


def greatest(table: Table, named: Named) -> float:
    """The greatest relevance, where the table is taken in parts; else NaN: a part is all there is."""
    return table.greatest(named["relevance"]) if table.can_be_parted else np.nan
