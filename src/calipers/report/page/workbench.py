"""The threshold workbench: its entries, its texts and its tables. The script shows what it finds here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.report import layout, messages
from calipers.report.page import axis as places
from calipers.report.page.elements import Grid, GridCell
from calipers.report.page.entries import ALL, NONE, SHARE, SHOWN, Entries, Entry, Shown, Words, entries, written
from calipers.report.terminal import distinct_labels, escape_label, fitted

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.report.language import Language

LABEL, LISTED = 24, 12  # columns of a label; thresholds of the table beside those that answer a question
GOALS: dict[str, tuple[float, ...]] = {"recall": (0.8, 0.9, 0.95), "flag": (0.05, 0.1, 0.2), "cost": (1, 10, 100)}
CUT = re.compile(r" --(?:threshold|pred)[ =](?:'[^']*'|\S+)")


@dataclass(frozen=True)
class Workbench:
    """What the template shows of the first entry, and what the script is given of all.

    classes, slices: the names in the two pickers; left_classes, left_slices: how many are in the tables only.
    """

    entries: Entries
    labels: tuple[tuple[str, str], ...]
    classes: tuple[str, ...]
    slices: tuple[str, ...]
    left_classes: int
    left_slices: int
    level: str
    lang: Language
    ev: Evaluation

    def limited(self, most: int) -> Workbench:
        """The same with fewer entries."""
        classes = self.classes[:most]
        slices = self.slices[: max(1, most // len(classes))]
        left_classes = self.left_classes + len(self.classes) - len(classes)
        left_slices = self.left_slices + len(self.slices) - len(slices)
        return replace(self, classes=classes, slices=slices, left_classes=left_classes, left_slices=left_slices)

    @property
    def main(self) -> Entry:
        """What is shown without a script, and first with one."""
        return self.entries.main

    def say(self, key: str, **values: Any) -> str:
        """A text of the workbench."""
        return self.lang.say(f"workbench.{key}", **values)

    @property
    def has_shell(self) -> bool:
        """Whether a command can cut the scores."""
        return bool(shell(self.ev, None))

    @property
    def start_name(self) -> str:
        """The threshold that is shown first."""
        return displayed(self.main.stops.thresholds[self.main.start], self.lang)

    @property
    def names(self) -> list[tuple[str, str]]:
        """Key and name of each number."""
        return [(key, name_of(key, self.lang)) for key in SHOWN]

    @property
    def used_name(self) -> str:
        """How rows are predicted today."""
        return self._used_name(self.main)

    def _used_name(self, entry: Entry) -> str:
        if entry.of.ev.threshold is None:
            return self.lang.remark(entry.of.ev.predictions)
        return displayed(entry.of.ev.threshold, self.lang)

    @property
    def counts(self) -> tuple[str, ...]:
        """TP, FP, FN, TN of today, or else of the first stop."""
        entry = self.main
        return tuple(self.lang.count(x) for x in _four(entry, entry.used or entry.each[entry.start]))

    @property
    def totals(self) -> tuple[str, str]:
        """The rows of the class and of the rest."""
        positives, negatives = map(self.lang.count, self.main.totals)
        return positives, negatives

    @property
    def bars(self) -> Iterator[tuple[float, float, float, float, bool]]:
        """x, y, width, height in percent, and whether of the class, of every bar."""
        for side, heights in enumerate(self.main.heights):
            for (x, width), height in zip(self.entries.axis.bins, heights, strict=True):
                tall = round(places.HALF * height / 100, 2)
                yield x, round(50 - tall, 2) if side == 0 else 50, width, tall, side == 0

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Place and text of every tick."""
        axis = self.entries.axis
        return [(axis.place(tick), displayed(tick, self.lang)) for tick in axis.ticks]

    @property
    def used_place(self) -> float | None:
        """Where the threshold in use stands."""
        threshold = self.main.of.ev.threshold
        return None if threshold is None else self.entries.axis.place(threshold)

    @property
    def none_place(self) -> float:
        """Where the threshold stands that predicts no row."""
        return places.NONE

    def data(self, command: str | None) -> dict[str, Any]:
        """What the script is given; command: what made the page."""
        words = Words(self.lang.interval("", "")[1:-1])
        views = [[self._view(i, j, words) for j in range(len(self.classes))] for i in range(len(self.slices))]
        low, high = self.entries.axis.ticks[0], self.entries.axis.ticks[-1]
        return {
            "decimal": self.lang.local("0.5")[1],
            "group": self.lang.count(1000)[1],
            "between": words.between,
            "words": list(words.places),
            "axis": {"low": low, "high": high, "left": places.LEFT, "right": places.RIGHT, "all": places.ALL,
                     "none": places.NONE, "half": places.HALF},
            "texts": script_texts(self.ev, self.lang),
            "shell": shell(self.ev, command),
            "bounded": not self.entries.grouped,
            "metrics": SHOWN,
            "views": views,
        }  # fmt: skip

    def _view(self, number: int, index: int, words: Words) -> dict[str, Any] | None:
        entry = self.entries.by_slice[number][index]
        if entry is None:
            return None
        names = {"labels": self.labels[index], "name": self._used_name(entry) if entry.used is not None else ""}
        return {**entry.data(words), **names, **code(self.ev, entry)}

    @property
    def table(self) -> Grid:
        """Thresholds that answer usual questions, and some more, of the first entry."""
        entry, lang = self.main, self.lang
        reasons: dict[int, list[str]] = {}
        for text, stop in goals(entry, lang):
            reasons.setdefault(stop, []).append(text)
        more = np.linspace(0, len(entry.each) - 1, LISTED).round().astype(int).tolist()
        head = (lang.term("threshold"), lang.say("workbench.goal"), "TP", "FP", "FN", "TN")
        rows = tuple(
            tuple(map(GridCell, (
                displayed(entry.stops.thresholds[i], lang), lang.say("report.semicolon").join(reasons.get(i, ())),
                *map(lang.count, _four(entry, entry.each[i])), *(entry.each[i].texts[key] for key in SHOWN),
            )))
            for i in sorted({*reasons, *more})
        )  # fmt: skip
        return Grid(lang.say("workbench.table"), (*head, *(name for _, name in self.names)), rows)


