"""The catalogue: every metric by its name and by the other names that people type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, get_args

from calipers.choices import ClassAverage
from calipers.errors import InputError, UnknownName
from calipers.metrics.names import AT, Parameter, parse
from calipers.metrics.spellings import SPELLINGS, folded, similar, with_cutoff
from calipers.remarks import Remark

if TYPE_CHECKING:
    from calipers.metrics.base import Measure, Metric

AVERAGES: tuple[ClassAverage, ...] = get_args(ClassAverage)
NEGATED = "neg"  # scikit-learn's scorers negate losses: neg_log_loss
LISTED = 12  # names that a message lists
Spelled = tuple[str, Mapping[str, Parameter]]  # our name, and the parameters that a spelling implies


class Catalogue:
    """Every metric by name; aliases, shorthands and the names of other libraries lead to the canonical one."""

    def __init__(self) -> None:
        self._metrics: dict[str, Metric] = {}
        self._spellings: dict[str, str] = {}
        self._cutoffs: dict[str, str] = {}
        self._parsed: dict[str, Measure] = {}
        self._folds: dict[str, str] = {}
        self.edition = 0  # changes with the catalogue, so that what was derived from it can be kept until then

    def add(self, metric: Metric) -> None:
        """Enter a metric; a name that is taken is an error."""
        spellings = dict.fromkeys(metric.aliases, metric.name) | dict(metric.shorthands)
        for name in (metric.name, *spellings):
            if name in self._metrics or name in self._spellings:
                raise InputError("metrics.name_taken", name=name)
        self._metrics[metric.name] = metric
        self._spellings |= spellings
        self._cutoffs |= dict.fromkeys(metric.cutoffs, metric.name)
        self._changed()

    def remove(self, name: str) -> None:
        """Take a metric out again."""
        metric = self._metrics.pop(name)
        for spelling in (*metric.aliases, *metric.shorthands):
            del self._spellings[spelling]
        self._changed()

    def _changed(self) -> None:
        self._parsed.clear()
        self._folds.clear()
        self.edition += 1

    def __iter__(self) -> Iterator[Metric]:
        return iter(self._metrics.values())

    def __contains__(self, name: object) -> bool:
        return name in self._metrics

    def __getitem__(self, text: str) -> Measure:
        """The measure that a name stands for."""
        if not isinstance(text, str):
            parse(text)  # raises an error that says what is expected
        if text not in self._parsed:
            self._parsed[text] = self._parse(text)
        return self._parsed[text]

    def _parse(self, text: str) -> Measure:
        if AT.search(text):
            from calipers.metrics.conditions import parsed

            return parsed(self, text)
        word, parameters = parse(text)
        spelled = self._spelled(word, cut="k" in parameters)
        if spelled is None:
            raise UnknownName("metrics.unknown", name=word, near=self._near(word))
        name, implied = spelled
        return self._metrics[name].with_parameters({**implied, **parameters}, text)

    def _spelled(self, word: str, *, cut: bool = False) -> Spelled | None:
        """What a word stands for; cut: a cutoff follows it."""
        if cut and word in self._cutoffs:
            return self._cutoffs[word], {}
        if word in self._metrics:
            return word, {}
        if word in self._spellings:
            return parse(self._spellings[word])
        folds, fold = self.folds(), folded(word)
        if cut and (names := {name for short, name in self._cutoffs.items() if folded(short) == fold}):
            return names.pop(), {}
        if fold in folds:
            return parse(folds[fold])
        for average in AVERAGES:  # f1_macro and macro_f1 are how people write f1(average=macro)
            for rest in (fold.removeprefix(average), fold.removesuffix(average)):
                if rest != fold and rest in folds:
                    name, implied = parse(folds[rest])
                    return name, {**implied, "average": average}
        if fold.startswith(NEGATED) and (rest := fold.removeprefix(NEGATED)) in folds:
            name, implied = parse(folds[rest])
            return (name, implied) if self._metrics[name].better == "lower" else None
        return self._with_cutoff(word)

    def _with_cutoff(self, word: str) -> Spelled | None:
        """What a word stands for that ends with a cutoff, such as `ndcg_cut_10`."""
        if (written := with_cutoff(word)) is None:
            return None
        rest, cutoff = parse(written)
        spelled = self._spelled(rest, cut=True)
        if spelled is None or "k" not in self._metrics[spelled[0]].parameters:
            return None
        return spelled[0], {**spelled[1], **cutoff}

    def folds(self) -> Mapping[str, str]:
        """Our names by every spelling without case and separators; our own spellings decide."""
        if not self._folds:
            table = {other: ours for ours, others in SPELLINGS.items() for other in others.split()}
            known = {other: ours for other, ours in table.items() if parse(ours)[0] in self._metrics}
            titles = {metric.title: metric.name for metric in self}
            for source in (dict.fromkeys(self._metrics), self._spellings, known, titles):
                for spelling, ours in source.items():
                    self._folds.setdefault(folded(spelling), ours or spelling)
        return self._folds

    def _near(self, word: str) -> Remark:
        """Text that names the metrics which a wrong name may mean."""
        spellings = {m.name: (*m.aliases, *m.shorthands, m.title) for m in self}
        if names := similar(word, spellings, {m.name: m.summary for m in self}):
            return Remark("common.did_you_mean", names=names)
        listed = sorted(self._metrics)
        return Remark("common.known", names=listed[:LISTED] + (["..."] if len(listed) > LISTED else []))

    def names(self) -> list[str]:
        """Every name and alias, sorted."""
        return sorted([*self._metrics, *self._spellings])

    def __reduce__(self) -> str:
        return "CATALOGUE"  # there is one


CATALOGUE = Catalogue()
