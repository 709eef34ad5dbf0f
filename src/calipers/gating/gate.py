"""`gate`: check a model against requirements and a baseline, with one verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Protocol, Self, get_args

from calipers.arguments import named_arguments
from calipers.choices import GateChart, Inconclusive, Lang, Verdict
from calipers.comparison.compare import Comparison
from calipers.comparison.independent import refuse_dependent
from calipers.errors import CalipersError, InputError
from calipers.evaluation.evaluation import Evaluation
from calipers.gating.checks import FAIL, OPEN, PASS, Check, check_requirement, paired, spread, unpaired
from calipers.gating.requirements import Requirement
from calipers.metrics.base import CATALOGUE, Measure
from calipers.result import Result

EVERY = "*"  # the margin of metrics without a separate one
EXIT_CODES = {PASS: 0, FAIL: 3, OPEN: 4}


@dataclass(frozen=True, repr=False)
class GateResult(Result[GateChart]):
    """The checks and the verdict. It is true in an `if` or an `assert` only if the gate passes.

    fail_level: the confidence at which a failure is claimed, higher than `level` if several requirements might fail by
    chance. inconclusive: how an inconclusive verdict counts, "pass" or "fail"; None if it stays inconclusive.
    """

    kind: ClassVar[str] = "gate"

    checks: tuple[Check, ...]
    rows: int
    level: float
    fail_level: float
    notes: tuple[str, ...] = ()
    inconclusive: Inconclusive | None = None

    @property
    def verdict(self) -> Verdict:
        """Fail if a check fails, else inconclusive if a check is; pass only if every check passes."""
        answers = {check.answer for check in self.checks}
        return FAIL if FAIL in answers else OPEN if OPEN in answers else PASS

    @property
    def outcome(self) -> Verdict:
        """The verdict after `inconclusive=` was applied."""
        return (self.inconclusive or OPEN) if self.verdict == OPEN else self.verdict

    @property
    def exit_code(self) -> int:
        """0 pass, 3 fail, 4 inconclusive."""
        return EXIT_CODES[self.outcome]

    def __bool__(self) -> bool:
        return self.outcome == PASS

    def check(self) -> Self:
        """The result itself if the gate passes; otherwise `GateFailed`, an AssertionError with the whole table."""
        if not self:
            raise GateFailed(self)
        return self

    def to_junit(self, lang: Lang | None = None) -> str:
        """The checks as JUnit XML, one case per check."""
        from calipers.report.gate import junit

        return junit(self, lang)


class GateFailed(CalipersError, AssertionError):
    """Raised by `GateResult.check` if a gate does not pass. The message is the table of the gate, and `result` is the
    `GateResult`."""

    def __init__(self, result: GateResult) -> None:
        super().__init__("gating.not_passed")
        self.result = result

    def text(self, lang: str | None = None) -> str:
        """The table of the gate."""
        return self.result.to_text(lang)  # type: ignore[arg-type]  # the language of the reader

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.result,)


class HasEstimates(Protocol):
    """A result over folds, which can be had as an evaluation without rows."""

    def as_evaluation(self, names: Sequence[str] = ()) -> Evaluation:
        """Its metrics, and those of these names, with their intervals."""
        ...


@named_arguments
def gate(
    ev: Evaluation | HasEstimates,
    requirements: Sequence[str | Requirement] | str = (),
    *,
    baseline: Evaluation | Comparison | Sequence[Comparison] | None = None,
    margin: float | Mapping[str, float] | None = None,
    metrics: Sequence[str] | str | None = None,
    inconclusive: Inconclusive | None = None,
) -> GateResult:
    """Check an evaluation against requirements, and against a baseline: pass, fail or inconclusive.

    - ev: the result of `evaluate`; or of `cross_validate`, whose intervals are about the learning procedure.
    - requirements: texts such as "recall >= 0.8" (three answers), "roc_auc.low >= 0.9" (compares one bound), "recall >=
      0.8 at precision >= 0.5" (at the best such threshold), "by region: recall >= 0.7" or "class cat: recall >= 0.7".
    - baseline: the result of `compare` on the same rows, with the previous model first and this model second (of
      several comparisons, the first that has the metric); or the `Evaluation` of the previous model on other rows.
    - margin: the loss against the baseline that does not matter, for all metrics or by name ({"roc_auc": 0.005, "*":
      0.01}).
    - metrics: the metrics to compare with the baseline; by default the required ones and those with a margin.
    - inconclusive: "pass" or "fail", how an inconclusive result counts.

    >>> import calipers as cal
    >>> ev = cal.evaluate_counts(tp=90, fp=20, fn=10, tn=380)
    >>> [check.answer for check in gate(ev, ["recall >= 0.8", "recall >= 0.88", "precision > 0.9"]).checks]
    ['pass', 'inconclusive', 'fail']
    """
    if inconclusive not in (None, *get_args(Inconclusive)):
        raise InputError("gating.unknown_inconclusive", value=inconclusive)
    listed = [requirements] if isinstance(requirements, (str, Requirement)) else requirements
    if not isinstance(listed, Sequence) or isinstance(listed, (bytes, bytearray)):
        raise InputError("gating.not_a_list", value=requirements, kind=type(requirements).__name__)
    parsed = [r if isinstance(r, Requirement) else Requirement.of(r) for r in listed]
    if not isinstance(ev, Evaluation):
        if not hasattr(ev, "as_evaluation"):
            raise InputError("gating.not_an_evaluation", kind=type(ev).__name__)
        if any(r.condition for r in parsed):
            raise InputError("gating.at_over_folds")
        named = [metrics] if isinstance(metrics, str) else metrics or ()
        ev = ev.as_evaluation([*(r.bar.metric for r in parsed if r.subject is None), *named])
    if baseline is None and (margin is not None or metrics is not None):
        raise InputError("gating.no_baseline")
    required = [one for r in parsed for one in spread(ev, r)]
    compared = [] if baseline is None else _against(ev, baseline, margin, _metrics(parsed, metrics, margin))
    if not required and not compared:
        raise InputError("gating.nothing_required")
    tests = sum(not r.side for r in required) + len(compared)
    family = 1 - (1 - ev.level) / max(tests, 1)
    checks = [check_requirement(ev, r, family) for r in required] + [check(family=family) for check in compared]
    return GateResult(tuple(checks), ev.rows, ev.level, family, ev.notes, inconclusive)


def _metrics(requirements: Sequence[Requirement], metrics: Sequence[str] | str | None, margin: Any) -> list[Measure]:
    """What is compared with a baseline: the named metrics; else those required of all rows at the current threshold,
    and those with a separate margin."""
    if metrics is not None:
        measures = [CATALOGUE[name] for name in ([metrics] if isinstance(metrics, str) else metrics)]
        aimless = [m for m in measures if not m.metric.better]
        if aimless:
            raise InputError("gating.no_direction", metric=str(aimless[0]))
        return measures
    plain = [CATALOGUE[r.bar.metric] for r in requirements if r.subject is None and r.condition is None]
    plain += [CATALOGUE[name] for name in margin if name != EVERY] if isinstance(margin, Mapping) else []
    return list(dict.fromkeys(m for m in plain if m.metric.better))


def _against(
    ev: Evaluation,
    baseline: Evaluation | Comparison | Sequence[Comparison],
    margin: float | Mapping[str, float] | None,
    metrics: Sequence[Measure],
) -> list[Callable[..., Check]]:
    """A check for each metric against the baseline, that waits for the level at which a failure is claimed."""
    if not metrics:
        raise InputError("gating.which_metrics")
    margins = _margins(margin, metrics)
    if isinstance(baseline, Evaluation):
        _refuse_other(ev, baseline)
        refuse_dependent(ev, baseline)
        return [partial(unpaired, ev, baseline, m, margins[m]) for m in metrics]
    several = [baseline] if isinstance(baseline, Comparison) or not isinstance(baseline, Sequence) else list(baseline)
    for one in several:
        if not isinstance(one, Comparison) or len(one.models) != 2 or not one.paired:
            raise InputError("gating.not_a_baseline")
        if one.rows != ev.rows and one.settings.missing != "drop":
            raise InputError("gating.other_rows", rows=ev.rows, compared=one.rows)
    return [partial(paired, ev, _with(several, m), m, margins[m]) for m in metrics]


def _margins(margin: float | Mapping[str, float] | None, metrics: Sequence[Measure]) -> dict[Measure, float]:
    """The margin of each metric: its own, else that of all ("*")."""
    by_name = margin if isinstance(margin, Mapping) else {} if margin is None else {EVERY: margin}
    own = {CATALOGUE[name]: value for name, value in by_name.items() if name != EVERY}
    margins = {m: own.get(m, by_name.get(EVERY)) for m in metrics}
    for m, value in margins.items():
        if not isinstance(value, Real) or isinstance(value, bool) or not 0 < value < math.inf:
            if value is None and not by_name:
                raise InputError("gating.no_margin")
            if value is None:
                raise InputError("gating.no_margin_of", metric=str(m))
            raise InputError("gating.unusable_margin", metric=str(m), value=value)
    left = [str(m) for m in own if m not in margins]
    if left:
        raise InputError("gating.margin_of_other", metric=left[0])
    return {m: float(value) for m, value in margins.items() if value is not None}


def _with(several: Sequence[Comparison], measure: Measure) -> Comparison:
    """The first comparison that has the metric: labels may be in one and scores in another."""
    for one in several:
        value = float(next(iter(one.models.values()))[measure.name])
        if not math.isnan(value):
            return one
    return several[0]


def _refuse_other(ev: Evaluation, last: Evaluation) -> None:
    """A baseline of another task, class or definition raises an error."""
    codes = {"task": "gating.other_task", "positive": "gating.other_positive", "level": "gating.other_level"}
    for name, code in codes.items():
        mine, theirs = getattr(ev, name), getattr(last, name)
        if mine != theirs:
            raise InputError(code, mine=mine, theirs=theirs)
