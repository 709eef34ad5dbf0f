"""The grammar of requirements: read, written back the same, and refused with a caret under the place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers as cal
from calipers.errors import InputError, Unreadable
from calipers.gating.requirements import OPS, SIDES, Bar, Requirement, Subject
from calipers.metrics import catalogue
from calipers.report.terminal import caret, width

MEASURES = [str(cal.metric(m.name)) for m in catalogue()] + ["f1(average=macro)", "fbeta(beta=0.5)", "top_k@5"]


@st.composite
def bars(draw):
    name = draw(st.sampled_from(MEASURES))
    low, high = cal.metric(name).metric.bounds
    number = draw(st.floats(max(low, -1e300), min(high, 1e300), allow_nan=False))
    return Bar(name, draw(st.sampled_from(list(OPS))), number)


NAMES = st.text(max_size=8)
SUBJECTS = st.one_of(
    st.none(), st.builds(Subject, st.just("class"), NAMES), st.builds(Subject, st.just("by"), NAMES, st.none() | NAMES)
)


@given(st.builds(Requirement, bars(), st.sampled_from(["", *SIDES]), st.none() | bars(), SUBJECTS))
def test_reading_is_the_inverse_of_writing(requirement):
    assert Requirement.of(str(requirement)) == requirement


@given(st.text(alphabet="recall.low>=<08 at(by):\"class=@\\'\n中\x1b", max_size=30))
def test_any_text_is_read_or_refused_with_its_place(text):
    refusal = None
    try:
        Requirement.of(text)
    except Unreadable as error:
        refusal = error
    assert refusal is None or (len(refusal.pointed) == 2 and refusal.pointed[1].strip() == "^" and refusal.text())


SAME = {
    "recall>=.8": "recall >= 0.8",
    " sensitivity  >  8e-1 ": "recall > 0.8",
    "roc_auc.low >= 0.90": "roc_auc.low >= 0.9",
    "macro_f1 . high<1": "f1(average=macro).high < 1",
    "top_k(k=3) >= 0.5": "top_k@3 >= 0.5",
    "fpr <= .05 at tpr >= .9": "fpr <= 0.05 at recall >= 0.9",
    "by region=north: recall >= 0.8": "by region=north: recall >= 0.8",
    "by the region : recall >= 0.8": "by the region: recall >= 0.8",
    'class "a:b": recall >= 0.8': 'class "a:b": recall >= 0.8',
    "mcc >= -1": "mcc >= -1",
    "log_loss <= 0.7": "log_loss <= 0.7",
}


@pytest.mark.parametrize(("text", "canonical"), SAME.items())
def test_canonical_form(text, canonical):
    assert str(Requirement.of(text)) == canonical


# The place is where the caret of the line below stands.
WRONG = [
    ("recall => 0.8",
     "       ^", "expected one of >=, >, <=, < here"),
    ("recall == 0.8",
     "       ^", "expected one of >=, >, <=, < here"),
    ("recall 0.8",
     "       ^", "expected one of >=, >, <=, < here"),
    ("recall >= 80%",
     "          ^", "expected a number here, such as 0.9"),
    ("recall >= nan",
     "          ^", "expected a number here, such as 0.9"),
    ("recall >= 80",
     "          ^", "recall lies between 0 and 1, so it can never cross 80"),
    ("log_loss <= 1e999",
     "            ^", "log_loss lies between 0 and inf, so it can never cross 1e999"),
    ("recal >= 0.8",
     "^", "no metric is called 'recal'; did you mean recall"),
    ("recall >= 0.8 at precison >= 0.5",
     "                 ^", "no metric is called 'precison'; did you mean precision"),
    ("recall.lower >= 0.8",
     "       ^", 'expected low, high or value here, as in "roc_auc.low >= 0.9"'),
    ("recall >= 0.8 and more",
     "              ^", 'expected the end here, or "at" and a condition such as "at precision >= 0.5"'),
    ("recall >= 0.8 at precision >= 0.5 at f1 >= 0.1",
     "                                  ^", "expected the end here"),
    ("by region recall >= 0.8",
     "                       ^", 'expected a colon here, as in "by region=north: recall >= 0.8"'),
    ("class : recall >= 0.8",
     "      ^", "expected a class here; put it in double quotes if it contains : or ="),
    (r'class "\q": recall >= 0.8',
     "      ^", "there is no text in these quotes"),
    ("",
     "^", "expected a metric here, such as recall or f1(average=macro)"),
    ("f1(average=mean) >= 0.8",
     "^", "average=mean is not known; use macro, weighted, micro or means"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "message"), WRONG, ids=[w[0] for w in WRONG])
def test_what_cannot_be_read_is_pointed_at(text, place, message):
    with pytest.raises(InputError) as caught:
        Requirement.of(text)
    why, line, below = str(caught.value).split("\n")
    assert message in why
    assert (line, below) == (f"  {text}", f"  {place}")


def test_the_caret_stands_under_wide_and_hostile_characters():
    text = "class 中文\x1b: recal >= 0.8"
    line, below = caret(text, text.index("recal"))
    assert line == "  class 中文\\x1b: recal >= 0.8"
    assert width(below) == width("  class 中文\\x1b: ^")


def test_of_a_long_text_the_part_around_the_place_is_shown():
    text = "class " + "x" * 200 + ": recal >= 0.8"
    line, below = caret(text, text.index("recal"))
    assert max(map(width, (line, below))) <= 80
    assert line[below.index("^") :].startswith("recal >= 0.8")
