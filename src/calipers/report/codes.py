"""The codes of findings, remarks and errors: what each one says, and where the documentation has it."""

from __future__ import annotations

from functools import cache

from calipers import addresses
from calipers.report import messages
from calipers.report.explanation import Explanation
from calipers.report.language import Language

KINDS = ("findings", "remarks", "errors")


@cache
def known() -> dict[str, str]:
    """The kind of every code."""
    return {code: kind for kind in KINDS for code in of_kind(kind)}


def of_kind(kind: str) -> list[str]:
    """The codes of a kind, in the order of their texts."""
    if kind != "findings":
        return list(messages.texts("en", kind))
    from calipers.findings import RULES

    return list(RULES)


def described(code: str, lang: Language) -> Explanation:
    """What a code says, with the names of its values in angle brackets.

    >>> described("common.not_a_number", Language("en")).meaning
    '<name> contains <count> NaN (first at <row>): remove these rows or pass missing="drop"'
    """
    kind = known()[code]
    sentence, *advice = (outline(text, lang) for text in _texts(code, kind, lang))
    facts = [("kind", lang.say(f"explain.kind_{_severity(code) if kind == 'findings' else kind}"))]
    facts += [("advice", text) for text in advice]
    facts += [("address", link)] if (link := addresses.link(code, kind)) else []
    named = tuple((lang.say(f"explain.{key}"), text) for key, text in facts)
    return Explanation(code, code, sentence, named, (), (), (), lang.code, lambda other: described(code, other))


def _texts(code: str, kind: str, lang: Language) -> tuple[str, ...]:
    """The sentence of a code, and the advice of a finding."""
    texts = messages.texts(lang.code, kind)
    if kind != "findings":
        return (texts[code],)
    from calipers.findings import RULES

    sentence, advice = RULES[code].texts
    return texts.get(f"{code}.sentence", sentence), texts.get(f"{code}.advice", advice)


def _severity(code: str) -> str:
    from calipers.findings import RULES

    return RULES[code].severity


class Blank(str):
    """The place of a value, in code as in a sentence."""

    def __repr__(self) -> str:
        return str(self)


def outline(template: str, lang: Language) -> str:
    """A text with the names of its values in angle brackets.

    >>> outline("{@score} has {count} {count:row|rows}, pass {@positive:label} ({p:p})", Language("en"))
    'score= has <count> rows, pass positive=<label> (p = <p>)'
    """
    return "".join(
        literal + ("" if field is None else _blank(field, spec, lang))
        for literal, field, spec, _ in messages.parsed(template)
    )


def _blank(field: str, spec: str, lang: Language) -> str:
    if field.startswith("@"):
        argument, _, key = field.partition("[")
        names = {argument.removeprefix("@*"), key.removesuffix("]"), spec}
        return messages.argument(field[1:], spec, {name: Blank(f"<{name}>") for name in names}, lang.code)
    if "|" in spec:
        return spec.split("|")[1]
    return f"p = <{field}>" if spec == "p" else f"<{field}>"
