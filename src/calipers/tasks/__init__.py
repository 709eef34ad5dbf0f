"""Tasks as records of facts. Other code uses the facts and does not compare names of tasks."""

from __future__ import annotations

from calipers.tasks.base import Task
from calipers.tasks.known import (
    BINARY,
    CLUSTERING,
    MULTICLASS,
    MULTILABEL,
    RANKING,
    RECOMMENDATION,
    REGRESSION,
    TASKS,
    TOPICS,
)

UNKNOWN = Task()  # the task before the rows are read: all facts are False

__all__ = [
    "BINARY",
    "CLUSTERING",
    "MULTICLASS",
    "MULTILABEL",
    "RANKING",
    "RECOMMENDATION",
    "REGRESSION",
    "TASKS",
    "TOPICS",
    "UNKNOWN",
    "Task",
    "task_of",
]


def task_of(name: str | None) -> Task:
    """The task of this name; `UNKNOWN` for None and for every other name.

    >>> task_of("ranking").unit, task_of(None).of_numbers
    ('queries', False)
    """
    return TASKS.get(name or "", UNKNOWN)
