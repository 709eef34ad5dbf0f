"""Charts from the shell: written whole, all or none, and refused before anything is read where they can be."""

import importlib.util
import os

import pytest

from calipers import datasets


@pytest.fixture
def loans(tmp_path):
    source = os.path.join(os.path.dirname(datasets.__file__), "bad_debt.csv")
    path = tmp_path / "loans.csv"
    with open(source, encoding="utf-8") as file:
        path.write_text(file.read(), encoding="utf-8")
    return path


def test_charts_are_written_beside_what_is_printed(calipers, loans):
    folder = loans.parent
    args = ["--plot", f"roc={folder}/roc.png", "--plot", f"confusion(normalise=truth)={folder}/c.svg",
             "--plot", f"thresholds(fp=1, fn=10)={folder}/t.pdf"]  # fmt: skip
    done = calipers("evaluate", loans, "--positive", "BAD", "--metrics", "f1", *args)
    assert done.returncode == 0, done.stderr
    assert f"written: {folder}/roc.png, {folder}/c.svg, {folder}/t.pdf\n" in done.stdout
    starts = {name: (folder / name).read_bytes()[:5] for name in ("roc.png", "c.svg", "t.pdf")}
    assert starts == {"roc.png": b"\x89PNG\r", "c.svg": b"<?xml", "t.pdf": b"%PDF-"}
    assert "94.4%" in (folder / "c.svg").read_text(encoding="utf-8")
    assert "\nF1      0.537 [0.454, 0.617]  ··┊····━●━······\n" in done.stdout


def test_language_and_theme_reach_the_charts_and_json_stays_alone(calipers, loans):
    path = loans.parent / "roc.svg"
    done = calipers("evaluate", loans, "--positive", "BAD", "--plot", f"roc={path}", "--lang", "vi", "--theme", "dark",
                    "--json")  # fmt: skip
    assert done.stdout.startswith("{")
    assert f"đã ghi: {path}\n" in done.stderr
    text = path.read_text(encoding="utf-8")
    assert "Đường cong ROC: BAD" in text
    assert "#15181d" in text


def test_two_files_make_a_chart_of_differences(calipers, loans, tmp_path):
    lines = loans.read_text(encoding="utf-8").splitlines()
    for name, index in (("a.csv", 2), ("b.csv", 2)):
        rows = [line.split(",") for line in lines[1:]]
        shift = 0 if name == "a.csv" else 0.1
        body = [f"{i},{row[0]},{min(1, float(row[index]) + shift * (i % 3)):.4f}" for i, row in enumerate(rows)]
        (tmp_path / name).write_text("id,truth,score\n" + "\n".join(body) + "\n", encoding="utf-8")
    done = calipers("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--key", "id", "--positive", "BAD", "--metrics",
                    "f1", "--plot", f"difference={tmp_path}/d.svg", "--plot", f"roc={tmp_path}/r.svg")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "b − a, 95% intervals" in (tmp_path / "d.svg").read_text(encoding="utf-8")
    assert "ROC curves" in (tmp_path / "r.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("chart", "text"),
    [
        ("rock=x.png", "no chart of an Evaluation is called 'rock'; available: roc, pr, confusion"),
        ("difference=x.png", "but Comparison has one; available"),
        ("roc=x.jpg", "x.jpg: a chart can be written as .png, .svg, .pdf; use one of these file extensions"),
        ("roc", "'roc': write KIND=FILE, as in roc=roc.png or gain(label=rain)=gain.svg"),
        ("roc(band)=x.png", "'band' should read key=value, each key once"),
        ("roc(bnd=none)=x.png", "the roc chart has no option 'bnd'; did you mean band?"),
    ],
)
def test_mistakes_are_refused_before_the_file_is_read(calipers, chart, text):
    done = calipers("evaluate", "no-such-file.csv", "--plot", chart)
    assert (done.returncode, done.stdout) == (2, "")
    assert text in done.stderr
    assert done.stderr.count("\n") == 1


def test_nothing_is_written_when_one_chart_cannot_be(calipers, loans):
    folder = loans.parent
    before = sorted(os.listdir(folder))
    for other in (f"roc={folder}/none/x.png", f"gain(label=nobody)={folder}/g.png"):
        done = calipers("evaluate", loans, "--positive", "BAD", "--plot", f"pr={folder}/pr.png", "--plot", other)
        assert (done.returncode, done.stdout) == (2, "")
        assert sorted(os.listdir(folder)) == before
    twice = calipers("evaluate", loans, "--plot", "roc=x.png", "--plot", "pr=x.png")
    assert "two charts would be written to x.png" in twice.stderr


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="charts need matplotlib")
def test_a_missing_font_is_one_line(calipers, loans, monkeypatch):
    folder = loans.parent
    text = loans.read_text(encoding="utf-8").replace("GOOD", "\u1c5a")  # no font of ours has Ol Chiki
    loans.write_text(text, encoding="utf-8")
    done = calipers("evaluate", loans, "--positive", "BAD", "--plot", f"confusion={folder}/c.png")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("warning: no installed font has \u1c5a: add a font that has them to")
    done = calipers("evaluate", loans, "--positive", "BAD", "--plot", f"confusion={folder}/c.svg")
    assert done.stderr == ""
