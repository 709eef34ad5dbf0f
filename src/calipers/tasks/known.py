"""The tasks: one record each."""

from __future__ import annotations

from calipers.remarks import Remark
from calipers.tasks.base import Task

OF_CLASSES = ("roc", "pr", "confusion", "calibration", "scores", "thresholds", "gain", "lift", "det", "intervals")

OF_TWO_CLASSES = (*OF_CLASSES[:6], "decision", *OF_CLASSES[6:])

BINARY = Task(
    "binary",
    one_class=True,
    has_positive=True,
    one_score=True,
    usual="balanced_accuracy",
    usual_of_scores="roc_auc",
    charts=OF_TWO_CLASSES,
    usual_charts=("roc", "confusion"),
    page_charts=("calibration",),
)
MULTICLASS = Task(
    "multiclass",
    one_class=True,
    top_class=True,
    usual="balanced_accuracy",
    charts=OF_CLASSES,
    usual_charts=("confusion", "confusion"),
    page_charts=("roc", "pr", "calibration"),
)
MULTILABEL = Task(
    "multilabel",
    label_sets=True,
    why_not_confused=Remark("metrics.one_label_per_row"),
    label="label",
    usual="subset_accuracy",
    charts=OF_CLASSES,
    usual_charts=("confusion", "confusion"),
    page_charts=("roc", "pr", "calibration"),
)
REGRESSION = Task(
    "regression",
    of_numbers=True,
    why_not_confused=Remark("metrics.numbers_not_confused"),
    label="output",
    usual="rmse",
    charts=("intervals", "residuals", "predicted", "errors"),
    usual_charts=("predicted", "intervals"),
    page_charts=("errors", "residuals", "predicted"),
)
RANKING = Task(
    "ranking",
    unit="queries",
    compared="runs",
    ranked=True,
    why_not_confused=Remark("metrics.ranked_not_classified"),
    usual="ndcg@10",
)
CLUSTERING = Task(
    "clustering",
    compared="clusterings",
    clustered=True,
    why_not_confused=Remark("metrics.clusters_not_confused"),
    usual="adjusted_rand",
    charts=("intervals", "contingency", "silhouette"),
    page_charts=("contingency", "silhouette"),
)
RECOMMENDATION = Task(
    "recommendation",
    unit="users",
    compared="recommenders",
    ranked=True,
    recommended=True,
    why_not_confused=Remark("metrics.ranked_not_classified"),
    usual="ndcg@10",
    charts=("intervals", "exposure"),
    usual_charts=("exposure", "intervals"),
    page_charts=("exposure",),
)
TOPICS = Task(
    "topics",
    unit="documents",
    of_topics=True,
    why_not_confused=Remark("topics.not_confused"),
    label="topic",
    usual="c_v",
    charts=("intervals", "topics"),
    usual_charts=("topics", "topics"),
)

EVERY = (BINARY, MULTICLASS, MULTILABEL, REGRESSION, RANKING, CLUSTERING, RECOMMENDATION, TOPICS)
TASKS = {task.name: task for task in EVERY}
