"""The laws of every statistic in the registry: a commutative monoid with replication, and bytes that come back."""

import contextlib
import importlib
import itertools
import pkgutil
import struct
import zlib
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers.statistics
from calipers.errors import InputError
from calipers.metrics.probabilities import log_loss_of_rows, log_losses, squared_losses
from calipers.statistics.base import Statistic
from calipers.statistics.class_sketches import ClassSketches
from calipers.statistics.classes import ClassScores
from calipers.statistics.combine import Evidence
from calipers.statistics.confusion import ConfusionCounts
from calipers.statistics.contingency import Contingency
from calipers.statistics.errors import Errors
from calipers.statistics.labels import LabelCounts, LabelPairs
from calipers.statistics.losses import Loss
from calipers.statistics.moments import ORDERS, JointMoments, Losses, Moments
from calipers.statistics.portable import FORMAT, START
from calipers.statistics.queries import QueryGains
from calipers.statistics.ranks import RankCounts
from calipers.statistics.recommended import RatingErrors, RecommendedLists
from calipers.statistics.rows import Rows
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.sketch import ScoreSketch
from calipers.statistics.word_counts import WordCounts

for module in pkgutil.iter_modules(calipers.statistics.__path__):
    importlib.import_module(f"calipers.statistics.{module.name}")

SEEDS = st.integers(0, 2**32 - 1)


def several(*kinds):
    return partial(Evidence.of, recipes={kind.__name__: kind.of for kind in kinds})


STEPS = {"err": ("err", 5.0, 1.0, 3.0), "bpref": ("bpref", np.inf, 1.0, 0.0), "mrr": ("mrr", 3.0, 2.0, 0.0)}

# For each statistic: how it is made of a batch, and the kinds of rows (conftest.py) it is made of.
MADE = {
    "ConfusionCounts": [
        (ConfusionCounts.of, "binary labels"),
        (ConfusionCounts.of, "classes"),
        (ConfusionCounts.of, "matrix"),
    ],
    "LabelCounts": [(LabelCounts.of, "label sets")],
    "LabelPairs": [(LabelPairs.of, "label sets")],
    "ScoreSamples": [(ScoreSamples.of, "probabilities"), (ScoreSamples.of, "margins"), (ScoreSamples.of_top, "matrix")],
    # Within its budget; beyond, its law is enclosure: tests/fuzz/sketches.py, tests/statistics/test_sketch.py.
    "ScoreSketch": [(ScoreSketch.of, "probabilities"), (ScoreSketch.of, "margins")],
    "ClassSketches": [(ClassSketches.of, rows) for rows in ("matrix", "score matrix", "label sets")],
    "ClassScores": [(ClassScores.of, "matrix"), (ClassScores.of, "score matrix"), (ClassScores.of, "label sets")],
    "RankCounts": [(RankCounts.of, "matrix"), (RankCounts.of, "score matrix")],
    "QueryGains": [(QueryGains.of, "queries"), (partial(QueryGains.of, steps=STEPS), "queries")],
    "Moments": [(Moments.of, "classes"), (partial(Moments.of, measure=log_loss_of_rows), "matrix")],
    "Losses": [(log_losses, "matrix"), (squared_losses, "matrix"), (log_losses, "probabilities")],
    "Evidence": [
        (Evidence.of, "classes"),
        (several(ClassScores, RankCounts, Moments), "matrix"),
        (several(LabelCounts, ClassScores), "label sets"),
    ],
    "JointMoments": [(JointMoments.of, "numbers")],
    "Contingency": [(Contingency.of, "clusters")],
    "RecommendedLists": [(RecommendedLists.of, "lists")],
    "RatingErrors": [(RatingErrors.of, "lists")],
    "WordCounts": [(partial(WordCounts.of, sizes=(0, 3)), "documents")],
    "Errors": [
        (Errors.of, "numbers"),
        (partial(Errors.of_outputs, losses=[Loss("squared"), Loss("percentage"), Loss("huber", 0.5)]), "outputs"),
    ],
    "Rows": [(Rows.of, "numbers"), (Rows.of, "outputs")],
}
CASES = [pytest.param(*case, id=f"{name}-{case[1]}") for name, cases in MADE.items() for case in cases]


