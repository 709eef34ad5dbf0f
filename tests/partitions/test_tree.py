"""Results are merged few at a time, those of a worker together, until two are left."""

import pytest

from calipers.partitions.tree import LAST, MOST, Tree


def joined(results):
    """How many were merged, the most at once, how often a result was merged, and the workers that had them."""
    assert len(results) > 1
    counts, at_once, merges, workers = zip(*results, strict=True)
    return sum(counts), max(len(results), *at_once), max(merges) + 1, frozenset().union(*workers)


@pytest.mark.parametrize("workers", [1, 2, 3, 20])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 10, 64, 65, 1000])
def test_a_tree_is_low_and_narrow(count, workers):
    tree = Tree(joined)
    for number in range(count):
        worker = str(number * number % workers)
        tree.add((1, 1, 0, frozenset({worker})), worker)
    last = tree.last()
    assert len(last) <= LAST
    assert sum(result[0] for result in last) == count
    assert all(result[1] <= MOST and result[2] <= 6 for result in last)


def test_each_worker_merges_its_own():
    tree = Tree(joined)
    for number in range(100):
        worker = "a" if number % 3 else "b"
        tree.add((1, 1, 0, frozenset({worker})), worker)
    assert [sorted(workers) for *_, workers in tree.last()] == [["b"], ["a"]]


def test_results_of_one_worker_become_two_for_the_driver():
    tree = Tree(joined)
    for _ in range(7):
        tree.add((1, 1, 0, frozenset()))
    assert [count for count, *_ in tree.last()] == [3, 4]
