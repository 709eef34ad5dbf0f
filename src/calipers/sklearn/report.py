"""`classification_report`, exactly as scikit-learn prints it."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.errors import InputError
from calipers.sklearn import averaging
from calipers.sklearn.averaging import instead_of_nan
from calipers.sklearn.inputs import InvalidParameter, flag, labels_of, warn
from calipers.sklearn.per_class import support, three
from calipers.sklearn.targets import targets

COLUMNS = ("precision", "recall", "f1-score", "support")


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
) -> Any:
    """Precision, recall, F1 and support of each class, with their averages: text, or a dict."""
    instead_of_nan(zero_division)
    flag("output_dict", output_dict)
    if not isinstance(digits, (int, np.integer)) or digits < 0:
        raise InvalidParameter("sklearn.not_a_whole_number", name="digits", value=digits, least=0)
    t = targets(y_true, y_pred, sample_weight)
    chosen = list(t.values) if labels is None else labels_of(labels)
    names = _names(chosen, target_names, labels is not None)
    every_row = not t.task.label_sets and set(chosen) >= set(t.values)
    c = averaging.counts(t, chosen)
    values, rows = three(c, zero_division=zero_division), support(t, c)
    lines = dict(zip(names, zip(*(v.tolist() for v in values), rows.tolist(), strict=True), strict=False))
    total = rows.sum().item()
    lines["accuracy" if every_row else "micro avg"] = (*three(c.pooled(), zero_division=zero_division), total)
    for average in ("macro", "weighted"):
        lines[f"{average} avg"] = (*(averaging.averaged(v, c, t, average) for v in values), total)
    if t.task.label_sets:
        values = three(averaging.counts(t, chosen, "samples"), zero_division=zero_division)
        lines["samples avg"] = (*(averaging.averaged(v, c, t, "samples") for v in values), total)
    if not output_dict:
        return _text(lines, len(names), digits)
    report: dict[str, Any] = {
        name: dict(zip(COLUMNS, map(float, line), strict=True)) for name, line in lines.items()
    }
    if every_row:
        report["accuracy"] = report["accuracy"]["precision"]
    return report


def _names(chosen: list[Any], target_names: Any, labels_given: bool) -> list[str]:
    if target_names is None:
        return [str(label) for label in chosen]
    if len(target_names) != len(chosen):
        if not labels_given:
            raise InputError("sklearn.target_names", classes=len(chosen), names=len(target_names))
        warn("sklearn.number_of_target_names", UserWarning, classes=len(chosen), names=len(target_names))
    return list(target_names)


def _text(lines: dict[str, Any], classes: int, digits: int) -> str:
    width = max(*(len(name) for name in lines), len("weighted avg"), digits)
    text = " " * (width + 1) + "".join(f" {column:>9}" for column in COLUMNS) + "\n\n"
    for at, (name, (*scores, rows)) in enumerate(lines.items()):
        cells = [f"{value:>9.{digits}f}" for value in scores]
        if name == "accuracy" and at == classes:
            cells[:2] = [" " * 9] * 2
        text += f"{name:>{width}}  {' '.join(cells)} {rows!s:>9}\n" + ("\n" if at == classes - 1 else "")
    return text
