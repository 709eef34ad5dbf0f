"""`calipers compare` and `calipers power` as a shell user sees them."""

import json
import re

import numpy as np
import pytest

import calipers as cal

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, 120)
A, B = (np.round(1 / (1 + np.exp(-(m * (Y - 0.5) + RNG.normal(size=120)))), 4) for m in (3.0, 1.0))


def table(**columns):
    head = ",".join(columns)
    return "\n".join([head, *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]) + "\n"


@pytest.fixture
def two(file):
    order = RNG.permutation(120)
    keys = np.array([f"k{i}" for i in range(120)])
    return (
        file(table(id=keys, truth=Y, score=A), "a.csv"),
        file(table(id=keys[order], truth=Y[order], score=B[order]), "b.csv"),
    )


def test_files_are_matched_by_key(calipers, two):
    done = calipers("compare", *two, "--key", "id")
    assert (done.returncode, done.stderr) == (0, "")
    first, _, rest = done.stdout.partition("\n")
    assert first == "columns: truth = truth, score = score"
    right = cal.compare(Y, {"a": A, "b": B})
    assert rest.strip() == repr(right).replace("primary=", "--primary")
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_other_languages_and_markdown(calipers, two):
    right = cal.compare(Y, {"a": A, "b": B}, metrics=["accuracy", "roc_auc"])
    args = ("compare", *two, "--key", "id", "--metrics", "accuracy,roc_auc")
    done = calipers(*args, "--lang", "vi", "--quiet")
    assert (done.returncode, done.stdout.strip()) == (0, right.to_text("vi").replace("primary=", "--primary"))
    done = calipers(*args, "--md", "--lang", "zh")
    assert done.stdout == right.to_markdown("zh").replace("primary=", "--primary")
    assert done.stderr == "列：truth = truth，score = score\n"
    done = calipers(*args, "--md", "--json")
    assert done.returncode == 2
    assert "pass --json or --md, not both" in done.stderr
    done = calipers(*args, "--lang", "fr")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "calipers: --lang fr is not known: pass en (English), vi (Tiếng Việt) or zh (中文)\n"


def test_one_file_with_several_columns(calipers, file):
    who = [f"g{i // 3:02d}" for i in range(120)]
    both = file(table(truth=np.where(Y == 1, "yes", "no"), a=A, b=B, who=who, w=1 + Y))
    options = ("--positive", "yes", "--metrics", "roc_auc,f1", "--margin", "0.05", "--groups", "who", "--json")
    done = calipers("compare", both, "--score", "a,b", "--truth", "truth", "--weights", "w", *options)
    assert (done.returncode, done.stderr) == (0, "")
    right = cal.compare(Y, {"a": A, "b": B}, metrics=["roc_auc", "f1"], margin=0.05, groups=who, weights=1 + Y)
    document = json.loads(done.stdout)
    assert document["settings"]["margin"] == 0.05
    assert document["metrics"]["f1"]["pairs"][0]["pvalue"] == pytest.approx(right["f1"].pvalue)


def test_labels_are_compared_too(calipers, file):
    predicted = {"a": (A >= 0.5).astype(int), "b": (B >= 0.5).astype(int)}
    both = file(table(truth=Y, **predicted))
    done = calipers("compare", both, "--pred", "a", "--pred", "b", "--truth", "truth", "--metrics", "accuracy")
    assert (done.returncode, done.stderr) == (0, "")
    assert repr(cal.compare(Y, predicted, metrics=["accuracy"])) == done.stdout.strip()


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("id,y_true,score\n1,0,0.1\n2,1,0.8\n2,0,0.3\n3,1,0.4\n", "id,y_true,score\n1,0,0.2\n2,1,0.7\n3,1,0.6\n",
         "a.csv: 1 row has the same id as another row (such as 2): it must be unique"),
        ("id,y_true,score\n1,0,0.1\n2,1,0.8\n5,1,0.8\n", "id,y_true,score\n1,0,0.2\n2,1,0.7\n3,1,0.6\n4,0,0.6\n",
         "1 row of a.csv is not in b.csv (such as 5); 2 rows of b.csv are not in a.csv (such as 3): "
         "both files must contain the same rows, by id"),
        ("id,y_true,score\n1,0,0.1\n,1,0.8\n", "id,y_true,score\n1,0,0.2\n2,1,0.7\n", "a.csv: 1 of 2 rows has no id"),
        ("id,y_true,score\n1,0,0.1\n2,1,0.8\n3,1,0.1\n4,0,0.1\n5,0,0.2\n",
         "id,y_true,score\n5,1,0.2\n4,1,0.2\n3,0,0.7\n2,0,0.6\n1,0,0.6\n",
         "the truth differs in 4 of 5 rows: id 2 is 1 in a.csv and 0 in b.csv; id 3 is 1 in a.csv and 0 in b.csv; "
         "id 4 is 0 in a.csv and 1 in b.csv; ..."),
        ("id,y_true,score\n1,0,0.1\n2,1,0.8\n", "id,y_true,pred\n1,0,0\n2,1,1\n",
         "some files contain scores and some labels (a.csv: score, b.csv: pred): choose the column with --score or "
             "--pred"),
    ],
    ids=["repeated", "unmatched", "absent", "truth", "kinds"],
)  # fmt: skip
def test_rows_that_do_not_match_are_counted(calipers, file, first, second, message):
    done = calipers("compare", file(first, "a.csv"), file(second, "b.csv"), "--key", "id")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"calipers: {message}\n"


