import re
import string
import tomllib
from importlib.resources import files

import pytest

import calipers as cal
from calipers.errors import InputError
from calipers.findings import RULES, Finding
from calipers.inference.method import on_scale
from calipers.remarks import Remark
from calipers.report import messages
from calipers.report.language import Language, language
from calipers.report.messages import LANGUAGES, flat

TEXTS = files("calipers.report") / "i18n"
OTHERS = [code for code in LANGUAGES if code != "en"]
METRIC = ("name", "meaning", "caution")


def texts(code, file):
    path = TEXTS / code / file
    return dict(flat(tomllib.loads(path.read_text(encoding="utf-8")))) if path.is_file() else {}


WORDED = ("@python", "@shell")  # what follows them is a text


def placeholders(text):
    """The values that a text needs and how they are written; a plural, which not every language has, is none."""
    parts = [(name, "" if name in WORDED else spec) for _, name, spec, _ in string.Formatter().parse(text)
             if name and "|" not in spec]  # fmt: skip
    return sorted(name + (f":{spec}" if spec else "") for name, spec in parts)


def of_metrics():
    """The English of the metrics, by the keys that the other languages have."""
    english_texts = {}
    for metric in cal.metrics.catalogue():
        assert metric.summary, f"{metric.name} has no docstring: its first sentence says what it is"
        assert metric.caution, (
            f"{metric.name} has no caution: add a paragraph to its docstring, 'Caution: ...'"
        )
        english = ("", metric.summary, metric.caution)
        english_texts |= {f"{metric.name}.{what}": text for what, text in zip(METRIC, english, strict=True)}
    return english_texts


def of_findings():
    english_texts = {}
    for code, entry in RULES.items():
        assert len(entry.look.__doc__.split("\n\n")) == 2, f"the docstring of {code} is a sentence and what to do"
        english_texts |= {f"{code}.sentence": entry.texts[0], f"{code}.advice": entry.texts[1]}
        english_texts[f"{code}.topic"] = texts("en", "findings.toml").get(f"{code}.topic", code.replace("_", " "))
    return english_texts


ENGLISH = {
    **{f.name: lambda name=f.name: texts("en", name) for f in (TEXTS / "en").iterdir()},
    "metrics.toml": of_metrics,
    "findings.toml": of_findings,
}


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("file", ENGLISH)
def test_every_text_is_there_in_every_language_with_the_same_placeholders(code, file):
    english, other = ENGLISH[file](), texts(code, file)
    where = f"src/calipers/report/i18n/{code}/{file}"
    lacking = [key for key in english if not other.get(key)]
    assert not lacking, f"{where} lacks {len(lacking)} texts; write them in {LANGUAGES[code]}: {lacking}"
    left = [key for key in other if key not in english and not key.endswith(".short")]
    assert not left, f"{where} has texts that nothing in English asks for; take them out: {left}"
    for key, text in english.items():
        if file not in ("metrics.toml", "errors.toml", "remarks.toml"):  # tests/test_codes.py compares those
            assert placeholders(other[key]) == placeholders(text), f"{where}: {key} has other placeholders than English"


@pytest.mark.parametrize("code", OTHERS)
def test_no_file_is_without_an_english_side(code):
    assert {f.name for f in (TEXTS / code).iterdir()} == set(ENGLISH)


@pytest.mark.parametrize("code", OTHERS)
def test_terms_that_textbooks_use_twice_are_used_once(code):
    """`độ chính xác` is accuracy only, and 精度 is never printed."""
    for file in (TEXTS / code).iterdir():
        for key, text in texts(code, file.name).items():
            assert "精度" not in text, (file.name, key)
            assert not re.search(r"độ chính xác \((precision|PPV)", text), (file.name, key)
    assert "độ chính xác" not in Language("vi").name("precision")


