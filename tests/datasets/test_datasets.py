"""The example files are what their generators write, and agree with themselves."""

from pathlib import Path

import pytest

from calipers import datasets
from calipers.datasets import make

RUNS = make.search() | make.films() | make.articles()


@pytest.mark.parametrize("name", datasets.names())
def test_an_example_file_is_what_its_generator_gives(name):
    assert (make.HERE / f"{name}.csv").read_text(encoding="utf-8") == make.EXAMPLES[name]()


@pytest.mark.parametrize("name", RUNS)
def test_judgements_and_runs_are_what_their_generator_gives(name):
    assert Path(datasets.path(name)).read_text(encoding="utf-8") == RUNS[name]


def test_the_predictions_of_the_loans_agree_with_their_scores():
    loans = datasets.load("bad_debt")
    assert [("BAD" if s >= 0.5 else "GOOD") for s in loans["score"]] == loans["predicted"]
    assert set(loans["region"]) == set(make.REGIONS)


def test_an_unknown_example():
    with pytest.raises(KeyError, match=r"^no example is called 'bad_det'; did you mean bad_debt\?$"):
        datasets.load("bad_det")


def test_an_unknown_file():
    with pytest.raises(KeyError, match=r"^no example file is called 'search.qrel'; did you mean search.qrels, search"):
        datasets.path("search.qrel")
