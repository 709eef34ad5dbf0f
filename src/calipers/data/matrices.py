"""A matrix of scores with one column for each class: predicted classes, and whether the rows are probabilities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calipers import _native
from calipers.data.batch import Array, Batch, Scan
from calipers.data.classes import listed_labels
from calipers.data.schema import Schema
from calipers.errors import InputError, not_a_number
from calipers.remarks import Remark
from calipers.settings import Label, Settings

FAR_FROM_ONE = {2: 1e-2, 4: 1e-4, 8: 1e-6}  # how far a row of probabilities may sum from 1, by bytes of its type
GREATEST = Remark("data.greatest_score")


def scanned(q: Settings, batch: Batch, schema: Schema | None = None) -> Batch:
    """Look through a score matrix once: predicted classes, ranks of the true ones, and what may be wrong with it.

    Whether it holds probabilities is what the schema says, where there is one.
    """
    score, called = batch.score, batch.names.score
    assert score is not None
    if score.shape[1] != len(batch.labels):
        raise InputError(
            "data.columns_and_classes",
            name=called,
            columns=score.shape[1],
            count=len(batch.labels),
            labels=listed_labels(batch.labels),
        )
    scan = Scan(*_native.scan_rows(score, batch.truth if batch.facts.one_class else None))
    if scan.nans:
        raise not_a_number(scan.nans, scan.first_nan, called)
    why = why_not_probabilities(scan, score[scan.worst_row], sums=batch.facts.one_class)
    if schema is not None:
        if why and not schema.why_not_probabilities:
            raise InputError("data.schema_of_probabilities", name=called, why=why)
        why = schema.why_not_probabilities
    batch = replace(batch, scan=scan, schema=replace(batch.schema, why_not_probabilities=why))
    if batch.facts.label_sets:
        threshold = q.threshold if q.threshold is not None else None if why else 0.5
        if threshold is None or batch.pred is not None:
            return batch
        if isinstance(threshold, tuple):
            return _cut_by_label(batch, score, dict(threshold))
        return _predicted(batch, score >= threshold, Remark("data.cut", threshold=threshold))
    if len(batch.labels) == 2 and why:
        batch = _compared(batch, score)
    if batch.positive is not None:
        return _of_positive(q, batch, scan.top)
    if q.threshold is not None:
        raise InputError("data.threshold_of_columns")
    return batch if batch.pred is not None else _predicted(batch, scan.top, GREATEST)


def _predicted(batch: Batch, labels: Array, how: str) -> Batch:
    """The batch with labels that follow from its scores."""
    return replace(batch, pred=labels, schema=replace(batch.schema, predicted=how))


def _cut_by_label(batch: Batch, score: Array, thresholds: dict[Label, float]) -> Batch:
    """Every label predicted from its own threshold on."""
    lacking, unknown = set(batch.labels) - set(thresholds), set(thresholds) - set(batch.labels)
    if lacking or unknown:
        names = [str(label) for label in (*batch.labels, *thresholds) if label in lacking | unknown]
        raise InputError("data.threshold_of_each_label", labels=listed_labels(batch.labels), wrong=names)
    each = [thresholds[label] for label in batch.labels]
    pairs = [f"{label} {each:g}" for label, each in thresholds.items()]
    return _predicted(batch, score >= np.array(each), Remark("data.cut_by_label", thresholds=pairs))


def _of_positive(q: Settings, batch: Batch, top: Array) -> Batch:
    """One column says it all: the positive class's own."""
    assert batch.score is not None
    batch = replace(batch, score=batch.score[:, batch.positive], scan=None)
    return _predicted(batch, top, GREATEST) if batch.pred is None and q.threshold is None else batch


def _compared(batch: Batch, score: Array) -> Batch:
    """Two columns that are not probabilities: the score of each class minus the other, which decides the prediction.

    A common shift of both columns of a row means nothing then, as in softmax, whose ranking this is.
    """
    first, second = score[:, 0], score[:, 1]
    apart = np.subtract(first, second, out=np.zeros_like(first), where=first != second)  # both may be infinite
    notes = (*batch.notes, by_difference(batch.why_not_probabilities))
    return replace(batch, score=np.stack((apart, -apart), 1), notes=notes)


def by_difference(why: str) -> Remark:
    """The note that two columns are compared, because they are no probabilities."""
    return Remark("data.by_difference", why=why)


def why_not_probabilities(scan: Scan, worst: Array, *, sums: bool = True) -> str:
    """What keeps a score matrix from being probabilities; empty when nothing does. worst: the row that sums worst."""
    if scan.low < 0 or scan.high > 1:
        return Remark("data.out_of_range", low=scan.low, high=scan.high)
    far = abs(scan.worst_sum - 1)
    if sums and far > FAR_FROM_ONE[worst.dtype.itemsize] and far > _rounding(worst):
        return Remark("data.row_sum", row=scan.worst_row, sum=scan.worst_sum)
    return ""


def _rounding(row: Array) -> float:
    """How far a row may sum from 1 because its probabilities were written with few decimals."""
    row = row.astype(np.float64)
    for decimals in (2, 3, 4, 5):
        if np.abs(row - row.round(decimals)).max() < 1e-7:
            return float(len(row) * 0.5 * 10.0**-decimals + 1e-7)
    return 0.0
