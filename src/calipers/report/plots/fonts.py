"""Which fonts a chart is set in. DejaVu Sans comes with matplotlib and has Vietnamese; Chinese needs another one."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calipers.remarks import Remark

if TYPE_CHECKING:
    from calipers.report.language import Language

BUNDLED = "DejaVu Sans"
# Fonts with Chinese in the order of preference; the beginning of a file's name finds one that was installed since
# matplotlib last looked.
CHINESE = {
    "Noto Sans CJK SC": "NotoSansCJK",
    "Noto Sans SC": "NotoSansSC",
    "Source Han Sans SC": "SourceHanSansSC",
    "Source Han Sans CN": "SourceHanSansCN",
    "Noto Sans CJK JP": "NotoSansCJK",
    "PingFang SC": "PingFang",
    "Hiragino Sans GB": "Hiragino Sans GB",
    "Microsoft YaHei": "msyh",
    "SimHei": "simhei",
    "WenQuanYi Micro Hei": "wqy-microhei",
    "WenQuanYi Zen Hei": "wqy-zenhei",
    "Droid Sans Fallback": "DroidSansFallback",
    "Arial Unicode MS": "Arial Unicode",
}


def families() -> tuple[str, ...]:
    """The font families that charts are set in: the bundled one, one with Chinese, and the user's own for the rest."""
    from matplotlib import font_manager, rcParams

    known = {font.name for font in font_manager.fontManager.ttflist}
    own = [name for key in ("font.family", "font.sans-serif") for name in rcParams[key] if name in known]
    return tuple(dict.fromkeys(name for name in (BUNDLED, _chinese(), *own) if name is not None))


@cache
def _chinese() -> str | None:
    from matplotlib import font_manager

    def known() -> str | None:
        names = {font.name for font in font_manager.fontManager.ttflist}
        return next((name for name in CHINESE if name in names), None)

    family = known()
    if family is None:  # the list is a cache: look at the disk once more
        for path in font_manager.findSystemFonts():
            if Path(path).name.startswith(tuple(CHINESE.values())):
                font_manager.fontManager.addfont(path)
        family = known()
    return family


def missing(texts: Iterable[str], names: tuple[str, ...]) -> str:
    """The characters that none of these fonts has, in the order of their first use."""
    characters = dict.fromkeys(c for text in texts for c in text if c.isprintable() and not c.isascii())
    fonts = [_font(name) for name in names] if characters else []
    return "".join(c for c in characters if not any(font.get_char_index(ord(c)) for font in fonts))


@cache
def _font(name: str) -> Any:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return get_font(findfont(FontProperties(family=[name])))


def warn(texts: Iterable[str], names: tuple[str, ...], words: Language) -> None:
    """Warn about characters that would be drawn as empty boxes, and say what to install."""
    lacking = missing(texts, names)
    if lacking:
        characters = lacking
        if len(lacking) > 8:
            characters = Remark("report.more_characters", characters=lacking[:8], count=len(lacking) - 8)
        remark = Remark("report.missing_font", characters=characters, remedy=_remedy(lacking))
        warnings.warn(words.remark(remark), UserWarning, stacklevel=6)


EASTERN = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "FULLWIDTH")  # how the names of their characters begin


def _remedy(characters: str) -> str:
    if any(unicodedata.name(c, "").startswith(EASTERN) for c in characters):
        return Remark("report.install_font")
    return Remark("report.choose_font")
