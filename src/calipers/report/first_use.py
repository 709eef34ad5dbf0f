"""The English term in brackets where a page first mentions a metric in another language."""

from __future__ import annotations

import re
from copy import copy
from functools import cache
from typing import TYPE_CHECKING

from calipers.choices import Lang
from calipers.report import language

if TYPE_CHECKING:
    from calipers.report.language import Language

BRACKETED = r"[(（][^()（）]*[)）]"
ORDINARY = ("g_mean",)  # named by words that sentences also use for other things


class FirstUse:
    """Adds brackets to the first mention of each metric, in the texts of a page in their order.

    own: the document of the result. It is in English, so that a term in it is a word of the reader's data, which stays.

    >>> from calipers.report.language import Language
    >>> met = FirstUse(Language("vi"))
    >>> met("Độ phủ là 0,5."), met("Hãy xem độ phủ và độ chuẩn xác.")
    ('Độ phủ (recall) là 0,5.', 'Hãy xem độ phủ và độ chuẩn xác (precision).')
    >>> FirstUse(Language("zh"))("查全率为 0.5，平衡准确率（balanced accuracy）为 0.6。")
    '查全率（召回率，recall）为 0.5，平衡准确率（balanced accuracy）为 0.6。'
    >>> FirstUse(Language("zh"))("查全率 0.5"), FirstUse(Language("vi"))("độ phủ 0,5")
    ('查全率（召回率，recall）0.5', 'độ phủ (recall) 0,5')
    """

    def __init__(self, lang: Language, own: str = "") -> None:
        words = own.lower()
        self.brackets = {term: text for term, text in brackets_of(lang.code).items() if term not in words}
        self.mentions = mentions_of(lang.code) if self.brackets else None
        self.met: set[str] = set()

    def anew(self) -> FirstUse:
        """The same for a page in which nothing was mentioned yet."""
        page = copy(self)
        page.met = set()
        return page

    def __call__(self, text: str) -> str:
        """The text, with brackets behind what it is the first to mention."""
        return self.mentions.sub(self._bracketed, text) if self.mentions else text

    def shown(self, name: str) -> str:
        """A name as it is, which may have brackets already; what it mentions is no longer new."""
        self(name)
        return name

    def _bracketed(self, found: re.Match[str]) -> str:
        brackets = self.brackets.get((found["term"] or "").lower())
        if brackets is None or brackets in self.met:
            return found[0]
        self.met.add(brackets)
        if found["brackets"]:
            return found[0]
        space = "" if brackets.endswith("）") else found["space"] or ""  # Chinese brackets are as wide as a character
        return found[0].rstrip(" ") + brackets + space


@cache
def brackets_of(code: Lang) -> dict[str, str]:
    """The names of metrics that are not English, in small letters, each with what stands in brackets behind it."""
    from calipers.metrics import catalogue

    lang = language.Language(code)
    terms: dict[str, str] = {}
    for metric in catalogue() if code != "en" else ():
        full = lang.glossed(metric.name)
        name, others = language.split(full)
        if others and metric.name not in ORDINARY:
            terms |= {term.lower(): full[len(name) :] for term in (name, lang.name(metric.name)) if not term.isascii()}
    return terms


@cache
def mentions_of(code: Lang) -> re.Pattern[str]:
    """Finds the names with the brackets behind them, longer names first; what stands in brackets mentions nothing."""
    terms = "|".join(map(re.escape, sorted(brackets_of(code), key=len, reverse=True)))
    start, end = r"(?<![^\W\u4e00-\u9fff])", r"(?![^\W\d\u4e00-\u9fff])"
    named = rf"{start}(?P<term>{terms}){end}(?:@\d+)?(?P<brackets>\s*{BRACKETED})?(?P<space> )?"
    return re.compile(rf"{BRACKETED}|{named}", re.IGNORECASE)
