import csv
import io

import duckdb
import numpy
import pytest

import calipers as cal
from calipers.report.language import Language
from calipers.report.terminal import width


def test_every_metric_is_listed_within_80_columns(calipers):
    output = calipers("metrics").stdout
    starts = {line.split(" ")[0] for line in output.splitlines()}
    assert {m.name for m in cal.metrics.catalogue()} <= starts
    assert max(map(len, output.splitlines())) <= 80


def test_one_metric_by_any_of_its_names(calipers):
    output = calipers("metrics", "sensitivity").stdout
    assert output == calipers("explain", "recall").stdout
    assert "\nOf all rows of this class, the fraction predicted as this class.\n" in output
    assert "\nformula          TP / (TP + FN)\n" in output
    assert "\nrange            0 to 1, higher is better\n" in output
    assert "\nundefined        if no row belongs to this class" in output
    assert "\ncomputed from    labels, one class vs. the rest\n" in output


@pytest.mark.parametrize("lang", ["vi", "zh"])
def test_the_list_in_other_languages(calipers, lang):
    output = calipers("metrics", "--lang", lang).stdout
    assert all(width(line) <= 80 for line in output.splitlines())
    assert Language(lang).meaning("f1")[:10] in output
    assert calipers("metrics", "f1", "--lang", lang).stdout == calipers("explain", "f1", "--lang", lang).stdout


def test_the_list_in_every_format(calipers, tmp_path):
    rows = list(csv.DictReader(io.StringIO(calipers("metrics", "--csv").stdout)))
    assert [row["name"] for row in rows] == [metric.name for metric in cal.metrics.catalogue()]
    assert cal.loads(calipers("metrics", "--json").stdout) == cal.MetricList()
    assert "| higher | F1: Harmonic mean of precision and recall. |" in calipers("metrics", "--md").stdout
    calipers("metrics", "--html", str(tmp_path / "m.html"))
    assert "Matthews" in (tmp_path / "m.html").read_text(encoding="utf-8")


def test_an_unknown_name_lists_the_nearest(calipers):
    done = calipers("metrics", "presicion")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("calipers: no metric is called 'presicion'; did you mean precision")


def test_version(calipers):
    first, second = calipers("--version").stdout.splitlines()
    assert first == f"calipers {cal.__version__}"
    assert f"numpy {numpy.__version__}" in second
    assert f"duckdb {duckdb.__version__}" in second
