"""Texts that people read are in plain words: phrases that must be decoded are refused, and no language lacks a text."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import click
import pytest

import calipers as cal
from calipers.cli import shell
from calipers.findings import RULES
from calipers.report.messages import LANGUAGES, flat

TEXTS = files("calipers.report") / "i18n"
ROOT = Path(__file__).parents[2]
DOCS = [
    *(ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY")),
    *(path for folder in (".", "decisions", "coverage", "learn", "learn/en")
      for path in sorted((ROOT / "docs" / folder).glob("*.md"))),
]  # fmt: skip

FORBIDDEN = {
    "en": [
        r"\brests? on\b", r"\bpromis(e|es|ed)\b", r"\bin the mean\b", r"\bkept aside\b", r"\brows left out\b",
        r"\bmend(ed|s)?\b",
        r"\bunless told\b", r"\btold\b", r"\bwhatever\b", r"\bsuch an? ", r"\bof its own\b",
        r"\bas many\b(?! (degrees of freedom|rows|features|steps)\b)",
        r"\bis another one\b", r"\bgoes? by (this|its) name\b", r"\bbeware\b", r"\bfalling id\b", r"\bunlike amounts\b",
        r"\balways answer", r"\bprediction less truth\b", r"\bbeyond the bar\b", r"\bclears the bar\b",
        r"\bwould settle it\b",
        r"(?<![Tt]here )\b(is|are) no (?!longer\b|more\b|better\b|evidence\b|difference\b)",
        r"\b(one|two|several|pass a) (finite )?(label|number|score|weight|id|row|value|object|column|term)s? a "
        r"(row|class|query|document|label|pair|threshold)\b",
        r"\bfrom this score on\b", r"\bcelebrate\b", r"\btimid\b", r"\bfinalists?\b", r"\bleans towards\b",
        r"\bknows no doubt\b", r"\bis an? \{(kind|dtype|model)\}", r"\buse one of \{", r"\bwould score about\b",
        r"\bcommonest\b", r"\b(has|have) the shape\b", r"\bmean what they say\b", r"\blittle beside\b",
        r"\bno stop at\b", r"\b(primary|positive|groups)= \(--", r"\bby a hair\b",
        r"\d %(?! \d)", r"\bway of learning\b", r"\btoo seldom\b", r"\blooks? sure\b", r"\bholds? none\b",
        r"\bnot chosen on\b", r"\btried again\b", r"\bgoes on\b", r"\bbeyond the memory\b", r"\bso many (rows|cells)\b",
        r"\b(is|are)\}? together in\b", r"\bdrawn? (the \w+ )?again\b", r"\b(texts|textbooks) err\b",
        r"\bis asked of\b",
        r"\b(as in|such as)  ", r"\bneeds? the rows, which did not fit the\b", r"\bcomparison of several$",
        r"\bfrom \d[\d,]*( rows?)? on\b", r"\bother rows of the same kind\b", r"\bof memory\b(?= \()",
        r"\bthan always (?!predicting\b)", r"\bwhat guessing gives\b", r"\bhigher on \{",
        r"^(bootstrap|jackknife|MOVER): ", r"^(a )?(p-value|count|test statistic)(, |$)", r"^of (a|the) \w+, ",
        r"^[Nn]oise: ", r"\bprecision of pairs\b",
        r"\bmore measures?\b", r"\(of \w+ \w+: ", r"\b[Ff]rom [\d⁰-⁹²³]+ [^.]{0,60} on \(", r"\bhave\}? 0\.$",
        r"\bthe groups are dates\b", r"\bthe simpler one usually does better\b", r"^In \{period\}", r"^Each \w+$",
    ],
    "vi": [
        "hứa hẹn", "rụt rè", "ăn mừng", "chẳng qua", "thuộc lòng", "vào chung kết", "dấu vân tay",
        "từng chút", "may rủi",
        "dòng huấn luyện", "dòng kiểm thử", "các phần không", "nghi ngờ nào", "luôn trả lời", "kì vọng", "lí tưởng",
        "Gây hiểu lầm", "độ chênh lệch", "đoán mò", "báo động giả", "Kì vọng", "Chưa kết luận:",
        "độ tin cậy", "luôn đoán", "luôn dự đoán trung bình", "mẫu bootstrap", "nặng bằng", "nặng gấp", "bấy nhiêu",
        "kiểm định điểm số", r"đoán ngẫu nhiên được \d", "rõ ràng hơn ngẫu nhiên", "là những .* nào",
        "bị đánh giá", "lát cắt", "Ý bạn là", "^nó (dành|không dành|chỉ phụ|cần|giảm)", "các số được dự đoán",
        "điều đã đoán", "hãy cho biết bạn có gì", "hỏi điều này",
        r"(^|[.:?] )Nó\b", r"\bcủa nó\b", r"\btệ (nhất|hơn)", r"không hiểu \{", r"\b(chừng|từng) (ấy|này)\b", "KTC",
        r"(hơn|với) luôn dự đoán", "quần thể", "diện tích ROC", "tài liệu tìm được", "khoảng chuẩn ", "quy đổi",
        r"có thể giúp\.", "theo đường thẳng", r"\bcosin\b", "một (nhãn|số|mã|điểm số|trọng số) mỗi mẫu",
        "ở không ngưỡng", "hãy đưa (tệp|hai|các)",
        "người đọc (đi|dừng|xem)", "dấu nháy kép", "lớp thực tế", "trên các người dùng", "khi tăng khi giảm",
        "kéo về hai phía", r"được \d,\d", r"khoảng tin cậy[^.]{0,30} đi từ", r"quá thường xuyên coi",
    ],
    "zh": [
        "总是回答", "训练行", "测试行", "留出的行", "先别高兴", "分毫必争", "毫无怀疑", "学生 t", "重采样",
        "不认识", "会误导",
        "稀少类别", "只有文档", "数值预测", "上下界", "等效", "召回率至少", "类别的分数", " ：", " ，", " 。",
        "推荐器", "第二名", "(?<!已)校准模型", "在这么多", "样本对数(?!量)", "不计入它们", "大约再有", "切片",
        r"\{count\} / \{total\}", "任意多个标签", "可以忽略的退步", "请说明已有", "送入文件", "只有 0 个",
    ],
}  # fmt: skip


# A count and what is counted, which has no form for 1.
COUNTED = re.compile(
    r"(?<!of )(?<!of the )(?<!all )(?<!the )"
    r"\{(count|rows|more|labels|classes|columns|queries|models|folds|names|scores|others)"
    r"(?::[^}|]*)?\} (?:[a-z-]+ )?[a-z]+(?<!s)s\b"
)
# Texts that are only used for two or more, or for numbers that are far from 1.
SEVERAL = {
    "compare.toml": {"title_models", "title_runs", "title_clusterings", "title_recommenders", "sets.title",
                     "power.for_rows", "power.for_difference", "power.for_power", "power.for_nothing"},
    "errors.toml": {"data.too_many_classes", "data.one_score_many_classes", "data.columns_alike", "files.columns_alike",
                    "metrics.long_cutoff", "evaluation.stream_of_slices", "validation.sizes_of_queries",
                    "sklearn.one_output", "sklearn.score_for_each_class", "cli.too_many_files", "cli.many_texts",
                    "validation.models_without_names", "cli.results_and_rows", "decisions.too_few_rows"},
    "explain.toml": {"metrics"},
    "page.toml": {"compared"},
    "plots.toml": {"folds.title", "learning.test", "parts.x"},
    "remarks.toml": {"data.many_integers", "files.several", "inference.resamples", "inference.sign_flip_draws",
                     "inference.sign_flip_drawn",
                     "evaluation.grouped_rows", "comparison.bootstrap", "comparison.repeats_add_no_rows",
                     "comparison.too_few_datasets", "validation.mixed", "validation.times", "report.table_of_counts",
                     "validation.over_subsamples", "validation.over_pairs"},
    "report.toml": {"rows_n", "classes_n", "labels_n", "rarer_n", "smaller_n", "outputs_n", "queries_n", "users_n",
                    "documents_n", "topics_n",
                    "matrix"},
    "sweeps.toml": {"bias_variance", "models_note"},
    "unpaired.toml": {"about"},
    "trend.toml": {"title"},
    "validation.toml": {"nested_note", "about.procedure", "about.model", "about.choice", "resampled.title",
                        "selection.title"},
    "views.toml": {"queries.worst", "users.worst"},
    "workbench.toml": {"script.restated"},
    "answers.toml": {"card.decisions.perfect"},
    "decisions.toml": {"knots"},
}  # fmt: skip


# Two English words after each other, fields aside: such a text that another language repeats was not translated.
FIELD, SENTENCE = re.compile(r"\{[^}]*\}"), re.compile(r"[A-Za-z]{3,}\s+[A-Za-z]{3,}")
SAME = {"decisions.toml: method.platt", "decisions.toml: method.temperature"}  # names of methods


def texts(code):
    """Every text of a language by the file and key that it is found under."""
    return {
        f"{file.name}: {key}": text
        for file in (TEXTS / code).iterdir()
        for key, text in flat(tomllib.loads(file.read_text(encoding="utf-8")))
    }


def help_texts():
    for name, command in shell.commands.items():
        with click.Context(command, info_name=name) as context:
            yield f"calipers {name} --help", " ".join(command.get_help(context).split())


def english():
    """Everything in English: text files, the docstrings of findings and metrics, and the help of commands."""
    yield from texts("en").items()
    for code, entry in RULES.items():
        yield f"finding {code}", " ".join(entry.texts)
    for metric in cal.metrics.catalogue():
        yield f"metric {metric.name}", f"{metric.title} {metric.summary} {metric.caution}"
    yield from help_texts()


def refused(found, code):
    hits = ((where, pattern, re.search(pattern, text)) for where, text in found for pattern in FORBIDDEN[code])
    return [f"{where}: {hit[0]!r} ({pattern})" for where, pattern, hit in hits if hit]


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_text_has_a_phrase_that_must_be_decoded(code):
    found = english() if code == "en" else texts(code).items()
    hits = refused(found, code)
    assert not hits, "\n".join(hits)


def test_counts_have_a_singular():
    """`{count} rows` would read "1 rows": `{count} {count:row|rows}`."""
    wrong = []
    for where, text in texts("en").items():
        file, _, key = where.partition(": ")
        alone = [m for m in COUNTED.finditer(text) if not re.search(rf"\{{{m[1]}:[^}}]*\|", text)]
        wrong += [f"{where}: {m[0]}" for m in alone if key not in SEVERAL.get(file, ())]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_page_of_the_documentation_has_one(path):
    text = " ".join(re.sub(r"`[^`\n]+`", "`code`", path.read_text(encoding="utf-8")).split())
    hits = refused([(path.name, text)], "en")
    assert not hits, "\n".join(hits)


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "learn" / "vi").glob("*.md")), ids=lambda path: path.stem)
def test_no_vietnamese_lesson_has_one(path):
    text = " ".join(re.sub(r"`[^`\n]+`", "`code`", path.read_text(encoding="utf-8")).split())
    hits = refused([(path.name, text)], "vi")
    assert not hits, "\n".join(hits)


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_no_language_lacks_a_text(code):
    needed = {
        *texts("en"),
        *(f"findings.toml: {rule}.{part}" for rule in RULES for part in ("sentence", "advice", "topic")),
        *(f"metrics.toml: {m.name}.{part}" for m in cal.metrics.catalogue() for part in ("name", "meaning", "caution")),
    }
    english = {key: text for key, text in texts("en").items() if SENTENCE.search(FIELD.sub("", text))}
    repeated = {key for key, text in texts(code).items() if text == english.get(key)} - SAME
    said = {key for key, text in texts(code).items() if text.strip()} - repeated
    lacking = sorted(needed - said)
    assert len(lacking) == 0, f"{LANGUAGES[code]} lacks {len(lacking)} of {len(needed)} texts: {lacking[:20]}"


def test_metrics_have_one_name_each_wherever_people_read():
    """Two metrics with one name could not be told from each other in a table; code names are for code."""
    from calipers.report.language import Language

    for code in LANGUAGES:
        lang = Language(code)
        names = [lang.heading(m.name if m.name not in ("p", "recall_at", "success") else f"{m.name}@10")
                 for m in cal.metrics.catalogue()]  # fmt: skip
        assert len(set(names)) == len(names), code
        assert not [name for name in names if re.search(r"[a-z]_[a-z]", name)], code
