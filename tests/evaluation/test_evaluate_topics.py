"""`evaluate_topics`: against counting by hand, with hostile input, in parts and as bytes."""

import gzip
import itertools
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers as cal
from calipers import datasets
from calipers.data import texts as reading
from calipers.data.topics import Vocabulary
from calipers.errors import InputError

EPSILON = 1e-12
PETS, SKY = ["cat", "dog"], ["sun", "moon"]
TEXTS = [["cat", "dog", "fur"], ["sun", "moon"], ["dog", "cat"], ["moon", "sun", "sky"], ["cat", "sun"]]


def windows_of(document, size):
    """Every window as a set of words; a short document is one window, and so is an empty one."""
    if size == 0 or len(document) <= size:
        return [set(document)]
    return [set(document[at : at + size]) for at in range(len(document) - size + 1)]


def by_hand(topic, texts, metric, size):
    """The definitions of Röder et al. 2015, pair by pair."""
    seen = [window for document in texts for window in windows_of(document, size)]

    def p(*words):
        return sum(all(word in window for word in words) for window in seen) / len(seen)

    def npmi(a, b):
        both = p(a, b)
        if both == 1:
            return 1.0
        if not p(a) or not p(b):
            return -1.0
        return min(1.0, math.log((both + EPSILON) / (p(a) * p(b))) / -math.log(both + EPSILON))

    pairs = [(later, earlier) for at, later in enumerate(topic) for earlier in topic[:at]]
    if metric == "u_mass":
        return np.mean([min(0.0, math.log((p(a, b) + EPSILON) / p(b))) if p(b) else math.log(EPSILON)
                        for a, b in pairs])  # fmt: skip
    if metric == "c_uci":
        return np.mean([math.log((p(a, b) + EPSILON) / (p(a) * p(b))) if p(a) and p(b) else math.log(EPSILON)
                        for a, b in pairs])  # fmt: skip
    if metric == "c_npmi":
        return np.mean([npmi(a, b) for a, b in pairs])
    known = {a: float(p(a) > 0) for a in topic}
    vectors = np.array([[known[a] * known[b] * (1.0 if a == b else npmi(a, b)) for b in topic] for a in topic])
    whole = vectors.sum(0)
    lengths = [np.linalg.norm(v) * np.linalg.norm(whole) for v in vectors]
    return np.mean([v @ whole / n if n else 0.0 for v, n in zip(vectors, lengths, strict=True)])


WORDS = st.sampled_from(list("abcdefg"))


@settings(max_examples=40)
@given(
    texts=st.lists(st.lists(WORDS, max_size=25), min_size=1, max_size=8),
    topics=st.lists(st.lists(WORDS, min_size=2, max_size=5, unique=True), min_size=1, max_size=3),
    window=st.integers(1, 12),
)
def test_coherence_is_what_counting_by_hand_gives(texts, topics, window):
    names = {"u_mass": 0, **{f"{m}(window={window})": window for m in ("c_uci", "c_npmi", "c_v")}}
    ev = cal.evaluate_topics(topics, texts, list(names))
    for name, size in names.items():
        for topic, found in zip(topics, ev.classes.values(), strict=True):
            assert float(found[name]) == pytest.approx(by_hand(topic, texts, name.partition("(")[0], size), abs=1e-12)


def test_windows_of_a_long_document_are_counted_in_tiles():
    """More windows than the kernel counts at once, words that repeat, and windows longer than a tile."""
    draw = np.random.default_rng(0)
    document = draw.choice(list("abcxyz"), 10_000, p=(0.001, 0.002, 0.3, 0.3, 0.3, 0.097)).tolist()
    for window in (1, 2, 64, 65, 5000, 9999, 10_000, 20_000):
        ev = cal.evaluate_topics([["a", "b", "c"]], [document], [f"c_uci(window={window})"])
        assert float(next(iter(ev.values()))) == pytest.approx(by_hand("abc", [document], "c_uci", window), abs=1e-12)


def test_words_that_are_always_together_have_an_npmi_of_1():
    ev = cal.evaluate_topics([PETS], [["cat", "dog"]] * 4 + [["dog", "cat"]], ["c_npmi", "c_v", "c_uci", "u_mass"])
    assert float(ev["c_npmi"]) == 1
    assert float(ev["c_v"]) == pytest.approx(1)
    assert float(ev["c_uci"]) == pytest.approx(0, abs=1e-11)
    assert ev["c_npmi"].flags == ("pairs of words that are in every window: 1 of 1; their NPMI is set to 1",)
    some = cal.evaluate_topics([PETS], [["cat", "dog"], ["sun"]], ["c_npmi"])
    assert float(some["c_npmi"]) == pytest.approx(1, abs=1e-15)
    assert float(some["c_npmi"]) <= 1