def test_every_statistic_has_a_generator():
    assert {kind.__name__ for kind in Statistic.registry.values() if issubclass(kind, Statistic)} == set(MADE)


def count(s):
    """Rows behind a statistic."""
    if isinstance(s, Evidence):
        return sum(map(count, s.parts.values()))
    return s.n if isinstance(s, (Moments, JointMoments, Losses, Errors, Rows)) else s.rows


def table(*columns):
    """Rows of several columns, as a sorted list: a multiset."""
    flat = [np.reshape(c, (len(c), -1)).astype(np.float64) for c in columns if c is not None and len(c)]
    return sorted(map(tuple, np.hstack(flat).tolist())) if flat else []


def same(a, b):
    """Equal: exactly where counts and scores are kept, to rounding where floating sums are."""
    assert type(a) is type(b)
    if isinstance(a, Evidence):
        assert a.parts.keys() == b.parts.keys()
        for key, part in a.parts.items():
            same(part, b.parts[key])
    elif isinstance(a, ScoreSamples):
        assert table(a.pos, a.pos_weights) == table(b.pos, b.pos_weights)
        assert table(a.neg, a.neg_weights) == table(b.neg, b.neg_weights)
        assert all((np.diff(x[np.isfinite(x)]) >= 0).all() for x in (a.pos, a.neg, b.pos, b.neg))
    elif isinstance(a, ClassSketches):
        assert a.labels == b.labels
        for mine, theirs in zip(a.sketches, b.sketches, strict=True):
            same(mine, theirs)
    elif isinstance(a, ScoreSketch):
        assert table(a.low, a.high, a.pos, a.neg) == table(b.low, b.high, b.pos, b.neg)
        assert np.allclose(a._weights, b._weights, rtol=1e-12, atol=0)
        assert (a.losses is None) == (b.losses is None)
        for mine, theirs in zip(a.losses or (), b.losses or (), strict=True):
            same(mine, theirs)
    elif isinstance(a, QueryGains):
        assert not len(a.queries) or a.names == b.names
        assert table(a.values, a.counts, a.missing) == table(b.values, b.counts, b.missing)
        assert len(a.queries) == len(b.queries) == len(a.values)
    elif isinstance(a, RecommendedLists):
        assert not len(a.users) or (a.items, a.history_users) == (b.items, b.history_users)
        assert a.seen == b.seen
        for k in (2, np.inf):
            mine, theirs = (
                sorted(
                    str([one.tested[at], one.codes[begin:end].tolist(), one.relevant[begin:end].tolist(),
                         one.profile[at], one.taste[at].tolist()])
                    for at, (begin, end) in enumerate(itertools.pairwise(one.starts.tolist()))
                )
                for one in (a.first(k), b.first(k))
            )  # fmt: skip
            assert mine == theirs
    elif isinstance(a, RatingErrors):
        assert table(a.totals) == table(b.totals)
        assert len(a.users) == len(b.users)
    elif isinstance(a, ClassScores):
        assert a.labels == b.labels
        assert table(a.truth, a.scores, a.weights) == table(b.truth, b.scores, b.weights)
    elif isinstance(a, Rows):
        assert table(a.truth, a.predictions, a.weights) == table(b.truth, b.predictions, b.weights)
    elif isinstance(a, Errors):
        assert a.losses.keys() == b.losses.keys()
        for mine, theirs in ((a.joint, b.joint), (a.sizes, b.sizes), *((a.losses[k], b.losses[k]) for k in a.losses)):
            same(mine, theirs)
        assert (a.least_truth, a.least_predicted, a.largest) == (b.least_truth, b.least_predicted, b.largest)
    elif isinstance(a, Contingency):
        cells = [list(zip(*(x.tolist() for x in (s.rows_of, s.columns_of, s.cells)), strict=True)) for s in (a, b)]
        assert cells[0] == cells[1] == sorted(cells[0])
        assert (a.classes, a.clusters, a.noise, a.rows) == (b.classes, b.clusters, b.noise, b.rows)
    elif isinstance(a, WordCounts):
        assert (a.topics, a.sizes) == (b.topics, b.sizes)
        for name in ("counts", "documents", "tokens", "scored", "scored_tokens"):
            assert getattr(a, name).tolist() == getattr(b, name).tolist(), name
        np.testing.assert_allclose(a.log_likelihood, b.log_likelihood, rtol=1e-12)
    elif isinstance(a, Losses):
        same(a.moments, b.moments)
        assert (a.wrong, a.other) == pytest.approx((b.wrong, b.other), rel=1e-12)
    elif isinstance(a, JointMoments):
        assert a.n == b.n
        np.testing.assert_allclose([a.weight, a.squares], [b.weight, b.squares], rtol=1e-12)
        reach = [1 + abs(a.sums[i]) + (a.sums[2 + 2 * i] / a.weight) ** 0.5 if a.weight else 1.0 for i in (0, 1)]
        scales = [*reach, *(reach[0] ** j * reach[1] ** k * max(1.0, a.weight) for j, k in ORDERS)]
        for mine, theirs, scale in zip(a.sums, b.sums, scales, strict=True):
            assert mine == pytest.approx(theirs, abs=1e-12 * scale, nan_ok=True)
    elif isinstance(a, Moments):
        reach = max(1.0, abs(a.mean)) + (a.m2 / a.weight) ** 0.5 if a.weight else 1.0
        assert a.n == b.n
        np.testing.assert_allclose([a.weight, a.squares], [b.weight, b.squares], rtol=1e-12)
        for power, name in ((1, "mean"), (2, "m2"), (3, "m3")):
            scale = reach**power * (1 if power == 1 else max(1.0, a.weight))
            assert getattr(a, name) == pytest.approx(getattr(b, name), abs=1e-12 * scale), name
    else:
        assert getattr(a, "labels", ()) == getattr(b, "labels", ())
        assert a.rows == b.rows
        assert (a.squares is None) == (b.squares is None)
        mine, theirs = (getattr(x, "counts", None) if hasattr(x, "counts") else x.cells for x in (a, b))
        for x, y in ((mine, theirs), (a.squares, b.squares)):
            if x is not None and x.dtype.kind == "i":
                assert x.tolist() == y.tolist()
            elif x is not None:
                np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12 * max(1.0, float(np.max(x, initial=0))))