def workbench(ev: Evaluation, lang: Language) -> Workbench | None:
    """The workbench of an evaluation; None where there are no scores to cut."""
    found = entries(ev, lang)
    if found is None:
        return None
    ones = [entry.of for entry in found.by_slice[0] if entry is not None]
    parts = [next(entry.of.slice for entry in row if entry is not None) for row in found.by_slice[1:]]
    slices = [f"{part.column} = {part.value}" for part in parts if part is not None]
    every_slice = sum(len(values) for values in ev.by.values())
    every_class = 1 if ev.schema.facts.one_score else len(ev.labels)
    facts = ev.schema.facts
    labels = distinct_labels((one.label for one in ones), LABEL)
    rest = [next((v for v in ev.labels if v != ev.positive), None)] if facts.one_score else [None]
    others = [lang.say("page.rest") if rest[0] is None else fitted(escape_label(rest[0]), LABEL)] * len(labels)
    return Workbench(
        found,
        tuple(zip(labels, others, strict=True)),
        tuple(labels),
        (lang.say("workbench.all_rows"), *distinct_labels(slices, 2 * LABEL)),
        every_class - len(labels),
        every_slice - len(slices),
        lang.local(layout.percent(ev.level)),
        lang,
        ev,
    )


def name_of(key: str, lang: Language) -> str:
    """What a number is called."""
    if key in (SHARE, "f2"):
        return lang.say("page.share" if key == SHARE else "workbench.f2")
    return lang.heading(key)


def displayed(threshold: float, lang: Language) -> str:
    """A threshold as people read it."""
    if np.isinf(threshold):
        return lang.say("workbench.none" if threshold > 0 else "workbench.all")
    return lang.local(written(threshold))


def goals(entry: Entry, lang: Language) -> Iterator[tuple[str, int]]:
    """Usual questions, each with the stop that answers it."""
    tp, fp = (np.array([getattr(at, side) for at in entry.each]) for side in ("tp", "fp"))
    positives, negatives = entry.totals
    recall, flagged = tp / positives, (tp + fp) / (positives + negatives)
    if entry.used_stop is not None:
        yield lang.say("workbench.in_use"), entry.used_stop
    f1 = 2 * tp / (tp + fp + positives)
    yield lang.say("workbench.want.f1"), _last(f1 == f1.max())
    for share in GOALS["recall"]:
        yield lang.say("workbench.goals.recall", share=share), _last(recall >= share)
    for share in GOALS["flag"]:
        if (flagged <= share).any():
            yield lang.say("workbench.goals.flag", share=share), int(np.argmax(flagged <= share))
    for price in GOALS["cost"]:
        cost = fp + price * (positives - tp)
        yield lang.say("workbench.goals.cost", price=price), _last(cost == cost.min())


def _last(mask: Any) -> int:
    return int(np.flatnonzero(mask)[-1])


def code(ev: Evaluation, entry: Entry) -> dict[str, tuple[str, str]]:
    """How Python gives the numbers of an entry at a threshold, and the best one: what stands around it."""
    part, label = entry.of.slice, entry.of.label
    if ev.schema.facts.one_score:
        source = "ev" if part is None else f"ev.by[{part.column!r}][{part.value!r}]"
        return {"python": (f"{source}.at(threshold=", ")"), "best": (source, ".best_threshold")}
    column, rows = ev.labels.index(label), "" if part is None else "[rows]"
    select = "" if part is None else f"rows = by[{part.column!r}] == {part.value!r}\n"
    truth = f"truth{rows}[:, {column}]" if ev.schema.facts.label_sets else f"truth{rows} == {label!r}"
    two = f"{select}cal.evaluate({truth}, score{rows}[:, {column}]"
    return {"python": (f"{two}, threshold=", ")"), "best": (f"{two})", ".best_threshold")}


def shell(ev: Evaluation, command: str | None) -> str:
    """The command of the same evaluation, without its threshold; empty where no command cuts the scores."""
    if not ev.schema.facts.one_score:
        return ""
    if command and " evaluate " in command:
        return CUT.sub("", command)
    return f"calipers evaluate FILE --positive {shlex.quote(str(ev.positive))}"


def script_texts(ev: Evaluation, lang: Language) -> dict[str, str]:
    """The sentences that the script fills with numbers and labels."""
    noun = lang.term("label" if ev.schema.facts.label_sets else "class")
    parts = [(key.partition("."), text) for key, text in messages.texts(lang.code, "workbench").items()]
    own = {key: text.replace("{noun}", noun) for (table, _, key), text in parts if table == "script"}
    heads = {key: lang.say(f"page.{key}", label="{label}") for key in ("says", "is")}
    return {**own, **heads, NONE: lang.say("workbench.none"), ALL: lang.say("workbench.all")}


def _four(entry: Entry, at: Shown) -> tuple[float, float, float, float]:
    positives, negatives = entry.totals
    return at.tp, at.fp, positives - at.tp, negatives - at.fp
