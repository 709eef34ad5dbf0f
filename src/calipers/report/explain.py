"""A metric explained: what it is, its formula with symbols and with the reader's numbers, when it misleads, and which
definitions go by its name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.choices import Lang
from calipers.errors import InputError, UnknownName
from calipers.inference.estimate import Estimate
from calipers.metrics.base import CATALOGUE, Measure, Metric
from calipers.metrics.names import render
from calipers.metrics.views import Unavailable
from calipers.remarks import code_of, core
from calipers.report import codes, layout, symbols
from calipers.report.definitions import Definition, definitions
from calipers.report.explanation import Explanation
from calipers.report.language import Language, language, split
from calipers.report.metric_list import taken
from calipers.report.ranking_definitions import of_rankings
from calipers.report.relatives import relatives

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

OTHERS, PLACES = 5, 4  # enough decimals to distinguish definitions


def explain(
    name: str, ev: Evaluation | None = None, *, lang: Lang | None = None, got: float | str | None = None
) -> Explanation:
    """Describe a metric; or the code of a finding, a remark or an error. With `ev`, an evaluation, also explain its
    value.

    lang: "en", "vi" or "zh". got: the number of another tool, as it was printed; the explanation names the definition
    that gives it.

    >>> print(explain("recall").meaning)
    Of all rows of this class, the fraction predicted as this class.
    >>> print(explain("metrics.a_count").meaning)
    it is a count, not a rate
    """
    if ev is None and got is not None:
        raise InputError("report.got_without_rows", got=got)
    if name in codes.known():
        return codes.described(name, language(lang))
    return explained(name, ev, language(lang), got)


def explained(
    name: str, ev: Evaluation | None, spoken: Language, got: float | str | None = None, *, alternatives: bool = True
) -> Explanation:
    """The explanation in a language; with `alternatives`, also what other definitions and other ways give."""
    measure, estimate = CATALOGUE[name], None
    if ev is not None:
        measure, estimate = _resolved(ev, measure)
    every = [] if ev is None or not alternatives else [*definitions(ev, measure), *of_rankings(ev, measure)]
    return Explanation(
        measure.name,
        _title(measure, spoken),
        spoken.meaning(measure),
        tuple(_facts(measure, ev, estimate, spoken)),
        tuple(_ways(ev, measure, spoken)) if ev is not None and alternatives else (),
        tuple((spoken.number(d.value, PLACES), _defined(d, spoken)) for d in every),
        ()
        if ev is None or estimate is None or got is None
        else tuple(_matched(ev, measure, estimate, every, got, spoken)),
        spoken.code,
        lambda other: explained(name, ev, other, got, alternatives=alternatives),
    )


def _title(measure: Measure, spoken: Language) -> str:
    """What a metric is called, in other languages also in English, and its name in code if that differs.

    >>> [_title(CATALOGUE[name], Language("zh")) for name in ("recall", "mcc", "f1")]
    ['查全率（召回率，recall）', '马修斯相关系数（MCC，mcc）', 'F1 值（f1）']
    """
    full, separator = spoken.glossed(measure), spoken.say("report.separator")
    if measure.name in (spoken.name(measure), full):
        return full
    name, others = split(full)
    if spoken.code == "en" or not others:
        return full + _behind(measure.name, spoken)
    return name + _behind(separator.join(dict.fromkeys((*others.split(separator), measure.name))), spoken)


def _behind(text: str, lang: Language) -> str:
    """A text in brackets, as the language writes them."""
    return lang.say("report.names_behind", names=text)


def _with_code(name: str, lang: Language) -> str:
    """The name of a metric, and in brackets how code spells it where that is not the same word."""
    shown = lang.name(name)
    return shown if shown == name else shown + _behind(name, lang)


def _resolved(ev: Evaluation, measure: Measure) -> tuple[Measure, Estimate]:
    """The metric of one class where there is one, else its macro average, which is explained with all the others."""
    try:
        return measure, ev[measure.name]
    except UnknownName:
        if not ev.is_live or not measure.metric.averaged or measure.average is not None:
            raise
        average = CATALOGUE[render(measure.metric.name, {**measure.parameters, "average": "macro"})]
        return average, ev[average.name]


def _facts(
    measure: Measure, ev: Evaluation | None, estimate: Estimate | None, lang: Language
) -> list[tuple[str, str]]:
    metric = measure.metric
    low, high = (f"{b:g}".replace("inf", "∞") for b in metric.bounds)
    span = lang.say("explain.span", low=lang.local(low), high=lang.local(high))
    facts, names = {"formula": _formula(measure, lang)}, lang.say("report.names")
    if ev is not None and estimate is not None:
        facts["here"] = _here(measure, ev, estimate, lang)
        facts["value"], facts["interval"] = _value(ev, estimate, lang), _method(estimate, lang)
    facts |= {
        "caution": lang.caution(measure),
        "range": lang.say(f"explain.{metric.better or 'neither'}", span=span),
        "undefined": lang.say("explain.when", reason=lang.remark(metric.undefined)),
        "parameters": names.join(render("", {k: v})[1:-1] for k, v in metric.parameters.items()),
        "averages": _averages(measure.metric, lang),
        "taken": taken(metric, lang),
        "also": names.join((*metric.aliases, *(f"{k} = {v}" for k, v in metric.shorthands.items()))),
        "relatives": names.join(_with_code(r, lang) for r in relatives(metric)),
        "reference": lang.remark(metric.reference),
    }
    return [(lang.say(f"explain.{key}"), text) for key, text in facts.items() if text]


def _averages(metric: Metric, lang: Language) -> str:
    """Over what a metric can be averaged; empty for one that has no averages."""
    key = "averages_numbers" if metric.of_numbers else "averages_classes" if metric.averaged else ""
    return lang.say(f"explain.{key}") if key else ""


def _formula(measure: Measure, lang: Language) -> str:
    """The formula with its symbols, and a line on what they are."""
    names = list(dict.fromkeys(symbols.SYMBOL.findall(measure.metric.formula)))
    colon, between = lang.say("report.colon"), lang.say("report.semicolon")
    keys = [symbols.key(measure.metric, name) for name in names]
    legend = between.join(
        f"{symbols.read(f'{{{name}}}')}{colon}{lang.say(key)}" for name, key in zip(names, keys, strict=True)
    )
    return f"{symbols.read(measure.metric.formula)}\n{legend}"


def _here(measure: Measure, ev: Evaluation, estimate: Estimate, lang: Language) -> str:
    """The formula with the numbers of these rows, or the average over the classes written out."""
    if not ev.is_live or math.isnan(estimate):
        return ""
    value = layout.value(estimate, lang)
    try:
        if measure.metric.view.of_queries:
            each = measure.metric.view.of_each_query(measure, ev.views)
            if together := measure.metric.view.symbols(measure, ev.views, None):
                text = symbols.filled(measure, together, lang)
            else:
                text = symbols.mean_of_queries(each[~np.isnan(each)].tolist(), lang)
        elif measure.average in ("macro", "weighted"):
            name = render(measure.metric.name, dict(measure.parameters))
            by_class = [float(ev.classes[v][name]) for v in ev.labels]
            if any(map(math.isnan, by_class)):
                return ""
            support = ev.confusion.margins[0].tolist() if measure.average == "weighted" else None
            text = symbols.mean_of_classes(by_class, support, lang)
        elif measure.average == "means":
            p, r = (lang.number(float(ev[f"{part}(average=macro)"])) for part in ("precision", "recall"))
            text = f"2*{p}*{r} / ({p} + {r})" if measure.metric.name == "f1" else ""
        else:
            text = symbols.filled(measure, symbols.known(measure, ev.views, None), lang)
    except (Unavailable, InputError):
        return ""
    return f"{text} = {value}" if text else ""


def _value(ev: Evaluation, estimate: Estimate, lang: Language) -> str:
    if math.isnan(estimate):
        return lang.say("explain.nan", reason=lang.remark(estimate.reason))
    text, level = layout.whole(estimate, lang), lang.local(layout.percent(estimate.level))
    rows = layout.counted(lang, ev.schema.facts.unit, estimate.n)
    if math.isnan(estimate.low):
        return lang.say("explain.unsure", value=text, rows=rows)
    return lang.say("explain.sure", value=text, rows=rows, level=level)


# What the texts about methods are called that have a code: their place among those that `interval=` names.
METHODS = {
    "inference.mover": "mover", "inference.logit_half": "logit", "inference.noise": "noise",
    "inference.linearised": "linearised", "inference.order_statistics": "order",
    "metrics.influence_of_rows": "influence", "metrics.dependent_labels": "delta",
}  # fmt: skip


def _plain_name(method: str) -> str:
    """A method without the scale that it is on, and what it allows for besides."""
    method = core(method)
    if code_of(method) in ("inference.on_scale", "inference.on_plain_scale"):
        method = method.values["method"]  # type: ignore[attr-defined]
    return METHODS.get(code_of(method), method)


def _method(estimate: Estimate, lang: Language) -> str:
    """The method of the interval and its assumptions; or why there is none."""
    if math.isnan(estimate):
        return ""
    if not estimate.method:
        return lang.remark(estimate.reason)
    key = f"explain.methods.{_plain_name(estimate.method)}"
    method = lang.remark(estimate.method)
    text = lang.say("explain.by", method=method, text=lang.say(key)) if lang.knows(key) else method
    return "\n".join([text, *(lang.remark(flag) for flag in (*estimate.flags, *estimate.notes))])


def _defined(d: Definition, lang: Language) -> str:
    keys = (f"explain.definitions.{key}" for key in (d.key, *d.also))
    text = lang.say("report.separator").join(lang.say(key, **d.placeholders) for key in keys)
    return text + _behind(lang.say("report.names").join(d.users), lang) if d.users else text


def _ways(ev: Evaluation, measure: Measure, lang: Language) -> list[tuple[str, str]]:
    """The area under the ROC curve by area, by pairs and by ranks."""
    if measure.name != "roc_auc" or ev.positive is None or not ev.is_live:
        return []
    s = ev.views.samples
    if not len(s.pos) or not len(s.neg) or s.pos_weights is not None:
        return []
    _, tp, fp = s.sweep(False)
    corners = ev.curve("roc")
    area = float(np.trapezoid(corners.tpr, corners.fpr))
    tied = float(np.diff(tp) @ np.diff(fp))
    won = s.areas.pairs2 / 2 - tied / 2
    below = np.searchsorted(s.neg, s.pos, "left") + np.searchsorted(s.neg, s.pos, "right")
    mine = np.searchsorted(s.pos, s.pos, "left") + np.searchsorted(s.pos, s.pos, "right")
    ranks = float((below + mine + 1).sum()) / 2  # the mean rank of equal scores
    p, n = len(s.pos), len(s.neg)
    counts = {"positives": p, "negatives": n}
    texts: dict[str, tuple[float, dict[str, Any]]] = {
        "area": (area, {"corners": len(corners.fpr)}),
        "pairs": ((won + tied / 2) / (p * n), {**counts, "won": f"{won:.0f}", "tied": f"{tied:.0f}"}),
        "ranks": ((ranks - p * (p + 1) / 2) / (p * n), {**counts, "sum": lang.local(f"{ranks:.10g}"), "more": p + 1}),
    }
    return [(lang.number(value, 6), lang.say(f"explain.way_{key}", **put)) for key, (value, put) in texts.items()]


def _matched(
    ev: Evaluation, measure: Measure, estimate: Estimate, every: list[Definition], got: float | str, lang: Language
) -> list[str]:
    """Which definitions give a number, at the precision with which it was printed; else the nearest one."""
    number, places = printed(got)
    text = lang.local(str(got))
    every = every or [Definition("plain", float(estimate))]
    hits = [d for d in every if _same(d.value, number, places)]
    if hits:
        texts = lang.say("report.semicolon").join(_defined(d, lang) for d in hits)
        return [lang.say("explain.got", got=text) + lang.say("report.colon") + texts]
    near = min(every, key=lambda d: abs(d.value - number))
    value = lang.number(near.value, max(places, PLACES))
    lines = [lang.say("explain.got_none", got=text, value=value, text=_defined(near, lang))]
    others = [m.name for m in CATALOGUE if m is not measure.metric and _gives(ev, m.name, number, places)]
    if others:
        lines.append(lang.say("explain.got_other", got=text, names=lang.say("report.names").join(others[:OTHERS])))
    return lines


def printed(got: float | str) -> tuple[float, int]:
    """A number as another tool printed it, and how many decimals that had; a percentage is a share.

    >>> printed("0.731"), printed("73.1%"), printed("0,90")
    ((0.731, 3), (0.731, 3), (0.9, 2))
    """
    text = str(got).strip().replace(",", ".")
    share, text = text.endswith("%"), text.rstrip("% ")
    try:
        number = float(text)
    except ValueError:
        raise InputError("report.got_not_a_number", got=got) from None
    places = len(text.partition(".")[2].partition("e")[0])
    return (round(number / 100, places + 2), places + 2) if share else (number, places)


def _same(value: float, number: float, places: int) -> bool:
    return abs(value - number) <= 0.5 * 10.0**-places * (1 + 1e-9)


def _gives(ev: Evaluation, name: str, number: float, places: int) -> bool:
    try:
        return _same(float(ev[name]), number, places)
    except (UnknownName, InputError):
        return False
