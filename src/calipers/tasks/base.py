"""What a task is: the facts that the rest of the code asks for, so that no other module compares names of tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, eq=False)  # each task is one object: identity is faster than comparing all facts
class Task:
    """The facts of one task; a default says what holds for a task of which nothing is known.

    name: as users and documents write it. unit: what n counts. compared: what a comparison puts side by side.

    What the truth is, at most one of these:
    one_class: each row has exactly one of the classes. label_sets: each row has any number of labels.
    of_numbers: each row has a number, or several. ranked: queries have judged documents, which are ranked.
    clustered: each row has a cluster, whose name means nothing, and may have a class. of_topics: topics have words, and
    rows are documents.

    recommended: the queries of a ranking are users, and the documents are items of a catalogue.

    What the predictions are:
    has_positive: there are two classes, and one of them is the positive class. one_score: a score is one number per
    row, for the positive class, and a threshold turns it into a prediction. top_class: each class has a column of
    scores, and the class with the highest score is the prediction. why_not_confused: the remark that says why there is
    no confusion matrix.

    What people see:
    label: what one of the labels is called. usual, usual_of_scores: the metric that decides where none is named, and
    the one where there are scores. charts: the charts of an evaluation that fit. usual_charts: the one that is drawn
    where none is named, and the one instead of it where the rows are gone or the first cannot be had. page_charts: the
    charts of the page, beside those with a threshold.
    """

    name: str = ""
    unit: Literal["rows", "queries", "users", "documents"] = "rows"
    compared: Literal["models", "runs", "clusterings", "recommenders"] = "models"
    one_class: bool = False
    label_sets: bool = False
    of_numbers: bool = False
    ranked: bool = False
    clustered: bool = False
    recommended: bool = False
    of_topics: bool = False
    has_positive: bool = False
    one_score: bool = False
    top_class: bool = False
    why_not_confused: str = ""
    label: Literal["class", "label", "output", "topic"] = "class"
    usual: str = ""
    usual_of_scores: str = ""
    charts: tuple[str, ...] = ("intervals",)
    usual_charts: tuple[str, str] = ("intervals", "intervals")
    page_charts: tuple[str, ...] = ()

    def usual_metric(self, *, scored: bool) -> str:
        """The metric that decides where none is named."""
        return self.usual_of_scores if scored and self.usual_of_scores else self.usual

    def __reduce__(self) -> tuple[Callable[[str], Task], tuple[str]]:
        from calipers.tasks import task_of

        return task_of, (self.name,)
