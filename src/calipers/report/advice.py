"""What is said about the number of rows that a comparison needs, and about the test that fits it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calipers.report.layout import Count, Figure, Table
from calipers.report.report import Report
from calipers.report.terminal import wrapped

if TYPE_CHECKING:
    from calipers.comparison.advice import Advice
    from calipers.inference.power import Power
    from calipers.report.language import Language


def power(answer: Power, lang: Language) -> Report:
    """A sentence, and what was assumed."""
    values = {"rows": answer.rows, "difference": answer.difference, "power": answer.power, "level": answer.level}
    key = "nothing" if math.isnan(answer.difference) else answer.solved
    title = lang.say(f"compare.power.for_{key}", **values)
    given = lang.say("compare.power.given", given=lang.remark(answer.given))
    head = tuple(lang.say(f"compare.power.{name}") for name in values)
    shares = (Figure(share, lang.percent(share, 0)) for share in (answer.power, answer.level))
    cells = (Count(answer.rows), Figure(answer.difference, lang.local(f"{answer.difference:.4g}")), *shares)
    return Report(title, tables=(Table("", head, (cells,)),), assumptions=(given,), lines=lambda _: (title, given))


def advice(answer: Advice, lang: Language) -> Report:
    """The test, the call, and the reasons."""
    reasons = tuple(lang.remark(reason) for reason in answer.why)

    def lines(columns: int) -> list[str]:
        reasoned = (line for reason in reasons for line in wrapped(reason, columns, "    ", "  - "))
        return [test, f"  {answer.call}", *reasoned]

    test = lang.remark(answer.test)
    return Report(test, sentences=(answer.call, *reasons), lines=lines)
