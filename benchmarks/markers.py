"""Parts of pages that commands write: what lies between two markers is replaced."""

import re
from pathlib import Path


def replaced(page: Path, name: str, text: str) -> None:
    """Put the text between the markers of this name."""
    begin, end = f"<!-- {name}: generated -->", f"<!-- {name}: end -->"
    old = page.read_text(encoding="utf-8")
    if begin not in old or end not in old:
        raise SystemExit(f"{page} has no markers for {name}")
    new = re.sub(f"(?s){begin}.*?{end}", lambda _: f"{begin}\n\n{text}\n\n{end}", old)
    page.write_text(new, encoding="utf-8")
