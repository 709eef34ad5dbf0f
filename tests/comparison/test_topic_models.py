"""`compare(texts, models, task="topics")`: topic models on the same documents, paired by blocks."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import calipers as cal
from calipers import datasets
from calipers.errors import InputError

TOPICS = json.loads(Path(datasets.path("articles_topics.json")).read_text(encoding="utf-8"))
LINES = Path(datasets.path("articles.jsonl")).read_text(encoding="utf-8").splitlines()
TEXTS = [json.loads(line)["text"].split() for line in LINES]
OTHER = {name: [*words[:6], *TOPICS["mixture"][:2]] for name, words in TOPICS.items()}
MODELS = {"A": TOPICS, "B": OTHER}


def compared(texts=TEXTS, models=MODELS, **options):
    return cal.compare(texts, models, task="topics", **options)


def test_a_difference_varies_as_it_does_without_each_block():
    """The jackknife of Busing, Meijer and van der Leeden 1999, of the difference itself."""
    found = compared(metrics=["c_npmi"])["c_npmi"]["B", "A"]
    both = [cal.evaluate_topics(model, TEXTS, ["c_npmi"]) for model in MODELS.values()]
    first, second = (ev["c_npmi"] for ev in both)
    assert found.difference == float(second) - float(first)
    texts, measure = both[0].views.topic_texts, both[0].listed[0]
    left = [measure.metric.view.values_at(measure, ev.views, None, texts.each_left_out) for ev in both]
    share, apart = texts.block_shares, left[1] - left[0]
    inverse = 1 / share
    pseudo = inverse * found.difference - (inverse - 1) * apart
    error = math.sqrt(np.mean((pseudo - share @ pseudo) ** 2 / (inverse - 1)))
    middle, reach = (found.high + found.low) / 2, (found.high - found.low) / 2
    assert middle == pytest.approx(found.difference)
    assert 1.96 * error < reach < 2.3 * error
    independent = math.hypot(first.stderr, second.stderr)
    assert error < 0.9 * independent  # models of the same texts vary together
    assert found.method == "paired jackknife t-test over blocks of documents"


def test_equal_models_do_not_differ_and_lists_of_words_have_no_test():
    found = compared(models={"A": TOPICS, "B": dict(TOPICS), "C": OTHER})
    same = found["c_v"]["B", "A"]
    assert (same.difference, same.low, same.high, same.pvalue) == (0, 0, 0, 1)
    assert found["c_v"]["C", "A"].pvalue < 0.05
    overlap = found["topic_diversity"]["C", "A"]
    assert math.isnan(overlap.pvalue)
    assert "words of the topics only" in overlap.note
    assert found.rows == len(TEXTS)
    for lang in ("en", "vi", "zh"):
        assert cal.loads(found.to_json()).to_text(lang) == found.to_text(lang)


def test_an_iterator_is_read_once_and_perplexity_has_log_likelihoods_of_each_model():
    draw = np.random.default_rng(0)
    likelihood = {"A": -7.0 * np.array(list(map(len, TEXTS)))}
    likelihood["B"] = likelihood["A"] * draw.normal(1.01, 0.01, len(TEXTS))
    found = compared(iter(TEXTS), metrics=["perplexity", "c_v"], rules={"log_likelihood": likelihood})
    assert float(found.models["A"]["perplexity"]) == pytest.approx(math.exp(7))
    assert found["perplexity"]["B", "A"].winner == "A"
    assert found["perplexity"]["B", "A"].low > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": [1] * 300}, "groups= is not for topic models"),
        ({"missing": "drop"}, "topic models are compared on all documents"),
        ({"models": {"A": TOPICS, "B": {"empty": []}}}, "topic model 'B': topic empty has no words"),
        ({"rules": {"window": 5}}, "window="),
        ({"rules": {"log_likelihood": [-1.0] * 300}}, "one list per model: pass a mapping with the names A, B"),
        ({"models": {"A": TOPICS}}, "at least two"),
    ],
    ids=lambda x: str(x)[:40],
)
def test_what_does_not_fit_is_named(change, message):
    with pytest.raises((InputError, TypeError, KeyError), match=message):
        compared(**change)


def test_models_that_split_the_texts_differently_are_refused():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    from sklearn.decomposition import TruncatedSVD
    from sklearn.pipeline import make_pipeline

    raw = [" ".join(tokens) for tokens in TEXTS]
    vectorizers = (text.CountVectorizer(), text.CountVectorizer(ngram_range=(1, 2)))
    models = [make_pipeline(each, TruncatedSVD(3, random_state=0)).fit(raw) for each in vectorizers]
    with pytest.raises(InputError, match="'A' and 'B' do not have the same documents or tokens"):
        compared(raw, dict(zip("AB", models, strict=True)))
