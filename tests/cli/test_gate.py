"""`calipers gate` as a shell, and a pipeline, sees it."""

import json
import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import calipers as cal
from calipers import datasets
from calipers.report.terminal import width

GOLDEN = Path(__file__).parents[1] / "golden"
RNG = np.random.default_rng(7)
N = 300
Y = RNG.integers(0, 2, N)
NEW, LAST = (np.round(1 / (1 + np.exp(-(m * (Y - 0.5) + RNG.normal(size=N)))), 4) for m in (3.0, 2.5))
SITE = np.where(np.arange(N) % 3, "a", "b")
EV = cal.evaluate(Y, NEW, by={"site": SITE})


def table(**columns):
    head = ",".join(columns)
    return "\n".join([head, *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]) + "\n"


@pytest.fixture
def new(file):
    return file(table(id=np.arange(N), truth=Y, score=NEW, site=SITE), "new.csv")


@pytest.fixture
def last(file):
    order = RNG.permutation(N)
    return file(table(id=np.arange(N)[order], truth=Y[order], score=LAST[order]), "last.csv")


@pytest.mark.parametrize(
    ("options", "code", "first"),
    [
        (["--require", "roc_auc.low >= 0.9", "--require", "recall >= 0.7"], 0, "gate: pass (2 pass; 300 rows)"),
        (["--require", "recall >= 0.7", "--require", "recall >= 0.99"], 3, "gate: fail (1 pass, 1 fail; 300 rows)"),
        (["--require", "recall >= 0.92"], 4, "gate: inconclusive (1 inconclusive; 300 rows)"),
        (["--require", "recall >= 0.92", "--inconclusive", "pass"], 0,
         "gate: inconclusive, counted as pass (1 inconclusive; 300 rows)"),
        (["--require", "recall >= 0.92", "--inconclusive", "fail"], 3,
         "gate: inconclusive, counted as fail (1 inconclusive; 300 rows)"),
        (["--require", "recall >= 0.99", "--inconclusive", "pass"], 3, "gate: fail (1 fail; 300 rows)"),
    ],
    ids=["pass", "fail", "inconclusive", "as pass", "as fail", "fail stays"],
)  # fmt: skip
def test_exit_codes(calipers, new, options, code, first):
    done = calipers("gate", new, "--quiet", *options)
    assert (done.returncode, done.stderr, done.stdout.splitlines()[0]) == (code, "", first)
    required = options[1::2][: options.count("--require")]
    mapped = options[-1] if "--inconclusive" in options else None
    assert done.stdout.strip() == repr(cal.gate(EV, required, inconclusive=mapped))


def test_a_paired_baseline_is_matched_by_key(calipers, new, last):
    done = calipers("gate", new, "--require", "recall >= 0.5", "--baseline", last, "--key", "id", "--margin", "0.02",
                    "--metrics", "roc_auc", "--metrics", "log_loss", "--json")  # fmt: skip
    right = cal.gate(EV, "recall >= 0.5", baseline=cal.compare(Y, {"baseline": LAST, "candidate": NEW}), margin=0.02,
                     metrics=["roc_auc", "log_loss"])  # fmt: skip
    assert (done.returncode, done.stderr) == (right.exit_code, "columns: truth = truth, score = score\n")
    assert json.loads(done.stdout) == json.loads(right.to_json())


def test_labels_are_held_against_labels_and_scores_against_scores(calipers, file):
    predicted, before = (NEW > 0.3).astype(int), (LAST > 0.3).astype(int)
    new = file(table(id=np.arange(N), truth=Y, pred=predicted, score=NEW), "new.csv")
    last = file(table(id=np.arange(N), truth=Y, pred=before, score=LAST), "last.csv")
    done = calipers("gate", new, "--positive", "1", "--baseline", last, "--key", "id", "--margin", "0.02",
                    "--metrics", "recall,roc_auc", "--json", "--quiet")  # fmt: skip
    by_label = cal.compare(Y, {"baseline": before, "candidate": predicted}, positive=1)
    by_score = cal.compare(Y, {"baseline": LAST, "candidate": NEW})
    recall, area = json.loads(done.stdout)["checks"]
    assert (recall["value"], recall["against"]) == (by_label["recall"].difference, "paired")
    assert recall["value"] != by_score["recall"].difference
    assert area["value"] == by_score["roc_auc"].difference


