"""Tables whose rows show an interval on a common scale: models, slices, classes, folds, requirements.

A strip is a small SVG without a view box: places are percentages of its width, radii are pixels, so that it fills a
column of any width and nothing in it is stretched. Texts are those of the table, so a phone shows them in full size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers import numerals

if TYPE_CHECKING:
    from calipers.report.language import Language

EDGE = 4.0  # percent of a strip that stay free at either end, for half of a dot
ROOM = 1.1  # how much farther than its values a scale around a limit goes, so that an interval is seen to end
STEPS = (1, 2, 2.5, 5, 10)
Span = tuple[float, float, float]  # value, low, high


class StripCell(NamedTuple):
    """A cell: text, the interval beside it, a strip below or instead of them, what it is sorted by.

    tone: "good", "bad" or "open", for the colour. kind: a class of the style sheet.
    marks: the letters of its footnotes.
    """

    text: str
    interval: str = ""
    strip: Any = ""
    sort: str = ""
    tone: str = ""
    kind: str = ""
    marks: str = ""


@dataclass(frozen=True)
class StripTable:
    """A table with strips. feet: what stands under each column: an axis, or nothing. more: what was left out.

    numeric: the columns that are set to the right. filter: what the box is called that searches the names; "" for none.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[StripCell, ...], ...]
    key: str
    feet: tuple[Any, ...] = ()
    more: str = ""
    numeric: tuple[int, ...] = ()
    filter: str = ""


@dataclass(frozen=True)
class Scale:
    """An axis from low to high, the right end being the high one unless `turned`."""

    low: float
    high: float
    turned: bool = False

    @classmethod
    def of(cls, values: Iterable[float], *, around: float | None = None, turned: bool = False) -> Scale:
        """The scale that holds these values; around: what stands in the middle.

        >>> Scale.of([0.2, math.nan, 0.7, math.inf]), Scale.of([-1.0, 3.0], around=0.5)
        (Scale(low=0.2, high=0.7, turned=False), Scale(low=-2.25, high=3.25, turned=False))
        """
        finite = [float(x) for x in values if math.isfinite(x)]
        if around is not None:
            reach = ROOM * max((abs(x - around) for x in finite), default=0.0) or 1.0
            return cls(around - reach, around + reach, turned)
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        wide = (high - low) or abs(high) or 1.0
        return cls(low, high, turned) if high > low else cls(low - wide / 2, high + wide / 2, turned)

    def place(self, x: float) -> float:
        """Where a value is, in percent of the width; infinities are at the ends."""
        share = (max(self.low, min(self.high, x)) - self.low) / (self.high - self.low)
        return round(EDGE + (100 - 2 * EDGE) * (1 - share if self.turned else share), 2)

    def ticks(self, most: int = 5) -> list[float]:
        """Round numbers on the scale.

        >>> Scale(0.41, 0.83).ticks(), Scale(-0.06, 0.06).ticks()
        ([0.5, 0.6, 0.7, 0.8], [-0.05, -0.025, 0.0, 0.025, 0.05])
        """
        wide = self.high - self.low
        power = 10.0 ** math.floor(math.log10(wide / most))
        step = next(s * power for s in STEPS if wide / (s * power) <= most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [float(f"{n * step:.12g}") for n in range(first, last + 1)]


def strip(
    scale: Scale, span: Span | None, tone: str = "", *, lines: Sequence[float] = (), dots: Sequence[float] = (),
    title: str = "", zone: tuple[float, float] | None = None,
) -> Any:  # fmt: skip
    """An interval with its value, over lines of reference; dots: single values around it; zone: what is allowed.

    A hollow point ("open") says that there is no evidence, as in charts.
    """
    from markupsafe import Markup, escape

    at = scale.place
    parts = [f"<title>{escape(title)}</title>"] if title else []
    if zone is not None:
        left, right = sorted(map(at, zone))
        parts.append(f'<rect class="zone" x="{left}%" width="{round(right - left, 2)}%" height="100%"/>')
    parts.append('<line class="track" x1="0" x2="100%" y1="50%" y2="50%"/>')
    parts += [f'<line class="ref" x1="{at(x)}%" x2="{at(x)}%" y2="100%"/>' for x in lines if math.isfinite(x)]
    if span is not None and not math.isnan(span[0]):
        value, low, high = span
        if not math.isnan(low):
            parts.append(f'<line class="span" x1="{at(low)}%" x2="{at(high)}%" y1="50%" y2="50%"/>')
        parts += [f'<circle class="dot" cx="{at(x)}%" cy="50%" r="3"/>' for x in dots if not math.isnan(x)]
        parts.append(f'<circle cx="{at(value)}%" cy="50%" r="4.5"/>')
    kind = f"strip {tone}".rstrip()
    return Markup(f'<svg class="{kind}" aria-hidden="true" focusable="false">{"".join(parts)}</svg>')


def bar(share: float, title: str) -> Any:
    """A bar as long as a share of the column."""
    from markupsafe import Markup, escape

    wide = round(100 * share, 2)
    inner = f'<title>{escape(title)}</title><rect class="fill" y="15%" width="{wide}%" height="70%"/>'
    return Markup(f'<svg class="strip" aria-hidden="true" focusable="false">{inner}</svg>')


def axis(scale: Scale, lang: Language, *, unsigned: bool = False, marks: Sequence[tuple[float, str]] = ()) -> Any:
    """The numbers below the strips; unsigned: how far from 0, on either side. marks: names of lines of reference."""
    from markupsafe import Markup, escape

    ticks = scale.ticks()
    texts = zip(ticks, numerals.ticks([abs(x) for x in ticks] if unsigned else ticks), strict=True)
    local = ((x, lang.local(text)) for x, text in texts)
    parts = [f'<text x="{scale.place(x)}%" y="14">{escape(text)}</text>' for x, text in local]
    parts += [f'<text class="mark" x="{scale.place(x)}%" y="30">{escape(text)}</text>' for x, text in marks]
    tall = " two" if marks else ""
    return Markup(f'<svg class="axis{tall}" aria-hidden="true" focusable="false">{"".join(parts)}</svg>')


def sides(left: str, right: str) -> Any:
    """What the two halves of a scale mean, below its numbers."""
    from markupsafe import Markup

    from calipers.report.page.elements import isolated

    text = Markup('<span class="sides"><span>← {}</span><span>{} →</span></span>')
    return text.format(isolated(left), isolated(right))
