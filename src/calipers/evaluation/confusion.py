"""The confusion matrix as people read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import numpy.typing as npt

from calipers.choices import ShareOf, Side
from calipers.errors import InputError
from calipers.evaluation.tables import frame_of
from calipers.settings import Label

if TYPE_CHECKING:
    import pandas as pd

Array = npt.NDArray[Any]
NORMS: tuple[ShareOf, ...] = get_args(ShareOf)


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts with the truth in rows and the prediction in columns; `.T` swaps them.

    >>> c = Confusion(("BAD", "GOOD"), np.array([[55, 45], [50, 850]]))
    >>> c["BAD", "GOOD"], c.normalised("truth")[0].tolist()
    (45, [0.55, 0.45])
    """

    labels: tuple[Label, ...]
    counts: Array
    rows: Side = "truth"

    def __getitem__(self, pair: tuple[Label, Label]) -> Any:
        """The count of one (true, predicted) pair of labels."""
        row, column = pair if self.rows == "truth" else pair[::-1]
        return self.counts[self.labels.index(row), self.labels.index(column)].item()

    def __iter__(self) -> Iterator[Array]:
        return iter(self.counts)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.counts, dtype=dtype)

    @property
    def T(self) -> Confusion:  # noqa: N802 - NumPy's name for it
        """The same with rows and columns swapped."""
        return Confusion(self.labels, self.counts.T, "prediction" if self.rows == "truth" else "truth")

    def normalised(self, by: ShareOf = "truth") -> Array:
        """Proportions of each true class, of each predicted class, or of all rows; NaN for an empty class."""
        if by not in NORMS:
            raise InputError("evaluation.unknown_norm", by=by, known=NORMS)
        axis = {"all": None, self.rows: 1}.get(by, 0)
        with np.errstate(invalid="ignore"):
            shares: Array = self.counts / self.counts.sum(axis=axis, keepdims=True)
        return shares

    @property
    def margins(self) -> tuple[Array, Array]:
        """Row sums and column sums."""
        return self.counts.sum(1), self.counts.sum(0)

    def to_frame(self) -> pd.DataFrame:
        """The counts as a pandas frame: the index and the columns are the labels."""
        counts = {str(at): column for at, column in enumerate(self.counts.T)}  # labels may be alike as text
        frame = frame_of(counts, index=list(self.labels))
        frame.columns = list(self.labels)
        other = "prediction" if self.rows == "truth" else "truth"
        return frame.rename_axis(index=self.rows, columns=other)

    def __repr__(self) -> str:
        from calipers.report.text import confusion_lines

        return "\n".join(confusion_lines(self))
