"""Where the documentation and the repository are: the only place where these two addresses stand.

They are placeholders until the project is published: `make urls SITE=https://... REPOSITORY=https://...` writes the
real ones here and into the files that cannot read this one (pyproject.toml, CITATION.cff, .github). Results, pages and
messages show no placeholder, because it would lead nowhere: `calipers explain CODE` has the same texts offline.
"""

from __future__ import annotations

SITE = "https://calipers.example/docs"
REPOSITORY = "https://calipers.example/calipers"


def published() -> bool:
    """Whether the addresses are real: names under .example are reserved and lead nowhere (RFC 2606)."""
    return not SITE.split("/")[2].endswith(".example")


def link(code: str, kind: str) -> str | None:
    """The address of a code for a reader; None until the project is published."""
    return of_code(code, kind) if published() else None


def page(name: str) -> str:
    """The address of a page of the documentation.

    >>> page("intervals").removeprefix(SITE)
    '/intervals.html'
    """
    return f"{SITE}/{name}.html"


def of_code(code: str, kind: str) -> str:
    """The address of a code, which does not change once it is published; kind: findings, remarks or errors.

    >>> of_code("data.score_nan", "errors").removeprefix(SITE)
    '/codes/errors.html#data-score-nan'
    """
    return f"{page(f'codes/{kind}')}#{anchor(code)}"


def anchor(code: str) -> str:
    """A code as the name of a place on a page: letters and hyphens.

    >>> anchor("accuracy_no_better_than_majority")
    'accuracy-no-better-than-majority'
    """
    return code.lower().replace(".", "-").replace("_", "-")
