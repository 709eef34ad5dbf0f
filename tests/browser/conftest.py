"""Pages in the system's Chromium, driven by Playwright; skipped, with the reason, where one of them is missing."""

import shutil

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import calipers as cal
from calipers import datasets

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
HOSTILE = "</script><img src=x onerror=document.title='owned'>\"'&{{7*7}}"


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
def hostile():
    return HOSTILE


@pytest.fixture(scope="session")
def loans():
    asked = {"truth": "truth", "score": "score", "positive": "BAD", "by": ["region"]}
    return cal.evaluate(datasets.load("bad_debt"), **asked)


@pytest.fixture(scope="session")
def pages(tmp_path_factory, loans):
    """The pages that are looked at, by name."""
    where = tmp_path_factory.mktemp("pages")
    debts, days = datasets.load("bad_debt"), datasets.load("weather")
    wary = [0.9 * score + 0.1 * (row * 0.618 % 1) for row, score in enumerate(debts["score"])]
    truth = [HOSTILE if v == "BAD" else v for v in debts["truth"]]
    found = {
        "loans": loans,
        "weather": cal.evaluate(days, truth="truth", score=["p_rain", "p_snow", "p_sun"], by=["season"]),
        "models": cal.compare(debts["truth"], {"new": debts["score"], HOSTILE: wary}, positive="BAD"),
        "hostile": cal.evaluate(truth, debts["score"], positive=HOSTILE, by={HOSTILE: [HOSTILE, "b"] * 500}),
        "flats": cal.evaluate(datasets.load("flats"), truth="truth", pred="predicted", by="district"),
        "folds": cal.cross_validate(KNeighborsClassifier(1), np.c_[debts["score"]], truth, positive=HOSTILE, seed=0),
        "search": cal.rank(datasets.path("search.qrels"), datasets.path("search.run")),
    }
    for name, result in found.items():
        result.save(where / f"{name}.html", lang="en", title=HOSTILE if name == "hostile" else None)
    return where


@pytest.fixture
def visit(browser, pages):
    """Open a page and collect what it says on the console and asks of the network; both must stay empty."""
    said, asked, contexts = [], [], []

    def opened(name, fragment="", **how):
        context = browser.new_context(**how)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto((pages / f"{name}.html").as_uri() + fragment)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []
    assert [url for url in asked if not url.startswith(pages.as_uri()) and not url.startswith("data:")] == []
