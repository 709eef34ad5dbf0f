"""A page has at most 300 KB, whatever was measured and whatever it is called."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers as cal
from calipers import datasets
from calipers.report import page
from calipers.report.first_use import FirstUse
from calipers.report.language import language
from calipers.report.page import BUDGETS, LIMIT, comparison, evaluation, render

# What makes text long: escaped markup, wide letters, marks alone, letters of four bytes with marks piled on them.
LETTERS = ("a", "&", '"', "<", "'", "标", "ộ", "\U0001f600", "\u0e31", "\u0301", "\u202e", "\n",
           "\U0001d400\U0001e000\U0001e001\U0001e003")  # fmt: skip
HEAVIEST = LETTERS[-1]
RANDOM = np.random.default_rng(0)


def names(letter, length, count):
    """So many names of such a length that differ at their ends."""
    return np.array([letter * length + str(i) for i in range(count)], object)


def classes(letter, length, count):
    truth, predicted = RANDOM.integers(0, count, (2, 3 * count))
    called = names(letter, length, count)
    return cal.evaluate(called[truth].tolist(), called[np.where(truth % 2, truth, predicted)].tolist())


def scored(letter, length, count):
    truth, called = RANDOM.integers(0, count, 4 * count), names(letter, length, count)
    score = RANDOM.dirichlet(np.ones(count), 4 * count)
    return cal.evaluate(called[truth], score=score, labels=called.tolist())


def slices(letter, length, count):
    rows, called = 2 * count, names(letter, length, count)
    truth, by = RANDOM.integers(0, 2, rows), called[np.arange(rows) % count].tolist()
    columns = {f"{letter * length}{i}": by for i in range(9)} if count < 100 else {letter * length: by}
    both = names(letter, length, 2)
    return cal.evaluate(both[truth], RANDOM.random(rows), positive=both[1], by=columns)


def models(letter, length, count):
    truth = RANDOM.integers(0, 2, 60)
    predictions = {name: np.where(RANDOM.random(60) < 0.3, 1 - truth, truth) for name in names(letter, length, count)}
    return cal.compare(truth, predictions, metrics=["accuracy"] if count > 2 else None)


def test_a_page_of_every_metric_fits():
    debts = datasets.load("bad_debt")
    every = [m.name for m in cal.metrics.catalogue() if m.over.__name__ in ("OneVsRest", "Margins", "ScoreSamples")]
    ev = cal.evaluate(debts, truth="truth", score="score", positive="BAD", metrics=every)
    assert len(render(ev, lang="vi").encode()) <= LIMIT


SHAPES = ((classes, 60), (classes, 20), (scored, 12), (scored, 70), (slices, 30), (models, 2), (models, 9))


@settings(max_examples=8)
@given(shape=st.sampled_from(SHAPES), letter=st.sampled_from(LETTERS), length=st.integers(0, 500),
       lang=st.sampled_from(["en", "vi", "zh"]))  # fmt: skip
def test_any_names_fit(shape, letter, length, lang):
    make, count = shape
    result = make(letter, length + 1, count)
    assert len(render(result, lang=lang, title=letter * 5000, command=letter * 5000).encode()) <= LIMIT


@pytest.mark.parametrize(("make", "count"), [(classes, 1000), (slices, 5000), (models, 60)])
def test_the_largest_fit_and_say_that_there_is_more(make, count):
    text = render(make("长标签", 170, count), lang="zh")
    assert len(text.encode()) <= LIMIT
    assert "… " in text


@pytest.mark.parametrize(("make", "count"), [(classes, 20), (scored, 12), (slices, 30), (models, 3)])
def test_the_smallest_page_fits_with_the_heaviest_names(make, count):
    """What is tried last leaves a third of the limit, so that a longer sentence does not break the promise."""
    result, words = make(HEAVIEST, 70, count), language("vi")
    of = comparison if isinstance(result, cal.Comparison) else evaluation
    contents = of.contents(result, words, BUDGETS[-1], of.pictures(result, words))
    contents |= {"title": page.short(HEAVIEST * 400, page.LONGEST),
             "reproduce": page._reproduce(result, words, HEAVIEST * 4000), "worst_rows": None}  # fmt: skip
    assert len(page._page(contents, words, FirstUse(words)).encode()) < 2 / 3 * LIMIT
