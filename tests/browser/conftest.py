"""Pages in the system's Chromium, driven by Playwright; skipped, with the reason, where one of them is missing."""

import shutil

import numpy as np
import pytest
from kinds import DESK, HOSTILE, KINDS, made, two_classes

import calipers as cal

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install playwright")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium: apt-get install chromium fonts-noto-cjk")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=chromium, args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def loans():
    return two_classes()


@pytest.fixture(scope="session")
def nobody():
    """Scores of which the highest are negatives, so that false alarms cannot be avoided but by predicting nobody."""
    rng = np.random.default_rng(1)
    truth = rng.random(500) < 0.2
    score = np.clip(rng.normal(0.3 + 0.1 * truth, 0.2), 0, 0.99)
    score[np.where(~truth)[0][:3]] = 0.995
    return cal.evaluate(truth.astype(int), score)


@pytest.fixture(scope="session")
def few():
    """Ten rows."""
    return cal.evaluate([0, 0, 1, 0, 1, 1, 0, 1, 1, 0], [0.1, 0.3, 0.35, 0.4, 0.45, 0.6, 0.65, 0.7, 0.8, 0.2])


@pytest.fixture(scope="session")
def pages(tmp_path_factory, loans, nobody, few):
    """The folder of the pages that are looked at."""
    where = tmp_path_factory.mktemp("pages")
    for name, ev in {"nobody": nobody, "few": few}.items():
        ev.save(where / f"{name}.html", lang="en")
    for name, result in made(loans, where).items():
        result.save(where / f"{name}.html", lang=KINDS[name], title=HOSTILE if name == "hostile" else None)
    return where


@pytest.fixture(scope="session")
def tabs(browser, pages):
    """One tab with scripts and one without, and what pages say on the console and ask of the network."""
    heard = []
    opened = {}
    for scripts in (True, False):
        page = browser.new_context(java_script_enabled=scripts).new_page()
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url))
        opened[scripts] = page
    return opened, heard


@pytest.fixture
def visit(tabs, pages):
    """Open a page, in a tab that all tests share; nothing may be said on the console or asked of the network."""
    opened, heard = tabs

    def go(name, fragment="", *, scripts=True, viewport=DESK, scheme="light"):
        page = opened[scripts]
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme, media="screen")
        page.goto("about:blank")  # so that the same page with another fragment is loaded anew
        page.goto((pages / f"{name}.html").as_uri() + fragment)
        return page

    heard.clear()
    yield go
    own = (pages.as_uri(), "data:", "about:blank")
    assert [text for text in heard if not text.startswith(own)] == []
