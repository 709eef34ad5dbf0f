"""One requirement against one evaluation, and one metric against a baseline: pass, fail or inconclusive."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from calipers.comparison.compare import Comparison
from calipers.comparison.differences import Difference, settling
from calipers.comparison.independent import Independent
from calipers.comparison.judging import Judging
from calipers.errors import InputError, UnknownName, nearest
from calipers.evaluation.estimates import Estimates
from calipers.evaluation.evaluation import Evaluation
from calipers.files.column_names import fold
from calipers.gating.best_threshold import best_value, measure_at
from calipers.gating.requirements import Requirement, Subject
from calipers.inference.contrast import POWER, Contrast
from calipers.inference.estimate import Estimate
from calipers.inference.quantiles import z
from calipers.inference.unpaired import stretched
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.conditions import Bar
from calipers.metrics.names import number_text
from calipers.metrics.resolve import resolve
from calipers.remarks import Remark, with_codes
from calipers.settings import Label

PASS: Final = "pass"
FAIL: Final = "fail"
OPEN: Final = "inconclusive"
BOUNDS = ("low", "high")
T = TypeVar("T")
COMMON = {"rows": "gating.on_common_rows", "queries": "gating.on_common_queries",
          "users": "recommendation.on_common_users", "documents": "topics.on_common_documents"}  # fmt: skip
UNPAIRED = {"rows": "gating.unpaired_rows", "queries": "gating.unpaired_queries",
            "users": "recommendation.unpaired_users", "documents": "topics.unpaired_documents"}  # fmt: skip
TOO_CLOSE = Remark("gating.too_close")
TOO_UNSURE = Remark("gating.too_unsure")


@dataclass(frozen=True)
class Check:
    """A requirement and its answer: "pass", "fail" or "inconclusive". Against a baseline, `value` is a difference.

    against: "", "paired" or "unpaired" (with a baseline). pvalue: of the paired test of a loss of at least the margin.
    more_rows: about how many more rows are needed to decide. unit: what is counted, "rows", "queries", "users"
    or "documents".
    """

    required: str
    answer: str
    value: float
    low: float
    high: float
    level: float
    n: int
    method: str
    more_rows: int | None = None
    notes: tuple[str, ...] = ()
    against: str = ""
    pvalue: float | None = None
    unit: str = "rows"

    def to_dict(self) -> dict[str, Any]:
        """Plain values; NaN as None."""
        return with_codes(self.__dict__)


def spread(ev: Evaluation, requirement: Requirement) -> Iterator[Requirement]:
    """The requirement; one for each slice where it is of all slices of a column."""
    of = requirement.subject
    if of is None or of.kind == "class" or of.value is not None:
        yield requirement
        return
    for value in _slices(ev, of):
        yield replace(requirement, subject=replace(of, value=str(value)))


def check_requirement(ev: Evaluation, requirement: Requirement, family: float) -> Check:
    """The answer to a requirement on an evaluation; `family` is the level at which a failure is claimed."""
    if requirement.condition is not None:
        return _at_the_best(ev, requirement, requirement.condition, family)
    measure, bar = CATALOGUE[requirement.bar.metric], requirement.bar
    of: Estimates = _subject(ev, requirement)
    _refuse_unavailable(ev, of, measure, requirement)
    estimate = of[measure.name]
    check = Check(
        str(requirement), OPEN, float(estimate), estimate.low, estimate.high, of.level, estimate.n, estimate.method,
        notes=(*estimate.flags, *estimate.notes), unit=_unit(ev),
    )  # fmt: skip
    if math.isnan(estimate) or (requirement.side in BOUNDS and math.isnan(estimate.low)):
        return replace(check, notes=(estimate.reason,))
    if requirement.side:
        return _compared(check, requirement)
    if math.isnan(estimate.low):
        text = f"{measure.name}.value {bar.op} {number_text(bar.number)}"
        alone = Remark("gating.value_alone", requirement=text)
        return replace(check, notes=(estimate.reason, alone))
    return judged(check, bar, _at_level(of, measure, family, estimate), family)


def _at_the_best(ev: Evaluation, requirement: Requirement, condition: Bar, family: float) -> Check:
    """A metric at the best threshold that meets a condition, by resamples that choose again."""
    of, label = _scored_subject(ev, requirement)
    try:
        measure = measure_at(requirement.bar, condition)
    except InputError as error:
        raise InputError("gating.of_requirement", requirement=str(requirement), why=error) from None
    index = None if label in (None, ev.positive) else ev.labels.index(label)
    best = best_value(of, measure, index, of.level)
    check = Check(str(requirement), OPEN, float(best), math.nan, math.nan, of.level, of.rows, "")
    if math.isnan(best):
        return replace(check, notes=(best.reason,))
    if requirement.side == "value":
        return _compared(check, requirement)
    check = replace(check, low=best.low, high=best.high, method=best.method, notes=best.notes)
    if requirement.side:
        return _compared(check, requirement)
    wider = best if family == of.level else best_value(of, measure, index, family)
    return judged(check, requirement.bar, (wider.low, wider.high), family)


def _compared(check: Check, requirement: Requirement) -> Check:
    value = {"value": check.value, "low": check.low, "high": check.high}[requirement.side]
    return replace(check, answer=PASS if requirement.bar.met(value) else FAIL)


def judged(check: Check, bar: Bar, wider: tuple[float, float], family: float) -> Check:
    """The answer by an interval: it meets the requirement, or misses it even at the family's level, or neither."""
    near, far = (0, 1) if bar.upwards else (1, 0)
    ends = (check.low, check.high)
    if bar.met(ends[near]):
        return replace(check, answer=PASS)
    if not bar.met(wider[far]):
        return replace(check, answer=FAIL)
    notes = check.notes
    if not bar.met(ends[far]):
        notes += (Remark("gating.one_of_many"),)
    return _unsettled(replace(check, notes=notes), bar, check.level if bar.met(check.value) else family)


