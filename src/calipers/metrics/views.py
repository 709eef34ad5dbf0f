"""What formulas look at: statistics seen under a threshold, a prevalence and a positive class.

`Views` is what they see of one set of rows; `metrics/over` says, for each thing that a metric can be over, which
statistic it needs, how its value is found, how rows move it and how it is drawn again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from calipers.cached import lazy
from calipers.data.batch import Batch
from calipers.data.rankings import Rankings
from calipers.data.schema import HasSchema, Schema
from calipers.metrics.overlaps import Overlaps
from calipers.metrics.topic_words import TopicTexts
from calipers.remarks import Remark
from calipers.statistics.class_sketches import ClassSketches
from calipers.statistics.classes import ClassScores
from calipers.statistics.combine import Evidence
from calipers.statistics.confusion import ConfusionCounts, OneVsRest
from calipers.statistics.contingency import Contingency
from calipers.statistics.errors import Errors
from calipers.statistics.geometry import Geometry
from calipers.statistics.labels import LabelCounts
from calipers.statistics.moments import Losses, Moments
from calipers.statistics.queries import QueryGains
from calipers.statistics.ranks import RankCounts
from calipers.statistics.rows import Rows
from calipers.statistics.scores import TOP, ScoreSamples
from calipers.statistics.sketch import ScoreSketch
from calipers.statistics.word_counts import WordCounts


class RowMean:
    """What a metric is over when it is the mean of its row-wise form and no other statistic holds it."""


class Unavailable(Exception):
    """A metric cannot be had from what was given; the remark says why."""

    def __init__(self, remark: str) -> None:
        super().__init__(remark)
        self.remark = remark


@dataclass(frozen=True, eq=False)
class Views(HasSchema):
    """The evidence of one set of rows and how it is to be read.

    `fixed` says that the shares of the true classes were set from outside, not drawn with the rows. `source` are the
    rows themselves, kept where an interval has to draw them again; `rankings` are those of a ranking, `geometry` is
    where clusters lie.
    """

    evidence: Evidence
    schema: Schema
    fixed: bool = False
    source: Batch | None = None
    rankings: Rankings | None = None
    geometry: Geometry | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @lazy
    def rows(self) -> int:
        """How many rows stand behind the evidence."""
        part = next(iter(self.evidence.parts.values()), None)
        if isinstance(part, Evidence):
            part = next(iter(part.parts.values()), None)
        return 0 if part is None else int(getattr(part, "rows", 0) or getattr(part, "n", 0))

    @lazy
    def equal_weights(self) -> bool:
        """Whether all rows have the same weight: then, and only then, (Σw)² = n Σw²."""
        ranks = self.evidence.get(RankCounts)
        if ranks is not None:
            weight, squares = ranks.cells.sum(), ranks.second.sum()
        else:
            c = self.one_vs_rest
            weight, squares = (sum(x[..., 0] for x in each) for each in (c.counts, c.squares or c.counts))
        return math.isclose(weight * weight, self.rows * squares, rel_tol=1e-9)

    @lazy
    def decision_threshold(self) -> float:
        """The threshold in force."""
        if isinstance(self.schema.threshold, float):
            return self.schema.threshold
        samples = self.samples
        if self.why_not_probabilities:
            raise Unavailable(Remark("metrics.no_threshold", why=self.why_not_probabilities))
        if not samples.probabilities:
            low, high = samples.range
            raise Unavailable(Remark("metrics.not_probabilities", low=low, high=high))
        return 0.5

    @lazy
    def confusion(self) -> ConfusionCounts:
        """The confusion matrix: counted from labels, or cut from scores."""
        counted = self.evidence.get(ConfusionCounts)
        if counted is not None:
            return counted
        if self.facts.why_not_confused:
            raise Unavailable(self.facts.why_not_confused)
        if (counts := self.evidence.get(LabelCounts)) is not None:
            raise Unavailable(Remark("metrics.counts_of_classes" if len(counts.labels) > 1 else "metrics.tn_unknown"))
        if self.positive is None:
            raise Unavailable(Remark("metrics.no_rows"))
        return self.samples.confusion(self.decision_threshold, self.labels, self.positive)

    @property
    def class_weights(self) -> tuple[float, float]:
        """The weights of the positive and of the negative class, from scores or from a table."""
        samples, at = self.evidence.get(ScoreSamples), self.positive
        if samples is not None:
            return samples.positives, samples.negatives
        truth = self.confusion.cells.sum(1)
        return float(truth[at]), float(truth.sum() - truth[at])

    @lazy
    def one_vs_rest(self) -> OneVsRest:
        """TP, FP, FN, TN of every class."""
        labelled = self.evidence.get(LabelCounts)
        if labelled is None and self.facts.label_sets:
            raise Unavailable(Remark("metrics.labels_needed"))
        counts = self.confusion.one_vs_rest if labelled is None else labelled.one_vs_rest
        return counts._replace(fixed=True) if self.fixed else counts

    def of_class(self, index: int) -> OneVsRest:
        """TP, FP, FN, TN of one class."""
        return self.confusion.of_class(index) if self.counted and not self.fixed else self.one_vs_rest.at(index)

    @property
    def counted(self) -> bool:
        """Whether labels were predicted and counted in a table, and not cut from scores."""
        return self.evidence.has(ConfusionCounts)

    @property
    def scored(self) -> bool:
        """Whether there are scores of a class."""
        return self.evidence.has(ScoreSamples) or self.evidence.has(ClassScores)

    @lazy
    def samples(self) -> ScoreSamples:
        """The two sorted samples of a binary scorer."""
        samples = self.evidence.get(ScoreSamples)
        if samples is None and self.sketch is not None:
            return self.sketch.middle
        if samples is None:
            raise Unavailable(Remark("metrics.no_scores"))
        return samples

    @property
    def sketch(self) -> ScoreSketch | None:
        """The summary of the scores of a binary scorer, where it has taken their place."""
        return self.evidence.get(ScoreSketch, ScoreSamples.__name__)

    @lazy
    def corners(self) -> tuple[Views, ...]:
        """Where scores are known by cells and the threshold lies within some: the views of the four extreme counts."""
        sketch = None if self.counted else self.sketch
        if sketch is None or sketch.exact or self.positive is None:
            return ()
        if sketch.knows(self.decision_threshold):
            return ()
        low, high = (s.at(self.decision_threshold) for s in (sketch.worst, sketch.best))
        if low == high:
            return ()
        every = (pos.with_negatives(neg) for pos in (low, high) for neg in (low, high))
        tables = (sketch.middle.table(counts, self.labels, self.positive) for counts in every)
        return tuple(replace(self, evidence=Evidence.holding(table)) for table in tables)

    @lazy
    def top(self) -> ScoreSamples:
        """The score of the top class, positive where it is the true one."""
        if self.why_not_probabilities:
            raise Unavailable(self.why_not_probabilities)
        top = self.evidence.get(ScoreSamples, TOP)
        if top is None and self.top_sketch is not None:
            return self.top_sketch.middle
        if top is None:
            raise Unavailable(Remark("metrics.no_score_matrix"))
        return top

    @property
    def top_sketch(self) -> ScoreSketch | None:
        """The summary of the scores of the top class, where it has taken their place."""
        return self.evidence.get(ScoreSketch, TOP)

    @property
    def class_sketches(self) -> ClassSketches | None:
        """The summary of the score matrix, where it has taken its place."""
        return self.evidence.get(ClassSketches, ClassScores.__name__)

    @lazy
    def class_scores(self) -> ClassScores | ClassSketches:
        """The score matrix. Of several classes it must hold probabilities, because a common shift of the scores of a
        row changes no prediction, and yet the order of the rows in each column."""
        if self.why_not_probabilities and self.facts.top_class and len(self.labels) > 2:
            raise Unavailable(Remark("metrics.need_probabilities", why=self.why_not_probabilities))
        scores = self.evidence.parts.get(ClassScores.__name__)
        if scores is None:
            raise Unavailable(Remark("metrics.no_score_matrix"))
        assert isinstance(scores, (ClassScores, ClassSketches))
        if isinstance(scores, ClassSketches) and not scores.sketches:
            raise Unavailable(Remark("metrics.classes_not_kept"))
        return scores

    @lazy
    def ranks(self) -> RankCounts:
        """The ranks of the true class."""
        ranks = self.evidence.get(RankCounts)
        if ranks is None:
            raise Unavailable(Remark("metrics.no_score_matrix"))
        return ranks

    @lazy
    def queries(self) -> QueryGains:
        """The measures of each query."""
        gains = self.evidence.get(QueryGains)
        if gains is None:
            raise Unavailable(Remark("metrics.of_rankings"))
        return gains

    @lazy
    def contingency(self) -> Contingency:
        """The rows of each class and cluster."""
        table = self.evidence.get(Contingency)
        if table is None:
            raise Unavailable(Remark("metrics.of_clusters"))
        return table

    @lazy
    def overlaps(self) -> Overlaps:
        """The filled cells of that table, where the classes are known and a row is in a cluster."""
        table = self.contingency
        if not table.classes:
            raise Unavailable(Remark("metrics.no_classes"))
        return Overlaps.of(table)

    @lazy
    def topic_texts(self) -> TopicTexts:
        """The windows of texts that have the words of topics."""
        counts = self.evidence.get(WordCounts)
        if counts is None:
            raise Unavailable(Remark("topics.of_topics"))
        return TopicTexts(counts)

    def restated(self, prevalence: float) -> Views:
        """The same rows, as of a population with another share of the positive class."""
        assert self.positive is not None
        shares = np.full(len(self.labels), 1 - prevalence)
        shares[self.positive] = prevalence
        parts = dict(self.evidence.parts)
        for name, part in parts.items():
            if isinstance(part, ConfusionCounts):
                parts[name] = part.restated(shares)
            elif isinstance(part, ScoreSamples):
                parts[name] = part.restated(prevalence)
            elif isinstance(part, ScoreSketch):
                part.middle.restated(prevalence)  # an error that says why
        return replace(self, evidence=Evidence(parts), fixed=True)

    def errors(self, output: int) -> Errors:
        """The errors of one predicted number."""
        errors = self.evidence.parts.get(Errors.__name__)
        if isinstance(errors, Evidence):  # several numbers per row
            errors = errors.parts[str(output)]
        if not isinstance(errors, Errors):
            raise Unavailable(Remark("metrics.of_numbers"))
        return errors

    def kept_rows(self, output: int | None = None) -> Rows | None:
        """The rows behind predicted numbers, where the plan kept them; of one of several numbers a row if asked."""
        rows = self.evidence.get(Rows)
        return rows.output(output) if rows is not None and output is not None and rows.truth.ndim == 2 else rows

    def error_sketch(self, output: int) -> ScoreSketch | None:
        """The summary of the sizes of the errors of one predicted number, where it has taken the place of the rows."""
        part = self.evidence.parts.get(Rows.__name__)
        if isinstance(part, Evidence):
            part = part.parts[str(output)]
        return part if isinstance(part, ScoreSketch) else None

    def losses(self, name: str) -> Losses | None:
        """The losses behind a mean loss of probabilities, where they were taken without sorting the scores."""
        return self.evidence.get(Losses, name)

    def moments(self, name: str) -> Moments:
        """The moments of a row-wise measure."""
        moments = self.evidence.get(Moments, name)
        if moments is None:
            raise Unavailable(Remark("metrics.not_asked_for", name=name, names=[name]))
        return moments
