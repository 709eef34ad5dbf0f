"""`compare`: models on the same rows, every difference with its interval, its p-value and a verdict in words."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from calipers import columns
from calipers import labels as encoding
from calipers.batch import NAMES, Batch, Names
from calipers.crossings import Crossing, crossing
from calipers.differences import OPEN, Difference, Differences, Pair, plain, verdict_of
from calipers.entrances import columns_of, decided, of_batch, picked
from calipers.errors import InputError, UnknownName, nearest
from calipers.evaluation import Evaluation
from calipers.floors import above
from calipers.inference.contrast import Contrast
from calipers.inference.multiple import adjusted
from calipers.metrics.base import CATALOGUE, Measure
from calipers.pairing import Pairing
from calipers.question import Label, Question, Rules
from calipers.ranking import asked, is_nested, of_rankings
from calipers.ranking import read as rankings_of
from calipers.reading import read
from calipers.resampling import Model


@dataclass(frozen=True, eq=False)
class Comparison(Mapping[str, Differences]):
    """What `compare` found: differences by metric. Names that were not listed are computed when asked for."""

    pairing: Pairing
    question: Question
    listed: tuple[Measure, ...]
    margin: float | None
    adjust: str
    known: dict[str, Differences] = field(default_factory=dict, repr=False)

    @property
    def models(self) -> Mapping[str, Evaluation]:
        """Each model's own evaluation."""
        return {name: model.evaluation for name, model in self.pairing.models.items()}

    @property
    def rows(self) -> int:
        """How many rows all models were measured on."""
        return len(next(iter(self.pairing.models.values())).batch)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the rows of all models, such as leaving some out."""
        every = [ev.notes for ev in self.models.values()]
        return tuple(note for note in every[0] if all(note in notes for notes in every))

    def __getitem__(self, name: str) -> Differences:
        measure = CATALOGUE[str(name)]
        if measure.name not in self.known:
            self.known[measure.name] = self._compared(measure)
        return self.known[measure.name]

    def __iter__(self) -> Iterator[str]:
        return (measure.name for measure in self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def curves(self, kind: str = "roc", first: str | None = None, second: str | None = None) -> Crossing:
        """Whether one curve lies above the other, or where they cross and which is above on which side."""
        names = list(self.pairing.models)
        first, second = first or names[0], second or names[1]
        for name in (first, second):
            if name not in names:
                raise UnknownName(f"no model is called {name!r}; {nearest(name, names)}")
        return crossing(kind, first, self.models[first].curve(kind), second, self.models[second].curve(kind))

    def _compared(self, measure: Measure) -> Differences:
        pairs = list(combinations(self.pairing.models, 2))
        found = [self.pairing.contrast(measure, *pair) for pair in pairs]
        p, margins = adjusted([c.pvalue() for c in found], self.adjust), self._margins(measure, found)
        judged = [self._judged(measure, *each) for each in zip(pairs, found, p, margins, strict=True)]
        return Differences(dict(zip(pairs, judged, strict=True)), self.pairing.overall(measure))

    def _margins(self, measure: Measure, found: Sequence[Contrast]) -> list[dict[str, Any]]:
        """p-values against the margin: within it on both sides, and not beyond it on the bad side of either model."""
        if self.margin is None:
            return [{} for _ in found]
        above_low = [c.pvalue(-self.margin, "greater") for c in found]
        below_high = [c.pvalue(self.margin, "less") for c in found]
        equal = adjusted([max(both) for both in zip(above_low, below_high, strict=True)], self.adjust)
        first, second = (adjusted(p, self.adjust) for p in (above_low, below_high))
        if measure.metric.better == "lower":
            first, second = second, first
        names = ("equivalence", "noninferiority", "noninferiority_of_second")
        return [dict(zip(names, each, strict=True)) for each in zip(equal, first, second, strict=True)]

    def _judged(self, measure: Measure, pair: Pair, c: Contrast, p: float, margins: dict[str, Any]) -> Difference:
        level, bounds = self.question.level, measure.metric.bounds
        low, high = c.interval(level)
        settled = c.rows_to_settle(self.rows, level, self.margin)
        more = None if settled is None else max(0, settled - self.rows)
        verdict = verdict_of(c.value, p, 1 - level, measure.metric.better, margins.get("equivalence"), more)
        return Difference(
            measure.name,
            *pair,
            measured=(float(self.models[pair[0]][measure.name]), float(self.models[pair[1]][measure.name])),
            difference=c.value,
            low=max(low, bounds[0] - bounds[1]),
            high=min(high, bounds[1] - bounds[0]),
            level=level,
            pvalue=c.pvalue(),
            adjusted=p,
            verdict=verdict,
            method=c.method,
            more_rows=more if verdict.startswith(OPEN) else None,
            note=c.note,
            **margins,
        )

    def plot(self, kind: str, ax: Any = None, *, lang: str | None = None, theme: str | None = None, **how: Any) -> Any:
        """Draw a chart with matplotlib and return its axes: difference, intervals or roc; see `Evaluation.plot`."""
        return above("plot")(self, kind, ax, lang=lang, theme=theme, **how)

    def to_dict(self) -> dict[str, Any]:
        """The document: models, rows, and every difference with its interval and verdict."""
        return {
            "calipers": 1,
            "comparison": list(self.pairing.models),
            "rows": self.rows,
            "positive": plain(next(iter(self.models.values())).positive),
            "threshold": plain(self.question.threshold),
            "level": self.question.level,
            "seed": self.question.seed,
            "margin": self.margin,
            "adjust": self.adjust,
            "notes": list(self.notes),
            "metrics": {
                name: {
                    "values": {m: plain(float(ev[name])) for m, ev in self.models.items()},
                    "pairs": [d.to_dict() for d in self[name].values()],
                    "overall": None if (o := self[name].overall) is None else o._asdict(),
                }
                for name in self
            },
        }

    def to_json(self, indent: int | None = None) -> str:
        """The document as JSON; NaN is null."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def save(self, path: Any, *, lang: str | None = None, title: str | None = None) -> None:
        """Write the result: a page (.html), the document (.json), the table (.csv) or Markdown (.md), by the ending.

        lang: en, vi or zh, of pages and Markdown. title: of a page (docs/page.md).
        """
        above("save")(self, path, lang=lang, title=title)

    def to_text(self, lang: str | None = None) -> str:
        """The comparison as plain text, 80 columns wide; lang: "en", "vi" or "zh" (docs/languages.md)."""
        return str(above("comparison_text")(self, lang))

    def to_markdown(self, lang: str | None = None) -> str:
        """The comparison as Markdown for pull requests: a table of verdicts, and what they rest on."""
        return str(above("comparison_markdown")(self, lang))

    def __repr__(self) -> str:
        return self.to_text()


