"""What a report says, in English, Vietnamese or Chinese: texts by key, names of metrics, numbers as people write them.

The English of a metric or a finding is the docstring of its function; `i18n/en` holds the English of labels and
explanations, `i18n/vi` and `i18n/zh` everything in those languages. A key is the name of a file and of a text in it:
`report.rows` is the text `rows` of `report.toml`. A test compares keys and placeholders over the languages.
"""

from __future__ import annotations

import os
import string
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calipers import numerals
from calipers.choices import Lang
from calipers.errors import InputError
from calipers.metrics.names import render
from calipers.remarks import Remark
from calipers.report import messages
from calipers.report.messages import LANGUAGES, texts
from calipers.report.terminal import escape_label

if TYPE_CHECKING:
    from calipers.findings import Finding
    from calipers.metrics.base import Measure



def language(lang: Lang | None = None) -> Language:
    """The language asked for; else that of `CALIPERS_LANG`, else that of the locale, else English.

    >>> language("vi").percent(0.905), language("zh").number(0.9051)
    ('90,5%', '0.905')
    >>> language("fr")
    Traceback (most recent call last):
    ...
    calipers.errors.InputError: lang='fr' is not known: pass en (English), vi (Tiếng Việt) or zh (中文)
    """
    if lang is not None:
        if lang not in LANGUAGES:
            raise InputError("report.unknown_language", lang=lang, known=_spoken())
        return Language(lang)
    code = os.environ.get("CALIPERS_LANG")
    if not code:
        return Language(messages.of_locale())
    if code not in LANGUAGES:
        raise InputError("report.unknown_language_of_environment", lang=code, known=_spoken())
    return Language(code)


def _spoken() -> list[str]:
    return [f"{code} ({name})" for code, name in LANGUAGES.items()]


