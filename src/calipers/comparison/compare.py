"""`compare`: models on the same rows, every difference with its interval, its p-value and a verdict in words."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from calipers.arguments import named_arguments, refuse_given
from calipers.cached import lazy
from calipers.choices import (
    ComparedCurve,
    ComparisonChart,
    ComparisonTask,
    FamilyAdjustment,
    Missing,
    PairedTest,
)
from calipers.comparison.asking import Asked, known
from calipers.comparison.clusterings import read_clusterings
from calipers.comparison.crossings import Crossing, crossing
from calipers.comparison.differences import Differences
from calipers.comparison.judging import Judging, Pairs
from calipers.comparison.paired_bootstrap import Model
from calipers.comparison.paired_tests import Pairing
from calipers.comparison.recommenders import read_recommenders
from calipers.comparison.same_rows import read_models
from calipers.comparison.slices import by_slice
from calipers.comparison.topic_models import read_topic_models
from calipers.data import frames
from calipers.data.columns import columns_of, picked, slices
from calipers.data.schema import NAMES
from calipers.data.side_columns import in_order
from calipers.errors import InputError
from calipers.evaluation.evaluate_ranking import is_nested, of_rankings, ranking_settings
from calipers.evaluation.evaluate_ranking import read as rankings_of
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.of_batch import of_batch
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.calling import AskedMetrics
from calipers.result import Result
from calipers.settings import Label, Rules, Settings
from calipers.tasks import task_of


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result[ComparisonChart], Mapping[str, Differences]):
    """The result of `compare` and `compare_independent`: differences by metric.

    Metrics that were not listed are computed when they are read. by: the comparisons of slices, by column and value.
    """

    kind: ClassVar[str] = "comparison"

    pairing: Pairs
    settings: Settings
    listed: tuple[Measure, ...]
    judging: Judging
    known: dict[str, Differences] = field(default_factory=dict, repr=False)
    crossings: dict[tuple[str, str, str], Crossing] = field(default_factory=dict, repr=False)
    by: Mapping[str, Mapping[Label, Comparison]] = field(default_factory=dict, repr=False)

    @property
    def baseline(self) -> str:
        """The model that the others are compared with."""
        return next(iter(self.models))

    @property
    def primary(self) -> str | None:
        """The metric that decides, if one was named."""
        return self.judging.primary

    @property
    def margin(self) -> float | None:
        """The difference that does not matter, if one was given."""
        return self.judging.margin

    @lazy
    def models(self) -> Mapping[str, Evaluation]:
        """The evaluation of each model."""
        return dict(self.pairing.evaluations)

    @lazy
    def paired(self) -> bool:
        """Whether all models were evaluated on the same rows."""
        return self.pairing.paired

    @lazy
    def rows(self) -> int:
        """The number of rows that all models have in common; for evaluations of different rows, the number of rows of
        both together."""
        return self.pairing.rows

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the rows, for example how many were dropped."""
        every = [ev.notes for ev in self.models.values()]
        return tuple(note for note in every[0] if all(note in notes for notes in every))

    def __getitem__(self, name: str) -> Differences:
        measure = CATALOGUE[str(name)]
        if measure.name not in self.known:
            self.known[measure.name] = self.judging.differences(measure, self.pairing, self.settings.level)
        return self.known[measure.name]

    def __iter__(self) -> Iterator[str]:
        return (measure.name for measure in self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def curves(self, kind: ComparedCurve = "roc", first: str | None = None, second: str | None = None) -> Crossing:
        """Whether one curve is above the other everywhere, or where they cross. kind: "roc" or "pr"; first, second: two
        models."""
        names = list(self.models)
        first, second = (known(name, names) for name in (first or names[0], second or names[1]))
        if (kind, first, second) not in self.crossings:
            a, b = (self.models[name].curve(kind) for name in (first, second))
            self.crossings[kind, first, second] = crossing(kind, first, a, second, b)
        return self.crossings[kind, first, second]


@named_arguments
def compare(
    y_true: Any,
    models: Mapping[str, Any],
    *,
    truth: str | None = None,
    metrics: AskedMetrics | None = None,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    weights: Any = None,
    by: Any = None,
    threshold: float | Mapping[str, Any] | None = None,
    groups: Any = None,
    margin: float | None = None,
    baseline: str | None = None,
    primary: str | None = None,
    method: PairedTest | Mapping[str, PairedTest] | None = None,
    adjust: FamilyAdjustment = "max-t",
    level: float = 0.95,
    missing: Missing = "error",
    seed: int = 0,
    task: ComparisonTask | None = None,
    rules: Mapping[str, Any] | None = None,
    key: Any = None,
    memory: str | int | None = None,
) -> Comparison:
    """Compare models on the same rows, or runs on the same queries. Differences are candidate minus baseline.

    No test can see rare and large errors that are not in the rows: a model that makes them looks better than it is.

    - y_true, models: the true values, and labels or scores by model name, as in `evaluate`; or a data frame or the
      path of a file, with truth= and column names. If y_true is judgements as in `evaluate_ranking` (nested dicts or a
      TREC file; data frames with task="ranking"), the models are runs. With task="clustering" the models are
      clusterings; y_true may be None if rules has the features "X". With task="topics", y_true is texts and the models
      are topic models.
    - baseline: the model that the others are compared with; by default the first one.
    - primary: the metric that decides; the p-values of the others are not adjusted for testing several metrics.
    - groups: the group of each row (a patient, a document) if rows are not independent.
    - margin: the largest difference that does not matter, to test equivalence and non-inferiority.
    - method: a published test for all metrics that can use it, or a mapping from metrics to tests: "delong-z",
      "paired-t", "mcnemar-exact", ... (guide "Comparing models").
    - adjust: the adjustment for the pairs of several models: "max-t", "bonferroni", "none", or "holm" and "bh", which
      adjust p-values but not intervals.
    - missing: "error", or "drop" to leave out, for all models, the rows in which a prediction of one model is missing.
    - seed: the seed of the resamples, for metrics that need them.
    - by: slices, as in `evaluate`: `.by["region"]["north"]` is the comparison of these rows alone.
    - threshold: as in `evaluate`, or a mapping from models to thresholds.
    - weights, positive, labels, level, metrics, key, memory: as in `evaluate`.
    - rules: for rankings, {"ties": ..., "missing_queries": ...}, as in `evaluate_ranking`; for recommendations
      (task="recommendation"), {"history": ..., "seen": ...}, as in `evaluate_recommendations`; for clusterings
      (task="clustering"), {"X": ..., "distance": ..., "sample": ..., "noise": ...}, as in `evaluate_clusters`; for
      topic models, {"top": ..., "vectorizer": ...}, and {"log_likelihood": {"A": ..., "B": ...}} for perplexity.

    >>> truth, a, b = [0, 1] * 40, [0.2, 0.7] * 30 + [0.6, 0.4] * 10, [0.3, 0.6] * 40
    >>> compare(truth, {"A": a, "B": b}, metrics=["accuracy"])["accuracy"]
    B - A: +0.2500 [+0.1561, +0.3548], p = 9.5e-07: B better
    """
    each = models.values() if isinstance(models, Mapping) else ()
    frames.refuse_results((y_true, models, *each), 'compare(y_true, {"A": a, "B": b})')
    if frames.package_of_engine(y_true) is not None:
        from calipers.partitions.compare_frame import compare_frame

        arguments = {"truth": truth, "metrics": metrics, "positive": positive, "labels": labels, "weights": weights,
                     "by": by, "threshold": threshold, "groups": groups, "margin": margin, "baseline": baseline,
                     "primary": primary, "method": method, "adjust": adjust, "level": level, "missing": missing,
                     "seed": seed, "task": task, "rules": rules, "key": key}  # fmt: skip
        return compare_frame(y_true, models, memory, **arguments)
    if isinstance(y_true, (str, os.PathLike)) and truth is not None:
        from calipers.comparison.compare_file import compare_file

        arguments = {"metrics": metrics, "positive": positive, "labels": labels, "weights": weights, "by": by,
                     "threshold": threshold, "groups": groups, "margin": margin, "baseline": baseline,
                     "primary": primary, "method": method, "adjust": adjust, "level": level, "missing": missing,
                     "seed": seed, "task": task, "rules": rules, "key": key}  # fmt: skip
        return compare_file(y_true, models, truth, memory, **arguments)
    if memory is not None:
        raise InputError("evaluation.memory_of_rows")
    recommended, of_topics = task_of(task).recommended, task_of(task).of_topics
    ranked = task_of(task).ranked or isinstance(y_true, (str, os.PathLike)) or (is_nested(y_true) and truth is None)
    asked = Asked.of(models, margin, baseline, primary, method, adjust)
    models = asked.models
    if ranked or of_topics:
        if missing != "error":
            raise InputError("topics.missing_of_documents" if of_topics else "comparison.missing_of_queries")
        unused = {"truth": truth, "positive": positive, "labels": labels, "weights": weights, "threshold": threshold,
                  "groups": groups, "by": by, "key": key}  # fmt: skip
        refuse_given(unused, "topics.not_compared_with" if of_topics else "comparison.not_for_rankings")
        if recommended or of_topics:
            read = read_topic_models if of_topics else read_recommenders
            each_model, settings = read(y_true, models, metrics, rules or {}, level, seed)
            return _of_models(each_model, None, settings, asked)
        settings = ranking_settings(metrics, Rules(**(rules or {})), level=level, seed=seed)
        return _of_rankings(y_true, settings, asked)
    called = NAMES
    if frames.is_frame(y_true):
        if truth is None:
            raise InputError("comparison.which_truth", columns=frames.names(y_true)[:8])
        slicing = list(by.values()) if isinstance(by, Mapping) else by
        columns = columns_of(y_true, truth, weights, groups, slicing, key, *models.values())
        by = slices(by, columns) if by is not None else None
        y_true, weights, groups, key = (picked(columns, x) for x in (truth, weights, groups, key))
        models = {name: picked(columns, column) for name, column in models.items()}
        called = NAMES._replace(truth=f"column {truth!r}")
    clustered = task_of(task).clustered or (y_true is None and task is None)
    if clustered and (y_true is None or rules is not None):
        of_rows = {"weights": weights, "by": by, "key": key, "positive": positive, "labels": labels,
                   "threshold": threshold}  # fmt: skip
        refuse_given(of_rows, "data.not_for_clusters")
        given = {"missing": missing, "level": level, "seed": seed}
        by_clustering, settings = read_clusterings(y_true, models, metrics, rules or {}, groups, **given)
        codes = next(iter(by_clustering.values())).batch.group_codes
        return _of_models(by_clustering, codes, settings, asked)
    refuse_given({"rules": rules}, "comparison.rules_of_rows")
    settings, own = asked.settings(threshold, positive=positive, labels=labels, level=level, metrics=metrics,
                                   missing=missing, task=task, seed=seed)  # fmt: skip
    batches, codes = read_models(own, y_true, models, weights, groups, called, slices(by, {}))
    if key is not None:
        batches = {name: in_order(batch, key) for name, batch in batches.items()}
        codes = next(iter(batches.values())).group_codes
    by_name = {name: Model(batch, of_batch(own[name], batch)) for name, batch in batches.items()}
    whole = _of_models(by_name, codes, settings, asked)
    if by is None:
        return whole
    parts = by_slice(by_name, lambda models, groups: _of_models(models, groups, settings, asked))
    return replace(whole, by=parts)


def _of_rankings(qrels: Any, settings: Settings, asked: Asked) -> Comparison:
    """Runs on the queries that have judgements."""
    assert settings.ranking is not None
    by_name = {}
    for name, run in asked.models.items():
        try:
            ranked = rankings_of(settings.ranking, qrels, run, {})
        except InputError as error:
            raise InputError("comparison.of_run", name=str(name), error=error) from None
        # Of the rankings only their number is read: what is paired are the measures of queries.
        by_name[str(name)] = Model(ranked, of_rankings(settings, ranked))  # type: ignore[arg-type]
    return _of_models(by_name, None, settings, asked)


def _of_models(models: dict[str, Model], groups: Any, settings: Settings, asked: Asked) -> Comparison:
    """The comparison of these models: the primary metric first, then those that every model has."""
    listed = asked.listed([model.evaluation for model in models.values()], settings)
    pairing = Pairing(models, groups, settings.seed, asked.methods)
    pairing.check_methods(listed)
    return Comparison(pairing, settings, tuple(listed), asked.judging)
