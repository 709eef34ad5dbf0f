"""Results are merged few at a time, those of a worker together, until few are left."""

import math

import pytest

from calipers.partitions.tree import MOST, Tree


def joined(results):
    """How many were merged, the most at once, how often a result was merged, and the workers that had them."""
    assert len(results) > 1
    counts, at_once, merges, workers = zip(*results, strict=True)
    return sum(counts), max(len(results), *at_once), max(merges) + 1, frozenset().union(*workers)


@pytest.mark.parametrize("workers", [1, 2, 3, 20])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 10, 64, 65, 1000])
def test_a_tree_is_low_and_narrow(count, workers):
    tree, ready = Tree(joined, count), []
    for number in range(count):
        worker = str(number * number % workers)
        ready += tree.add((1, 1, 0, frozenset({worker})), worker)
    last = ready + tree.last()
    assert len(last) <= MOST
    assert sum(result[0] for result in last) == count
    assert all(result[1] <= MOST and result[2] <= 6 for result in last)


def of_workers(*workers, size=0, memory=math.inf):
    """How many results each of the last ones joins, and of which workers: one of each of these, in this order."""
    tree, ready = Tree(joined, len(workers), memory), []
    for worker in workers:
        ready += tree.add((1, 1, 0, frozenset({worker})), worker, size)
    return [(count, *sorted(workers)) for count, _, _, workers in ready + tree.last()]


def test_each_worker_merges_its_own():
    last = of_workers(*("a" if number % 3 else "b" for number in range(100)))
    assert sum(count for count, _ in last) == 100
    assert {worker for _, worker in last} == {"a", "b"}


def test_few_results_are_ready_for_the_driver_as_they_come():
    tree = Tree(joined, 7)
    assert [tree.add((1, 1, 0, frozenset(worker)), worker) for worker in "abaabab"] == [
        [(1, 1, 0, frozenset(worker))] for worker in "abaabab"
    ]
    assert tree.last() == []


def test_the_worker_that_has_them_first_merges_what_is_too_much_for_the_driver():
    assert of_workers(*"ababababab") == [(3, "a"), (1, "b"), (1, "b"), *[(1, "b"), (1, "a")] * 2, (1, "b")]
    assert of_workers(*"ababbbabaab")[0] == (4, "b")
    assert of_workers(*"abcabcabcabc") == [(4, "a"), (2, "b"), *[(1, "b")] * 2, *[(1, "c")] * 4]
    for workers in ("ababababab", "ababbbabaab", "abcabcabcabc"):
        assert len(of_workers(*workers)) == MOST


def test_results_that_are_merged_often_enough_are_ready_for_the_driver():
    assert of_workers(*"a" * 28) == [(8, "a")] * 2 + [(7, "a")] + [(1, "a")] * 5
    assert of_workers(*"a" * 30) == [(8, "a")] * 3 + [(2, "a")] + [(1, "a")] * 4
    assert of_workers(*"a" * 70)[0] == (64, "a")
    tree = Tree(joined, 28)
    ready = [number for number in range(28) if tree.add((1, 1, 0, frozenset("a")), "a")]
    assert ready[:2] == [7, 15]


def test_results_of_many_workers_are_merged_across_them():
    last = of_workers(*map(str, range(20)))
    assert sorted(count for count, *_ in last) == [2] * 4 + [3] * 4


@pytest.mark.parametrize("workers", [1, 2])
def test_large_results_wait_until_they_exceed_the_memory(workers):
    merges = []

    def recorded(results):
        merges.append((len(results), *results[0][3]))
        return joined(results)

    tree = Tree(None, 24, 256, recorded)  # none is merged before that is known
    for number in range(24):
        worker = "ab"[number % workers]
        assert tree.add((1, 1, 0, frozenset(worker)), worker, 32) == []
    assert [count for count, *_ in tree.last()] == [24 // workers] * workers
    # A summary is one of those of the next merge. It has few bytes: then five results are more than half of the memory.
    one, two = [(9, "a"), (6, "a"), (6, "a"), (6, "a")], [(5, "a"), (5, "b"), (6, "a"), (6, "b"), (3, "a"), (3, "b")]
    assert merges == (one if workers == 1 else two)


def test_results_of_unknown_size_are_like_the_others():
    tree = Tree(joined, 10, memory=256)
    for number in range(10):
        assert tree.add((1, 1, 0, frozenset("a")), "a", None if number > 1 else 32) == []
    assert [count for count, *_ in tree.last()] == [10]


def test_what_exceeds_the_memory_is_one_result_of_each_worker():
    assert of_workers(*"ab" * 12, size=32, memory=256) == [(12, "a"), (12, "b")]
    assert of_workers(*"aab", size=200, memory=256) == [(2, "a"), (1, "b")]


def test_small_results_that_exceed_the_memory_together_are_merged_few_at_a_time():
    """A worker does not wait for a thousand of them."""
    tree = Tree(joined, 1000, memory=900)
    for _ in range(1000):
        assert tree.add((1, 1, 0, frozenset("a")), "a", 1) == []
    ((count, at_once, _, _),) = tree.last()
    assert count == 1000
    assert at_once < 3 * MOST


def test_large_results_that_fit_the_memory_are_merged_as_others():
    assert of_workers(*"a" * 10, size=25, memory=256) == of_workers(*"a" * 10)