def split_points(rng, n):
    return np.sort(rng.integers(0, n + 1, 2))


@pytest.mark.parametrize(("make", "kind"), CASES)
@settings(max_examples=40)
@given(seed=SEEDS, weighted=st.booleans())
def test_monoid(rows, make, kind, seed, weighted):
    sample = rows(kind, seed, weighted=weighted, grouped=True)
    whole = make(sample.batch())
    first, second = split_points(np.random.default_rng(seed), len(sample))
    slices = [slice(0, first), slice(first, second), slice(second, None)]
    parts = [make(sample.take(part).batch()) for part in slices if len(sample.truth[part])]
    empty = type(whole).empty()
    same(empty.merge(whole), whole)
    same(whole.merge(empty), whole)
    same(empty.merge(empty), empty)
    a, b, c = (parts * 3)[:3]
    same(a.merge(b).merge(c), a.merge(b.merge(c)))
    same(a.merge(b), b.merge(a))
    merged = empty
    for part in parts:
        merged = merged.merge(part)
    same(merged, whole)
    same(empty.merge_many(parts), whole)


@pytest.mark.parametrize(("make", "kind"), CASES)
@settings(max_examples=40)
@given(seed=SEEDS, weighted=st.booleans(), k=st.integers(1, 4))
def test_scale_is_repetition(rows, make, kind, seed, weighted, k):
    sample = rows(kind, seed, weighted=weighted, grouped=True)
    one = make(sample.batch())
    same(one.scale(k), make(sample.take(np.tile(np.arange(len(sample)), k)).batch()))
    none = one.scale(0)
    assert count(none) == 0
    same(none.merge(one), one)


@pytest.mark.parametrize(("make", "kind"), CASES)
@settings(max_examples=25)
@given(seed=SEEDS)
def test_no_weights_stand_for_ones_beside_weights(rows, make, kind, seed):
    plain, weighed = (rows(kind, seed, weighted=w, dtype=np.float64, classes=3, names="str") for w in (False, True))
    both = make(plain.batch()).merge(make(weighed.batch()))
    ones = make(rows_with_weight_one(plain).batch()).merge(make(weighed.batch()))
    same(both, ones)