def _unsettled(check: Check, bar: Bar, level: float, fixed: float = 0.0) -> Check:
    """Inconclusive, with the rows that would be needed to decide if the value stays the same.

    fixed: the part of the standard error that more rows do not make smaller.
    """
    gap = check.value - bar.number
    error = (check.value - check.low if gap > 0 else check.high - check.value) / z(check.level)
    # The fixed part of the error uses a part of the gap; the part that shrinks with more rows must fit into the rest.
    left = math.sqrt(max(0.0, gap**2 - ((z(level) + z(2 * POWER - 1)) * fixed) ** 2))
    shrinking = math.sqrt(max(0.0, error**2 - fixed**2))
    rows = Contrast(left, shrinking, math.inf, "").rows_to_settle(check.n, level)
    more = None if rows is None else max(1, rows - check.n)
    note = settling(more, check.unit) if more is not None else TOO_CLOSE if left or not fixed else TOO_UNSURE
    return replace(check, answer=OPEN, more_rows=more, notes=(note, *check.notes))


def paired(ev: Evaluation, comparison: Comparison, measure: Measure, margin: float, family: float) -> Check:
    """The candidate of a comparison against its baseline, on the same rows: not worse by the margin?"""
    baseline, candidate = comparison.models
    judging = replace(comparison.judging, margin=margin)
    d = judging.differences(measure, comparison.pairing, ev.level)[candidate, baseline]
    code = COMMON[_unit(ev)]
    fewer = (Remark(code, count=comparison.rows),) if comparison.rows != ev.rows else ()
    if not fewer and not _same(d.measured[0], float(ev[measure.name])):
        raise InputError(
            "gating.not_what_was_evaluated",
            metric=str(measure),
            evaluated=float(ev[measure.name]),
            compared=d.measured[0],
            candidate=candidate,
        )
    return _not_worse(ev, d, measure, margin, family, comparison.rows, "paired", fewer)


def unpaired(ev: Evaluation, last: Evaluation, measure: Measure, margin: float, family: float) -> Check:
    """The evaluation against one of other rows: not worse by the margin?"""
    pairing = Independent({"baseline": last, "candidate": ev})
    d = Judging(margin, "none").differences(measure, pairing, ev.level)["candidate", "baseline"]
    mine, theirs = ev[measure.name], last[measure.name]
    code = UNPAIRED[_unit(ev)]
    notes = (Remark(code, count=mine.n, others=theirs.n),)
    facing = theirs.high - theirs if d.difference > _no_worse(measure, margin).number else theirs - theirs.low
    return _not_worse(ev, d, measure, margin, family, mine.n, "unpaired", notes, float(facing) / z(ev.level))