def test_words_that_never_occur_have_the_lowest_value_and_a_flag():
    ev = cal.evaluate_topics([["cat", "unicorn"], ["griffin", "unicorn"]], TEXTS)
    one, none = ev.classes.values()
    assert float(one["c_npmi"]) == float(none["c_npmi"]) == -1
    assert float(one["c_v"]) == 0.5  # the cat is like itself; nothing is known of the unicorn
    assert float(none["c_v"]) == 0
    assert float(none["u_mass"]) == float(none["c_uci"]) == pytest.approx(math.log(1e-12))
    assert none["c_npmi"].flags[0] == "words that never occur in the texts: 2 of 2"
    assert [f.code for f in ev.findings] == ["topics_without_support", "words_not_in_texts"]


def test_pairs_in_one_block_have_a_flag_since_the_constant_decides_without_it():
    found = cal.evaluate_topics([["cat", "sun"]], TEXTS, ["c_npmi", "u_mass"])["c_npmi"]  # together in one document
    assert found.flags[0].startswith("pairs of words that occur together in only one block of documents: 1 of 1")
    often = cal.evaluate_topics([PETS], TEXTS, ["c_npmi"])["c_npmi"]
    assert not any("one block" in flag for flag in often.flags)


def test_diversity_and_overlap():
    ev = cal.evaluate_topics([["a", "b", "c"], ["a", "b", "d"], ["x", "y", "z"]], TEXTS)
    assert float(ev["topic_diversity"]) == pytest.approx(7 / 9)  # 7 different words of 9
    assert float(ev["topic_overlap"]) == pytest.approx(np.mean([2 / 4, 0, 0]))
    assert float(ev["largest_overlap"]) == 0.5
    each = list(ev.classes.values())
    assert [float(e["topic_diversity"]) for e in each] == pytest.approx([2 / 3, 2 / 3, 1])
    assert [float(e["largest_overlap"]) for e in each] == [0.5, 0.5, 0]
    assert ev["topic_diversity"].reason == (
        "no interval: it depends on the words of the topics only, not on documents"
    )
    assert math.isnan(cal.evaluate_topics([PETS], TEXTS)["topic_overlap"])


def test_perplexity():
    likelihood, lengths = [-6.0, -4.0, -5.0, -9.0, -2.0], list(map(len, TEXTS))
    ev = cal.evaluate_topics([PETS], TEXTS, log_likelihood=likelihood)
    assert "perplexity" in list(ev)
    assert float(ev["perplexity"]) == pytest.approx(math.exp(26 / sum(lengths)))
    few = cal.evaluate_topics([PETS], TEXTS, "perplexity", log_likelihood=likelihood, tokens=[2, 2, 2, 2, 2])
    assert float(few["perplexity"]) == pytest.approx(math.exp(26 / 10))
    assert ev["perplexity"].low < float(ev["perplexity"]) < ev["perplexity"].high
    assert "perplexity" not in list(cal.evaluate_topics([PETS], TEXTS))


def test_the_jackknife_of_single_documents_is_the_textbook_one():
    """Every document is a block of its own: the variance is that of leaving each out."""
    likelihood = np.random.default_rng(3).normal(-30, 4, 12)
    candidates = [[f"w{i}"] * 10 for i in range(60)]
    part = next(reading.parts(Vocabulary((("a",),)), reading.documents(candidates)))
    texts = list(dict(zip(part.blocks.tolist(), candidates, strict=True)).values())[:12]
    ev = cal.evaluate_topics([PETS], texts, "perplexity", log_likelihood=likelihood)
    assert len(ev.views.topic_texts.filled) == 12
    left = np.array([math.exp(-np.delete(likelihood, i).sum() / 110) for i in range(12)])
    expected = math.sqrt(11 / 12 * ((left - left.mean()) ** 2).sum())
    assert ev["perplexity"].stderr == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("method", ["jackknife", "bca", "percentile", "basic"])
def test_every_interval_method(method):
    ev = articles(metrics=["c_v", "c_npmi"], interval=method)
    for name in ev:
        assert ev[name].low < ev[name].high
        assert method in ev[name].method
        assert ev[name].low - 0.06 < float(ev[name]) < ev[name].high + 0.06