@pytest.mark.parametrize("code", OTHERS)
def test_texts_are_in_their_own_language(code):
    """A sentence left in English has none of the letters of the language."""
    letters = {"zh": r"[\u4e00-\u9fff]", "vi": r"[\u00e0-\u01b0\u1ea0-\u1ef9]"}[code]
    for file in (TEXTS / code).iterdir():
        for key, text in texts(code, file.name).items():
            if re.search(r"[a-z]{3}.* .*[a-z]{3}", re.sub(r"\{[^}]*\}", "", text)):
                assert re.search(letters, text, re.IGNORECASE), (file.name, key, text)


def test_the_argument_then_the_variable_then_the_locale(monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "CALIPERS_LANG"):
        monkeypatch.delenv(name, raising=False)
    assert language().code == "en"
    monkeypatch.setenv("LANG", "vi_VN.UTF-8")
    assert language().code == "vi"
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert language().code == "en"
    monkeypatch.setenv("LC_ALL", "de_DE@euro")
    assert language().code == "en"
    monkeypatch.setenv("CALIPERS_LANG", "zh")
    assert language().code == "zh"
    assert language("vi").code == "vi"


def test_an_unknown_language_is_an_error_that_lists_the_known_ones(monkeypatch):
    known = r"pass en \(English\), vi \(Tiếng Việt\) or zh \(中文\)"
    with pytest.raises(InputError, match=r"lang='fr' is not known: " + known):
        language("fr")
    monkeypatch.setenv("CALIPERS_LANG", "klingon")
    with pytest.raises(InputError, match="CALIPERS_LANG='klingon' is not known: " + known):
        language()


def test_numbers_are_written_as_the_language_writes_them():
    en, vi, zh = map(Language, LANGUAGES)
    assert [x.number(0.905) for x in (en, vi, zh)] == ["0.905", "0,905", "0.905"]
    assert [x.percent(0.905) for x in (en, vi, zh)] == ["90.5%", "90,5%", "90.5%"]
    assert [x.number(1.2345e-7) for x in (en, vi)] == ["1.23e-7", "1,23e-7"]
    assert [x.pvalue(0.00001) for x in (en, vi)] == ["p < 0.001", "p < 0,001"]
    assert [x.interval("0.1", "0.2") for x in (en, vi, zh)] == ["[0.1, 0.2]", "[0,1; 0,2]", "[0.1, 0.2]"]
    assert vi.filled("{a} {b:percent} {c:.2f} {d} {e}", {"a": 0.5, "b": 0.25, "c": 1.0, "d": 7, "e": "v1.2"}) == (
        "0,500 25,0% 1,00 7 v1.2"
    )


def test_a_metric_of_the_readers_own_is_shown_as_its_author_wrote_it():
    from calipers.metrics import metric
    from calipers.metrics.base import CATALOGUE
    from calipers.statistics.confusion import OneVsRest

    @metric(over=OneVsRest, better="", bounds=(0, 1), formula="{tp}", undefined="never")
    def half_of_hits(c):
        """Half of the hits."""
        return c.tp / 2

    try:
        assert Language("vi").meaning("half_of_hits") == "Half of the hits."
        assert Language("vi").name("half_of_hits") == "half of hits"
        assert Language("zh").caution("half_of_hits") == ""
    finally:
        CATALOGUE.remove("half_of_hits")


@pytest.mark.parametrize("code", OTHERS)
def test_why_a_metric_is_undefined_is_said_in_every_language(code):
    for metric in cal.metrics.catalogue():
        assert isinstance(metric.undefined, Remark), metric.name
        assert Language(code).remark(metric.undefined) != metric.undefined