def test_every_metric_may_have_a_margin_of_its_own(calipers, new, last):
    args = ("gate", new, "--baseline", last, "--key", "id", "--json", "--quiet")
    done = calipers(*args, "--margin", "roc_auc=0.005", "--margin", "0.03", "--metrics", "roc_auc,f1")
    assert [check["required"] for check in json.loads(done.stdout)["checks"]] == [
        "roc_auc > baseline - 0.005", "f1 > baseline - 0.03"
    ]  # fmt: skip
    alone = calipers(*args, "--margin", "log_loss=0.02")
    assert [check["required"] for check in json.loads(alone.stdout)["checks"]] == ["log_loss < baseline + 0.02"]
    for margin, message in {"f1": "'f1': write a number, or NAME=NUMBER", "x=1": "no metric is called 'x'"}.items():
        done = calipers(*args, "--margin", margin)
        assert (done.returncode, message in done.stderr) == (2, True)
    done = calipers(*args, "--margin", "roc_auc=0.005", "--metrics", "f1")
    assert "such as --margin 0.005; f1 has none" in done.stderr
    done = calipers(*args, "--margin", "roc_auc=0.005", "--margin", "1", "--metrics", "f1")
    assert "there is a margin for roc_auc, which is not compared with the baseline: add it to" in done.stderr


def test_predicted_numbers_pass_a_gate_too(calipers, file):
    truth = np.round(RNG.gamma(3, 50, 200), 1)
    predicted, before = (np.round(truth + RNG.normal(0, spread, 200), 2) for spread in (9, 12))
    new, last = (file(table(id=np.arange(200), truth=truth, predicted=x), name)
                 for x, name in ((predicted, "n.csv"), (before, "l.csv")))  # fmt: skip
    done = calipers("gate", new, "--require", "mae <= 12", "--require", "r2.low >= 0.9", "--baseline", last, "--key",
                    "id", "--margin", "mae=0.5", "--margin", "0.02", "--quiet")  # fmt: skip
    right = cal.gate(cal.evaluate(truth, predicted), ["mae <= 12", "r2.low >= 0.9"], margin={"mae": 0.5, "*": 0.02},
                     baseline=cal.compare(truth, {"baseline": before, "candidate": predicted}))  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == repr(right)


@pytest.mark.parametrize(
    ("lang", "title"),
    [
        ("vi", "kiểm tra yêu cầu: chưa kết luận được (1 đạt, 1 chưa kết luận được; 300 mẫu)"),
        ("zh", "质量门禁：无法判定（1 项通过，1 项无法判定；300 个样本）"),
    ],
)
def test_a_gate_speaks_three_languages(calipers, new, tmp_path, lang, title):
    args = ("gate", new, "--require", "recall >= 0.92", "--require", "recall >= 0.5 at precision >= 0.7",
             "--lang", lang, "--quiet", "--junit", "gate.xml")  # fmt: skip
    output = calipers(*args).stdout
    assert output.splitlines()[0] == title
    assert not re.search(r"\b(the|rows|interval|pass|settle)\b", output)
    assert max(map(width, output.splitlines())) <= 80
    assert calipers(*args, "--md").stdout.splitlines()[0] == f"### {title}"
    suite = ET.parse(tmp_path / "gate.xml").getroot().find("testsuite")
    assert not re.search(r"\b(the|rows|interval|pass|settle)\b", suite[0][0].get("message") + suite[1][0].text)
    assert calipers("gate", new, "--require", "recall >= 0.9", "--lang", "fr").returncode == 2


