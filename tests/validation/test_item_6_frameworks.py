"""The snippets of docs/results.md with XGBoost, LightGBM, Keras and Lightning, skipped where they are not installed."""

import os
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

import calipers as cal

GUIDE = (Path(__file__).parents[2] / "docs" / "results.md").read_text("utf-8")
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 3)).astype(np.float32)
Y = (rng.random(300) < 1 / (1 + np.exp(-8 * X[:, 0]))).astype(int)


def snippet(title):
    """The lines of the guide below `# title`, without the line that logs to a tracker."""
    lines = re.split(rf"^    # {title}(?=[:\n])", GUIDE, flags=re.M)[1].partition("\n\n")[0].splitlines()[1:]
    return textwrap.dedent("\n".join(line for line in lines if "log" not in line and "save" not in line))


def run(title, **names):
    data = {"cal": cal, "X_train": X[:200], "y_train": Y[:200], "X_test": X[200:], "y_test": Y[200:], **names}
    exec(snippet(title).replace(', by=["region"]', ""), data)
    return data["ev"], data


def test_xgboost():
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed")
    ev, data = run("XGBoost", xgboost=xgboost)
    scores = data["model"].predict_proba(X[200:])[:, 1]
    assert ev["roc_auc"] == pytest.approx(cal.evaluate(Y[200:], scores)["roc_auc"])
    booster = data["model"].get_booster()
    assert cal.evaluate(Y[200:], booster.predict(xgboost.DMatrix(X[200:])))["roc_auc"] == pytest.approx(ev["roc_auc"])


def test_lightgbm():
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    ev, data = run("LightGBM", lightgbm=lightgbm, y_train=3 * X[:200, 0] + 1, y_test=3 * X[200:, 0] + 1)
    assert ev.task == "regression"
    assert ev["rmse"] == pytest.approx(np.sqrt(np.mean((data["model"].predict(X[200:]) - data["y_test"]) ** 2)))
    grades, sizes = rng.integers(0, 3, 200), [10] * 20
    ranker = lightgbm.LGBMRanker(n_estimators=5, verbose=-1, n_jobs=1).fit(X[:200], grades, group=sizes)
    assert cal.evaluate_ranking(grades, ranker.predict(X[:200]), group_sizes=sizes).rows == 20


def test_keras():
    os.environ.setdefault("KERAS_BACKEND", "torch")
    pytest.importorskip("torch", reason="torch, which Keras computes with here, is not installed")
    keras = pytest.importorskip("keras", reason="keras is not installed")
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1, activation="sigmoid")])
    model.compile(loss="binary_crossentropy", optimizer=keras.optimizers.Adam(0.3))
    ev, _ = run("Keras", model=model)
    scores = model.predict(X[200:], verbose=0)
    assert scores.shape == (100, 1)
    assert ev["roc_auc"] == pytest.approx(cal.evaluate(Y[200:], scores[:, 0])["roc_auc"])


def test_lightning(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    lightning = pytest.importorskip("lightning", reason="lightning is not installed")

    class Model(lightning.LightningModule):
        def forward(self, batch):
            return torch.sigmoid(batch[0][:, 0])

    trainer = lightning.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False, default_root_dir=tmp_path,
                                enable_progress_bar=False)  # fmt: skip
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.tensor(X[200:])), batch_size=30)
    ev, _ = run("Lightning", torch=torch, trainer=trainer, model=Model(), test_loader=loader)
    assert ev["roc_auc"] == pytest.approx(cal.evaluate(Y[200:], 1 / (1 + np.exp(-X[200:, 0])))["roc_auc"])
