"""What a first look at an evaluation shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.answers import answer
from calipers.answers.classes import QUESTIONS, group_of
from calipers.answers.guessing import guessing
from calipers.errors import InputError, UnknownName
from calipers.inference.estimate import Estimate
from calipers.report.answers import ShownAnswer, shown
from calipers.report.bars import bar_of
from calipers.report.layout import Cell, Count, Figure, Table, briefly, called, counted, displayed, percent
from calipers.report.report import Report
from calipers.report.terminal import escape_label, fitted
from calipers.settings import TIES, TIES_OF_ITEMS, UNJUDGED

if TYPE_CHECKING:
    from calipers.evaluation.confusion import Confusion
    from calipers.evaluation.evaluation import Evaluation
    from calipers.findings import Finding
    from calipers.metrics.base import Measure
    from calipers.report.language import Language

MATRIX, LISTED, PAIRS, METRICS = 10, 20, 10, 3
# Of the metrics in a first table, those that are shown of each slice; a reader who named metrics sees those instead.
SLICED = ("accuracy", "f1", "roc_auc", "recall", "precision", "mae", "rmse", "r2")
POSITIVE = 30  # columns of the positive class
PLURALS = {"label": "labels", "output": "outputs", "class": "classes", "topic": "topics"}


def report(ev: Evaluation, lang: Language) -> Report:
    """Findings, headline, confusion matrix, classes, slices, and what the numbers are based on."""
    text, labels = title(ev, lang)
    answered = shown(answer(ev), lang)
    return Report(
        text,
        labels=tuple(labels),
        more_labels=len(labels) < len(ev.labels),
        behind=lang.say("report.names_behind", names="{}"),
        comma=lang.say("report.names"),
        answer=answered,
        findings=tuple(findings(ev)),
        brief=True,
        tables=(headline(ev, lang, answered), *_matrix(ev, lang), *tables(ev, lang)),
        assumptions=tuple(assumed(ev, lang)),
    )


def title(ev: Evaluation, lang: Language) -> tuple[str, list[str]]:
    """Task, rows and number of classes, and the names of the classes."""
    parts = [counted(lang, ev.schema.facts.unit, ev.rows)]
    if ev.labels:
        parts.append(counted(lang, PLURALS[ev.schema.facts.label], len(ev.labels)))
    every = lang.say("report.separator").join(parts)
    text = lang.say("report.title", task=lang.say(f"report.task_{ev.task}"), counted=every)
    return text, [escape_label(v) for v in ev.labels[:LISTED]]


def facts(ev: Evaluation, lang: Language) -> Iterator[str]:
    """Rows, classes or the positive class with its share, and the threshold in force."""
    yield counted(lang, ev.schema.facts.unit, ev.rows)
    numbers: dict[str, Any] = {}
    for card in answer(ev).cards:
        numbers |= card.numbers
    if ev.positive is None:
        if ev.labels:
            yield counted(lang, PLURALS[ev.schema.facts.label], len(ev.labels))
        return
    label = fitted(escape_label(ev.positive), POSITIVE)
    if numbers.get("rows") and "positives" in numbers:
        values = {"count": numbers["positives"], "share": numbers["positives"] / numbers["rows"]}
        yield lang.say("answers.about.positive_share", label=label, **values)
    else:
        yield lang.say("answers.about.positive", label=label)
    if "threshold" in numbers:
        yield lang.say("answers.about.threshold", threshold=lang.threshold(float(numbers["threshold"])))


def findings(ev: Evaluation) -> Sequence[Finding]:
    """The findings; a slice that was read from a document has none."""
    return ev.findings if ev.has_findings else ()


def headline(ev: Evaluation, lang: Language, answered: ShownAnswer | None = None) -> Table:
    """Every metric that was listed; of classes by question, each under the verdict of its card."""
    level = lang.local(percent(ev.level))
    head = lang.say("report.metric"), lang.say("report.value_interval", level=level)
    split = lang.say("report.value"), lang.say("report.interval", level=level)
    listed, groups = _by_question(ev, lang, answered)
    rows = tuple((called(m.name, lang), displayed(m, ev[m.name])) for m in listed)
    bars = tuple(bar_of(m, ev[m.name], guessing(ev, m)) for m in listed)
    return Table("", head, rows, split=split, groups=groups, bars=bars)


def _by_question(
    ev: Evaluation, lang: Language, answered: ShownAnswer | None
) -> tuple[list[Measure], tuple[tuple[int, str], ...]]:
    """The metrics by the question that they are about, and where each question begins, with its verdict."""
    facts = ev.schema.facts
    if not (facts.one_class or facts.label_sets or facts.clustered):
        return list(ev.listed), ()
    cards = {} if answered is None else {card.group: card for card in answered.cards}
    listed: list[Measure] = []
    groups = []
    for question in QUESTIONS:
        mine = [m for m in ev.listed if group_of(m.metric) == question]
        if mine and question in cards and cards[question].verdict:
            card = cards[question]
            groups.append((len(listed), f"{card.sign} {card.question}{lang.say('report.colon')}{card.verdict}"))
        elif mine:
            groups.append((len(listed), lang.say(f"answers.question.{question}")))
        listed += mine
    return listed, tuple(groups)


def confusion(table: Confusion, lang: Language) -> Table:
    """The matrix with its totals, or the most frequent confusions where there are too many classes for one."""
    names = [escape_label(v) for v in table.labels]
    mine, other = (lang.say(f"report.{side}") for side in sides(table))
    if len(names) > MATRIX:
        return pairs(table, lang)
    down, across = table.margins
    rows: list[tuple[Cell, ...]] = [
        (name, *map(Count, row.tolist()), Count(total))
        for name, row, total in zip(names, table.counts, down.tolist(), strict=True)
    ]
    total_name = lang.say("report.total")
    rows.append((total_name, *map(Count, across.tolist()), Count(float(np.sum(across)))))
    caption = lang.say("report.matrix", rows=mine, columns=other)
    whole = Table(caption, (mine, *names, total_name), tuple(rows))
    return replace(whole, text=(whole, pairs(table, lang)))


def _matrix(ev: Evaluation, lang: Language) -> Iterator[Table]:
    table = matrix(ev)
    if table is not None:
        yield confusion(table, lang)


def sides(table: Confusion) -> tuple[str, str]:
    """What stands in the rows of a matrix, and what in its columns."""
    return ("truth", "predicted") if table.rows == "truth" else ("predicted", "truth")


def matrix(ev: Evaluation) -> Confusion | None:
    """The confusion matrix; None with several labels per row, or scores without a threshold, as the footnotes say."""
    try:
        return ev.confusion
    except (InputError, UnknownName):
        return None


def pairs(table: Confusion, lang: Language) -> Table:
    """The confusions that occur most often."""
    counts = table.counts if table.rows == "truth" else table.counts.T
    wrong = np.where(np.eye(len(counts), dtype=bool), 0, counts)
    order = np.argsort(-wrong, axis=None, kind="stable")[:PAIRS]
    indices = [(int(t), int(p)) for t, p in zip(*np.unravel_index(order, wrong.shape), strict=True) if wrong[t, p] > 0]
    rows = tuple(
        (escape_label(table.labels[t]), escape_label(table.labels[p]), Count(wrong[t, p].item())) for t, p in indices
    )
    left = int(np.count_nonzero(wrong)) - len(rows)
    caption = lang.say("report.confusions" if rows else "report.no_confusions")
    head = lang.say("report.truth"), lang.say("report.predicted"), lang.say("report.rows")
    return Table(caption, head, rows, counted(lang, "rarer", left) if left else "")


def classes(ev: Evaluation, lang: Language, most: int = LISTED) -> Table | None:
    """A few metrics of each class against the rest; None with one positive class, which the headline is about."""
    if ev.positive is not None or len(ev.labels) < 2:
        return None
    parts: Mapping[Any, Mapping[str, Estimate]] = ev.classes
    names = tuple(next(iter(parts.values())))[:METRICS]
    if not names:
        return None
    support = _support(ev)
    rows = tuple(
        (escape_label(v), *_support_cell(support, i), *(parts[v][name] for name in names))
        for i, v in enumerate(ev.labels[:most])
    )
    left = len(ev.labels) - most
    kind = ev.schema.facts.label
    counts = () if support is None else (lang.say("report.rows"),)
    return Table(
        lang.say(f"report.each_{kind}"),
        (lang.say(f"report.{kind}"), *counts, *(briefly(name, lang) for name in names)),
        rows,
        lang.say(f"report.more_{PLURALS[kind]}", count=left) if left > 0 else "",
    )


def _support(ev: Evaluation) -> Sequence[float] | None:
    table = matrix(ev)
    return None if table is None else list(table.margins[0].tolist())


def _support_cell(support: Sequence[float] | None, index: int) -> Iterable[Cell]:
    return () if support is None else (Count(support[index]),)


def sliced_metrics(ev: Evaluation) -> list[str]:
    """The metrics that are shown of each slice."""
    listed = {str(m): m.metric.name for m in ev.listed}
    if ev.settings.metrics is not None:
        return list(listed)[:METRICS]
    ranked = [name for metric in SLICED for name, plain in listed.items() if plain == metric]
    return ranked[:METRICS] or list(listed)[:METRICS]


def slices(ev: Evaluation, lang: Language, most: int = LISTED) -> Iterator[Table]:
    """A table for each slicing column: the largest slices, with a few metrics."""
    names = sliced_metrics(ev)
    for column, parts in ev.by.items():
        largest = sorted(parts.items(), key=lambda item: -item[1].rows)[:most] if len(parts) > most else parts.items()
        rows: list[tuple[Cell, ...]] = [
            (escape_label(v), Count(part.rows), *(part[name] for name in names)) for v, part in largest
        ]
        left = len(parts) - most
        more = counted(lang, "smaller", left) if left > 0 else ""
        head = escape_label(column), lang.say("report.rows"), *(briefly(name, lang) for name in names)
        yield Table(lang.say("report.by", column=escape_label(column)), head, tuple(rows), more)


def tables(ev: Evaluation, lang: Language) -> Iterator[Table]:
    """What comes after the headline and the confusion matrix."""
    if ev.has_clusters:
        yield clusters(ev, lang)
    of_classes = classes(ev, lang)
    if of_classes is not None:
        yield of_classes
    yield from slices(ev, lang)


def clusters(ev: Evaluation, lang: Language, most: int = LISTED) -> Table:
    """The largest clusters: their rows, most frequent class and silhouette."""
    table = ev.per_cluster
    heads = {"cluster": "cluster", "rows": "rows", "class": "commonest_class", "share": "share_of_cluster",
             "silhouette": "silhouette_of_cluster"}  # fmt: skip
    shown = [name for name in heads if name in table]
    written: dict[str, Callable[[Any], Cell]] = {
        "rows": Count,
        "share": lambda share: Figure(share, lang.percent(share)),
        "silhouette": lambda mean: Figure(mean, lang.number(mean)),
    }
    columns = ([written.get(name, escape_label)(cell) for cell in table[name][:most].tolist()] for name in shown)
    rows = tuple(zip(*columns, strict=True))
    left = len(table["rows"]) - most
    more = lang.say("report.more_clusters", count=left) if left > 0 else ""
    return Table(lang.say("report.each_cluster"), tuple(lang.say(f"report.{heads[n]}") for n in shown), rows, more)


def assumed(ev: Evaluation, lang: Language) -> Iterator[str]:
    """The definitions behind the numbers, one line each."""
    assumptions = []
    if ev.positive is not None:
        assumptions.append(("positive", escape_label(ev.positive)))
    if ev.predictions and not ev.schema.facts.clustered:
        assumptions.append(("predictions", lang.remark(ev.predictions)))
    rules = ev.settings.ranking
    if rules is not None:
        of_items = ev.schema.facts.recommended
        if not of_items:
            assumptions.append(("unjudged", lang.remark(UNJUDGED[rules.unjudged])))
        if rules.ties is not None:
            assumptions.append(("tied", lang.remark((TIES_OF_ITEMS if of_items else TIES)[rules.ties])))
    if ev.schema.facts.of_numbers:
        assumptions.append(("errors", lang.say("report.errors_note")))
    assumptions.append(("intervals", lang.say("report.intervals_note", level=lang.local(percent(ev.level)))))
    assumptions += [("note", lang.remark(note)) for note in ev.notes]
    for key, text in assumptions:
        yield lang.say(f"report.{key}") + lang.say("report.colon") + text
