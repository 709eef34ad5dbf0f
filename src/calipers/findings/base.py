"""`@rule`: what a careful reviewer would look for, and what is found.

A rule is a generator over an evaluation: it yields the numbers of a finding, or nothing. Its docstring is the English
text: the first paragraph is the sentence, with the numbers put in, the second says what to do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers import addresses
from calipers.choices import Lang
from calipers.errors import InputError
from calipers.evaluation.estimates import estimate
from calipers.inference.estimate import Estimate
from calipers.metrics.base import CATALOGUE
from calipers.metrics.views import Unavailable

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

Number = float | int | str
SEVERITIES = ("warning", "note")  # a warning: a conclusion may be wrong; a note: good to know
VALIDATION = "validation"  # the task of rules about cross-validation, which take folds instead of an evaluation
INFINITE = (float("inf"), -float("inf"))  # texts in JSON, which has no infinities


@dataclass(frozen=True)
class Finding:
    """A finding: a code, its severity, and the numbers that it is based on. The texts are made from these."""

    code: str
    severity: str
    numbers: Mapping[str, Number]

    @property
    def sentence(self) -> str:
        """What was found, in English; `say` has the other languages."""
        return self.say("en")

    @property
    def advice(self) -> str:
        """What to do about it, in English."""
        return self.advise("en")

    @property
    def link(self) -> str | None:
        """Where the documentation explains it, once it is published; `calipers explain CODE` shows it offline."""
        return addresses.link(self.code, "findings")

    def say(self, lang: Lang | None = None) -> str:
        """What was found, in a language."""
        from calipers.report.language import language

        return language(lang).finding(self)

    def advise(self, lang: Lang | None = None) -> str:
        """What to do about it, in a language."""
        from calipers.report.language import language

        return language(lang).advice(self)

    def __str__(self) -> str:
        return self.say()

    def __repr__(self) -> str:
        return f"<{self.severity} {self.code}: {self.say()}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with the English texts beside them."""
        return {
            "code": self.code,
            "severity": self.severity,
            "sentence": self.sentence,
            "numbers": {k: str(v) if v in INFINITE else v for k, v in self.numbers.items()},
            "advice": self.advice,
            "link": self.link,
        }

    @classmethod
    def of_dict(cls, document: Mapping[str, Any]) -> Finding:
        """The finding that `to_dict` described."""
        if not isinstance(document["code"], str) or document["code"] not in RULES:
            raise InputError("findings.unknown_finding", name=str(document["code"])[:60])
        numbers = {k: float(v) if v in ("inf", "-inf") else v for k, v in document["numbers"].items()}
        finding = cls(document["code"], document["severity"], numbers)
        try:
            right = finding.severity in SEVERITIES and bool(finding.sentence and finding.advice)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
            right = False
        if not right:
            raise InputError("findings.lacks_numbers", name=finding.code)
        return finding


Rule = Callable[["Evaluation"], Iterator[Mapping[str, Number]]]


@dataclass(frozen=True)
class Entry:
    """A rule with its facts.

    tests: whether it claims something that holds for independent rows only; about: the metrics it is about, none of
    which a reader may have asked for.
    """

    code: str
    look: Rule
    severity: str
    tasks: tuple[str, ...]
    tests: bool
    about: tuple[str, ...]

    def concerns(self, ev: Evaluation) -> bool:
        """Whether it is for this task, and for a metric that is shown."""
        listed = {measure.metric.name for measure in ev.listed}
        return ev.task in self.tasks and (not self.about or not listed.isdisjoint(self.about))

    @property
    def texts(self) -> tuple[str, str]:
        """The sentence and the advice, in English, with places for the numbers."""
        sentence, advice, *_ = inspect.cleandoc(self.look.__doc__ or "").split("\n\n")
        return sentence.replace("\n", " "), advice.replace("\n", " ")


RULES: dict[str, Entry] = {}


def rule(severity: str, *tasks: str, tests: bool = True, about: tuple[str, ...] = ()) -> Callable[[Rule], Rule]:
    """Enter the decorated generator into the rules, under its own name."""
    assert severity in SEVERITIES

    def enter(look: Rule) -> Rule:
        name = look.__name__
        RULES[name] = Entry(name, look, severity, tasks, tests, about)
        return look

    return enter


def look(ev: Evaluation) -> tuple[Finding, ...]:
    """What every rule finds in an evaluation, warnings first.

    A rule that tests is left out where rows come in groups, because its test takes them as independent, and where
    the prevalence was set from outside.
    """
    findings = []
    for entry in RULES.values():
        if not entry.concerns(ev) or (entry.tests and dependent(ev)):
            continue
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                findings += [Finding(entry.code, entry.severity, numbers) for numbers in entry.look(ev)]
        except (Unavailable, OverflowError):  # what the rule looks at was not given, or cannot be squared
            continue
    return tuple(sorted(findings, key=lambda f: SEVERITIES.index(f.severity)))


def dependent(ev: Evaluation) -> bool:
    """Whether tests of independent rows do not hold: rows come in groups, or the prevalence was set from outside."""
    views = ev.views
    return views.fixed or (views.source is not None and views.source.groups is not None)


def look_at_validation(result: Any, task: str = VALIDATION) -> tuple[Finding, ...]:
    """What the rules about models over folds find, or those of a sweep or a decomposition."""
    entries = [entry for entry in RULES.values() if task in entry.tasks]
    return tuple(Finding(e.code, e.severity, numbers) for e in entries for numbers in e.look(result))


def at_level(ev: Evaluation, name: str, level: float, index: int | None = None) -> Estimate:
    """An estimate by its default method at the level of the rule, not at that of the evaluation."""
    return estimate(CATALOGUE[name], ev.views, replace(ev.settings, level=level, interval=None), index)
