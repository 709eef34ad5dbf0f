import duckdb
import numpy

import calipers as cal


def test_every_metric_is_listed_within_80_columns(calipers):
    output = calipers("metrics").stdout
    starts = {line.split(" ")[0] for line in output.splitlines()}
    assert {m.name for m in cal.metrics.catalogue()} <= starts
    assert max(map(len, output.splitlines())) <= 80


def test_one_metric_by_any_of_its_names(calipers):
    output = calipers("metrics", "sensitivity").stdout
    assert output.startswith("recall\nOf the rows that are the class, the share predicted as the class.\n")
    assert "\nformula      tp / (tp + fn)\nrange        [0, 1]\nbetter       higher\n" in output
    assert "\nundefined    when no row is truly of this class" in output


def test_an_unknown_name_lists_the_nearest(calipers):
    done = calipers("metrics", "presicion")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("calipers: no metric is called 'presicion'; did you mean precision")


def test_version(calipers):
    first, second = calipers("--version").stdout.splitlines()
    assert first == f"calipers {cal.__version__}"
    assert f"numpy {numpy.__version__}" in second
    assert f"duckdb {duckdb.__version__}" in second
