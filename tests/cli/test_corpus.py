"""The corpus through the executable: each file is read right, or refused in words that name it."""

import json

import pytest
from corpus import CORPUS


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.title)
def test_a_messy_file(calipers, file, case):
    # One metric, as the reading is what counts here.
    metric = () if case.error else ("--metrics", "accuracy" if case.auc is None else "roc_auc")
    done = calipers("evaluate", file(case.content, case.name), *case.options, "--json", *metric)
    assert "Traceback" not in done.stderr
    if case.error:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("calipers: ")
        assert done.stderr.count("\n") == 1
        assert case.error in done.stderr
        return
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["rows"], document["labels"]["values"]) == (case.rows, list(case.labels))
    if case.confusion is not None:
        assert document["confusion"] == case.confusion
    if case.auc is not None:
        assert document["metrics"]["roc_auc"]["value"] == pytest.approx(case.auc, rel=1e-12)
    steps = [line.removeprefix("read as: ") for line in done.stderr.splitlines() if line.startswith("read as: ")]
    assert steps == ([case.read_as] if case.read_as else [])


def test_the_corpus_is_large_and_its_names_differ():
    assert len({case.title for case in CORPUS}) == len(CORPUS) > 100
