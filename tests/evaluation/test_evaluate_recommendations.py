"""Recommendations: every form of input, the rules, brute force, intervals, merging and comparison."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import calipers as cal
from calipers.data.recommendations import read
from calipers.errors import InputError, UnknownName
from calipers.evaluation.evaluate_recommendations import Options, of_recommendations, recommendation_settings
from calipers.metrics.exposures import Exposures
from calipers.metrics.over.lists import exposures
from calipers.report.page import render
from calipers.statistics.recommended import RecommendedLists

TRUTH = {"ann": {"a": 5.0, "b": 2.0}, "bob": {"c": 4.0}, "cat": {"a": 3.0}}
SHOWN = {"ann": {"b": 0.9, "c": 0.8, "a": 0.7}, "bob": {"a": 0.9, "c": 0.5}, "cat": {"d": 0.3, "a": 0.2}}
HISTORY = {"ann": ["d"], "bob": ["a", "b"], "old": ["a", "d"]}
ITEMS = {"a": [1.0, 0.0], "b": [0.0, 2.0], "c": [1.0, 1.0], "d": [3.0, 0.0], "e": [0.0, 0.0]}
ALL = {"history": HISTORY, "items": ITEMS, "catalogue": list("abcde"), "min_rating": 3}
MORE = ["rating_rmse", "rating_mae", "rating_r2", "rating_bias", "mrr", "novelty@1", "intra_list_diversity@2",
        "exposure_gini@2"]  # fmt: skip
LISTED = ("catalogue_coverage", "exposure_gini", "exposure_entropy", "personalisation", "popularity_lift")


def columns(table, *names):
    rows = [(user, item, number) for user, one in table.items() for item, number in one.items()]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def values(ev, names=(*LISTED, *MORE)):
    return {name: float(ev[name]) for name in (*ev, *names)}


def expected():
    return values(cal.evaluate_recommendations(TRUTH, SHOWN, **ALL))


def forms(tmp_path):
    truth, shown = columns(TRUTH, "user", "item", "rating"), columns(SHOWN, "user", "item", "score")
    past = {"user": [u for u, items in HISTORY.items() for _ in items], "item": [*itertools.chain(*HISTORY.values())]}
    features = {"item": list(ITEMS), "x": [v[0] for v in ITEMS.values()], "y": [v[1] for v in ITEMS.values()]}
    rest = {"catalogue": list("abcde"), "min_rating": 3}
    yield truth, shown, {"history": past, "items": features, **rest}
    one, two, three, four = map(pd.DataFrame, (truth, shown, past, features))
    yield one, two, {"history": three, "items": four, **rest}
    other = {"user": "who", "item": "what", "rating": "stars!", "score": "likely"}
    one, two, three, four = (table.rename(columns=other) for table in (one, two, three, four))
    yield one, two, {"history": three, "items": four, **rest, **other}
    for table, name in ((truth, "truth"), (shown, "shown"), (past, "past"), (features, "features")):
        pd.DataFrame(table).to_csv(tmp_path / f"{name}.csv", index=False)
    yield (str(tmp_path / "truth.csv"), tmp_path / "shown.csv",
           {"history": str(tmp_path / "past.csv"), "items": str(tmp_path / "features.csv"), "min_rating": 3,
            "catalogue": str(tmp_path / "features.csv")})  # fmt: skip
    numbers = {name: k for k, name in enumerate("abcde")}
    users = {name: k for k, name in enumerate(("ann", "bob", "cat", "old"))}

    def matrix(table):
        cells = [(users[u], numbers[i], x) for u, one in table.items() for i, x in one.items()]
        rows, columns_of, data = zip(*cells, strict=True)
        return csr_array((data, (rows, columns_of)), shape=(4, 5))

    before = {user: dict.fromkeys(items, 1.0) for user, items in HISTORY.items()}
    numbered = {"catalogue": range(5), "min_rating": 3}
    items = csr_array(np.array(list(ITEMS.values())))
    yield matrix(TRUTH), matrix(SHOWN), {"history": matrix(before), "items": items, **numbered}


def test_every_form_gives_the_same_numbers(tmp_path):
    for truth, shown, more in forms(tmp_path):
        assert values(cal.evaluate_recommendations(truth, shown, **more)) == pytest.approx(expected(), nan_ok=True)


def test_the_order_of_lists_and_ranks_is_that_of_scores():
    names, known = ("novelty@1", "intra_list_diversity@2", "exposure_gini@2"), expected()
    best = {user: sorted(one, key=one.get, reverse=True) for user, one in SHOWN.items()}
    ranks = {"user": [u for u, one in best.items() for _ in one], "item": [*itertools.chain(*best.values())],
             "rank": [n for one in best.values() for n in range(1, len(one) + 1)]}  # fmt: skip
    frame = pd.DataFrame(ranks).sample(frac=1, random_state=0)
    for shown in (best, frame, {"user": ranks["user"], "item": ranks["item"]}):
        ev = cal.evaluate_recommendations(TRUTH, shown, **ALL)
        every = (*ev, *names)
        assert {n: float(ev[n]) for n in every} == pytest.approx({n: known[n] for n in every}, nan_ok=True)
        assert math.isnan(ev["rating_rmse"])
        assert ev.settings.ranking.ties == "order"


# Brute force


def brute(truth, shown, history, vectors, items, k):
    """Metrics of lists, one definition after the other."""
    lists = {user: shown.get(user, [])[:k] for user in {**truth, **shown}}
    count = {item: sum(item in one for one in lists.values()) for item in items}
    total = sum(count.values())
    rising = sorted(count.values())
    n = len(rising)
    filled = [set(one) for one in lists.values() if one]
    alike = [len(a & b) / math.sqrt(len(a) * len(b)) for a, b in itertools.combinations(filled, 2)]
    users = {item: sum(item in one for one in history.values()) for item in items}
    every = sum(users.values())

    def cosine(a, b):
        x, y = np.array(vectors[a]), np.array(vectors[b])
        return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y)) if x.any() and y.any() else 0.0

    def mean(each):
        each = [x for x in each if x == x]
        return float(np.mean(each)) if each else math.nan

    popular = {user: mean(users[i] / len(history) for i in one) for user, one in lists.items()}
    own = {user: mean(users[i] / len(history) for i in history.get(user, ())) for user in lists}
    both = [user for user in lists if popular[user] == popular[user] and own[user] == own[user]]

    def unexpected(user, item):
        return 1 - np.mean([cosine(item, past) for past in history[user]])

    tested = [user for user in truth if lists[user] and history.get(user)]
    return {
        "catalogue_coverage": sum(c > 0 for c in rising) / n,
        "exposure_gini": sum(abs(a - b) for a in rising for b in rising) / (2 * n * total),
        "exposure_entropy": -sum(c / total * math.log2(c / total) for c in rising if c),
        "personalisation": 1 - mean(alike),
        "popularity_lift": mean(popular[u] for u in both) / mean(own[u] for u in both) - 1 if both else math.nan,
        "average_popularity": mean(popular.values()),
        "novelty": mean(mean(-math.log2(users[i] / every) for i in one if users[i]) for one in lists.values()),
        "intra_list_diversity": mean(mean(1 - cosine(*two) for two in itertools.combinations(one, 2))
                                     for one in lists.values()),
        "serendipity": mean(sum(unexpected(u, i) * (i in truth[u]) for i in lists[u]) / len(lists[u]) for u in tested),
        "user_coverage": mean(bool(lists[user]) for user in truth),
    }  # fmt: skip


def drawn(seed):
    rng = np.random.default_rng(seed)
    items = list(range(int(rng.integers(5, 14))))

    def lists(users, most):
        return {u: rng.choice(items, int(rng.integers(1, most)), replace=False).tolist() for u in users}

    names = rng.permutation(12)
    truth, shown = lists(names[:8].tolist(), 4), lists(names[2:].tolist(), 6)
    return truth, shown, lists(names[1:9].tolist(), 5), {i: rng.normal(size=3).tolist() for i in items}, items


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 6))
def test_metrics_of_lists_by_brute_force(seed, k):
    truth, shown, history, vectors, items = drawn(seed)
    ev = cal.evaluate_recommendations(truth, shown, history=history, items=vectors, catalogue=items)
    known = brute(truth, shown, history, vectors, items, k)
    got = {name: float(ev[name if name == "user_coverage" else f"{name}@{k}"]) for name in known}
    assert got == pytest.approx(known, abs=1e-12, nan_ok=True)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), k=st.sampled_from([2, 6]))
def test_what_is_left_without_a_user_by_brute_force(seed, k):
    """The closed forms of values without a user, against evaluations without that user."""
    truth, shown, history, vectors, items = drawn(seed)
    ev = cal.evaluate_recommendations(truth, shown, history=history, items=vectors, catalogue=items)
    lists = ev.views.evidence.get(RecommendedLists)
    for name in ("coverage", "gini", "entropy", "personalisation"):
        left = getattr(Exposures(lists.first(k)), name).left_out()
        for at, user in enumerate(lists.users):
            rest = {u: one for u, one in shown.items() if u != user}
            alone = cal.evaluate_recommendations({next(iter(rest)): [items[0]]}, rest, catalogue=items)
            other = getattr(Exposures(alone.views.evidence.get(RecommendedLists).first(k)), name).value
            assert left[at] == pytest.approx(other, abs=1e-12), (name, user)


def test_the_jackknife_of_rating_errors_leaves_out_users():
    rng = np.random.default_rng(3)
    truth = {u: {i: float(rng.integers(1, 6)) for i in range(6)} for u in range(20)}
    shown = {u: {i: truth[u][i] + rng.normal() for i in range(4)} for u in range(20)}
    errors = [np.array([shown[u][i] - truth[u][i] for i in range(4)]) for u in range(20)]
    ev = cal.evaluate_recommendations(truth, shown, ["rating_rmse", "rating_mae"])
    assert ev["rating_rmse"] == pytest.approx(np.sqrt(np.mean(np.concatenate(errors) ** 2)))
    left = [np.mean(np.abs(np.concatenate(errors[:u] + errors[u + 1 :]))) for u in range(20)]
    assert ev["rating_mae"].stderr == pytest.approx(np.sqrt(19 / 20 * np.sum((left - np.mean(left)) ** 2)))
    assert ev["rating_mae"].n == 20
    assert ev["rating_mae"].method == "jackknife (log)"


# Rules


def test_seen_items_are_counted_or_removed():
    kept = cal.evaluate_recommendations(TRUTH, SHOWN, history={"bob": ["a", "c"], "cat": ["e"]})
    assert any(note.startswith("2 recommended items were in the user's own history: counted") for note in kept.notes)
    dropped = cal.evaluate_recommendations(TRUTH, SHOWN, history={"bob": ["a"], "cat": ["d", "d"]}, seen="drop")
    assert {"2 recommended items were in the user's own history: removed",
            "1 repeated pair in the history: each pair counts once"} <= set(dropped.notes)  # fmt: skip
    assert dropped["mrr"] == 1.0
    with pytest.raises(InputError, match="nothing is left after removing"):
        cal.evaluate_recommendations({"bob": ["a"]}, {"bob": ["a"]}, history={"bob": ["a"]}, seen="drop")


def test_truth_that_was_seen_is_removed_too():
    ev = cal.evaluate_recommendations({"u": ["a", "b"]}, {"u": ["a", "b", "c"]}, history={"u": ["a"]}, seen="drop")
    assert ev["recall@1"] == 1.0


def test_unknown_items():
    message = r"3 recommended items are not in catalogue=, for example 'a' for user 'ann' \(row 2\)"
    with pytest.raises(InputError, match=message):
        cal.evaluate_recommendations(TRUTH, SHOWN, catalogue=["b", "c", "d"])
    ev = cal.evaluate_recommendations(TRUTH, SHOWN, catalogue=["b", "c", "d"], unknown_items="drop")
    assert "3 recommended items outside the catalogue: removed" in ev.notes
    assert "1 item of the truth is not in the catalogue and counts as not found" in ev.notes
    assert ev["catalogue_coverage"] == 1.0
    assert ev["recall@10"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    with pytest.raises(InputError, match="no item of recommendations is in catalogue="):
        cal.evaluate_recommendations(TRUTH, SHOWN, catalogue=["x"], unknown_items="drop")


def test_users_of_one_side_only():
    shown = {"ann": ["a"], "eve": ["b"], "zoe": ["c"]}
    ev = cal.evaluate_recommendations(TRUTH, shown, history=HISTORY)
    assert ev.rows == 3
    assert (ev["recall@10"].n, ev["novelty@10"].n, ev["catalogue_coverage@10"].n) == (3, 2, 3)
    assert ev["user_coverage"] == pytest.approx(1 / 3)
    assert "2 users are in the truth but have no recommendations: count as 0" in ev.notes
    assert "2 users have recommendations but are not in the truth: used by metrics of lists only" in ev.notes
    assert ev["recall@10"] == pytest.approx(0.5 / 3)
    assert cal.evaluate_recommendations(TRUTH, shown, missing_users="skip")["recall@10"] == 0.5


@pytest.mark.parametrize(
    ("truth", "shown", "more", "message"),
    [
        ({"ann": ["a"]}, {"eve": ["a"]}, {}, r"no user is in both the truth \('ann'\) and the recommendations"),
        ({}, SHOWN, {}, "truth is empty"),
        (TRUTH, {"ann": []}, {}, "recommendations is empty"),
        (TRUTH, {"ann": ["a", "a"]}, {}, r"recommendations has item 'a' twice for user 'ann' \(again at row 1\)"),
        ({"u": ["a", "b", "a"]}, {"u": ["a"]}, {}, "truth has item 'a' twice for user 'u'"),
        (TRUTH, {"ann": {"a": 0.5, "b": math.nan}}, {}, r"1 recommended item has no score or rank \(NaN\)"),
        ({"u": {"a": math.nan}}, {"u": ["a"]}, {}, "the rating at row 0 of the truth is missing"),
        ({"u": {"a": -1.0}}, {"u": ["a"]}, {}, "relevance cannot be negative: pass min_rating="),
        (TRUTH, {"ann": {"a", "b"}}, {}, "are a set, which has no order"),
        (TRUTH, {"ann": "ab"}, {}, r"recommendations\['ann'\] is str"),
        (TRUTH, [1, 2], {}, "recommendations is list: pass a data frame"),
        ({"u": ["a"]}, {"u": ["a"], 1: ["a"]}, {}, "user of recommendations mixes str and int"),
        (TRUTH, SHOWN, {"catalogue": "abc"}, "catalogue= is str: pass a list"),
        (TRUTH, SHOWN, {"catalogue": []}, "catalogue= is empty"),
        (TRUTH, SHOWN, {"seen": "hide"}, r"seen='hide' is not known: pass keep or drop"),
        (TRUTH, SHOWN, {"unknown_items": "keep"}, "unknown_items='keep' is not known"),
        (TRUTH, SHOWN, {"missing_users": "one"}, "missing_users='one' is not known"),
        (TRUTH, SHOWN, {"items": {"a": [1.0]}}, "items= lacks 3 recommended items, for example 'b'"),
        (TRUTH, SHOWN, {"items": {**ITEMS, "a": [math.inf, 0.0]}}, "item 'a' of items= has a feature that is missing"),
        (TRUTH, SHOWN, {"items": {**ITEMS, "a": [1.0]}}, "a vector of the same length"),
        (TRUTH, SHOWN, {"items": {"item": list("abcd")}}, "has the column 'item' only"),
        (TRUTH, SHOWN, {"metrics": ["roc_auc"]}, "roc_auc does not measure recommendations: choose from"),
        (TRUTH, SHOWN, {"metrics": ["novelty"]}, "novelty: it needs history="),
        (TRUTH, SHOWN, {"metrics": ["intra_list_diversity"]}, "intra_list_diversity: it needs items="),
        (TRUTH, SHOWN, {"metrics": ["serendipity"], "items": ITEMS}, "serendipity: it needs history="),
    ],
)  # fmt: skip
def test_what_cannot_be_evaluated_is_an_error(truth, shown, more, message):
    with pytest.raises((InputError, UnknownName), match=message):
        cal.evaluate_recommendations(truth, shown, **more)


def test_a_foreign_argument():
    with pytest.raises(TypeError, match="no argument min_ratings="):
        cal.evaluate_recommendations(TRUTH, SHOWN, min_ratings=3)


def test_metrics_of_lists_are_not_of_rankings_nor_of_rows():
    with pytest.raises(InputError, match="novelty"):
        cal.evaluate_ranking(TRUTH, SHOWN, ["novelty"])
    with pytest.raises(InputError, match=r"use calipers\.evaluate_recommendations"):
        cal.metrics.novelty([0, 1], [0, 1])
    assert "calipers.evaluate_recommendations" in cal.evaluate([0, 1, 1], [0, 1, 0])["exposure_gini"].reason


def test_ratings_are_grades_unless_a_limit_is_set():
    graded = cal.evaluate_recommendations(TRUTH, SHOWN)
    assert any("ratings (up to 5) are used as grades" in note for note in graded.notes)
    gain = (2 + 5 / 2) / (5 + 2 / math.log2(3))
    assert graded.per_query["ndcg@10"][0] == pytest.approx(gain)
    binary = cal.evaluate_recommendations(TRUTH, SHOWN, min_rating=4)
    assert binary.per_query["ndcg@10"][0] == pytest.approx(1 / 2)
    assert "1 user without a relevant item: count as 0" in binary.notes


# Results


def many(seed=4, users=60, items=40):
    rng = np.random.default_rng(seed)
    weight = 1 / np.arange(1, items + 1)
    draw = lambda n: rng.choice(items, n, replace=False, p=weight / weight.sum()).tolist()  # noqa: E731
    return [{f"u{u}": draw(n) for u in range(users)} for n in (4, 12, 6)]


def test_parts_are_merged():
    truth, shown, history = many()
    more = {"history": history, "items": np.random.default_rng(0).random((40, 3)), "catalogue": range(40)}
    whole = cal.evaluate_recommendations(truth, shown, **more)
    part = lambda one, half: {u: x for u, x in one.items() if int(u[1:]) % 2 == half}  # noqa: E731
    halves = [cal.evaluate_recommendations(part(truth, half), part(shown, half), **more) for half in (0, 1)]
    merged = cal.merge(halves)
    assert values(merged, LISTED) == pytest.approx(values(whole, LISTED))
    for name in whole:
        assert (merged[name].low, merged[name].high) == pytest.approx((whole[name].low, whole[name].high), nan_ok=True)
    with pytest.raises(InputError, match="the parts have different history="):
        cal.merge([halves[0], cal.evaluate_recommendations({"x": [1]}, {"x": [1]}, **{**more, "history": {"x": [1]}})])


def test_bytes_and_documents():
    truth, shown, history = many()
    ev = cal.evaluate_recommendations(truth, shown, history=history)
    back = cal.loads(ev.to_bytes())
    assert values(back, ["novelty@3", "exposure_gini@3"]) == values(ev, ["novelty@3", "exposure_gini@3"])
    document = cal.loads(ev.to_json())
    assert {name: float(document[name]) for name in document} == {name: float(ev[name]) for name in ev}
    assert document.task == "recommendation"
    assert document.to_text() == ev.to_text()


def test_recommenders_are_compared_by_user():
    truth, first, history = many()
    second = many(5)[1]
    del second["u3"]
    rules = {"history": history, "catalogue": range(40)}
    compared = cal.compare(truth, {"a": first, "b": second}, task="recommendation", rules=rules)
    apart = [cal.evaluate_recommendations(truth, shown, **rules) for shown in (first, second)]
    for name in ("ndcg@10", "exposure_gini@10", "novelty@10", "user_coverage"):
        d = next(iter(compared[name].values()))
        assert d.difference == pytest.approx(float(apart[1][name]) - float(apart[0][name]), abs=0.01), name
        assert d.low < d.difference < d.high
    gini = next(iter(compared["exposure_gini@10"].values()))
    lists = [ev.views.evidence.get(RecommendedLists) for ev in compared.models.values()]
    assert lists[0].users == lists[1].users
    left = [Exposures(one.first(10)).gini.left_out() for one in lists]
    gaps = left[1] - left[0]
    error = math.sqrt(59 / 60 * np.sum((gaps - gaps.mean()) ** 2))
    assert abs(gini.high - gini.low) > 2 * 1.9 * error
    same = cal.compare(truth, {"a": first, "b": dict(first)}, task="recommendation", metrics=["exposure_gini@10"])
    assert next(iter(same["exposure_gini@10"].values())).difference == 0
    with pytest.raises(InputError, match="recommender 'b': recommendations is empty"):
        cal.compare(truth, {"a": first, "b": {"u1": []}}, task="recommendation")
    with pytest.raises(TypeError, match="no argument histories="):
        cal.compare(truth, {"a": first, "b": first}, task="recommendation", rules={"histories": history})


def test_a_default_catalogue_is_the_same_for_all_recommenders():
    compared = cal.compare({"u": ["a"]}, {"a": {"u": ["a"]}, "b": {"u": ["b", "c"]}}, task="recommendation",
                           metrics=["catalogue_coverage"])  # fmt: skip
    assert [float(ev["catalogue_coverage"]) for ev in compared.models.values()] == pytest.approx([1 / 3, 2 / 3])


def test_a_curve_and_its_chart():
    truth, shown, _ = many()
    ev = cal.evaluate_recommendations(truth, shown, catalogue=range(40))
    curve = ev.curve("exposure", k=12)
    area = np.trapezoid(curve.exposure, curve.items_share)
    assert 1 - 2 * area == pytest.approx(float(ev["exposure_gini@12"]))
    with pytest.raises(InputError, match="recommendations have no roc curve"):
        ev.curve("roc")
    assert ev.plot().get_xlabel() == "items, least recommended first"
    page = render(ev)
    assert 'id="exposure"' in page
    assert "<h2>Users</h2>" in page
    assert "The 10 worst users by nDCG@10" in page


def test_groups_of_users_share_what_was_found_of_a_cutoff():
    truth, shown, _ = many()
    ev = cal.evaluate_recommendations(truth, shown)
    measure = cal.metric("exposure_gini@10")
    assert exposures(measure, ev.views) is exposures(measure, ev.views)


def test_reading_in_steps_is_reading_at_once():
    options = Options(**ALL)
    known = read(options.pairs(TRUTH, "truth"), options.pairs(SHOWN, "recommendations"), options.given, options.how())
    ev = of_recommendations(recommendation_settings(None, options), known)
    assert values(ev) == expected()


def test_the_table_of_users_has_the_metrics_of_their_lists():
    truth, shown = {"ann": ["a"], "bob": ["b"]}, {"ann": ["a", "c"], "bob": ["c", "b"], "new": ["a"]}
    ev = cal.evaluate_recommendations(truth, shown, ["mrr", "novelty"], history={"x": ["a", "b"], "y": ["a", "c"]})
    assert list(ev.per_query) == ["user", "mrr", "novelty", "retrieved", "relevant", "unjudged"]
    assert ev.per_query["novelty"].tolist() == pytest.approx([1.5, 2.0])
    parts = [cal.evaluate_recommendations({u: truth[u]}, {u: shown[u]}, ["novelty"], history={"x": ["a", "b"]},
                                          catalogue=["a", "b", "c"]) for u in truth]  # fmt: skip
    assert cal.merge(parts).per_query["novelty"].tolist() == [1.0, 1.0]


def test_a_lowest_rating_needs_ratings():
    with pytest.raises(InputError, match=r"min_rating=4.* needs ratings, but the truth has none"):
        cal.evaluate_recommendations({"ann": ["a"]}, {"ann": ["a"]}, min_rating=4)


def test_what_a_user_had_before_is_found_for_any_order_of_rows():
    """Against sets, with users and items that only one of the tables has, and pairs that the history repeats."""
    rng = np.random.default_rng(3)
    past = {"user": rng.integers(0, 12, 90), "item": rng.integers(0, 15, 90)}
    pairs = {(u, i) for u, i in zip(past["user"].tolist(), past["item"].tolist(), strict=True)}
    shown = [(u, i) for u in range(3, 20) for i in rng.permutation(18)[:6].tolist()]
    shown = [shown[k] for k in rng.permutation(len(shown))]
    liked = {u: [u % 18, (u + 5) % 18] for u in range(5, 16)}
    run = {"user": [u for u, _ in shown], "item": [i for _, i in shown]}
    kept = cal.evaluate_recommendations(liked, run, ["recall@10", "novelty"], history=past)
    dropped = cal.evaluate_recommendations(liked, run, ["recall@10", "novelty"], history=past, seen="drop")
    seen = [pair for pair in shown if pair in pairs]
    assert any(f"{len(seen)} recommended items were in the user's own history" in note for note in kept.notes)
    assert any(f"{90 - len(pairs)} repeated pairs in the history" in note for note in kept.notes)
    left = [pair for pair in shown if pair not in pairs]
    new = {u: [i for i in items if (u, i) not in pairs] for u, items in liked.items()}
    users = [u for u in new if new[u]]
    expected = [np.mean([i in [x for v, x in left if v == u] for i in new[u]]) for u in users]
    found = dict(zip(dropped.per_query["user"].tolist(), dropped.per_query["recall@10"].tolist(), strict=True))
    assert [found[u] for u in users] == pytest.approx(expected)


def test_a_difference_that_is_open_counts_users():
    rng = np.random.default_rng(0)
    truth = {u: [int(rng.integers(20))] for u in range(40)}
    a, b = ({u: rng.permutation(20)[:10].tolist() for u in truth} for _ in range(2))
    found = cal.compare(truth, {"a": a, "b": b}, task="recommendation", metrics=["ndcg@10"])
    assert "more users needed" in repr(found["ndcg@10"])
    assert "more users needed" in repr(cal.loads(found.to_json())["ndcg@10"])


def test_a_value_on_its_bound_has_an_interval_of_one_side():
    shown = {u: [u % 4, (u + 1) % 4] for u in range(30)}
    ev = cal.evaluate_recommendations({0: [1]}, shown, ["catalogue_coverage", "personalisation"], catalogue=range(4))
    assert (float(ev["catalogue_coverage"]), ev["catalogue_coverage"].high) == (1, 1)
    assert ev["catalogue_coverage"].low == pytest.approx(30 / (30 + 1.959964**2), abs=1e-5)
    same = cal.evaluate_recommendations({0: [1]}, {u: [1, 2] for u in range(30)}, ["personalisation"])
    assert (float(same["personalisation"]), same["personalisation"].low) == pytest.approx((0, 0), abs=1e-12)
    assert 0 < same["personalisation"].high < 0.2
