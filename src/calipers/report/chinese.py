"""Spaces in Chinese texts: one between its characters and a Latin name or a number, none between its own or beside its
punctuation."""

from __future__ import annotations

import re
from collections.abc import Sequence

NO_SPACE = re.compile(r"[\u4e00-\u9fff]{2}|[，。；：？！、（）].|.[，。；：？！、（）]")
MEETING = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]")  # Chinese beside Latin


def spaced(parts: Sequence[str]) -> str:
    """Parts of a Chinese text in one, with a space where a Chinese character meets a Latin letter or a digit.

    >>> spaced(["其", "F1", "为 ", "0.5"]), spaced(["其", "查准率", "为"]), spaced(["预测为 ", "良性", " 的样本"])
    ('其 F1 为 0.5', '其查准率为', '预测为良性的样本')
    >>> spaced(["AP", "（a - b）", " ", "440"])
    'AP（a - b）440'
    """
    text = ""
    for part in parts:
        if NO_SPACE.fullmatch(text.rstrip()[-1:] + part.lstrip()[:1]):
            text, part = text.rstrip(), part.lstrip()
        text += (" " if MEETING.fullmatch(text[-1:] + part[:1]) else "") + part
    return text
