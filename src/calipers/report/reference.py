"""The metric reference and the names of `calipers.metrics`, written from the catalogue: `make pages`."""

from __future__ import annotations

import re
import sys
from keyword import iskeyword

from calipers.metrics import catalogue
from calipers.metrics.base import CATALOGUE, Metric
from calipers.metrics.names import Parameter, render
from calipers.report.language import Language

INTRODUCTION = """\
# Metrics

This page is generated from the code by `make pages`; do not edit it. `calipers metrics NAME` prints the same text.
Names can have parameters, such as `fbeta(beta=2)`. Metrics of one class can be averaged over classes:
`f1(average=macro)`, also written `f1_macro`, with `macro`, `weighted` (by the number of true rows), `micro` (counts of
all classes pooled) and, for F scores, `means` (the F of mean precision and mean recall).
"""


def reference() -> str:
    """The page as Markdown."""
    parts = [INTRODUCTION]
    for title in dict.fromkeys(m.view.section for m in catalogue()):
        parts.append(f"## {title}\n")
        parts += [entry(m) for m in catalogue() if m.view.section == title]
    return "\n".join(parts)


def entry(m: Metric) -> str:
    """One metric's facts."""
    name = Language("en").heading(m.name)
    called = "" if name.lower() == m.name else f"**{name}.** "
    lines = [f"### {m.name}\n", f"{called}{m.summary}\n", f"- formula: `{symbols(m.formula)}`", f"- range: {span(m)}"]
    if m.parameters:
        lines.append("- parameters: " + ", ".join(f"`{render_pair(k, v)}`" for k, v in m.parameters.items()))
    names = [f"`{a}`" for a in m.aliases] + [f"`{short}` for `{full}`" for short, full in m.shorthands.items()]
    if names:
        lines.append("- also: " + ", ".join(names))
    lines.append(f"- undefined when {m.undefined}")
    if m.caution:
        lines.append(f"- caution: {m.caution.rstrip('.')}")
    if m.reference:
        lines.append(f"- {m.reference}")
    return "\n".join(lines) + "\n"


def render_pair(key: str, value: Parameter) -> str:
    """A parameter with its default, as the grammar writes it.

    >>> render_pair("beta", 1.0), render_pair("k", 1.0)
    ('beta=1', 'k=1')
    """
    text = render("", {key: value})
    return f"{key}={text[1:]}" if text.startswith("@") else text[1:-1]


def symbols(formula: str) -> str:
    """A formula with its symbols as they are read: {tp} becomes TP.

    >>> symbols("{tp} / ({tp} + {fp})")
    'TP / (TP + FP)'
    """
    return re.sub(r"\{(\w+)\}", lambda m: m[1].upper() if len(m[1]) == 2 else m[1], formula)


def span(m: Metric) -> str:
    """The range and which end is good."""
    low, high = (f"{b:g}".replace("inf", "∞") for b in m.bounds)
    good = {"higher": ", higher is better", "lower": ", lower is better"}.get(m.better, "")
    return f"{low} to {high}{good}"


def attributes() -> str:
    """The attributes of `calipers.metrics` as a stub, for type checkers."""
    names = [name for name in CATALOGUE.names() if name.isidentifier() and not iskeyword(name)]
    start = "# Written from the catalogue by `make pages`; do not edit.\nfrom calipers.metrics.base import Measure\n\n"
    return start + "".join(f"{name}: Measure\n" for name in names)


if __name__ == "__main__":
    print(attributes() if sys.argv[1:] == ["attributes"] else reference(), end="")
