"""`evaluate` of Dask data frames, on threads and on two processes."""

import pytest
from partition_cases import ASKED, CUTS, FRAME, QUICK, assert_same

import calipers as cal

dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")


def frame():
    divisions = [*dict.fromkeys(CUTS[:-1]), len(FRAME) - 1]
    return dd.from_pandas(FRAME, npartitions=1).repartition(divisions=divisions)


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_the_evaluation_is_that_of_memory(asked):
    assert_same(cal.evaluate(frame(), **asked), cal.evaluate(FRAME, **asked))


@pytest.mark.parametrize("name", QUICK)
def test_two_processes_give_it_too(name, cluster):
    with cluster.as_current():
        assert_same(cal.evaluate(frame(), **ASKED[name]), cal.evaluate(FRAME, **ASKED[name]))
