"""What is said about the number of rows that a comparison needs, and about the test that fits it."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING

from calipers.report.layout import Table
from calipers.report.report import Report
from calipers.report.terminal import wrapped

if TYPE_CHECKING:
    from calipers.comparison.advice import Advice
    from calipers.inference.power import Power
    from calipers.report.language import Language

COLUMNS = 80


def power(answer: Power, lang: Language) -> Report:
    """A sentence, and what was assumed."""
    values = {"rows": answer.rows, "difference": answer.difference, "power": answer.power, "level": answer.level}
    key = "nothing" if math.isnan(answer.difference) else answer.solved
    title = lang.say(f"compare.power.for_{key}", **values)
    given = lang.say("compare.power.given", given=lang.remark(answer.given))
    head = tuple(lang.say(f"compare.power.{name}") for name in values)
    cells = (lang.count(answer.rows), lang.local(f"{answer.difference:.4g}"), lang.local(f"{answer.power:.0%}"),
             lang.local(f"{answer.level:.0%}"))  # fmt: skip
    return Report(title, tables=(Table("", head, (cells,)),), assumptions=(given,), lines=(title, given))


def advice(answer: Advice, lang: Language) -> Report:
    """The test, the call, and the reasons."""
    reasons = tuple(lang.remark(reason) for reason in answer.why)
    lines = [fill(reason, COLUMNS, initial_indent="  - ", subsequent_indent="    ") for reason in reasons]
    if lang.code != "en":  # characters of two columns
        lines = [line for reason in reasons for line in wrapped(reason, COLUMNS, "    ", "  - ")]
    test = lang.remark(answer.test)
    return Report(test, sentences=(answer.call, *reasons), lines=(test, f"  {answer.call}", *lines))
