"""A figure as SVG that a page can hold inline: text as text, attributes instead of styles, colours as CSS variables."""

from __future__ import annotations

import io
import re
import warnings
from itertools import groupby
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from calipers.report.plots.theme import THEMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FONTS = "'DejaVu Sans', Verdana, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
# Attributes by which SVG says what a style sheet would.
PRESENTED = {
    "fill", "fill-opacity", "fill-rule", "font-size", "font-style", "font-weight", "image-rendering", "opacity",
    "stroke", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit",
    "stroke-opacity", "stroke-width", "text-anchor",
}  # fmt: skip
DECIMALS = re.compile(r"-?\d+\.\d{3,}")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
HREF = "{http://www.w3.org/1999/xlink}href"
CURVED = re.compile("[CQ]")
LONG, RUN = 1000, 4  # characters of a long line; elements from which on a group is shorter
MEASURES = ("d", "x", "y", "width", "height", "transform")


def svg(figure: Figure, *, name: str | None = None, prefix: str = "chart", variables: bool = True) -> str:
    """The figure as one `<svg>` element, the same text for the same figure.

    name: what a screen reader says; the titles of the axes when none is given. prefix: begins every id, so that several
    charts fit on one page. variables: colours of the light theme become `var(--cal-ink,#1f2328)` and so on, and the
    paper is left out; without, the picture stands alone.
    """
    root = ElementTree.fromstring(_written(figure, "none" if variables else "auto"))
    for element in root.iter():
        element.tag = element.tag.partition("}")[2]
    for child in [child for child in root if child.tag == "metadata"]:
        root.remove(child)
    for parent in root.iter("defs"):
        for child in parent.findall("style"):
            parent.remove(child)
    roles = THEMES["light"].roles() if variables else {}
    for element in root.iter():
        _present(element, roles)
    _rename(root, prefix)
    width, height = (f"{float(root.attrib.pop(side).removesuffix('pt')) * 4 / 3:.0f}" for side in ("width", "height"))
    head = {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "aria-label": name or title_of(figure)}
    attributes = {"viewBox": root.attrib["viewBox"], "width": width, "height": height, "font-family": FONTS}
    joins = {"stroke-linejoin": "round", "stroke-linecap": "butt"}  # what matplotlib says in its style sheet
    root.attrib.clear()
    root.attrib.update({**head, **attributes, **joins})
    for element in root.iter():
        element.tail = None
        if element.tag != "text" and element.text is not None and not element.text.strip():
            element.text = None
    root[:] = [grouped for child in root for grouped in _flat(child)]
    for element in [root, *root.iter("g")]:
        element[:] = _grouped(list(element))
    return ElementTree.tostring(root, encoding="unicode")


def title_of(figure: Figure) -> str:
    """What a figure is called: the titles of its axes, else what they show."""
    named = [" ".join(ax.get_title(loc).split()) for ax in figure.axes for loc in ("left", "center")]
    labels = [f"{ax.get_ylabel()}, {ax.get_xlabel()}" for ax in figure.axes if ax.get_ylabel()]
    return "; ".join(filter(None, named)) or "; ".join(labels) or "chart"


def _written(figure: Figure, facecolor: str) -> bytes:
    """What matplotlib writes: no date, and ids that depend on the content only."""
    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "calipers"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's fonts will have it
        figure.savefig(buffer, format="svg", facecolor=facecolor, metadata={"Date": None})
    return buffer.getvalue()


def _present(element: ElementTree.Element, roles: dict[str, str]) -> None:
    """Properties of the style as attributes, shorter numbers, and colours by their roles."""
    attributes = element.attrib
    for part in attributes.pop("style", "").split(";"):
        key, _, value = (x.strip() for x in part.partition(":"))
        if key == "font":  # "bold 9px 'DejaVu Sans'", as before matplotlib 3.10
            attributes.update({"font-size": size[0]} if (size := re.findall(r"[\d.]+px", value)) else {})
            attributes.update({"font-weight": weight[0]} if (weight := re.findall(r"^(?:bold|\d00)\b", value)) else {})
        elif key in PRESENTED:
            attributes[key] = "pixelated" if key == "image-rendering" else value
    for key in MEASURES:
        if key in attributes:
            attributes[key] = _shorter(attributes[key])
    if attributes.get("transform", "").startswith("rotate(-0 "):
        del attributes["transform"]
    for key in ("fill", "stroke"):
        if (role := roles.get(attributes.get(key, "").lower())) is not None:
            attributes[key] = f"var({role},{attributes[key]})"
    if HREF in attributes:
        attributes["href"] = attributes.pop(HREF)


def _flat(element: ElementTree.Element) -> list[ElementTree.Element]:
    """An element without the groups around it and in it that say nothing."""
    element[:] = [inner for child in element for inner in _flat(child)]
    if element.tag in ("g", "defs") and not len(element):
        return []
    return list(element) if element.tag == "g" and not element.attrib else [element]


def _grouped(children: list[ElementTree.Element]) -> list[ElementTree.Element]:
    """Runs of like elements, with their common attributes written once."""
    elements: list[ElementTree.Element] = []
    for tag, members in groupby(children, lambda child: child.tag):
        run = list(members)
        shared = dict(set.intersection(*(set(child.attrib.items()) for child in run)))
        shared = {key: value for key, value in sorted(shared.items()) if key in PRESENTED - {"opacity"}}
        if tag not in ("text", "path", "use") or len(run) < RUN or not shared:
            elements += run
            continue
        group = ElementTree.Element("g", shared)
        for child in run:
            for key in shared:
                del child.attrib[key]
            group.append(child)
        elements.append(group)
    return elements


def _shorter(text: str) -> str:
    """Numbers with visible precision: two decimals, one in long lines, whose strokes need no letter each.

    >>> _shorter("M 1.23456 2 L 3 4.98765 ")
    'M 1.23 2 3 4.99'
    """
    digits = 1 if len(text) > LONG else 2
    short = " ".join(DECIMALS.sub(lambda m: f"{float(m[0]):.{digits}f}", text).split())
    return short if CURVED.search(short) else short.replace(" L ", " ")


def _rename(root: ElementTree.Element, prefix: str) -> None:
    """Only ids that something refers to, each with the prefix."""
    values = [value for element in root.iter() for value in element.attrib.values()]
    used = {name for value in values for name in REFERENCE.findall(value)}
    used |= {element.attrib["href"][1:] for element in root.iter() if element.attrib.get("href", "").startswith("#")}
    names = {old: f"{prefix}-{at}" for at, old in enumerate(sorted(used))}
    for element in root.iter():
        attributes = element.attrib
        if "id" in attributes and (new := names.get(attributes.pop("id"))) is not None:
            attributes["id"] = new
        for key, value in attributes.items():
            if key == "href" and value.startswith("#"):
                attributes[key] = f"#{names[value[1:]]}"
            elif "url(#" in value and key != "aria-label":
                attributes[key] = REFERENCE.sub(lambda m: f"url(#{names[m[1]]})", value)