def articles(**options):
    return cal.evaluate_topics(datasets.path("articles_topics.json"), datasets.path("articles.jsonl"), **options)


def documents():
    with open(datasets.path("articles.jsonl"), encoding="utf-8") as file:
        return [json.loads(line)["text"].split() for line in file]


def test_parts_are_merged_in_any_order_and_bytes_come_back():
    topics, texts = {"pets": PETS, "food": ["oven", "flour", "butter"]}, documents()
    whole = cal.evaluate_topics(topics, texts)
    parts = [cal.evaluate_topics(topics, texts[a:b]) for a, b in ((0, 7), (7, 200), (200, 300))]
    for order in itertools.permutations(parts):
        merged = cal.merge(cal.loads(part.to_bytes()) for part in order)
        assert merged.to_dict() == whole.to_dict()
    assert pickle.loads(pickle.dumps(whole)).to_dict() == whole.to_dict()
    with pytest.raises(InputError, match="these evaluations have different classes"):
        parts[0].merge(cal.evaluate_topics({"other": PETS}, texts))
    with pytest.raises(InputError, match="different topics or windows"):
        parts[0].merge(cal.evaluate_topics({"pets": SKY, "food": PETS}, texts))


def test_a_document_comes_back_and_shows_topics():
    ev = articles()
    read = cal.loads(ev.to_json())
    assert read.to_dict() == ev.to_dict()
    assert read.classes["mixture"]["c_v"].low == ev.classes["mixture"]["c_v"].low
    for lang in ("en", "vi", "zh"):
        assert read.to_text(lang) == ev.to_text(lang)
        assert ev.to_markdown(lang).startswith("### ")
    assert "Topic diversity" in ev.to_html()
    assert "mixture" in ev.to_html()


def test_an_iterable_is_read_once_and_not_kept():
    class Once:
        reads = 0

        def __iter__(self):
            self.reads += 1
            yield from (iter(document) for document in TEXTS)

    texts = Once()
    ev = cal.evaluate_topics([PETS, SKY], texts)
    assert texts.reads == 1
    assert ev.to_dict() == cal.evaluate_topics([PETS, SKY], TEXTS).to_dict()
    assert ev.to_dict() == cal.evaluate_topics((PETS, SKY), map(np.array, TEXTS)).to_dict()


@pytest.mark.parametrize("form", ["lines", "lists", "tokens", "text", "array", "packed"])
def test_files(tmp_path, form):
    lines = {
        "lines": [" ".join(t) for t in TEXTS] + ["", "  "],
        "lists": [json.dumps(t) for t in TEXTS],
        "tokens": [json.dumps({"tokens": t, "id": 1}) for t in TEXTS],
        "text": [json.dumps({"text": " ".join(t)}) for t in TEXTS],
        "array": [json.dumps(TEXTS)],
        "packed": [" ".join(t) for t in TEXTS],
    }[form]
    data = "\n".join(lines).encode()
    (tmp_path / "texts").write_bytes(gzip.compress(data) if form == "packed" else data)
    (tmp_path / "topics.txt").write_text("cat dog\nsun moon\n")
    expected = cal.evaluate_topics([PETS, SKY], TEXTS).to_dict()
    assert cal.evaluate_topics(tmp_path / "topics.txt", tmp_path / "texts").to_dict() == expected


def test_topics_of_files(tmp_path):
    path = tmp_path / "topics"
    for text, names in (
        ("cat dog\n\nsun moon", ("0: cat dog", "1: sun moon")),
        ('["cat", "dog"]\n["sun", "moon"]\n', ("0: cat dog", "1: sun moon")),
        ('[["cat", "dog"], ["sun", "moon"]]', ("0: cat dog", "1: sun moon")),
        ('{"pets": ["cat", "dog"], "sky": ["sun", "moon"]}', ("pets", "sky")),
        ('["cat", "dog"]', ("0: cat dog",)),
    ):
        path.write_text(text)
        assert cal.evaluate_topics(path, TEXTS).labels == names