def test_a_document_is_an_unpaired_baseline(calipers, new, last, file):
    evaluated = calipers("evaluate", last, "--json", "--quiet")
    document = file("\ufeff\n" + evaluated.stdout, "last.json")
    done = calipers("gate", new, "--baseline", document, "--margin", "0.1", "--metrics", "roc_auc", "--quiet")
    right = cal.gate(EV, baseline=cal.evaluate(Y, LAST), margin=0.1, metrics="roc_auc")
    assert (done.returncode, done.stderr) == (right.exit_code, "")
    assert [line.split() for line in done.stdout.splitlines()[2:3]] == [repr(right).splitlines()[2].split()]
    assert "not paired: 300 rows and 300 other rows" in done.stdout


def test_several_files_pipes_and_slices(calipers, file):
    halves = [file(table(truth=Y[part], score=NEW[part], site=SITE[part]), f"part{i}.csv")
              for i, part in enumerate((slice(0, 120), slice(120, N)))]  # fmt: skip
    options = ("--require", "by site: recall >= 0.5", "--require", "by site=b: recall >= 0.6 at precision >= 0.7")
    right = cal.gate(EV, options[1::2])
    assert calipers("gate", *halves, *options, "--quiet").stdout.strip() == repr(right)
    piped = calipers("gate", "-", *options, "--quiet", stdin=table(truth=Y, score=NEW, site=SITE).encode())
    assert (piped.stdout.strip(), piped.returncode) == (repr(right), right.exit_code)


def test_junit_is_written_whole_beside_the_answer(calipers, new, tmp_path):
    done = calipers("gate", new, "--require", "recall >= 0.7", "--require", "recall >= 0.99", "--junit", "gate.xml")
    assert done.returncode == 3
    suite = ET.parse(tmp_path / "gate.xml").getroot().find("testsuite")
    assert [case.get("name") for case in suite] == ["recall >= 0.7", "recall >= 0.99"]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    assert suite[1][0].get("message").startswith("fail: 0.")
    (tmp_path / "folder").mkdir()
    done = calipers("gate", new, "--require", "recall >= 0.7", "--junit", "folder", "--quiet")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "calipers: folder cannot be written: Is a directory\n"
    done = calipers("gate", "absent.csv", "--require", "recall >= 0.7", "--junit", "nowhere/gate.xml")
    assert done.stderr == "calipers: nowhere/gate.xml cannot be written: No such file or directory\n"
    assert sorted(os.listdir(tmp_path)) == ["folder", "gate.xml", "new.csv"]


def test_markdown(calipers, new):
    done = calipers("gate", new, "--require", "recall >= 0.99", "--md")
    measured = str(EV["recall"]).replace("[", r"\[").replace("]", r"\]")
    assert done.returncode == 3
    assert done.stdout.splitlines()[:11] == [
        "### gate: fail (1 fail; 300 rows)", "", "**Failed: 1 of 1 requirement clearly not met.**", "",
        "|  | question | verdict |  |", "| --- | --- | --- | --- |",
        "| ✗ | Clearly not met | fail | 1 of 1 requirements |", "",
        "| result | requirement | measured | note |", "| --- | --- | --: | --- |",
        f"| ✗ fail | recall \\>= 0.99 | {measured} |  |",
    ]  # fmt: skip


def test_what_cannot_be_read_is_pointed_at(calipers, new):
    done = calipers("gate", new, "--require", "recall >= 0.8", "--require", "recall => 0.8")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "calipers: expected one of >=, >, <=, < here\n  recall => 0.8\n         ^\n"
    done = calipers("gate", new, "--require", "recal\x1b[31m >= 0.8")
    assert done.stderr.splitlines()[1:] == ["  recal\\x1b[31m >= 0.8", "  ^"]


