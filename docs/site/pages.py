"""The pages of the site: the guides as they are, pages of the repository beside them, and pages made from the code."""

from __future__ import annotations

import fnmatch
import re
import shutil
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from calipers.addresses import REPOSITORY

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# Pages of the repository that are also pages of the site, and what they are called there.
BESIDE = {"ARCHITECTURE.md": "architecture.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
          "SECURITY.md": "security.md"}  # fmt: skip
NOT_PAGES = ("site", "images/review")  # folders of tools, and of screenshots for reviewers
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?\)")
CHINESE = "[\u3000-\u9fff\uff00-\uffef]"
FENCED = re.compile(r"^(```|~~~).*?^\1\s*$", re.M | re.S)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.M | re.S)


def guides() -> dict[str, Path]:
    """The files that are pages, by their names on the site."""
    pages = {str(path.relative_to(DOCS)): path for path in sorted(DOCS.rglob("*.md"))}
    pages = {name: path for name, path in pages.items() if not name.startswith(NOT_PAGES)}
    return pages | {there: ROOT / here for here, there in BESIDE.items() if (ROOT / here).exists()}


def entries(text: str) -> list[str]:
    """What the toctrees of a page list: names of pages, or patterns of them."""
    listed: list[str] = []
    for block in TOCTREE.findall(text):
        lines = [line.strip() for line in block.splitlines()]
        found = (re.fullmatch(r"(?:.*<)?([^<>]+)>?", line) for line in lines if line and not line.startswith(":"))
        listed += [match[1] for match in found if match]
    return listed


def expanded(text: str, name: str, known: Collection[str]) -> str:
    """A page whose toctrees list pages in place of patterns such as `decisions/*`, less those listed by name.

    A pattern may match none: guides that are still being written have a place already.
    """
    folder, listed = name.rpartition("/")[0], entries(text)
    around = f"{folder}/" if folder else ""

    def lines(block: re.Match[str]) -> str:
        written = []
        for line in block[0].splitlines():
            paths = fnmatch.filter(sorted(known), f"{around}{line}.md") if "*" in line else []
            names = [path.removeprefix(around).removesuffix(".md") for path in paths]
            written += [each for each in names if each not in listed] if "*" in line else [line]
        return "\n".join(written)

    return TOCTREE.sub(lines, text)


def reached(texts: dict[str, str], start: str = "index.md") -> set[str]:
    """The pages that toctrees lead to."""
    todo, seen = [start], set[str]()
    while todo:
        name = todo.pop()
        if name not in seen:
            folder = name.rpartition("/")[0]
            around = f"{folder}/" if folder else ""
            todo += [f"{around}{entry}.md" for entry in entries(texts.get(name, ""))]
        seen.add(name)
    return seen


def linked(text: str, name: str) -> str:
    """The text of a page with links that work on the site: to its pages, or to the repository where there is none."""
    source = guides()[name]

    def link(match: re.Match[str]) -> str:
        target = match[2]
        if "://" in target or target.startswith(("mailto:", "#")):
            return match[0]
        path = (source.parent / target).resolve()
        inside = path.relative_to(ROOT) if path.is_relative_to(ROOT) else None
        if inside is None:
            return match[0]
        there = BESIDE.get(str(inside))
        if path.is_relative_to(DOCS) and path.is_file():
            there = str(path.relative_to(DOCS))
        if there is None or there.startswith(NOT_PAGES):
            return f"{match[1]}{REPOSITORY}/blob/main/{inside})"
        up = "../" * name.count("/")
        return f"{match[1]}{up}{there}{match[3] or ''})"

    return outside(text, lambda prose: LINK.sub(link, prose))


def joined(text: str) -> str:
    """A text in which a line that ends in Chinese goes on without a space, which HTML would show.

    >>> joined("它的概括：\\n查全率\\nrecall")
    '它的概括：查全率\\nrecall'
    """
    return outside(text, lambda prose: re.sub(f"(?<={CHINESE})\\n(?={CHINESE})", "", prose))


def outside(text: str, change: Callable[[str], str]) -> str:
    """A text that is changed outside its blocks of code."""
    parts, at = [], 0
    for block in FENCED.finditer(text):
        parts += [change(text[at : block.start()]), block[0]]
        at = block.end()
    return "".join([*parts, change(text[at:])])


def generated() -> Iterator[tuple[str, str]]:
    """The pages that are made from the code, by name."""
    import api
    import codes
    import commands
    import schemas

    for module in (codes, api, commands, schemas):
        yield from module.pages()


def texts() -> dict[str, str]:
    """The text of every page of the site, by its name."""
    written = {name: linked(path.read_text(encoding="utf-8"), name) for name, path in guides().items()}
    every = written | dict(generated())
    return {name: joined(expanded(text, name, every)) for name, text in every.items()}


def write(folder: Path) -> None:
    """Write the source of the site."""
    shutil.rmtree(folder, ignore_errors=True)
    others = shutil.ignore_patterns("*.md", "site", "review", "__pycache__")
    shutil.copytree(DOCS, folder, ignore=others)
    shutil.copy(DOCS / "site" / "conf.py", folder)
    import cards
    import drawings
    import gallery

    written = texts()
    written["metrics.md"] = cards.cards(written["metrics.md"])
    drawn = re.findall(r'src="drawings/([^"]+).svg"', written["metrics.md"])
    written |= {f"drawings/{name}.svg": drawings.svg(name) for name in drawn}
    written["gallery.md"] += "\n" + gallery.write(folder)
    for name, text in written.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
