"""One fold of a cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calipers.evaluation.evaluation import Evaluation
from calipers.validation.models import Answer, Array


@dataclass(frozen=True, eq=False)
class Fold:
    """A model fitted on `train` and evaluated on `test`: its predictions, their evaluation, and that of the training
    data.
    """

    number: int
    train: Array
    test: Array
    answer: Answer
    evaluation: Evaluation
    train_evaluation: Evaluation | None
    model: Any
    seconds: float

    def __repr__(self) -> str:
        return f"<fold {self.number}: {len(self.train)} training rows, {len(self.test)} test rows>"