def test_a_scikit_learn_model_is_read_with_its_vectorizer():
    decomposition = pytest.importorskip("sklearn.decomposition")
    text = pytest.importorskip("sklearn.feature_extraction.text")
    from sklearn.pipeline import make_pipeline

    raw = [" ".join(d) for d in documents()]
    vectorizer = text.CountVectorizer(stop_words=["new", "year"])
    model = decomposition.NMF(4, random_state=0).fit(vectorizer.fit_transform(raw))
    ev = cal.evaluate_topics(model, raw, vectorizer=vectorizer, top=5)
    terms, split = vectorizer.get_feature_names_out(), vectorizer.build_analyzer()
    topics = [[terms[i] for i in np.argsort(-row, kind="stable")[:5]] for row in model.components_]
    assert ev.to_dict() == cal.evaluate_topics(topics, map(split, raw)).to_dict()
    assert ev.to_dict() == cal.evaluate_topics(make_pipeline(vectorizer, model), raw, top=5).to_dict()
    assert all(len(topic) == 10 for topic in cal.evaluate_topics(
        model, raw, vectorizer=vectorizer).views.topic_texts.counts.topics)  # fmt: skip
    with pytest.raises(InputError, match="NMF has numbers for columns, not words: pass its vectorizer"):
        cal.evaluate_topics(model, raw)
    with pytest.raises(InputError, match="but the vectorizer has 2 terms"):
        cal.evaluate_topics(model, raw, vectorizer=["a", "b"])


def test_a_gensim_model_is_read_as_gensim_reads_it():
    """The two things that gensim's models have: get_topics, weights of all words, and id2word."""

    class Lda:
        id2word = ("cat", "sun", "dog", "moon")

        def get_topics(self):
            return np.array([[0.5, 0.1, 0.3, 0.1], [0.0, 0.6, 0.1, 0.3]])

    assert cal.evaluate_topics(Lda(), TEXTS, top=2).to_dict() == cal.evaluate_topics([PETS, SKY], TEXTS).to_dict()
    shown = [(0, [("cat", 0.5), ("dog", 0.3)]), (1, [("sun", 0.6), ("moon", np.float32(0.3))])]  # show_topics()
    assert cal.evaluate_topics(shown, TEXTS).to_dict() == cal.evaluate_topics([PETS, SKY], TEXTS).to_dict()


def test_a_real_gensim_model_is_read_directly():
    gensim = pytest.importorskip("gensim", reason="gensim is not installed: pip install gensim==4.4.0")
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel, LdaModel

    texts = documents()
    dictionary = Dictionary(texts)
    corpus = [dictionary.doc2bow(tokens) for tokens in texts]
    model = LdaModel(corpus, num_topics=4, id2word=dictionary, random_state=0)
    ev = cal.evaluate_topics(model, texts, ["u_mass", "topic_diversity"])
    shown = [[word for word, _ in words] for _, words in model.show_topics(-1, 10, formatted=False)]
    assert ev.views.topic_texts.counts.topics == tuple(map(tuple, shown))
    theirs = CoherenceModel(model, corpus=corpus, dictionary=dictionary, coherence="u_mass", topn=10)
    ours = [float(topic["u_mass"]) for topic in ev.classes.values()]
    assert ours == pytest.approx(theirs.get_coherence_per_topic(), abs=1e-9), gensim.__version__


def test_a_real_latent_dirichlet_allocation_is_read_directly():
    decomposition = pytest.importorskip("sklearn.decomposition")
    from sklearn.feature_extraction.text import CountVectorizer

    raw = [" ".join(tokens) for tokens in documents()]
    vectorizer = CountVectorizer()
    model = decomposition.LatentDirichletAllocation(3, max_iter=2, random_state=0).fit(vectorizer.fit_transform(raw))
    ev = cal.evaluate_topics(model, raw, ["c_npmi"], vectorizer=vectorizer)
    terms = vectorizer.get_feature_names_out()
    wanted = [[terms[i] for i in np.argsort(-row, kind="stable")[:10]] for row in model.components_]
    assert ev.views.topic_texts.counts.topics == tuple(map(tuple, wanted))
    assert ev.to_dict() == cal.evaluate_topics(wanted, map(str.split, raw), ["c_npmi"]).to_dict()


