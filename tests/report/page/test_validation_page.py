"""The page of a model over folds."""

import re

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import calipers as cal
from calipers.report.language import LANGUAGES
from calipers.report.page import LIMIT, render

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&"
RNG = np.random.default_rng(0)
X, COIN = RNG.normal(size=(240, 3)), RNG.integers(0, 2, 240)


@pytest.fixture(scope="module")
def validation():
    return cal.cross_validate(KNeighborsClassifier(1), X, COIN, cv=6, seed=0)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sections_and_links_in_every_language(validation, lang):
    page = render(validation, lang=lang, command="calipers validate")
    sections = re.findall(r'<section id="(\w+)">', page)
    expected = ["answer", "findings", "numbers", "folds", "definitions", "reproduction"]
    assert [s for s in sections if s != "charts"] == expected
    ids = re.findall(r' id="([\w-]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([\w-]+)"', page)) <= set(ids)
    assert ("Folds" in page) == (lang == "en")
    assert page.count("<tr>") >= 1 + len(validation) + 1 + 6


def test_numbers_are_those_of_the_result(validation):
    page = render(validation, lang="en")
    value, low, high = validation["roc_auc"].shown()
    assert f"<b>{value}</b>" in page
    assert f'{value} <span class="ci">[{low}, {high}]</span>' in page
    assert re.search(r"Data fingerprint|data fingerprint", page)
    again = cal.cross_validate(KNeighborsClassifier(1), X, COIN, cv=6, seed=0)
    assert render(again, lang="en") == page


def test_what_a_user_wrote_is_escaped(tmp_path):
    class Model(GaussianNB):
        def __repr__(self):
            return HOSTILE

    y = np.where(X[:, 0] + RNG.normal(size=240) > 0, HOSTILE, "b")
    result = cal.cross_validate(Model(), X, y, positive=HOSTILE, seed=0)
    result.save(tmp_path / "cv.html", title=HOSTILE)
    page = (tmp_path / "cv.html").read_text(encoding="utf-8")
    assert "<img" not in page
    assert page.count("</script>") == 1


def test_many_folds_many_metrics_and_failures_stay_small():
    class Fussy(GaussianNB):
        def fit(self, X, y):
            if X[:, 0].sum() < 0:
                raise ValueError("x" * 10_000)
            return super().fit(X, y)

    result = cal.cross_validate(Fussy(), X - X.mean(0), COIN, cv=10, repeats=8, seed=0, metrics=["accuracy", "f1"])
    assert result.failures
    page = render(result, lang="en")
    assert len(page.encode()) < LIMIT
    assert "more folds failed" in page


@pytest.mark.parametrize("cv", ["loo", "holdout", 2])
def test_however_rows_were_split_there_is_a_page(cv):
    numbers = cal.cross_validate(GaussianNB(), X[:40], COIN[:40], cv=cv, seed=0, metrics=["accuracy"])
    assert "<h1>Cross-validation: GaussianNB</h1>" in render(numbers, lang="en")


def test_item_c9_every_fold_is_a_dot_on_a_scale_that_shows_them(validation):
    page = render(validation, lang="en")
    assert "<h1>Cross-validation: KNeighborsClassifier(n_neighbors=1)</h1>" in page
    row = re.search(r'<th scope="row"><span title="ROC AUC">.*?</tr>', page, re.S)[0]
    dots = [float(x) for x in re.findall(r'class="dot" cx="([\d.]+)%"', row)]
    assert len(dots) == len(validation.folds)
    assert max(dots) - min(dots) > 20
    values = [float(fold.evaluation["roc_auc"]) for fold in validation.folds]
    assert dots.index(max(dots)) == values.index(max(values))
    assert "roc_auc" not in re.search(r'<section id="numbers">(.*?)</section>', page, re.S)[1]
