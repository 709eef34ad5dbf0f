"""Coherence of topics against gensim 4.4 (frozen; tests/known/topics/make.py made it), and against worked examples."""

import json
from pathlib import Path

import pytest

import calipers as cal

FROZEN = json.loads((Path(__file__).parent / "topics" / "frozen.json").read_text())


def per_topic(case, measure):
    ev = cal.evaluate_topics(case["topics"], map(str.split, case["documents"]), [measure])
    values = [float(topic[measure]) for topic in ev.classes.values()]
    assert float(ev[measure]) == pytest.approx(sum(values) / len(values), abs=1e-12)
    return values


@pytest.mark.parametrize("measure", FROZEN["distinct"]["gensim"])
@pytest.mark.parametrize("case", ["distinct", "repeated"])
def test_coherence_is_that_of_gensim_where_gensim_is_right(case, measure):
    answers = FROZEN[case].get("right", FROZEN[case]["gensim"])[measure]
    assert per_topic(FROZEN[case], measure) == pytest.approx(answers, abs=1e-9)


@pytest.mark.parametrize("measure", ["c_uci", "c_npmi", "c_v(window=25)"])
def test_gensim_forgets_a_word_that_is_twice_in_a_window(measure):
    answers = FROZEN["repeated"]["gensim"][measure]
    assert max(abs(a - b) for a, b in zip(per_topic(FROZEN["repeated"], measure), answers, strict=True)) > 1e-3
