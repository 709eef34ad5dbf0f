"""Numbers as text, by one rule for pages, text, Markdown, LaTeX and charts.

Three decimals, fewer where a number is large and more where an interval is narrow; thousands are separated from five
digits on; a number that would be a row of zeros or of meaningless digits is written with an exponent; there is no minus
before zero. Texts are English; `Language.local` writes them as other languages do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

LARGE, SMALL = 1e7, 1e-4  # numbers of at least LARGE, or below SMALL, have an exponent
PLAIN = 1000.0  # smaller numbers have no exponent, even if others of the column have one
DECIMALS, DIGITS, MOST = 3, 3, 9
GROUPED = 9999.5  # thousands are separated in numbers of five digits or more
HIDDEN = 0.0005  # below it, three decimals would hide a number that stands alone
LONG = 1e6  # larger numbers of an axis have an exponent: there is no room for seven digits


def number(x: float, *, exponent: bool = False, sign: bool = False) -> str:
    """A number alone. exponent: whether others in its column have an exponent; sign: whether + is written.

    >>> number(0.90512), number(12345.6), number(123.456), number(0.00012), number(1.5e12), number(-0.0001)
    ('0.905', '12,346', '123.5', '0.00012', '1.50e12', '-0.0001')
    >>> number(-1e-300 * 0), number(0.25, sign=True), number(float("inf"))
    ('0.000', '+0.250', 'inf')
    """
    x = float(x)
    if not math.isfinite(x):
        return str(x)
    if _has_exponent(x, exponent):
        return _powered(x, DIGITS, sign)
    if 0 < abs(x) < HIDDEN:
        return f"{x:{'+' if sign else ''}.2g}"
    return fixed(x, _decimals(x), sign=sign)


def interval(
    value: float, low: float, high: float, *, exponent: bool = False, sign: bool = False, percent: bool = False
) -> tuple[str, str, str]:
    """A value and its bounds, with as many digits as are needed to distinguish the bounds.

    >>> interval(0.9051, 0.8853, 0.9221), interval(2.691e8, 2.51e8, 2.87e8), interval(0.204, 0.19, 0.22, percent=True)
    (('0.905', '0.885', '0.922'), ('2.69e8', '2.51e8', '2.87e8'), ('20.4%', '19.0%', '22.0%'))
    >>> interval(-3e-5, -0.01, 0.01)
    ('0.000', '-0.010', '0.010')
    """
    scale = 100.0 if percent else 1.0
    each = [scale * float(x) for x in (value, low, high)]
    known = [x for x in each if math.isfinite(x)]
    width = each[2] - each[1]
    largest = max(map(abs, known), default=0.0)  # a value near 0 is a row of zeros only where its bounds are, too
    if _has_exponent(largest, exponent) and not percent:
        digits = DIGITS
        if 0 < width < math.inf and each[0]:
            digits = min(MOST, max(DIGITS, _power(each[0]) - _power(width) + 2))
        texts = [_powered(x, digits, sign) if math.isfinite(x) and x else number(x, sign=sign) for x in each]
    else:
        decimals = 1 if percent else min((_decimals(x) for x in known), default=DECIMALS)
        if 0 < width < 2 * 10.0**-decimals:
            decimals = min(MOST, 1 - _power(width))
        texts = [fixed(x, decimals, sign=sign) if math.isfinite(x) else str(x) for x in each]
    value_text, low_text, high_text = (text + "%" * percent for text in texts)
    return value_text, low_text, high_text


def fixed(x: float, decimals: int, *, sign: bool = False) -> str:
    """A number with this many decimals, separated thousands, and no sign before zero.

    >>> fixed(-0.0001, 3), fixed(1234567.8, 0), fixed(0.5, 2, sign=True)
    ('0.000', '1,234,568', '+0.50')
    """
    comma = "," if abs(x) >= GROUPED else ""
    text = f"{float(x):{'+' if sign else ''}{comma}.{decimals}f}"
    return text if any(c in "123456789" for c in text) else text.lstrip("+-")


def beside(x: float, size: float) -> str:
    """A number beside one of this size, such as a difference of two of them: with as many decimals.

    >>> beside(-0.00028, 0.752), beside(0.0131, 0.57), beside(12.3, 12345.0), beside(3e-7, 2e-6)
    ('0.000', '0.013', '12', '3.00e-7')
    """
    known = math.isfinite(x) and math.isfinite(size) and size
    return fixed(x, _decimals(size)) if known and not _has_exponent(size, False) else number(x)


def count(x: float) -> str:
    """A number of rows, or their weight: whole where it is whole.

    >>> count(1000), count(2.294), count(12345678.0)
    ('1000', '2.29', '12,345,678')
    """
    x = float(x)
    if not math.isfinite(x):
        return str(x)
    return fixed(x, 0) if x.is_integer() or abs(x) >= PLAIN else f"{x:.{DIGITS}g}"


def percent(x: float, decimals: int = 1) -> str:
    """A share in per cent.

    >>> percent(0.905), percent(-0.00001)
    ('90.5%', '0.0%')
    """
    return f"{fixed(100 * float(x), decimals)}%"


def pvalue(p: float) -> str:
    """A p-value: three decimals while it is small, two when it is not.

    >>> pvalue(0.3482), pvalue(0.02), pvalue(1e-9)
    ('0.35', '0.020', '<0.001')
    """
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def exponents(values: Iterable[float]) -> bool:
    """Whether a column of numbers needs an exponent somewhere: then all of its large numbers have one."""
    return any(_has_exponent(float(x), False) for x in values if math.isfinite(x))


def ticks(values: Sequence[float]) -> list[str]:
    """The numbers of an axis, all in one notation, with as many decimals as they need to differ.

    >>> ticks([0, 0.25, 0.5]), ticks([0, 20_000, 40_000]), ticks([0, 5e8, 1e9]), ticks([-1e-6, 1e-6])
    (['0.00', '0.25', '0.50'], ['0', '20,000', '40,000'], ['0', '5e8', '1e9'], ['-1e-6', '1e-6'])
    """
    largest = max((abs(x) for x in values), default=0.0)
    if 0 < largest < SMALL or largest >= LONG:
        kept = [x for x in values if abs(x) > 1e-9 * largest]
        digits = next((d for d in range(1, MOST) if all(_same(x, float(f"{x:.{d - 1}e}"), x) for x in kept)), MOST)
        return [_powered(x, digits, False) if x in kept else "0" for x in values]
    decimals = next((d for d in range(MOST) if all(_same(x, round(x, d), largest) for x in values)), MOST)
    return [fixed(x, decimals) for x in values]


def _same(x: float, rounded: float, size: float) -> bool:
    return abs(x - rounded) <= 1e-9 * abs(size)


def _has_exponent(x: float, others: bool) -> bool:
    return 0 < abs(x) < SMALL or abs(x) >= (PLAIN if others else LARGE)


def _power(x: float) -> int:
    return math.floor(math.log10(abs(x)))


def _decimals(x: float) -> int:
    """Three decimals below 10, and one less for each digit more."""
    rounded = abs(float(f"{x:.4g}"))
    return DECIMALS if rounded < 10 else max(0, DECIMALS - _power(rounded))


def _powered(x: float, digits: int, sign: bool) -> str:
    mantissa, _, power = f"{x:{'+' if sign else ''}.{digits - 1}e}".partition("e")
    return f"{mantissa}e{int(power)}"
