"""Functions of later packages, by name. Imports flow only from rows to reports; calls the other way go here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

ABOVE = {
    "measured": "calipers.evaluation.evaluate:measured",
    "to_dict": "calipers.report.document:to_dict",
    "from_dict": "calipers.report.document:from_dict",
    "findings": "calipers.findings:look",
    "language": "calipers.report.language:language",
    "markdown": "calipers.report.markdown:render",
    "explain": "calipers.report.explain:explain",
    "frame": "calipers.report.frame:to_frame",
    "folds_frame": "calipers.report.frame:folds_frame",
    "text": "calipers.report.text:render",
    "confusion_text": "calipers.report.text:confusion_lines",
    "html": "calipers.report.html:fragment",
    "plot": "calipers.report.plots:plot",
    "save": "calipers.report.saving:save",
    "comparison_text": "calipers.report.comparison:render",
    "comparison_markdown": "calipers.report.comparison:in_markdown",
    "crossing_text": "calipers.report.comparison:crossing",
    "folds_text": "calipers.report.folds_and_datasets:folds",
    "data_sets_text": "calipers.report.folds_and_datasets:data_sets",
    "validation_text": "calipers.report.validation:render",
    "validation_html": "calipers.report.validation:fragment",
    "validation_markdown": "calipers.report.validation:in_markdown",
    "sweep_text": "calipers.report.sweeps:sweep_text",
    "sweep_html": "calipers.report.sweeps:sweep_html",
    "sweep_frame": "calipers.report.frame:sweep_frame",
    "parts_text": "calipers.report.sweeps:parts_text",
    "parts_html": "calipers.report.sweeps:parts_html",
    "parts_frame": "calipers.report.frame:parts_frame",
    "resampled_text": "calipers.report.resampled:render",
    "resampled_html": "calipers.report.resampled:fragment",
    "selection_text": "calipers.report.selection:render",
    "selection_html": "calipers.report.selection:fragment",
    "gate_text": "calipers.report.gate:render",
    "gate_markdown": "calipers.report.gate:markdown",
    "gate_junit": "calipers.report.gate:junit",
    "caret": "calipers.report.terminal:caret",
}


@cache
def above(name: str) -> Any:
    """The function of a later package that the table calls `name`."""
    module, _, function = ABOVE[name].partition(":")
    return getattr(import_module(module), function)
