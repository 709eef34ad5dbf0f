"""`calipers show`: a saved result, printed or converted."""

import json

import calipers as cal

EV = cal.evaluate_counts(tp=55, fp=50, fn=45, tn=850)


def saved(tmp_path):
    EV.save(tmp_path / "result.json")
    return str(tmp_path / "result.json")


def test_a_saved_result_is_printed_as_it_was(calipers, tmp_path):
    done = calipers("show", saved(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip("\n") == EV.to_text().replace("see .findings", "see --md")


def test_every_format_of_every_command_goes_through(calipers, tmp_path):
    path = saved(tmp_path)
    assert calipers("show", path, "--md").stdout == EV.to_markdown()
    assert json.loads(calipers("show", path, "--json").stdout) == json.loads(EV.to_json())
    assert calipers("show", path, "--csv").stdout.splitlines()[0].startswith("metric,class,value,low,high")
    assert "độ chính xác" in calipers("show", path, "--lang", "vi").stdout
    page = calipers("show", path, "--html", "page.html")
    assert "written: page.html" in page.stdout
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!doctype html>")


def test_a_pipe_of_two_commands(calipers):
    document = calipers("power", "--accuracy", 0.9, 0.92, "--json").stdout
    assert calipers("show", "-", stdin=document.encode()).stdout.startswith(
        "You need about 3216 rows to detect a difference of")


def test_what_cannot_be_shown_is_one_line(calipers, tmp_path):
    (tmp_path / "bad.json").write_text("{")
    for name, message in (("nowhere.json", "nowhere.json"), ("bad.json", "this is not JSON")):
        done = calipers("show", str(tmp_path / name))
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
    chart = calipers("show", saved(tmp_path), "--plot", "roc=roc.png")
    assert chart.returncode == 2
