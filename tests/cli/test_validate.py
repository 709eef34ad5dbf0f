"""`calipers validate`: files in, models by name, everything said on screen; run in this process for speed."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import calipers as cal
from calipers.cli import main
from calipers.report.terminal import width
from calipers.validation.from_tables import model_named, parameter

RNG = np.random.default_rng(3)
AGE, TOWN = RNG.normal(40, 10, 200).round(1), RNG.choice(["Huế", "Hà Nội", "Đà Nẵng"], 200)
CODE = RNG.integers(1, 4, 200)
LATE = np.where(AGE + 8 * (TOWN == "Huế") + RNG.normal(0, 6, 200) > 43, "yes", "no")
CELLS = zip(AGE, TOWN, CODE, LATE, strict=True)
ROWS = "\n".join(["age,town,code,late", *(",".join(map(str, row)) for row in CELLS)])
LOGISTIC = "sklearn.linear_model:LogisticRegression"


@pytest.fixture
def loans(tmp_path):
    path = tmp_path / "loans.csv"
    path.write_text(ROWS, encoding="utf-8")
    return str(path)


def ran(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["validate", *arguments])
    output = capsys.readouterr()
    return ended.value.code, output.out, output.err


def test_a_file_is_validated_and_all_is_said(capsys, loans):
    code, out, err = ran(capsys, loans, "--truth", "late", "--positive", "yes", "--model", LOGISTIC, "--cv", "4")
    assert (code, err) == (0, "")
    assert out.startswith(
        "numeric columns used unchanged: 2 (age, code)\ntext columns one-hot encoded: 1 (town)\n"
        "binary classification: 200 rows, 4 folds, stratified, shuffled\n"
    )
    assert "('logisticregression', LogisticRegression())" in " ".join(out.split())
    assert max(map(width, out.splitlines())) <= 80


def test_the_numbers_are_those_of_python(capsys, loans):
    args = ["--truth", "late", "--positive", "yes", "--model", LOGISTIC, "--param", "C=0.1", "--feature", "age"]
    code, out, _ = ran(capsys, loans, *args, "--metrics", "roc_auc", "--json", "--quiet", "--seed", "4")
    model = LogisticRegression(C=0.1)
    validation = cal.cross_validate(model, AGE[:, None], LATE, positive="yes", metrics="roc_auc", seed=4)
    document = json.loads(out)
    assert code == 0
    assert document["metrics"]["roc_auc"]["value"] == validation["roc_auc"]
    assert document["model"] == "LogisticRegression(C=0.1)"


def test_numbers_that_are_codes_become_categories(capsys, loans):
    args = [loans, "--truth", "late", "--positive", "yes", "--model", LOGISTIC, "--category", "code", "--drop", "age"]
    assert "text columns one-hot encoded: 2 (town, code)\nbinary" in ran(capsys, *args)[1]


def test_a_page_and_another_language(capsys, loans, tmp_path):
    page = tmp_path / "cv.html"
    args = ["--truth", "late", "--positive", "yes", "--model", "sklearn.tree:DecisionTreeClassifier", "--cv", "10"]
    code, out, _ = ran(capsys, loans, *args, "--html", str(page), "--lang", "vi")
    assert code == 0
    assert f"đã ghi: {page}" in out
    assert "! Mô hình bị quá khớp (overfitting)" in out
    text = page.read_text(encoding="utf-8")
    assert "<h1>Kiểm tra chéo: " in text
    assert "DecisionTreeClassifier" in text


def test_numbers_are_predicted_by_a_regressor_in_groups(capsys, tmp_path):
    path = tmp_path / "flats.csv"
    size, house = RNG.normal(50, 9, 90), np.arange(90) // 3
    cells = zip(size, house, 3 * size + RNG.normal(0, 5, 90), strict=True)
    path.write_text("size;house;price\n" + "\n".join(f"{s:.2f};{h};{p:.1f}".replace(".", ",") for s, h, p in cells))
    args = ["--truth", "price", "--groups", "house", "--model", "sklearn.linear_model:Ridge", "--metrics", "r2"]
    code, out, _ = ran(capsys, str(path), *args)
    assert code == 0
    assert "regression: 90 rows, 5 folds, shuffled, groups kept together" in out
    assert "decimal commas" in out


PLAIN = """
class Majority:
    def fit(self, X, y):
        values = sorted(set(y.tolist()), key=y.tolist().count)
        self.most = values[-1]

    def predict(self, X):
        return [self.most] * len(X)
