"""Options with values that no file has: refused in one line that says what is allowed."""

import pytest
from corpus import LABELS

from calipers.errors import InputError
from calipers.validation.from_tables import model_named


def refusal(done):
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    return done.stderr


@pytest.mark.parametrize("name", ["rot13", "zlib", "hex", "punycode", "idna", "undefined", "utf-9", "é"])
def test_item_7_an_encoding_that_files_do_not_have(calipers, file, name):
    message = refusal(calipers("evaluate", file(LABELS), "--encoding", name))
    assert message.startswith(f"calipers: unknown encoding '{name}': use for example utf-8, utf-16, gb18030, ")


@pytest.mark.parametrize("command", [["evaluate"], ["compare", "--pred", "y_pred,y_true"], ["gate"], ["rank"]])
@pytest.mark.parametrize("metrics", ["", " , "])
def test_item_7_no_metrics(calipers, file, command, metrics):
    message = refusal(calipers(*command, file(LABELS), "--metrics", metrics))
    assert f"{metrics!r} contains no names: write names separated by commas, or leave it out" in message


def test_item_12_a_model_is_imported_only_when_the_file_can_be_read(calipers, file, tmp_path):
    file("import pathlib\npathlib.Path('ran').touch()\nraise RuntimeError('this module cannot run')\n", "own_model.py")
    model = ("--model", "own_model:Model")
    assert "nowhere.csv does not exist" in refusal(calipers("validate", "nowhere.csv", *model, PYTHONPATH="."))
    assert "no column 'z'" in refusal(calipers("validate", file(LABELS), "--truth", "z", *model))
    assert not (tmp_path / "ran").exists()


def test_item_12_the_help_says_that_importing_runs_code(calipers):
    output = " ".join(calipers("validate", "--help").stdout.split())
    assert "Importing a module runs its code, even if the class is then refused" in output


def test_a_module_that_fails_is_refused(tmp_path, monkeypatch):
    (tmp_path / "failing_model.py").write_text("raise RuntimeError('this module cannot run')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match="failing_model cannot be imported here: RuntimeError: this module cannot run"):
        model_named("failing_model:Model", {})


def test_every_command_with_a_result_has_every_output_option():
    from calipers.cli import shell

    wanted = {"--json", "--md", "--html", "--csv", "--plot", "--lang", "--quiet", "--save"}
    for name, command in shell.commands.items():
        options = {option for parameter in command.params for option in parameter.opts}
        assert name == "completion" or wanted <= options, name  # which prints a script for another shell


def test_the_help_of_plot_lists_the_charts_of_the_command():
    import calipers as cal
    from calipers.cli import shell
    from calipers.cli.charts import NO_CHARTS, OF_COMMANDS
    from calipers.report.plots import kinds_of

    results = {
        "evaluate": [cal.Evaluation], "merge": [cal.Evaluation], "demo": [cal.Evaluation], "counts": [cal.Evaluation],
        "compare": [cal.Comparison], "gate": [cal.GateResult], "rank": [cal.Evaluation, cal.Comparison],
        "validate": [cal.Validation], "explain": [cal.Explanation], "metrics": [cal.MetricList], "power": [cal.Power],
        "trend": [cal.Trend], "calibrate": [cal.Calibration], "topics": [cal.Evaluation],
        "clusters": [cal.Evaluation], "recommendations": [cal.Evaluation, cal.Comparison],
    }  # fmt: skip
    assert {*results, "show", "completion"} == {*shell.commands}
    for name, types in results.items():
        drawn = {kind for each in types for kind in kinds_of(each)}
        assert {*OF_COMMANDS.get(name, ())} <= drawn, name
        if name not in ("counts", "rank", "clusters", "topics", "recommendations"):  # which have fewer
            assert {*OF_COMMANDS.get(name, ())} == drawn, name
        assert (name in NO_CHARTS) == (not drawn)
    plot = next(param for param in shell.commands["gate"].params if param.name == "charts")
    assert plot.help == "Write a chart (.png, .svg or .pdf). KIND: checks."


def test_the_charts_that_counts_and_rankings_have(calipers, file):
    counted = ("counts", "--tp", "5", "--fp", "1", "--fn", "2", "--tn", "9", "--quiet")
    assert calipers(*counted, "--plot", "confusion=c.svg", "--plot", "intervals=i.svg").returncode == 0
    assert calipers(*counted, "--plot", "roc=r.svg").returncode == 2
    qrels, run, other = file("q 0 a 1\nr 0 b 1\n", "q.txt"), file("q Q0 a 1 2 x\nr Q0 a 1 2 x\n", "a.txt"), "b.txt"
    file("q Q0 a 1 2 x\nr Q0 b 1 2 x\n", other)
    assert calipers("rank", qrels, run, "--plot", "intervals=i.svg").returncode == 0
    assert calipers("rank", qrels, run, other, "--plot", "difference=d.svg").returncode == 0