@dataclass(frozen=True)
class Language:
    """Texts and numbers of one language.

    >>> vi = Language("vi")
    >>> vi.number(0.9054), vi.number(12, 0), vi.interval("0.885", "0.922"), vi.name("recall")
    ('0,905', '12', '[0,885; 0,922]', 'độ phủ')
    """

    code: Lang

    def say(self, key: str, /, **values: Any) -> str:
        """The text of a key with the values put in: `{share:percent}`, `{p:p}` ("p = 0.35"), `{x:.2f}`, `{x}`,
        `{n:count}` ("1,000"), `{n:row|rows}` (the first word for 1)."""
        file, _, name = key.partition(".")
        known = texts(self.code, file)
        return self.filled(known[name] if name in known else texts("en", file)[name], values)

    def knows(self, key: str) -> bool:
        """Whether there is a text of this key."""
        file, _, name = key.partition(".")
        return name in texts("en", file)

    def filled(self, text: str, values: Mapping[str, Any]) -> str:
        """A text with values put in as this language writes them."""
        return _Filling(self).vformat(text, (), values)

    def term(self, key: str) -> str:
        """A word of the field: `threshold`, `truth`, `score`."""
        return self.say(f"terms.{key}")

    def number(self, x: float, digits: int | None = None) -> str:
        """A number with so many decimals; by default three, or as many as it takes."""
        return self.local(numerals.number(x) if digits is None else numerals.fixed(x, digits))

    def count(self, x: float) -> str:
        """A number of rows, or their weight.

        >>> Language("en").count(12345), Language("vi").count(12345), Language("vi").count(2.5)
        ('12,345', '12.345', '2,5')
        """
        return self.local(numerals.count(x))

    def threshold(self, x: float) -> str:
        """A threshold: as short as it can be and still decide in the same way.

        >>> Language("en").threshold(0.5), Language("vi").threshold(0.2127)
        ('0.5', '0,2127')
        """
        return self.local(f"{float(x):.6g}")

    def percent(self, x: float, digits: int = 1) -> str:
        """A share as a percentage."""
        return self.local(numerals.percent(x, digits))

    def pvalue(self, p: float) -> str:
        """A p-value as it stands in a sentence.

        >>> Language("en").pvalue(0.3482), Language("en").pvalue(1e-9), Language("vi").pvalue(0.02)
        ('p = 0.35', 'p < 0.001', 'p = 0,020')
        """
        text = numerals.pvalue(p)
        return self.local(f"p < {text[1:]}" if text[0] == "<" else f"p = {text}")

    def interval(self, low: str, high: str) -> str:
        """Two bounds, as English writes them, in brackets: a decimal comma needs another mark between them."""
        return self.local(f"[{low}{'; ' if self.code == 'vi' else ', '}{high}]")

    def local(self, text: str) -> str:
        """The decimal points of a text as this language has them."""
        return messages.local(text, self.code)

    def name(self, measure: Measure | str) -> str:
        """What a metric is called, with its parameters and its average over classes.

        >>> Language("en").name("roc_auc"), Language("zh").name("f1(average=macro)"), Language("vi").name("f2")
        ('area under the ROC curve', 'F1 值，宏平均', 'độ đo F-beta (beta=2)')
        """
        measure = _measure(measure)
        name = self._of_metric(measure, "name", measure.metric.title)
        name += f" {render('', measure.parameters)}" if measure.parameters else ""
        if measure.average is None:
            return name
        return self.say("report.averaged", name=name, average=self.say(f"report.average_{measure.average}"))

    def meaning(self, measure: Measure | str) -> str:
        """What a metric is, in one sentence."""
        measure = _measure(measure)
        return self._of_metric(measure, "meaning", measure.metric.summary)

    def caution(self, measure: Measure | str) -> str:
        """What to be careful about with a metric; empty if its author wrote nothing."""
        measure = _measure(measure)
        return self._of_metric(measure, "caution", measure.metric.caution)

    def finding(self, finding: Finding) -> str:
        """The sentence of a finding."""
        return self._of_finding(finding, 0)

    def advice(self, finding: Finding) -> str:
        """What to do about it."""
        return self._of_finding(finding, 1)

    def _of_finding(self, finding: Finding, part: int) -> str:
        from calipers.findings import RULES

        english = RULES[finding.code].texts[part]
        key = f"{finding.code}.{('sentence', 'advice')[part]}"
        text = english if self.code == "en" else texts(self.code, "findings").get(key, english)
        return self.filled(text, {k: self._display(k, v) for k, v in finding.numbers.items()})

    def _display(self, key: str, value: Any) -> Any:
        """A number as it is; a metric by its name in this language, and a label so that it cannot do harm."""
        if key == "metric":
            return value if self.code == "en" else self.name(value)
        return escape_label(value) if isinstance(value, str) else value

    def remark(self, remark: str) -> str:
        """A remark of an estimate or a result, harmless on a terminal; a text that has no code stays as it is.

        >>> Language("zh").remark(Remark("metrics.a_count")), Language("zh").remark("of the reader's own")
        ('这是计数，不是比率', "of the reader's own")
        """
        text = messages.text(remark.code, remark.values, self.code) if isinstance(remark, Remark) else remark
        return escape_label(text) if text else ""

    def _of_metric(self, measure: Measure, what: str, english: str) -> str:
        if self.code == "en":
            return english
        # A metric of the reader's own is not in the files: it is shown as its author wrote it.
        return texts(self.code, "metrics").get(f"{measure.metric.name}.{what}", english)


class _Filling(string.Formatter):
    """Puts values into a text, numbers as the language writes them."""

    def __init__(self, lang: Language) -> None:
        self.lang = lang

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "percent":
            return self.lang.percent(value)
        if format_spec == "p":
            return self.lang.pvalue(value)
        if format_spec == "count":
            return self.lang.count(value)
        if "|" in format_spec:
            one, several = format_spec.split("|")
            return one if value == 1 else several
        if format_spec:
            return self.lang.local(format(value, format_spec))
        return self.lang.number(value) if isinstance(value, float) else str(value)


def _measure(measure: Measure | str) -> Measure:
    from calipers.metrics import named

    return named(str(measure))
