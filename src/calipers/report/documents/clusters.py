"""The table of clusters in the document of an evaluation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calipers.evaluation.per_cluster import PerCluster
from calipers.evaluation.tables import names_of
from calipers.remarks import Remark
from calipers.report.documents.values import Fields, demand, tagged

NUMBERS = {"share": (0.0, 1.0), "silhouette": (-1.0, 1.0)}


def contents(table: PerCluster) -> dict[str, Any]:
    """Columns, largest cluster first. `class` are places in `classes`, the classes that are the most frequent in a
    cluster.
    """
    columns: dict[str, Any] = {"labels": tagged(table["cluster"].tolist()), "rows": table["rows"].tolist()}
    if "class" in table:
        found = table["class"].tolist()
        classes = list(dict.fromkeys(found))
        columns |= {"classes": tagged(classes), "class": [classes.index(each) for each in found]}
    return columns | {name: [None if math.isnan(x) else x for x in table[name].tolist()]
                      for name in NUMBERS if name in table}  # fmt: skip


def restored(fields: Fields) -> PerCluster:
    """The table that a document describes."""
    labels = fields.labels("labels")
    columns: dict[str, Any] = {"cluster": names_of(labels), "rows": np.array(_counts(fields, "rows", len(labels)))}
    if "class" in fields:
        classes, at = fields.labels("classes"), _counts(fields, "class", len(labels))
        most = max(at, default=-1)
        demand(most < len(classes), fields.place("class"), most, Remark("report.one_of_the_labels"))
        columns["class"] = names_of([classes[i] for i in at])
    for name, bounds in NUMBERS.items():
        if name in fields:
            fields.items(name, len(labels))
            columns[name] = np.array(fields.numbers(name, bounds))
    return PerCluster(columns)


def _counts(fields: Fields, name: str, length: int) -> list[int]:
    fields.items(name, length)
    return fields.counts(name)
