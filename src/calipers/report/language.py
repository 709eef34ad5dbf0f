"""What a report says, in English, Vietnamese or Chinese: texts by key, names of metrics, numbers as people write them.

The English of a metric or a finding is the docstring of its function; `i18n/en` holds the English of labels and
explanations, `i18n/vi` and `i18n/zh` everything in those languages. A key is the name of a file and of a text in it:
`report.rows` is the text `rows` of `report.toml`. A test compares keys and placeholders over the languages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from calipers import numerals
from calipers.choices import Lang
from calipers.errors import InputError
from calipers.metrics.conditions import best_of
from calipers.metrics.names import render
from calipers.remarks import Remark
from calipers.report import messages
from calipers.report.condition_names import of_best
from calipers.report.filling import Filling
from calipers.report.messages import COMMAS, LANGUAGES, texts
from calipers.report.terminal import escape_label

if TYPE_CHECKING:
    from calipers.findings import Finding
    from calipers.metrics.base import Measure

CUTOFF = re.compile(r"(?<![A-Za-z])k(?![A-Za-z])")  # in "top-k accuracy" and "前 k 项查准率"
MINUS = "−"  # as wide as a digit
NEGATIVE = re.compile(r"(?<![\w-])-(?=\d|∞|inf\b)|(?<=\de)-(?=\d)")
BRACKETS = re.compile(r"(.+?)\s*[(（](.+)[)）]")
LISTS = ("examples", "labels", "like")  # names in a finding, one per line
LOWER = ("bpref",)  # names that begin with a small letter wherever they stand


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


def typeset(lang: Lang | None = None) -> Language:
    """The language of pages, notebooks and charts, where a number below 0 has a sign as wide as a digit.

    >>> typeset("en").interval("-0.12", "3e-5"), typeset("vi").percent(-0.125), language("en").number(-0.12)
    ('[−0.12, 3e−5]', '−12,5%', '-0.120')
    """
    return replace(language(lang), minus=MINUS)


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
    minus: str = "-"

    def say(self, key: str, /, **values: Any) -> str:
        """The text of a key with the values put in: `{share:percent}`, `{p:p}` ("p = 0.35"), `{x:.2f}`, `{x}`,
        `{n:count}` ("12,345"), `{n:row|rows}` (the first word for 1)."""
        file, _, name = key.partition(".")
        known = texts(self.code, file)
        return self.filled(known[name] if name in known else texts("en", file)[name], values)

    def knows(self, key: str) -> bool:
        """Whether there is a text of this key."""
        file, _, name = key.partition(".")
        return name in texts("en", file)

    def filled(self, text: str, values: Mapping[str, Any]) -> str:
        """A text with values put in as this language writes them."""
        return Filling(self).text(text, values)

    def term(self, key: str) -> str:
        """A word of the field: `threshold`, `truth`, `score`."""
        return self.say(f"terms.{key}")

    def number(self, x: float, digits: int | None = None) -> str:
        """A number with this many decimals; by default three, or as many as needed."""
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
        return self.local(f"[{low}{'; ' if self.code in COMMAS else ', '}{high}]")

    def local(self, text: str) -> str:
        """The signs, decimal points and thousands of a number, or of several, as this language has them."""
        text = messages.local(text, self.code)
        return text if self.minus == "-" else NEGATIVE.sub(self.minus, text)

    def name(self, measure: Measure | str) -> str:
        """What a metric is called in a sentence, with its parameters and its average over classes.

        >>> Language("en").name("roc_auc"), Language("en").name("ndcg@10"), Language("en").name("log_loss")
        ('ROC AUC', 'nDCG@10', 'log loss')
        >>> Language("zh").name("precision(average=macro)"), Language("vi").name("mcc")
        ('查准率，宏平均', 'MCC')
        """
        measure = _measure(measure)
        name = split(self._of_metric(measure, "name", measure.metric.title))[0]
        return self._with_parameters(measure, self._of_metric(measure, "short", name))

    def heading(self, measure: Measure | str) -> str:
        """What a metric is called in a table or at the start of a line.

        >>> Language("en").heading("log_loss"), Language("en").heading("ndcg@10"), Language("en").heading("p@10")
        ('Log loss', 'nDCG@10', 'Precision@10')
        """
        name = self.name(measure)
        word = name.partition(" ")[0].partition("@")[0]
        return name if self.code != "en" or word in LOWER or word != word.lower() else name[0].upper() + name[1:]

    def glossed(self, measure: Measure | str) -> str:
        """The heading where a metric is first met: other languages show its other names and the English term.

        >>> Language("en").glossed("recall"), Language("vi").glossed("recall"), Language("zh").glossed("recall")
        ('Recall', 'độ phủ (recall)', '查全率（召回率，recall）')
        """
        measure = _measure(measure)
        if self.code == "en":
            return self.heading(measure)
        name, others = split(self._of_metric(measure, "name", english := measure.metric.title))
        if english.lower() not in f"{name} {others}".lower():
            others += (self.say("report.separator") if others else "") + english
        opening, closing = ("（", "）") if self.code == "zh" else (" (", ")")
        return self._with_parameters(measure, f"{name}{opening}{others}{closing}" if others else name)

    def _with_parameters(self, measure: Measure, name: str) -> str:
        rest = dict(measure.parameters)
        if "k" in rest:
            name = _cut_off(name, f"{rest.pop('k'):g}")
        name += f" {render('', rest)}" if rest else ""
        if measure.average is None:
            return name
        return self.say("report.averaged", name=name, average=self.say(f"report.average_{measure.average}"))

    def meaning(self, measure: Measure | str) -> str:
        """What a metric is, in one sentence."""
        return self._of_metric(measure := _measure(measure), "meaning", measure.metric.summary)

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

    def topic(self, finding: Finding) -> str:
        """What a finding is about, in a few words.

        >>> from calipers.findings import Finding
        >>> Language("en").topic(Finding("scores_too_high", "warning", {}))
        'scores too high'
        """
        return texts(self.code, "findings").get(f"{finding.code}.topic", finding.code.replace("_", " "))

    def _of_finding(self, finding: Finding, part: int) -> str:
        from calipers.findings import RULES

        english = RULES[finding.code].texts[part]
        key = f"{finding.code}.{('sentence', 'advice')[part]}"
        text = english if self.code == "en" else texts(self.code, "findings").get(key, english)
        return self.filled(text, {k: self._display(k, v) for k, v in finding.numbers.items()})

    def class_name(self, label: str) -> str:
        """A class in a sentence: by its name, or as "class 1" where the name is no word.

        >>> Language("en").class_name("BAD"), Language("en").class_name("1"), Language("zh").class_name("0")
        ('BAD', 'class 1', '类别 0')
        """
        is_word = label == "..." or (any(c.isalpha() for c in label) and label not in ("True", "False"))
        return label if is_word else self.say("answers.class_named", label=label)

    def _display(self, key: str, value: Any) -> Any:
        """A number as it is; a metric by its name in this language, and a label so that it cannot do harm."""
        if key in LISTS and isinstance(value, str):
            return [escape_label(name) for name in value.split("\n")]
        if key == "metric":
            return self.name(value)
        if key == "where":  # a slice behind the name of a metric; empty of all rows
            return f" ({escape_label(value)})" if value else ""
        return escape_label(value) if isinstance(value, str) else value

    def remark(self, remark: str) -> str:
        """A remark of an estimate or a result, harmless on a terminal; a text that has no code stays as it is.

        >>> Language("zh").remark(Remark("metrics.a_count")), Language("zh").remark("of the reader's own")
        ('这是计数，不是比率', "of the reader's own")
        """
        text = messages.text(remark.code, remark.values, self.code) if isinstance(remark, Remark) else remark
        return escape_label(text) if text else ""

    def _of_metric(self, measure: Measure, what: str, english: str) -> str:
        if (best := best_of(measure)) is not None:
            return of_best(self, best, what)
        if self.code == "en":
            return english
        # A metric of the reader's own is not in the files: it is shown as its author wrote it.
        return texts(self.code, "metrics").get(f"{measure.metric.name}.{what}", english)


def split(name: str) -> tuple[str, str]:
    """A name and the other names in brackets after it.

    >>> split("查全率（召回率）"), split("độ chính xác")
    (('查全率', '召回率'), ('độ chính xác', ''))
    """
    found = BRACKETS.fullmatch(name)
    return (found[1], found[2]) if found else (name, "")


def _cut_off(name: str, k: str) -> str:
    """The name of a metric with its cutoff: in place of its k, else behind the name, within its brackets.

    >>> _cut_off("top-k accuracy", "5"), _cut_off("nDCG", "10"), _cut_off("目录覆盖率（catalogue coverage）", "10")
    ('top-5 accuracy', 'nDCG@10', '目录覆盖率（catalogue coverage@10）')
    """
    if CUTOFF.search(name):
        return CUTOFF.sub(k, name, count=1)
    return f"{name[:-1]}@{k}{name[-1]}" if name[-1] in ")）" else f"{name}@{k}"


def _measure(measure: Measure | str) -> Measure:
    from calipers.metrics import named

    return named(str(measure))
