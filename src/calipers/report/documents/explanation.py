"""The document of an explanation, which is text: it holds that of each language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calipers.remarks import Remark
from calipers.report.documents.values import Fields, demand
from calipers.report.explanation import Explanation
from calipers.report.language import Language, language
from calipers.report.messages import LANGUAGES

PAIRS = ("facts", "ways", "definitions")


def contents(explanation: Explanation) -> dict[str, Any]:
    """The texts in the language of the explanation, and in the others."""
    others = (language(code) for code in LANGUAGES if code != explanation.lang)
    return {
        "settings": {"lang": explanation.lang},
        **_texts(explanation),
        "translations": {lang.code: _texts(explanation.again(lang)) for lang in others},
    }


def _texts(explanation: Explanation) -> dict[str, Any]:
    pairs = {name: [list(pair) for pair in getattr(explanation, name)] for name in PAIRS}
    return (
        {name: getattr(explanation, name) for name in ("name", "title", "meaning")}
        | pairs
        | {"got": list(explanation.got)}
    )


def restored(fields: Fields) -> Explanation:
    """The explanation that a document describes, in all languages."""
    own, others = fields.part("settings").choice("lang", tuple(LANGUAGES)), fields.part("translations")
    parts = {code: fields if code == own else others.part(code) for code in LANGUAGES}
    every: dict[str, Explanation] = {}
    every |= {code: _read(part, code, every) for code, part in parts.items()}
    return every[own]


def _read(fields: Fields, code: Any, every: Mapping[str, Explanation]) -> Explanation:
    def again(lang: Language) -> Explanation:
        return every[lang.code]

    texts = fields.text("name"), fields.text("title"), fields.text("meaning")
    demand(bool(fields.items("facts")), fields.place("facts"), [], Remark("report.not_empty"))
    facts, ways, definitions = (tuple(_pair(fields, name, pair) for pair in fields.items(name)) for name in PAIRS)
    return Explanation(*texts, facts, ways, definitions, fields.texts("got"), code, again)


def _pair(fields: Fields, name: str, pair: Any) -> tuple[str, str]:
    right = isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)
    demand(right, fields.place(name), pair, Remark("report.two_texts"))
    return pair[0], pair[1]
