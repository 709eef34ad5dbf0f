"""Whether a recalibration is worth it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.findings.base import Number, rule

CALIBRATION = "calibration"
Findings = Iterator[Mapping[str, Number]]


def _numbers(result: Any) -> dict[str, Number]:
    loss, error = result["log_loss"], result["ece"]
    return {
        "before": loss.before, "after": loss.after, "low": loss.low, "high": loss.high, "p": loss.pvalue,
        "ece": error.before, "ece_after": error.after,
    }  # fmt: skip


@rule("note", CALIBRATION)
def recalibration_helps(result: Any) -> Findings:
    """Recalibration is worth it: on rows the map was not fitted on, log loss falls from {before} to {after}
    (confidence interval of the difference {low} to {high}, {p:p}), and the calibration error from {ece} to
    {ece_after}.

    Apply the map to new scores of the same model, and check the calibration again when the data changes.
    """
    if result["log_loss"].high < 0:
        yield _numbers(result)


@rule("warning", CALIBRATION)
def recalibration_harms(result: Any) -> Findings:
    """Recalibration makes the probabilities worse: on rows the map was not fitted on, log loss rises from {before} to
    {after} (confidence interval of the difference {low} to {high}, {p:p}).

    Keep the probabilities as they are, or use a method with fewer parameters, such as shift or temperature.
    """
    if result["log_loss"].low > 0:
        yield _numbers(result)


@rule("note", CALIBRATION)
def recalibration_open(result: Any) -> Findings:
    """There is no evidence that recalibration helps: on rows the map was not fitted on, log loss changes from {before}
    to {after} (confidence interval of the difference {low} to {high}, {p:p}); the calibration error is {ece} before
    and {ece_after} after.

    Keep the probabilities as they are, unless more data shows a gain.
    """
    change = result["log_loss"]
    if not change.high < 0 and not change.low > 0:
        yield _numbers(result)