MISTAKES = {
    "no input: pass a FILE, - for standard input, or --sql": ["--require", "recall > 0.1"],
    'there are no requirements: pass --require "recall >= 0.8", or --baseline and --margin': ["new.csv"],
    "--baseline needs --margin, the largest acceptable loss, such as 0.005": ["new.csv", "--baseline", "last.csv"],
    "--key, --margin and --metrics need a baseline: pass --baseline too":
        ["new.csv", "--require", "recall > 0", "--margin", "1"],
    "pass --json or --md, not both": ["new.csv", "--require", "recall > 0", "--json", "--md"],
    "last.csv contains rows: name the column that identifies a row with --key":
        ["new.csv", "--baseline", "last.csv", "--margin", "0.1", "--metrics", "f1"],
    "the margin must be a number greater than 0, such as --margin 0.005; f1 has -1":
        ["new.csv", "--baseline", "last.csv", "--margin", "-1", "--metrics", "f1", "--key", "id"],
    "no metric to compare with the baseline: pass --metrics roc_auc, or add requirements":
        ["new.csv", "--baseline", "last.csv", "--margin", "0.1", "--key", "id"],
    "a baseline is matched row by row, so its rows are read twice: pass a file, not a pipe":
        ["-", "--baseline", "last.csv", "--margin", "0.1", "--key", "id", "--metrics", "f1"],
    "nope.csv does not exist":
        ["new.csv", "--baseline", "nope.csv", "--margin", "0.1", "--key", "id", "--metrics", "f1"],
    "bad.json contains another kind of result (power): an evaluation is needed":
        ["new.csv", "--baseline", "bad.json", "--margin", "0.1", "--metrics", "f1"],
    "new.csv has no column 'place'": ["new.csv", "--require", "by place: recall > 0.1"],
    "no metric is called 'f11'": ["new.csv", "--baseline", "last.csv", "--margin", "0.1", "--metrics", "f11"],
}  # fmt: skip


@pytest.mark.parametrize(("message", "options"), MISTAKES.items(), ids=list(MISTAKES))
def test_mistakes_are_for_the_user_to_mend(calipers, new, last, file, message, options):
    file(cal.power(accuracy=(0.9, 0.92)).to_json(), "bad.json")
    done = calipers("gate", *options, stdin=table(truth=Y, score=NEW).encode())
    assert done.returncode == 2
    assert done.stderr.startswith("calipers: ")
    assert message in done.stderr
    assert "gate: " not in done.stdout


@pytest.mark.parametrize(("name", "options"), [("gate.txt", []), ("gate.md", ["--md"]), ("gate.json", ["--json"])])
def test_output_is_as_frozen(calipers, file, tmp_path, name, options):
    """To accept a change: CALIPERS_GOLDEN=write pytest tests/cli."""
    loans = datasets.load("bad_debt")
    last = [0.9 * s + 0.1 * (row * 0.618 % 1) for row, s in enumerate(loans["score"])]
    keyed = {"id": range(1000), "truth": loans["truth"]}
    new = file(table(**keyed, score=loans["score"], region=loans["region"]), "new.csv")
    file(table(**keyed, score=[f"{s:.4f}" for s in last]), "last.csv")
    required = ["roc_auc.low >= 0.8", "recall >= 0.6", "log_loss <= 0.2", "recall >= 0.5 at precision >= 0.5",
                "by region: specificity > 0.9", "recall > 0.9 at precision > 1"]  # fmt: skip
    args = [x for r in required for x in ("--require", r)]
    args += ["--baseline", "last.csv", "--key", "id", "--margin", "0.02"]
    done = calipers("gate", new, "--positive", "BAD", *args, "--quiet", "--junit", "gate.xml", *options)
    assert (done.returncode, done.stderr) == (3, "")
    for output, frozen in ((done.stdout, GOLDEN / name), ((tmp_path / "gate.xml").read_text(), GOLDEN / "gate.xml")):
        output = re.sub(r"-?\d+\.\d{7,}(e-?\d+)?", lambda match: f"{float(match[0]):.6g}", output)  # not the last bits
        if os.environ.get("CALIPERS_GOLDEN") == "write":
            frozen.write_text(output, encoding="utf-8")
        assert output == frozen.read_text(encoding="utf-8")
