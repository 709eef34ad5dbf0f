"""The document of a loss taken apart: every part, never a row of the data."""

from __future__ import annotations

import math
from typing import Any

from calipers.cached import given
from calipers.remarks import plain, with_codes
from calipers.report.documents.absent import Absent
from calipers.report.documents.folds import failures_values, read_failures
from calipers.report.documents.values import Fields
from calipers.validation.bias_variance import LOSSES, PARTS, BiasVariance


def contents(result: BiasVariance) -> dict[str, Any]:
    """The parts of the loss with their intervals, and how many models they are of."""
    return {
        "settings": {"loss": result.loss, "seed": result.seed, "level": result.level},
        "model": result.model,
        "training": result.training,
        "rows": result.rows,
        "replicates": result.replicates,
        "error": plain(result.error),
        **with_codes({"notes": result.notes}),
        "parts": {name: e.to_dict() for name, e in result.items()},
        "failures": failures_values(result.failures),
        "findings": [finding.to_dict() for finding in result.findings],
    }


def restored(fields: Fields) -> BiasVariance:
    """The parts that a document describes, without the rows."""
    settings, parts = fields.part("settings"), fields.part("parts")
    loss = settings.choice("loss", LOSSES)
    absent: Any = Absent()
    truth: Any = Absent(fields.count("rows"))
    losses: Any = Absent(fields.count("replicates"))
    result = BiasVariance(
        loss, absent, truth, (), losses, read_failures(fields, "failures"), fields.count("training"),
        settings.count("seed"), settings.level(), fields.text("model"), fields.texts("notes"),
        {name: parts.part(name).estimate() for name in PARTS[loss]},
    )  # fmt: skip
    error = fields.number("error", (0.0, math.inf), null=True)
    return given(result, findings=fields.findings(), error=error)
