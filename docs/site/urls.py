"""Writes the addresses of the site and of the repository into every file that has them: `make urls`."""

from __future__ import annotations

import sys
from pathlib import Path

from calipers.addresses import REPOSITORY, SITE

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "src/calipers/addresses.py", "pyproject.toml", "CITATION.cff", "SECURITY.md", ".github/ISSUE_TEMPLATE/config.yml",
)  # fmt: skip


def replaced(text: str, site: str, repository: str) -> str:
    """A text with other addresses.

    >>> replaced(f"{SITE}/a.html {REPOSITORY}/issues", "https://docs.test", "https://code.test/c")
    'https://docs.test/a.html https://code.test/c/issues'
    """
    return text.replace(SITE, site.rstrip("/")).replace(REPOSITORY, repository.rstrip("/"))


def main() -> None:
    """Replace the addresses of today with those of the command."""
    site, repository = sys.argv[1:]
    if not site.startswith("https://") or not repository.startswith("https://"):
        sys.exit("usage: make urls SITE=https://... REPOSITORY=https://...")
    for name in FILES:
        file = ROOT / name
        file.write_text(replaced(file.read_text(encoding="utf-8"), site, repository), encoding="utf-8")
    print("docs/shell.md shows findings, which have links now: write it again with")
    print("CALIPERS_GOLDEN=write .venv/bin/python -m pytest -n0 docs/shell.md")


if __name__ == "__main__":
    main()
