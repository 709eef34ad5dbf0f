"""`calipers trend` as a shell user sees it."""

import json

import numpy as np
import pytest

import calipers as cal


def evaluation(seed, shift, **options):
    r = np.random.default_rng(seed)
    y = r.integers(0, 2, 150)
    return cal.evaluate(y, 1 / (1 + np.exp(-(shift * (y - 0.5) + r.normal(size=150)))), **options)


DAYS = {f"2026-03-0{i}": evaluation(i, 4 - 0.6 * i) for i in range(1, 6)}


@pytest.fixture
def runs(tmp_path):
    (tmp_path / "runs").mkdir()
    for day, ev in DAYS.items():
        ev.save(tmp_path / "runs" / f"{day}.json")
        ev.save(tmp_path / "runs" / f"model-{day.replace('-', '')}.calipers")
    return tmp_path


def test_dates_come_from_the_names_of_files(calipers, runs):
    files = [f"runs/{day}.json" for day in DAYS]
    done = calipers("trend", *files, "--metrics", "recall,roc_auc")
    loaded = {day: cal.load(runs / "runs" / f"{day}.json") for day in DAYS}
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == cal.trend(loaded, metrics=["recall", "roc_auc"]).to_text("en")
    others = sorted((runs / "runs").glob("*.calipers"))
    document = json.loads(calipers("trend", *others, "--json").stdout)
    assert [p["label"] for p in document["periods"]] == [day.replace("-", "") for day in DAYS]
    times = [p["time"] for p in document["periods"]]
    assert np.diff(times).tolist() == [1, 1, 1, 1]


def test_dates_come_from_sources_or_from_the_option(calipers, tmp_path):
    for name, day in (("b", "2026-05"), ("a", "2026-06"), ("c", "2026-07")):
        evaluation(ord(name), 2.0, source=day).save(tmp_path / f"{name}.json")
    document = json.loads(calipers("trend", "a.json", "b.json", "c.json", "--json").stdout)
    assert [p["label"] for p in document["periods"]] == ["2026-05", "2026-06", "2026-07"]
    given = calipers("trend", "a.json", "b.json", "c.json", "--dates", "2026-01,2026-02,2026-03", "--json").stdout
    assert [p["label"] for p in json.loads(given)["periods"]] == ["2026-01", "2026-02", "2026-03"]


def test_a_baseline_is_a_date_or_a_file(calipers, runs):
    files = [f"runs/{day}.json" for day in DAYS]
    done = calipers("trend", *files, "--baseline", "2026-03-03", "--json")
    assert json.loads(done.stdout)["baseline"] == "2026-03-03"
    done = calipers("trend", *files[1:], "--baseline", files[0], "--metrics", "recall", "--json")
    assert json.loads(done.stdout)["baseline"] == "baseline"
    assert len(json.loads(done.stdout)["metrics"]["recall"]["against"]) == 4


def test_pages_charts_and_languages(calipers, runs):
    files = [f"runs/{day}.json" for day in DAYS]
    done = calipers("trend", *files, "--html", "t.html", "--plot", "trend=t.svg", "--lang", "vi", "--quiet")
    assert done.returncode == 0
    assert "5 kỳ từ 2026-03-01 đến 2026-03-05" in done.stdout
    assert "Xu hướng theo thời gian" in (runs / "t.html").read_text("utf-8")
    assert (runs / "t.svg").read_text("utf-8").startswith("<?xml")


MISTAKES = {
    "no date for x.json: pass --dates": ("x.json", "runs/2026-03-01.json"),
    "2 dates for 1 file: pass one per file": ("x.json", "--dates", "2026-01,2026-02"),
    "x.json and y.json have the same date, 2026-01": ("x.json", "y.json", "--dates", "2026-01,2026-01"),
    "1 period: at least two are needed": ("runs/2026-03-01.json",),
    "cannot read 'soon' as a date": ("x.json", "y.json", "--dates", "2026-01,soon"),
    "gone.json does not exist": ("gone.json", "x.json"),
    "their tasks differ": ("x.json", "numbers.json", "--dates", "2026-01,2026-02"),
    "--baseline 2027-01 is not one of the periods": (
        "x.json", "y.json", "--dates", "2026-01,2026-02", "--baseline", "2027-01",
    ),
    "rows.csv": ("rows.csv", "x.json", "--dates", "2026-01,2026-02"),
}  # fmt: skip


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes(calipers, runs, message):
    evaluation(8, 2.0).save(runs / "x.json")
    evaluation(9, 2.0).save(runs / "y.json")
    cal.evaluate([1.5, 2.5, 3.5], [1.0, 2.5, 4.0]).save(runs / "numbers.json")
    (runs / "rows.csv").write_text("truth,score\n1,0.5\n")
    done = calipers("trend", *MISTAKES[message])
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
