"""The values of all folds, on a scale that shows them: a dot per fold, and the mean with its interval."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING

from calipers.report import layout
from calipers.report.page.elements import key_of
from calipers.report.page.strips import Scale, StripCell, StripTable, strip

if TYPE_CHECKING:
    from calipers.report.language import Language
    from calipers.validation.cross_validation import Validation


def spread(validation: Validation, lang: Language, level: str, most: int) -> StripTable | None:
    """A row for each metric, each on its own scale; None where a fold is one row, or there is only one."""
    if validation.splits.alone or len(validation.folds) < 2:
        return None
    rows = []
    for name in islice(validation, most):
        e = validation[name]
        values = [float(fold.evaluation[name]) for fold in validation.folds]
        known = [x for x in values if not math.isnan(x)]
        if math.isnan(e) or not known:
            continue
        scale, ends = Scale.of([*known, float(e), e.low, e.high]), layout.bounds(e)
        interval = lang.interval(*ends) if ends else ""
        text, low, high = (lang.number(x) for x in (e, min(known), max(known)))
        picture = strip(scale, (float(e), e.low, e.high), dots=known, title=f"{text} {interval}")
        rows.append((
            StripCell(lang.glossed(name)), StripCell(text, interval, sort=key_of(e)),
            StripCell(low, sort=key_of(min(known))), StripCell("", strip=picture),
            StripCell(high, sort=key_of(max(known))),
        ))  # fmt: skip
    head = (lang.say("report.metric"), lang.say("validation.mean", level=level), lang.say("views.folds.lowest"),
            lang.say("views.folds.each"), lang.say("views.folds.highest"))  # fmt: skip
    caption = lang.say("views.folds.caption", count=len(validation.folds), level=level)
    return StripTable(caption, head, tuple(rows), "spread", numeric=(1, 2, 4)) if rows else None
