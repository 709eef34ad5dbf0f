"""Opens every page of the built site from the disk, in Chromium: `make docs` runs it after the build.

No page may ask anything of the network, be wider than a phone, or have an error of its scripts; search must find pages;
and the keyboard must reach the content. Without Chromium or Playwright nothing is checked, and the last line says so.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
WIDER = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - window.innerWidth"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def main(folder: Path) -> int:
    """Check the site in a folder; 1 where a page is not as it should be."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("the pages were not opened: Chromium and Playwright are needed")
        return 0
    files = sorted(path for path in folder.rglob("*.html") if "_static" not in path.parts)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=FLAGS)
        found = list(of_pages(browser, files))
        for check in (of_search, of_themes, of_keys):
            found += check(browser, folder)
        browser.close()
    print(*found, sep="\n")
    print(f"{len(files)} pages opened from the disk, {len(found)} problems")
    return 1 if found else 0


def of_pages(browser: Any, files: list[Path]) -> Iterator[str]:
    """What is wrong with each page on a phone."""
    heard: list[str] = []
    page = browser.new_page(viewport=PHONE)
    page.on("request", lambda request: heard.append(request.url))
    page.on("pageerror", lambda error: heard.append(f"error {error}"))
    for file in files:
        heard.clear()
        page.goto(file.as_uri())
        yield from (f"{file.name}: {text}" for text in heard if not text.startswith(("file:", "data:", "blob:")))
        if (more := page.evaluate(WIDER)) > 0:
            yield f"{file}: {more} pixels wider than a phone"
    page.close()


def of_search(browser: Any, folder: Path) -> Iterator[str]:
    """Whether the search finds a guide and a metric."""
    page = browser.new_page(viewport=DESK)
    for word, expected in {"calibration": "calibration.html", "balanced_accuracy": "metrics.html"}.items():
        page.goto(f"{(folder / 'search.html').as_uri()}?q={word}")
        page.wait_for_selector("#search-results li a", timeout=20_000)
        page.wait_for_timeout(500)
        links = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")
        if not any(expected in link for link in links):
            yield f"search for {word}: {expected} is not among {len(links)} results"
    page.close()


def of_themes(browser: Any, folder: Path) -> Iterator[str]:
    """Whether a reader who prefers dark pages gets them."""
    seen = []
    for scheme in ("light", "dark"):
        page = browser.new_page(viewport=DESK, color_scheme=scheme)
        page.goto((folder / "index.html").as_uri())
        seen.append(page.evaluate(BACKGROUND))
        page.close()
    if seen[0] == seen[1]:
        yield f"light and dark pages have the same background {seen[0]}"


def of_keys(browser: Any, folder: Path) -> Iterator[str]:
    """Whether the keyboard reaches the content and shows where it is."""
    page = browser.new_page(viewport=DESK)
    page.goto((folder / "intervals.html").as_uri())
    page.keyboard.press("Tab")
    if page.evaluate("document.activeElement.getAttribute('href')") != "#furo-main-content":
        yield "the first stop of the keyboard does not skip to the content"
    for _ in range(30):
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        focused = page.evaluate("document.activeElement.outerHTML.slice(0, 80)")
        if outline == "none" and not page.evaluate("document.activeElement.matches('input')"):
            yield f"the focus cannot be seen on {focused}"
            break
    page.close()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