"""


def test_a_plain_class_of_a_module_of_ones_own(capsys, loans, tmp_path, monkeypatch):
    (tmp_path / "own_models.py").write_text(PLAIN)
    monkeypatch.syspath_prepend(tmp_path)
    args = ["--truth", "late", "--positive", "yes", "--model", "own_models:Majority", "--metrics", "accuracy"]
    code, out, _ = ran(capsys, loans, *args)
    assert code == 0
    share = np.mean(max(("yes", "no"), key=LATE.tolist().count) == LATE)
    assert f"Accuracy  {share:.3f}" in out


def test_nothing_is_unpickled(capsys, loans, tmp_path):
    """A pickle runs what it likes when it is loaded; a name with a path in it names no model."""
    path = tmp_path / "model.pkl"
    path.write_bytes(b"cos\nsystem\n(S'touch " + str(tmp_path / "ran").encode() + b"'\ntR.")
    for name in (str(path), f"{path}:Model", "pickle:load", "joblib:load"):
        code, _, err = ran(capsys, loans, "--truth", "late", "--positive", "yes", "--model", name)
        assert code == 2
        assert err.startswith("calipers: ")
    assert not os.path.exists(tmp_path / "ran")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--model", "sklearn.linear_model"],
            "'sklearn.linear_model' does not name a model: write package.module:Class, as in"),
        (["--model", "no_such_thing:Model"], "no_such_thing cannot be imported here: No module named 'no_such_thing'"),
        (["--model", "sklearn.linear_model:Rigde"], "sklearn.linear_model has no class 'Rigde'"),
        (["--model", "os:system", "--param", "command=false"], "os has no class 'system'"),
        (["--model", "subprocess:Popen", "--param", "args=false"],
            "subprocess:Popen is not a model: it has no fit method"),
        (["--model", LOGISTIC, "--param", "D=1"], "LogisticRegression cannot be created with {'D': 1}: "),
        (["--model", LOGISTIC, "--param", "C"], "'C' is not a parameter: write NAME=VALUE, as in C=0.1"),
        (["--model", "sklearn.preprocessing:StandardScaler"],
            "StandardScaler is not a model: it needs a fit method and one of"),
        (["--model", LOGISTIC, "--cv", "1"], "--cv 1 does not fit 200 rows"),
        (["--model", LOGISTIC, "--metrics", "rmse"], "rmse is not a metric for classification"),
        (["--model", LOGISTIC, "--feature", "late"], "has no feature columns, only the target"),
        (["--model", LOGISTIC, "--html", "cv.pdf"], "cv.pdf: a page must be written as .html"),
    ],
)
def test_what_can_be_mended_is_one_line(capsys, loans, args, message):
    code, out, err = ran(capsys, loans, "--truth", "late", "--positive", "yes", *args)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_columns_that_cannot_help_are_refused(capsys, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("name,late\n" + "\n".join(f"n{i},{i % 2}" for i in range(60)))
    assert "column 'name' has 60 different texts in 60 rows" in ran(capsys, str(path), "--truth", "late",
                                                                      "--model", LOGISTIC)[2]  # fmt: skip
    path.write_text("a,late\n1,0\n2,\n3,1\n4,0\n")
    err = ran(capsys, str(path), "--truth", "late", "--model", LOGISTIC)[2]
    assert "1 row has no 'late' (first: line 3)" in err


def test_parameters_read_as_python_writes_them():
    assert parameter("a=None") == ("a", None)
    assert parameter("a=[1, 2]") == ("a", [1, 2])
    assert parameter("a=b=c") == ("a", "b=c")
    assert parameter("a=") == ("a", "")
    bagged = model_named("sklearn.ensemble:BaggingClassifier", {"n_estimators": 3, "estimator": None})
    assert bagged.n_estimators == 3


def test_scikit_learn_is_not_loaded_before_it_is_needed():
    """The command is parsed, and a wrong one refused, without the second that scikit-learn takes."""
    code = "import sys\nfrom calipers.cli import main\ntry: main(['validate', '--help'])\nexcept SystemExit: pass\n"
    code += "sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False).returncode == 0

