"""Builds the site: `make docs`. Writes its source to build/docs/source and the pages to build/docs/html."""

import sys

import pages

BUILD = pages.ROOT / "build" / "docs"


def main() -> int:
    """Write the source, and build it; a warning is an error."""
    from sphinx.cmd.build import build_main

    pages.write(BUILD / "source")
    strict = ["-b", "html", "-W", "--keep-going", "-q", "-E", "-j", "2", "-d", str(BUILD / "doctrees")]
    return build_main([*strict, str(BUILD / "source"), str(BUILD / "html")])


if __name__ == "__main__":
    sys.exit(main())
