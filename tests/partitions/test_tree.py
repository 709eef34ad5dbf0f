"""Results are merged few at a time, those of a worker together, until few are left."""

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


def of_workers(*workers):
    """The last results of one result of each of these workers, in this order."""
    tree, ready = Tree(joined, len(workers)), []
    for worker in workers:
        ready += tree.add((1, 1, 0, frozenset({worker})), worker)
    return [(count, *sorted(workers)) for count, _, _, workers in ready + tree.last()]


def test_each_worker_merges_its_own():
    last = of_workers(*("a" if number % 3 else "b" for number in range(100)))
    assert sum(count for count, _ in last) == 100
    assert {worker for _, worker in last} == {"a", "b"}


def test_few_results_are_left_to_the_driver():
    assert of_workers(*"abaabab") == [(1, "a")] * 4 + [(1, "b")] * 3


def test_workers_that_are_done_first_merge_what_is_too_much_for_the_driver():
    assert of_workers(*"ababababab") == [(5, "a")] + [(1, "b")] * 5
    assert of_workers(*"ababbabaab") == [(5, "a")] + [(1, "b")] * 5
    assert of_workers(*"bababababa") == [(5, "b")] + [(1, "a")] * 5
    assert of_workers(*"abcabcabcabc") == [(4, "a"), (4, "b")] + [(1, "c")] * 4


def test_results_that_are_merged_often_enough_are_ready_for_the_driver():
    assert of_workers(*"a" * 28) == [(8, "a")] * 3 + [(1, "a")] * 4
    assert of_workers(*"a" * 30) == [(8, "a")] * 3 + [(6, "a")]
    assert of_workers(*"a" * 70) == [(64, "a")] + [(1, "a")] * 6
    assert of_workers(*"a" * 127) == [(64, "a"), (7, "a"), (56, "a")]


def test_results_of_many_workers_are_merged_across_them():
    last = of_workers(*map(str, range(20)))
    assert sorted(count for count, *_ in last) == [2] * 4 + [3] * 4