def compare(
    y_true: Any,
    models: Mapping[str, Any],
    *,
    truth: str | None = None,
    metrics: Sequence[str] | str | None = None,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    weights: Any = None,
    threshold: float | None = None,
    clusters: Any = None,
    margin: float | None = None,
    adjust: str = "holm",
    level: float = 0.95,
    missing: str = "error",
    seed: int = 0,
    task: str | None = None,
    rules: Mapping[str, str] | None = None,
) -> Comparison:
    """Compare models on the same rows, or runs on the same queries.

    y_true, models: what was true, and labels or scores by name of the model, as `evaluate` takes them; or a frame with
    truth= and column names. clusters: rows that belong together (of one patient, one document) and are not independent.
    margin: the difference that would not matter; asks for equivalence and non-inferiority. adjust: "holm",
    "bonferroni", "bh" or "none", over the pairs of models. missing: "error", or "drop" to leave out, for all models,
    the rows in which one of them has nothing to say. seed: of the resamples, for measures that need them.
    Where y_true is judgements as `rank` takes them (nested dicts or a TREC file; frames with task="ranking"), the
    models are runs; rules: {"ties": ..., "missing": ...}, as `rank` has them.

    >>> truth, a, b = [0, 1] * 40, [0.2, 0.7] * 30 + [0.6, 0.4] * 10, [0.3, 0.6] * 40
    >>> compare(truth, {"A": a, "B": b}, metrics=["accuracy"])["accuracy"]
    A - B: -0.2500 [-0.3548, -0.1561], p = 9.5e-07: worse
    """
    each = models.values() if isinstance(models, Mapping) else ()
    columns.refuse_results((y_true, models, *each), 'pass the rows themselves, compare(y_true, {"A": a, "B": b})')
    ranked = task == "ranking" or isinstance(y_true, (str, os.PathLike)) or (is_nested(y_true) and truth is None)
    if not isinstance(models, Mapping) or len(models) < 2:
        raise InputError('two models or more are needed, by name: compare(y_true, {"A": a, "B": b})')
    if margin is not None and not 0 < margin < math.inf:
        raise InputError(f"margin={margin!r} is not a difference: pass a number above 0")
    adjusted([], adjust)  # a name that is not known is refused before the work
    if ranked:
        if missing != "error":
            raise InputError('missing= is about rows: of queries, pass rules={"missing": "zero"} or "skip"')
        unused = {"truth": truth, "positive": positive, "labels": labels, "weights": weights, "threshold": threshold}
        for name in [name for name, value in {**unused, "clusters": clusters}.items() if value is not None]:
            raise InputError(f"{name}= is not for rankings: queries count alike, and their documents have grades")
        question = asked(metrics, Rules(**(rules or {})), level=level, seed=seed)
        return _of_rankings(y_true, models, question, margin, adjust)
    called = NAMES
    if columns.is_frame(y_true):
        if truth is None:
            raise InputError(f"which column is the truth? pass truth= ({', '.join(columns.names(y_true)[:8])})")
        held = columns_of(y_true, truth, weights, clusters, *models.values())
        y_true, weights, clusters = (picked(held, x) for x in (truth, weights, clusters))
        models = {name: picked(held, given) for name, given in models.items()}
        called = NAMES._replace(truth=f"column {truth!r}")
    question = Question(
        positive=positive,
        labels=labels,  # type: ignore[arg-type]  # Question makes a tuple of it
        threshold=threshold,
        level=level,
        metrics=metrics,  # type: ignore[arg-type]  # and of these names
        missing=missing,
        task=task,
        seed=seed,
    )
    batches, codes = _read(question, y_true, models, weights, clusters, called)
    found = {name: Model(batch, of_batch(question, batch)) for name, batch in batches.items()}
    listed = _listed([model.evaluation for model in found.values()], asked=metrics is not None)
    return Comparison(Pairing(found, codes, question.seed), question, listed, margin, adjust)


