"""`compare(by=)`: the same comparison within each slice."""

import numpy as np
import pandas as pd
import pytest

import calipers as cal
from calipers.report.page import render

rng = np.random.default_rng(6)
N = 300
Y = rng.integers(0, 2, N)
OLD = np.clip(0.35 + 0.3 * Y + rng.normal(0, 0.25, N), 0, 1)
NEW = np.clip(0.3 + 0.4 * Y + rng.normal(0, 0.2, N), 0, 1)
SITE = np.array(["north", "south", "west"])[rng.integers(0, 3, N)]
MODELS = {"old": OLD, "new": NEW}


@pytest.fixture(scope="module")
def sliced():
    return cal.compare(Y, MODELS, by={"site": SITE}, metrics=["roc_auc", "accuracy", "f1"])


def test_each_slice_is_the_comparison_of_its_rows(sliced):
    assert list(sliced.by["site"]) == ["north", "south", "west"]
    for value, part in sliced.by["site"].items():
        rows = value == SITE
        alone = cal.compare(Y[rows], {n: p[rows] for n, p in MODELS.items()}, metrics=["roc_auc", "accuracy", "f1"])
        assert part.rows == rows.sum()
        for name in ("roc_auc", "accuracy", "f1"):
            assert dict(part[name]) == dict(alone[name])


def test_the_whole_does_not_change(sliced):
    whole = cal.compare(Y, MODELS, metrics=["roc_auc", "accuracy", "f1"])
    assert all(dict(sliced[name]) == dict(whole[name]) for name in whole)


def test_groups_and_missing_rows_are_those_of_the_slice():
    group, gaps = rng.integers(0, 60, N), OLD.copy()
    gaps[:9] = np.nan
    options = {"groups": group, "missing": "drop", "metrics": ["recall"]}
    found = cal.compare(Y, {"old": gaps, "new": NEW}, by={"site": SITE}, **options)
    rows = (SITE == "north") & ~np.isnan(gaps)
    alone = cal.compare(Y[rows], {"old": gaps[rows], "new": NEW[rows]}, groups=group[rows], metrics=["recall"])
    assert dict(found.by["site"]["north"]["recall"]) == dict(alone["recall"])


def test_columns_of_a_frame_and_a_slice_with_one_class():
    frame = pd.DataFrame({"y": Y, "a": OLD, "b": NEW, "site": np.where(Y & (SITE == "west"), "rare", SITE)})
    found = cal.compare(frame, {"A": "a", "B": "b"}, truth="y", by=["site"], metrics=["roc_auc", "accuracy"])
    assert np.isnan(found.by["site"]["rare"]["roc_auc"].difference)
    assert found.by["site"]["rare"]["accuracy"].note == ""


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_texts_tables_and_documents_have_the_slices(sliced, lang):
    text = sliced.to_text(lang)
    assert all(value in text for value in ("north", "south", "west"))
    assert "north" in sliced.to_markdown(lang)
    assert all(len(line) <= 80 for line in sliced.to_text("en").splitlines())
    back = cal.loads(sliced.to_json())
    assert back.to_dict() == sliced.to_dict()
    assert back.to_text(lang) == text
    frame = sliced.to_frame()
    pd.testing.assert_frame_equal(back.to_frame(), frame)
    assert list(frame["slice"].dropna().unique()) == ["site=north", "site=south", "site=west"]
    assert "slice" not in cal.compare(Y, MODELS, metrics=["accuracy"]).to_frame()
    north = sliced.by["site"]["north"]["accuracy"].difference
    assert sliced.to_flat_dict()["site_north_accuracy_new_old_difference"] == north


def test_rankings_have_no_slices():
    with pytest.raises(cal.InputError, match="by"):
        cal.compare({"q": {"d": 1}}, {"a": {"q": {"d": 1}}, "b": {"q": {"d": 2}}}, by={"x": [1]})


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_the_page_shows_the_slices_of_the_deciding_metric(sliced, lang):
    page = render(sliced, lang=lang)
    section = page.partition('<section id="slices">')[2].partition("</section>")[0]
    assert section.count('<th scope="row"') == 4  # all rows, then the slices
    for part in sliced.by["site"].values():
        difference = part["roc_auc"]["new", "old"].difference
        assert f"{difference:+.3f}".replace("-", "−").replace(".", "," if lang == "vi" else ".") in section
    assert '<a href="#slices">' in page
    assert 'id="slices"' not in render(cal.compare(Y, MODELS, metrics=["accuracy"]), lang=lang)


def test_text_shows_the_deciding_metric_and_three_models_every_pair(sliced):
    assert "ROC AUC by site" in cal.compare(Y, MODELS, by={"site": SITE}).to_text()
    three = cal.compare(Y, {**MODELS, "third": NEW[::-1]}, by={"site": SITE}, metrics=["accuracy"])
    section = render(three).partition('<section id="slices">')[2].partition("</section>")[0]
    assert section.count('<th scope="row"') == 12