def rows_with_weight_one(sample):
    return type(sample)(sample.truth, sample.pred, sample.score, np.ones(len(sample)), sample.group, sample.options)


@pytest.mark.parametrize(("make", "kind"), CASES)
@settings(max_examples=25)
@given(seed=SEEDS, at=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_bytes(rows, make, kind, seed, at, flip):
    statistic = make(rows(kind, seed, grouped=True).batch())
    data = statistic.to_bytes()
    back = Statistic.from_bytes(data)
    same(back, statistic)
    assert back.to_bytes() == data
    place = int(at * len(data))
    for damaged in (data[:place], data + b"\0"):
        with pytest.raises(InputError, match="these bytes"):
            Statistic.from_bytes(damaged)
    changed = data[:place] + bytes([data[place] ^ flip]) + data[place + 1 :]
    with contextlib.suppress(InputError):  # inside an array it cannot be known; elsewhere it is this and nothing else
        assert isinstance(Statistic.from_bytes(changed), Statistic)


def test_one_wrong_bit_anywhere_is_an_input_error_or_goes_unseen():
    """Never a SyntaxError of a dtype or a warning: damaged bytes come from files and queues."""
    data = ConfusionCounts(("a", "b"), np.array([[1, 2], [3, 4]]), None, 10).to_bytes()
    for place, bit in itertools.product(range(len(data)), range(8)):
        changed = data[:place] + bytes([data[place] ^ (1 << bit)]) + data[place + 1 :]
        with pytest.raises(InputError):
            Statistic.from_bytes(changed)


def sealed(data):
    """The bytes with a checksum that fits, as another version of the library would have written them."""
    return data[:16] + struct.pack("<I", zlib.crc32(data[START:])) + data[START:]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda d: sealed(d.replace(b'"version": 1', b'"version": 9', 1)),
            "this ConfusionCounts has version 9; this version of Calipers reads version 1",
        ),
        (
            lambda d: d[:8] + bytes([FORMAT + 1]) + d[9:],
            f"have format {FORMAT + 1}; this version of Calipers reads format {FORMAT}",
        ),
        (lambda d: sealed(d.replace(b"ConfusionCounts", b"ConfusionCountz")), "no statistic is called"),
        (lambda d: sealed(d.replace(b"<i8", b",i8")), "these bytes are damaged or incomplete"),
        (lambda d: sealed(d[:-8]), "these bytes are damaged or incomplete"),
        (lambda d: b"GIF89a" + d, "are not a Calipers statistic"),
        (lambda d: b"", "are not a Calipers statistic"),
    ],
)
def test_bytes_of_another_time(change, message):
    data = ConfusionCounts(("a", "b"), np.array([[1, 2], [3, 4]]), None, 10).to_bytes()
    with pytest.raises(InputError, match=message):
        Statistic.from_bytes(change(data))


@given(
    st.lists(st.integers(0, 10**15), min_size=9, max_size=9), st.lists(st.integers(0, 10**15), min_size=4, max_size=4)
)
def test_huge_counts_are_exact(nine, four):
    a = ConfusionCounts(("a", "b", "c"), np.reshape(nine, (3, 3)), None, sum(nine))
    b = ConfusionCounts(("b", "d"), np.reshape(four, (2, 2)), None, sum(four))
    merged = a.merge(b).scale(4)
    assert merged.labels == ("a", "b", "c", "d")
    assert merged.cells[1, 1] == 4 * (nine[4] + four[0])
    assert merged.cells.sum() == merged.rows == 4 * (sum(nine) + sum(four))
    same(Statistic.from_bytes(merged.to_bytes()), merged)


@pytest.mark.parametrize("values", [(False, True), (0, 1), ("0", "1"), (-5, 2**60)])
def test_labels_keep_their_types_through_bytes(values):
    a = ConfusionCounts(values, np.eye(2, dtype=np.int64), None, 2)
    assert [*map(type, Statistic.from_bytes(a.to_bytes()).labels)] == [*map(type, values)]