def _of_rankings(
    qrels: Any, runs: Mapping[str, Any], question: Question, margin: float | None, adjust: str
) -> Comparison:
    """Runs on the queries that have judgements."""
    assert question.ranking is not None
    found = {}
    for name, run in runs.items():
        try:
            ranked = rankings_of(question.ranking, qrels, run, {})
        except InputError as error:
            raise InputError(f"run {name}: {error}") from None
        # Of the rankings only their number is read: what is paired are the measures of queries.
        found[str(name)] = Model(ranked, of_rankings(question, ranked))  # type: ignore[arg-type]
    listed = _listed([model.evaluation for model in found.values()], asked=question.metrics is not None)
    return Comparison(Pairing(found, None, question.seed), question, listed, margin, adjust)


def _read(
    question: Question, y_true: Any, models: Mapping[str, Any], weights: Any, clusters: Any, names: Names = NAMES
) -> tuple[dict[str, Batch], Any]:
    """The batch of each model, all with the same classes, and the codes of the clusters."""
    question, of_classes = decided(question)

    def each(q: Question) -> dict[str, Batch]:
        found = {}
        for name, given in models.items():
            try:
                called = names._replace(pred=f"models[{name!r}]")
                beside = (weights, None, clusters)
                found[str(name)] = read(q, y_true, given, None, *beside, names=called, of_classes=of_classes)
            except InputError as error:
                raise InputError(str(error) if called.pred in str(error) else f"model {name}: {error}") from None
        return found

    batches = each(question)
    first = next(iter(batches.values()))
    if any(batch.labels != first.labels for batch in batches.values()):  # a model said a class that another did not
        every = encoding.union(*(batch.labels for batch in batches.values()))
        batches = each(replace(question, labels=every))
    if len({batch.task for batch in batches.values()}) > 1:
        told = ", ".join(f"{name} {batch.task}" for name, batch in batches.items())
        raise InputError(f"the models do not answer the same question: {told}")
    batches = _common(batches)
    return batches, next(iter(batches.values())).cluster_codes


def _common(batches: dict[str, Batch]) -> dict[str, Batch]:
    """The rows that no model left out."""
    left = [batch.kept for batch in batches.values() if batch.kept is not None]
    if not left:
        return batches
    rows = max(len(batch) if batch.kept is None else int(batch.kept[-1]) + 1 for batch in batches.values())
    common = np.arange(rows)
    for kept in left:
        common = np.intersect1d(common, kept, assume_unique=True)
    if not len(common):
        raise InputError("every row has something missing for one of the models: nothing is left to compare")
    every = {n: np.arange(len(b)) if b.kept is None else b.kept for n, b in batches.items()}
    given = max(len(b) + b.dropped for b in batches.values())
    return {
        name: replace(batch.take(np.searchsorted(every[name], common)), dropped=given - len(common))
        for name, batch in batches.items()
    }


def _listed(evaluations: Sequence[Evaluation], asked: bool) -> tuple[Measure, ...]:
    """The metrics that every model has; where none were asked for, those that say which of two is better."""
    common = [m for m in evaluations[0].listed if all(m in ev.listed for ev in evaluations)]
    return tuple(m for m in common if asked or m.metric.better)