def test_what_is_missing_is_named(calipers, two):
    assert "several files: name the column that identifies a row with" in calipers("compare", *two).stderr
    expected = "there is only a.csv: name a column per model with --score a,b, or pass two files"
    assert expected in calipers("compare", two[0]).stderr
    both = calipers("compare", two[0], "--score", "score,id", "--pred", "x").stderr
    assert "by --score or by --pred, not by both" in both
    assert "no column 'ident'" in calipers("compare", *two, "--key", "ident").stderr


def test_power(calipers):
    done = calipers("power", "--auc", 0.80, 0.82, "--prevalence", 0.1)
    assert done.returncode == 0
    needed = cal.power(auc=(0.80, 0.82), prevalence=0.1)
    assert done.stdout.splitlines() == [
        f"You need about {needed.rows:,} rows to detect a difference of 0.02 (80% power, 95% confidence).",
        "assuming: AUC 0.8 and 0.82, prevalence 0.1, correlation 0.5",
    ]
    reach = calipers("power", "--accuracy", 0.9, 0.9, "--discordance", 0.1, "--rows", 1000)
    assert reach.stdout.startswith("With 1000 rows, a difference of at least 0.02798 can be detected")
    both = calipers("power", "--auc", 0.80, 0.82, "--prevalence", 0.1, "--rows", 5000)
    assert [line.partition(" (")[0] for line in both.stdout.splitlines()[::2]] == [
        "With 5000 rows, a difference of 0.02 is detected with a power of 50%",
        "With 5000 rows, a difference of at least 0.02829 can be detected",
    ]
    document = json.loads(calipers("power", "--difference", 0.01, "--sd", 0.2, "--json").stdout)
    assert document == cal.power(difference=0.01, sd=0.2).to_dict()
    lacking = calipers("power")
    assert (lacking.returncode, lacking.stdout) == (2, "")
    assert "pass --auc, --accuracy (any proportion), or --sd with --difference" in lacking.stderr


def test_slices_of_a_column_in_one_file_and_in_the_first_of_several(calipers, file):
    place, ids = ["nnnsss"[i % 6] for i in range(120)], list(range(120))
    whole = file(table(id=ids, truth=Y, place=place, a=A, b=B), "whole.csv")
    text = calipers("compare", whole, "--score", "a,b", "--by", "place").stdout
    assert "ROC AUC by place" in text
    assert re.search(r"^n +60 ", text, re.M)
    one = file(table(id=ids, truth=Y, place=place, score=A), "one.csv")
    two = file(table(id=ids[::-1], truth=Y[::-1], score=B[::-1]), "two.csv")
    several = calipers("compare", one, two, "--key", "id", "--by", "place").stdout
    lines = [line for line in text.splitlines() if line.startswith(("n ", "s "))]
    assert lines == [line for line in several.replace("two", "b").replace("one", "a").splitlines()
                     if line.startswith(("n ", "s "))]  # fmt: skip
    assert "plaec" in calipers("compare", whole, "--score", "a,b", "--by", "plaec").stderr
