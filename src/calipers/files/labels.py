"""Labels as cells hold them, without what only their file needed."""

from __future__ import annotations

import unicodedata
from typing import Any

from calipers.data.containers import Text
from calipers.errors import InputError
from calipers.files.json_lines import Json
from calipers.files.parts import Part
from calipers.files.spellings import merged, spelled
from calipers.remarks import Remark


def labels_of(part: Part, column: Text, name: str, tidied: set[str], *, as_text: bool) -> Text:
    """Labels of text without the spaces around them, composed; those of JSON as JSON types them.

    tidied: gets what was done to them.
    """
    values: list[Any] = column.values
    if isinstance(part, Json):
        values = [part.value(v) for v in values]
        kinds = {type(value): value for value in values}
        if len(kinds) > 1 and not as_text:
            raise InputError("files.mixed_kinds", name=name, values=list(map(repr, kinds.values())))
        values = list(map(str, values)) if as_text else values
    elif part.text:
        stripped = [value.strip() for value in values]
        values = [unicodedata.normalize("NFC", value) for value in stripped]
        if stripped != column.values:
            tidied.add(Remark("files.spaces_left_out"))
        if values != stripped:
            tidied.add(Remark("files.marks_composed"))
    if not as_text and all(isinstance(value, str) for value in values):
        texts, values = values, [spelled(value) for value in values]
        if again := next((v for v, w in zip(texts, values, strict=True) if v != w and v[-1] in ".0"), None):
            tidied.add(Remark("files.whole_number_labels", label=again))
    return merged(column, values)
