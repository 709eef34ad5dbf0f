import json

import pytest

BAD_DEBT = ["counts", "--tp", 55, "--fp", 50, "--fn", 45, "--tn", 850]


def test_one_class(calipers):
    done = calipers(*BAD_DEBT, "--positive", "BAD")
    assert done.returncode == 0
    assert "\nPrecision            0.524 [0.429, 0.617]  ··┊···━━●━······\n" in done.stdout


def test_several_classes_with_commas_or_repeated(calipers):
    commas = calipers("counts", "--tp", "10,17,25", "--fp", "5,7,2", "--fn", "3,10,4", "--labels", "a,b,c")
    again = ["--tp", "10", "--tp", "17,25", "--fp", "5,7", "--fp", "2", "--fn", "3,10,4", "--labels", "a,b,c"]
    repeated = calipers("counts", *again)
    assert "\nb      0.708 [0.508, 0.851]" in commas.stdout
    assert repeated.stdout == commas.stdout


def test_json_is_the_document_and_nothing_else(calipers):
    document = json.loads(calipers(*BAD_DEBT, "--json", "--level", 0.9).stdout)
    assert document["metrics"]["f1"]["value"] == pytest.approx(110 / 205, rel=1e-15)
    assert document["metrics"]["f1"]["level"] == 0.9


def test_text_for_a_number(calipers):
    done = calipers("counts", "--tp", "x", "--fp", 1, "--fn", 1)
    assert done.returncode == 2
    assert "Invalid value for '--tp': 'x' is not a number" in done.stderr


def test_a_refusal_is_one_line(calipers):
    done = calipers(*BAD_DEBT, "--level", 95)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "calipers: --level 95.0 is not a confidence level: pass a number between 0 and 1, such as 0.95\n"
    )


def test_a_count_below_0_is_refused_with_the_name_of_its_option(calipers):
    done = calipers("counts", "--tp", 1, "--fp", -1, "--fn", 2)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "calipers: --fp contains -1: counts must be finite numbers, 0 or more\n"