HOSTILE = [
    ({"topics": []}, "is empty: pass at least one topic"),
    ({"topics": [[]]}, "topic 0 has no words: leave it out"),
    ({"topics": [["a"], "sun moon"]}, "topic 1 is a text, 'sun moon': pass a list of words"),
    ({"topics": ["cat", "dog"]}, "topic 0 is a text"),
    ({"topics": [[b"cat"]]}, "topic 0 contains b'cat' of type bytes: words must be strings"),
    ({"topics": [[1, 2]]}, "topic 0 contains 1 of type int"),
    ({"topics": 3}, "has type int: pass a list of words per topic"),
    ({"topics": [None]}, "topic 0 has type NoneType"),
    ({"texts": []}, "has no documents"),
    ({"texts": ["cat dog"]}, "document 1 is a text, 'cat dog': split texts into tokens"),
    ({"texts": [["cat"], b"dog"]}, "document 2 is a text"),
    ({"texts": [["cat"], None]}, "document 2 is None: pass a list of tokens"),
    ({"texts": [["cat"], [1, 2]]}, "document 2 contains 1 of type int: tokens must be strings"),
    ({"texts": [["cat"], [("a", 2)]]}, "document 2 contains .* of type tuple"),
    ({"texts": 7}, "has type int: pass a list of tokens per document"),
    ({"texts": {"a": ["b"]}}, "has type dict"),
    ({"metrics": "accuracy"}, "accuracy is not a metric of topic models; available: c_v"),
    ({"metrics": "c_v(window=0)"}, "a window has a whole number of tokens, at least 1"),
    ({"metrics": "c_v(window=2.5)"}, "a window has a whole number of tokens"),
    ({"top": 0}, "top=0 is not a number of words"),
    ({"log_likelihood": 3.0}, "log_likelihood=3.0 is not a list"),
    ({"log_likelihood": [-1.0]}, "has 1 value, but there are more documents"),
    ({"log_likelihood": [-1.0] * 9}, "has more values than the 5 documents"),
    ({"log_likelihood": [-1.0, -2.0, 0.5, -1, -1]}, "the log-likelihood of document 3 is 0.5"),
    ({"log_likelihood": [-1.0, math.nan, -1, -1, -1]}, "the log-likelihood of document 2 is nan"),
    ({"log_likelihood": [-1.0] * 5, "tokens": [1, 2, 3, 4, -5]}, "tokens= has -5 for document 5"),
    ({"metrics": "perplexity"}, "there are no log-likelihoods of documents"),
    ({"window": 5}, "has no argument window="),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), HOSTILE, ids=lambda x: str(x)[:40])
def test_hostile_input(change, message):
    given = {"topics": [PETS, SKY], "texts": TEXTS} | change
    with pytest.raises((InputError, KeyError), match=message):
        cal.evaluate_topics(given.pop("topics"), given.pop("texts"), **given)


def test_words_that_come_twice_count_once():
    ev = cal.evaluate_topics([["cat", "dog", "cat"]], TEXTS)
    assert ev.views.topic_texts.counts.topics == (("cat", "dog"),)
    assert ev.notes == ("topic 0 has cat more than once; each word counts once",)


def test_small_input_has_answers_or_reasons():
    for texts in ([[]], [["cat"]], [[], [], []], [["cat", "dog"]]):
        for topics in ([PETS], [["cat"]], [["cat"], PETS]):
            ev = cal.evaluate_topics(topics, texts)
            for name in ev:
                assert not math.isnan(ev[name]) or ev[name].reason, name
                assert math.isnan(ev[name].low) or ev[name].low <= float(ev[name]) <= ev[name].high
            assert ev.to_text()
            assert json.dumps(ev.to_dict(), allow_nan=False)
    alone = cal.evaluate_topics([["cat"], PETS], TEXTS)
    assert alone["c_v"].flags[0] == "1 topic with one word was left out of the mean"
    only = next(iter(alone.classes.values()))
    assert only["c_v"].reason == "the topic has only one word, so it has no pairs of words"
    assert float(cal.evaluate_topics([["\ud800", "a"]], [["\ud800", "a"]])["c_npmi"]) == 1  # not valid as UTF-8


def test_what_other_results_say_of_topics():
    ev = cal.evaluate_topics([PETS, SKY], TEXTS, ["c_v"])
    assert ev["accuracy"].reason == "it is not for topic models"
    assert ev["c_npmi"].reason == "windows of 10 tokens were not counted: pass metrics= with c_npmi"
    assert cal.evaluate([0, 1], [0, 1])["c_v"].reason == "it is for topic models: use calipers.evaluate_topics"
    with pytest.raises(InputError, match="topics are lists of words"):
        ev.confusion  # noqa: B018


def test_the_chart_of_topics():
    pytest.importorskip("matplotlib")
    ax = articles(metrics=["c_v", "c_npmi"]).plot()
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert (names[0], names[-1]) == ("travel", "mixture")
    assert "C_v coherence per topic, 95% intervals" in ax.get_title(loc="left") + ax.get_title()