@pytest.mark.parametrize("code", OTHERS)
def test_how_bounds_were_found_is_said_in_every_language(code):
    spoken = Language(code)
    linearised, wilson = Remark("inference.linearised"), Remark("inference.effective", method="wilson")
    resamples = Remark("inference.resamples", method="bca", count=1000)
    methods = {
        "mover over wilson, effective rows": Remark("inference.mover", method=wilson),
        "logit, 0.5 added to each count": Remark("inference.logit_half"),
        "noise of a calibrated model": Remark("inference.noise"),
        "order statistics 12 and 38": Remark("inference.order_statistics", low=12, high=38),
        "linearised (logit), grouped": Remark("inference.grouped", method=on_scale(linearised, "logit")),
        "bca, 1000 resamples, grouped": Remark("inference.grouped", method=resamples),
        "influence function (wilson)": on_scale(Remark("metrics.influence_of_rows"), "wilson"),
        "influence function (plain)": on_scale(Remark("metrics.influence_of_rows"), "plain"),
    }
    for english, method in methods.items():
        assert method == english
        text = spoken.remark(method)
        assert not re.search(r"\b(over|on|the|added|under|and|rows|grouped|resamples|linearised|plain)\b", text), text
    assert [spoken.remark(name) for name in ("wilson", "delong-logit")] == ["wilson", "delong-logit"]


def test_remarks_within_remarks_and_a_text_of_the_readers_own():
    vi = Language("vi")
    misranked = [Remark("inference.misranked", count=count) for count in (2.288, 3.66)]
    assert vi.remark(messages.joined(misranked)) == "chưa chắc chắn: có rất ít lỗi xếp hạng (khoảng 2 đến 4)"
    left_out = Remark("metrics.classes_left_out", count=2, total=3, why=Remark("metrics.none_true"))
    assert vi.remark(left_out) == "bỏ qua 2 trên 3 lớp: không mẫu nào thuộc lớp này"
    assert vi.remark("something of the reader's own") == "something of the reader's own"


def test_footnotes_join_remarks_that_differ_in_their_numbers_alone():
    few = [Remark("inference.few_rows", count=count) for count in (3.0, 3.004, 7.0)]
    assert messages.joined(few[:2]) == "based on very few rows (3)"
    assert messages.joined(few) == "based on very few rows (3 to 7)"
    other = Remark("inference.positives", count=3.0)
    assert len({messages.shape(remark) for remark in [*few, other, "a text"]}) == 3
    separated = [Remark("inference.separated", why=remark) for remark in few]
    assert messages.joined(separated) == "perfect separation: based on very few rows (3 to 7)"


def test_a_remark_is_harmless_on_a_terminal():
    hostile = Remark("data.unseen_predictions", labels="\x1b[31m")
    assert Language("en").remark(hostile) == "predicted labels that never occur among the true labels: \\x1b[31m"


def test_findings_name_classes_and_join_lists_as_the_language_does():
    never = Finding("class_never_predicted", "warning", {"labels": "0\nfish", "rows": 5, "share": 0.5})
    assert never.say("en") == "The model never predicts class 0, fish, so it misses 5 rows (50.0%)."
    assert never.say("zh") == "模型从不预测类别 0、fish：因此漏掉 5 个样本（50.0%）。"
    words = Finding("words_not_in_texts", "warning", {"count": 2, "words": 9, "examples": "cat\ndog"})
    assert words.say("zh") == "主题的 9 个词中有 2 个不在任何文档中，例如 cat、dog。"
    pair = {"truth": "1", "predicted": "BAD", "rows": 4, "errors": 6, "expected": 2.0, "p": 0.02}
    assert Finding("most_confused_pair", "note", pair).sentence.startswith("Class 1 is most often confused with BAD:")


def test_chinese_has_spaces_beside_latin_names_and_none_beside_its_own_characters():
    zh = Language("zh")
    counts = Remark("evaluation.the_confusion_matrix")
    assert InputError("evaluation.not_a_count", name=counts, value=-1.0).text("zh").startswith("混淆矩阵含有 -1：")
    allowed = Remark("report.one_of", known=["score", "outcome"])
    assert "应为 score、outcome 之一" in InputError("report.damaged", where="x", value=1, allowed=allowed).text("zh")
    assert zh.say("compare.more_each", metric="AP", pair="（b - a）", count=440) == "AP（b - a）440"
