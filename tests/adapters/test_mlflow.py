"""`calipers.mlflow.log` against a local store."""

import json

import numpy as np
import pytest

import calipers as cal
import calipers.mlflow


def results():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    p = np.clip(0.3 + 0.4 * y + rng.normal(0, 0.2, 80), 0, 1)
    return cal.evaluate(y, p, by={"region": ["north", "south"] * 40}), cal.compare(y, {"a": p, "b": 1 - p})


def test_item_6_a_run_has_metrics_page_document_and_charts(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "store").as_uri())
    ev, compared = results()
    with mlflow.start_run() as run:
        logged = calipers.mlflow.log(ev, prefix="test_", charts=["roc", "confusion"])
        calipers.mlflow.log(compared, folder="compared")
    store = mlflow.tracking.MlflowClient()
    metrics = store.get_run(run.info.run_id).data.metrics
    assert metrics["test_roc_auc"] == pytest.approx(float(ev["roc_auc"]))
    assert metrics["test_region_north_roc_auc_low"] == pytest.approx(ev.by["region"]["north"]["roc_auc"].low)
    assert set(logged) <= set(metrics)
    names = {artifact.path for artifact in store.list_artifacts(run.info.run_id, "calipers")}
    files = ("report.html", "result.json", "result.md", "roc.png", "confusion.png")
    assert names == {f"calipers/{name}" for name in files}
    assert {a.path for a in store.list_artifacts(run.info.run_id, "compared")} >= {"compared/chart.png"}
    document = mlflow.artifacts.load_text(f"{run.info.artifact_uri}/calipers/result.json")
    assert cal.loads(document)["roc_auc"] == ev["roc_auc"]
    assert json.loads(document)["kind"] == "evaluation"


class Tracker:
    """The calls of MLflow that are made, without MLflow."""

    def __init__(self):
        self.metrics, self.files = {}, {}

    def log_metrics(self, metrics, step=None):
        self.metrics |= metrics

    def log_artifacts(self, place, folder):
        from pathlib import Path

        self.files[folder] = {path.name: path.stat().st_size for path in Path(place).iterdir()}


def test_what_is_logged_without_the_package(monkeypatch):
    import sys

    pytest.importorskip("matplotlib")
    tracker = Tracker()
    monkeypatch.setitem(sys.modules, "mlflow", tracker)
    ev, _ = results()
    assert calipers.mlflow.log(ev, bounds=False) == tracker.metrics == ev.to_flat_dict(bounds=False)
    assert set(tracker.files["calipers"]) == {"report.html", "result.json", "result.md", "chart.png"}
    calipers.mlflow.log(cal.power(accuracy=(0.9, 0.92)), folder="plan")
    assert set(tracker.files["plan"]) == {"report.html", "result.json", "result.md"}


def test_the_package_is_asked_for(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(cal.MissingExtra, match="pip install mlflow"):
        calipers.mlflow.log(results()[0])
