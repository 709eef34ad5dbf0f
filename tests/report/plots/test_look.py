"""Colours that can be told apart and read, fonts that have the characters, and labels that stay different."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers as cal
from calipers.report.language import language
from calipers.report.plots import fonts
from calipers.report.plots.canvas import Canvas
from calipers.report.plots.files import figure
from calipers.report.plots.matrix import DEEPEST, counted
from calipers.report.plots.theme import LINES, MARKERS, THEMES

CANVAS = Canvas(THEMES["light"], language("en"), ("DejaVu Sans",), lambda width, height: None)


def rgb(color):
    return np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def luminance(color):
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    """WCAG's ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", THEMES)
def test_text_can_be_read_on_paper_and_on_the_deepest_cell(name):
    theme = THEMES[name]
    paper = rgb(theme.paper)
    for color in (theme.ink, theme.muted, *theme.series):
        assert contrast(rgb(color), paper) >= 4.5, color
    for depth in np.linspace(0, DEEPEST, 20):
        cell = depth * rgb(theme.heat) + (1 - depth) * paper
        assert contrast(rgb(theme.ink), cell) >= 4.5


# What the two common kinds of colour blindness see: Viénot, Brettel and Mollon (1999), on linear light.
BLIND = {
    "protan": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "deutan": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
}


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("kind", BLIND)
def test_the_first_colours_differ_for_the_colour_blind_too(name, kind):
    def sight(color):
        linear = np.where(rgb(color) <= 0.04045, rgb(color) / 12.92, ((rgb(color) + 0.055) / 1.055) ** 2.4)
        return np.clip(np.array(BLIND[kind]) @ linear, 0, 1) ** (1 / 2.2)

    first, second, third = (sight(color) for color in THEMES[name].series[:3])
    for one, other in ((first, second), (first, third), (second, third)):
        assert np.abs(one - other).max() > 0.1


def test_lines_and_markers_differ_where_colours_are_grey():
    assert len(set(LINES)) == len(set(MARKERS)) == len(THEMES["light"].series)
    for theme in THEMES.values():
        assert len(theme.roles()) == 5 + len(theme.series), "a sentinel stands for one role"


def test_css_has_every_variable_of_a_drawing():
    assert THEMES["light"].css().count("--cal-") == len(THEMES["light"].roles())


def test_vietnamese_is_in_the_bundled_font():
    letters = "ăâđêôơưàảãạằẳẵặầẩẫậèẻẽẹềểễệìỉĩịòỏõọồổỗộờởỡợùủũụừửữựỳỷỹỵĐ"
    assert fonts.missing([letters, letters.upper(), "… − ×"], (fonts.BUNDLED,)) == ""
    assert fonts.missing(["ROC 曲线", "曲"], (fonts.BUNDLED,)) == "曲线"


def test_a_missing_font_is_named_once_and_only_where_it_is_needed(loans, monkeypatch):
    monkeypatch.setattr(fonts, "_chinese", lambda: None)
    text = '已安装的字体都不包含以下字符：.*请安装 "Noto Sans CJK".*fonts-noto-cjk'
    with pytest.warns(UserWarning, match=text) as caught:
        figure(loans, "confusion", lang="zh")
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure(loans, "confusion", lang="zh", text_as_text=True)
        figure(loans, "confusion", lang="vi")
    other = cal.evaluate(["ა", "b", "ა"], ["b", "b", "ა"], labels=["ა", "b"])
    monkeypatch.setattr(fonts, "missing", lambda texts, names: "ა")
    with pytest.warns(UserWarning, match="no installed font has ა"):
        figure(other, "confusion", lang="en")


def test_an_installed_chinese_font_is_used(monkeypatch):
    monkeypatch.setattr(fonts, "_chinese", lambda: "Noto Sans CJK SC")
    assert fonts.families()[:2] == ("DejaVu Sans", "Noto Sans CJK SC")


@given(st.lists(st.text(alphabet="ab中 _$\n", max_size=60), min_size=1, max_size=30, unique=True))
def test_shortened_labels_stay_different_and_short(values):
    from calipers.report.terminal import escape_label, width

    labels = CANVAS.labels(values, 14)
    assert len(set(labels)) == len({escape_label(v) for v in values})
    assert all(width(text) <= 14 for text in labels)


def test_what_labels_have_in_common_is_left_out_first():
    names = [f"model_of_the_year_{year}_final_version" for year in (2024, 2025)]
    assert CANVAS.labels(names, 16) == ["…_the_year_2024…", "…_the_year_2025…"]
    assert CANVAS.labels(["short", "names"]) == ["short", "names"]


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0"), (850, "850"), (9999, "9999"), (12345, "12.3k"), (4_560_000, "4.56M"), (2.5, "2.5")]
)
def test_counts_fit_their_cells(count, text):
    assert counted(CANVAS, count) == text