def _not_worse(
    ev: Evaluation, d: Difference, measure: Measure, margin: float, family: float, rows: int, against: str,
    notes: tuple[str, ...], fixed: float = 0.0,
) -> Check:  # fmt: skip
    """The answer by the test that a difference is a loss of at least the margin; fixed: as in `_unsettled`."""
    bar, p = _no_worse(measure, margin), math.nan if d.noninferiority is None else d.noninferiority
    check = Check(
        _no_worse_text(measure, d.baseline, margin), OPEN, d.difference, d.low, d.high, d.level, rows, d.method,
        notes=notes, against=against, pvalue=p, unit=_unit(ev),
    )  # fmt: skip
    if math.isnan(p):
        return replace(check, notes=(d.note or Remark("gating.no_test"), *notes))
    if p <= (1 - ev.level) / 2:
        return replace(check, answer=PASS)
    if 1 - p < (1 - family) / 2:
        return replace(check, answer=FAIL)
    return _unsettled(check, bar, ev.level if bar.met(d.difference) else family, fixed)


def _no_worse(measure: Measure, margin: float) -> Bar:
    """What the difference must be."""
    return Bar(measure.name, "<", margin) if measure.metric.better == "lower" else Bar(measure.name, ">", -margin)


def _no_worse_text(measure: Measure, name: str, margin: float) -> str:
    op, sign = ("<", "+") if measure.metric.better == "lower" else (">", "-")
    return f"{measure} {op} {name} {sign} {number_text(margin)}"


def bar_of(check: Check) -> Bar:
    """What the value of a check, or its difference, must be: read back from what is required.

    >>> bar_of(Check("by region=north: recall.low >= 0.8", PASS, 0.9, 0.85, 0.95, 0.95, 100, "wilson"))
    Bar(metric='recall', op='>=', number=0.8)
    """
    if not check.against:
        return Requirement.of(check.required).bar
    # As `_no_worse_text` writes it. The name of a model may hold anything, so the text is read from both ends.
    start, sign, margin = check.required.rsplit(" ", 2)
    op, limit = ("<", float(margin)) if sign == "+" else (">", -float(margin))
    return Bar(start.split(f" {op} ")[0], op, limit)


def _unit(ev: Evaluation) -> str:
    return ev.schema.facts.unit


def _same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(first) and math.isnan(second))


def _at_level(of: Estimates, measure: Measure, level: float, known: Estimate) -> tuple[float, float]:
    """The bounds at another level; scaled where the rows are gone."""
    if level == known.level:
        return known.low, known.high
    if not of.is_live:
        return stretched(float(known), known.low, known.high, known.level)(level)
    again = replace(of, settings=replace(of.settings, level=level), known={})[measure.name]
    return again.low, again.high


def _subject(ev: Evaluation, requirement: Requirement) -> Estimates:
    of = requirement.subject
    if of is None:
        return ev
    if of.kind == "class":
        return _named(dict(ev.classes), of.name, "gating.unknown_class")
    return _named(_slices(ev, of), str(of.value), "gating.unknown_value", column=of.name)


def _scored_subject(ev: Evaluation, requirement: Requirement) -> tuple[Evaluation, Label | None]:
    """Whose scores get a threshold, and for which class."""
    of, label, whose = requirement.subject, None, ev
    if of is not None and of.kind == "class":
        label = _named({v: v for v in ev.labels}, of.name, "gating.unknown_class")
    elif of is not None:
        whose = _named(_slices(ev, of), str(of.value), "gating.unknown_value", column=of.name)
    one_score = ev.schema.facts.one_score
    scored = not ev.is_live or ev.views.scored
    if not scored or not (one_score or label is not None):
        code = "gating.at_needs_scores" if one_score else "gating.at_needs_class"
        raise InputError(code, requirement=str(requirement))
    return whose, label


def _slices(ev: Evaluation, of: Subject) -> dict[Label, Evaluation]:
    """The slices of a column, by its name as written, else caseless, as columns of files are named."""
    columns = [n for n in ev.by if n == of.name] or [n for n in ev.by if fold(n) == fold(of.name)]
    if not columns:
        if not ev.by:
            raise UnknownName("gating.not_sliced", name=of.name)
        raise UnknownName("gating.not_sliced_by", name=of.name, columns=list(map(str, ev.by)))
    return dict(ev.by[columns[0]])


def _named(parts: dict[Label, T], name: str, code: str, **values: str) -> T:
    """The part whose label reads so, or the error of this code."""
    for label, part in parts.items():
        if str(label) == name:
            return part
    raise UnknownName(code, name=name, near=nearest(name, map(str, parts)), **values)


def _refuse_unavailable(ev: Evaluation, of: Estimates, measure: Measure, requirement: Requirement) -> None:
    """A metric that these rows could never have is a mistake; one that happens to be undefined is inconclusive."""
    if not ev.is_live:
        return
    answer = resolve(measure, ev.views, None if isinstance(of, Evaluation) else of.index)
    if not answer.available:
        raise InputError("gating.of_requirement", requirement=str(requirement), why=answer.reason)
