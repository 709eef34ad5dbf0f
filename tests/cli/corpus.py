"""Files as people really have them: what each holds, and what must be read or the words that refuse it.

Every file that can be read tells of the same six rows unless it says otherwise, so that most answers are one matrix.
"""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass
from typing import Any

TRUTH = ["yes", "no", "yes", "no", "no", "yes"]
PRED = ["yes", "yes", "yes", "no", "no", "no"]
SCORE = ["0.9", "0.6", "0.8", "0.1", "0.4", "0.3"]
MATRIX = [[2, 1], [1, 2]]  # no, yes
AUC = 7 / 9


@dataclass(frozen=True)
class Case:
    """A file with its name and options; `error` where it must be refused, else what the document must hold."""

    name: str
    content: bytes
    options: tuple[str, ...] = ()
    labels: tuple[Any, ...] = ("no", "yes")
    confusion: Any = None
    auc: float | None = None
    rows: int = 6
    read_as: str = ""  # the whole line, without its first words
    error: str = ""

    @property
    def title(self) -> str:
        return f"{self.name}{' ' if self.options else ''}{' '.join(self.options)}"


def rows(*columns: list[str], head: str, mark: str = ",", end: str = "\n") -> str:
    return end.join([head, *(mark.join(cells) for cells in zip(*columns, strict=True))]) + end


LABELS = rows(TRUTH, PRED, head="y_true,y_pred")
SCORES = rows(TRUTH, SCORE, head="y_true,score")
FULL = rows(TRUTH, PRED, SCORE, head="y_true,y_pred,score")
YES = ("--positive", "yes")
BITS = {"yes": "1", "no": "0"}
COMMAS = [s.replace(".", ",") for s in SCORE]
VI, ZH = ["có", "không"], ["是", "否"]
VI_TRUTH, VI_PRED = ([VI[0] if v == "yes" else VI[1] for v in column] for column in (TRUTH, PRED))
ZH_TRUTH, ZH_PRED = ([ZH[0] if v == "yes" else ZH[1] for v in column] for column in (TRUTH, PRED))
VI_TABLE = rows(VI_TRUTH, VI_PRED, head="nhãn,dự_đoán")
ZH_TABLE = rows(ZH_TRUTH, ZH_PRED, head="真实,预测")
VI_LABELS, VI_MATRIX = ("có", "không"), [[2, 1], [1, 2]]
ZH_LABELS, ZH_MATRIX = ("否", "是"), [[2, 1], [1, 2]]
MANY = 30_000


def zstd(data: bytes) -> bytes:
    import sys

    if sys.version_info >= (3, 14):
        from compression import zstd as module
    else:
        from backports import zstd as module
    return module.compress(data)


def arrow(kind: str, compression: str | None = None, categories: bool = False) -> bytes:
    import pyarrow as pa
    from pyarrow import feather, ipc, parquet

    truth = pa.array(TRUTH).dictionary_encode() if categories else pa.array(TRUTH)
    table = pa.table({"y_true": truth, "y_pred": PRED, "score": [float(s) for s in SCORE]})
    out = io.BytesIO()
    if kind == "parquet":
        parquet.write_table(table, out)
    elif kind == "feather":
        feather.write_feather(table, out, compression=compression)
    else:
        with ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table)
    return out.getvalue()


def objects(*extra: str) -> str:
    rows = [{"y_true": t, "y_pred": p, "score": float(s)} for t, p, s in zip(TRUTH, PRED, SCORE, strict=True)]
    return "\n".join([*map(json.dumps, rows), *extra]) + "\n"


def labels(name: str, content: str | bytes, *options: str, **expected: Any) -> Case:
    """A file of the six rows with predicted labels."""
    data = content if isinstance(content, bytes) else content.encode()
    return Case(name, data, options, **({"confusion": MATRIX} | expected))


def scores(name: str, content: str | bytes, *options: str, **expected: Any) -> Case:
    """A file of the six rows with scores."""
    data = content if isinstance(content, bytes) else content.encode()
    return Case(name, data, (*options, *YES), **({"auc": AUC} | expected))


def refused(name: str, content: str | bytes, error: str, *options: str) -> Case:
    return Case(name, content if isinstance(content, bytes) else content.encode(), options, error=error)


CORPUS = [
    # Delimiters
    labels("plain.csv", LABELS),
    labels("tabs.tsv", LABELS.replace(",", "\t"), read_as="cells separated by tab"),
    labels("semicolons.csv", LABELS.replace(",", ";"), read_as="cells separated by semicolon"),
    labels("bars.txt", LABELS.replace(",", "|"), read_as="cells separated by bar"),
    labels("spaces.txt", LABELS.replace(",", "   "), read_as="cells separated by space"),
    labels("carets.txt", LABELS.replace(",", "^"), read_as="cells separated by '^'"),
    labels("unit.txt", LABELS.replace(",", "\x1f"), read_as="cells separated by '\\x1f'"),
    labels("letter.txt", LABELS.replace(",", "x"), "--delimiter", "x", read_as="cells separated by 'x'"),
    refused("both.csv", "y_true,x;y_pred,z\na,1;b,2\nb,1;a,2\n",
        "could be separated by comma and semicolon: choose with --delimiter"),
    refused("one.csv", "y_true\nyes\nno\n", "one.csv has only one column, 'y_true': at least truth and prediction are"),
    labels("excel.csv", "sep=;\r\n" + LABELS.replace(",", ";").replace("\n", "\r\n"),
           read_as="cells separated by semicolon"),
    # Spaces, quotes, newlines
    labels("space_after_comma.csv", LABELS.replace(",", ", "), read_as="spaces around labels removed"),
    labels("padded.csv", LABELS.replace("yes", "yes  "), read_as="spaces around labels removed"),
    labels("quotes.csv", LABELS.replace("yes", '"yes"').replace("y_pred", '"y_pred"')),
    labels("space_before_quote.csv", LABELS.replace(",yes", ', "yes"')),
    labels("crlf.csv", LABELS.replace("\n", "\r\n")),
    labels("cr.csv", LABELS.replace("\n", "\r")),
    labels("mixed_ends.csv", LABELS.replace("\n", "\r\n", 3)),
    labels("no_last_end.csv", LABELS.rstrip("\n")),
    labels("blank_lines.csv", LABELS.replace("\n", "\n\n", 3)),
    labels("space_lines.csv", LABELS.replace("\n", "\n   \n", 3)),
    labels("newline_in_label.csv", 'y_true,y_pred\n"a\nb",c\nc,"a\nb"\n', labels=("a\nb", "c"),
           confusion=[[0, 1], [1, 0]], rows=2),
    labels("quote_in_label.csv", 'y_true,y_pred\n"a ""b"" c",x\nx,"a ""b"" c"\n', labels=('a "b" c', "x"),
           confusion=[[0, 1], [1, 0]], rows=2),
    labels("delimiter_in_label.csv", 'y_true,y_pred\n"a, b",c\nc,"a, b"\n', labels=("a, b", "c"),
           confusion=[[0, 1], [1, 0]], rows=2),
    labels("inch.csv", 'y_true,y_pred\n5" pipe,x\nx,5" pipe\n', labels=('5" pipe', "x"),
           confusion=[[0, 1], [1, 0]], rows=2),
    refused("open_quote.csv", 'y_true,y_pred\na,b\na,"b\na,b\n', "open_quote.csv line 3: a quote is opened but never"),
    refused("after_quote.csv", 'y_true,y_pred\na,b\na,"b"x\na,b\n', "after_quote.csv line 3: there is text after a "
            "closing quote"),
    refused("stray_quotes.tsv", 'y_true\ty_pred\n"a\tb\nc"\ta\na\ta\n', "stray_quotes.tsv has quotes that span "
        "several lines, but each line alone is a complete row: pass --no-quotes if quotes are part of"),
    labels("stray_quotes_said.tsv", 'y_true\ty_pred\n"a\tb\nb"\ta\na\ta\n', "--no-quotes",
           labels=('"a', "a", "b", 'b"'),
           confusion=[[0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]], rows=3,
           read_as="cells separated by tab"),
    labels("joined_lines_said.tsv", 'y_true\ty_pred\n"a\tb\nb"\ta\na\ta\n', "--quotes", labels=("a", "a\tb\nb"),
           confusion=[[1, 0], [1, 0]], rows=2, read_as="cells separated by tab"),
    # Headers
    labels("no_header.csv", LABELS.partition("\n")[2], "--truth", "1", "--pred", "2",
           read_as="no header, so columns are named by their numbers"),
    refused("no_header_unnamed.csv", LABELS.partition("\n")[2], "has the columns 1, 2: choose one with --truth\n"),
    refused("maybe_header.csv", "cat,dog\ndog,cat\nbird,bird\n",
            "has the columns cat, dog: choose one with --truth, or pass --no-header if they are data"),
    scores("no_header_scores.csv", SCORES.partition("\n")[2], "--truth", "1", "--score", "2",
           read_as="no header, so columns are named by their numbers"),
    labels("said_no_header.csv", "cat,dog\ndog,cat\nbird,bird\n", "--no-header", "--truth", "1", "--pred", "2",
           labels=("bird", "cat", "dog"), confusion=[[1, 0, 0], [0, 0, 1], [0, 1, 0]], rows=3,
           read_as="no header, so columns are named by their numbers"),
    labels("said_header.csv", "yes,no\nyes,no\nno,no\n", "--header", "--truth", "yes", "--pred", "no", rows=2,
           confusion=[[1, 0], [1, 0]]),
    labels("capitals.csv", LABELS.replace("y_true,y_pred", "Y True, Y-PRED")),
    labels("decomposed.csv", rows(VI_TRUTH, VI_PRED, head="NHA\u0303N,dư\u0323_đoa\u0301n"), labels=VI_LABELS,
           confusion=VI_MATRIX),
    labels("decomposed_labels.csv", rows(["co\u0301", "có"], ["có", "co\u0301"], head="y_true,y_pred"), labels=("có",),
           confusion=[[2]], rows=2, read_as="combining marks in labels composed"),
    labels("vietnamese.csv", VI_TABLE, labels=VI_LABELS, confusion=VI_MATRIX),
    labels("chinese.csv", ZH_TABLE, labels=ZH_LABELS, confusion=ZH_MATRIX),
    labels("newline_in_header.csv", LABELS.replace("y_pred\n", 'y_pred,"no\nte"\n').replace("s\n", "s,1\n")
           .replace("no\n", "no,1\n").replace('"no,1\nte"', '"no\nte"')),
    refused("twice.csv", "y_true,score,score\n1,0.5,0.1\n0,0.2,0.3\n",
        "twice.csv has the columns score and score: choose one with --score"),
    refused("twice_named.csv", "y_true,s,s\n1,0.5,0.1\n0,0.2,0.3\n",
        "has 2 columns named 's' (the columns 2 and 3): rename all but one", "--score", "s"),
    refused("two_truths.csv", "label,target,y_pred\n1,1,1\n",
        "has the columns label and target: choose one with --truth"),
    # Comments
    labels("comments.csv", "# made by us\n# on Monday\n" + LABELS, read_as="2 comment lines skipped"),
    labels("comment_inside.csv", LABELS.replace("\n", "\n# half\n", 3)),
    labels("hash_header.csv", "# " + LABELS),
    labels("hash_labels.csv", LABELS.replace("yes", "#1"), labels=("#1", "no"), confusion=[[2, 1], [1, 2]]),
    refused("hash_row.csv", "# note\ny_true,y_pred\na,a\n#b,b\n",
        "hash_row.csv line 4 begins with # like a comment, but has the"),
    # Ragged rows
    refused("short_row.csv", LABELS + "yes\n", "short_row.csv line 8 has 1 cell, but line 1 has 2: put cells"),
    refused("long_row.csv", LABELS + "yes,no,x\n", "long_row.csv line 8 has 3 cells, but line 1 has 2: put cells"),
    refused("late_ragged.csv", LABELS + "yes,no\n" * MANY + "yes,no,x\n",
            f"line {MANY + 8} has 3 cells, but line 1 has 2"),
    refused("late_ragged_quoted.csv", 'y_true,y_pred\n' + '"a\nb",c\n' * MANY + "x\n",
            f"line {2 * MANY + 2} has 1 cell"),
    refused("r_table.csv", "y_true,y_pred\n1,yes,no\n2,no,no\n", "r_table.csv line 2 has 3 cells, but line 1 has 2"),
    # Labels as written
    labels("zeros.csv", LABELS.replace("yes", "001").replace("no", "1"), labels=("001", "1"),
           confusion=[[2, 1], [1, 2]]),
    labels("na.csv", LABELS.replace("yes", "NA"), labels=("NA", "no"), confusion=[[2, 1], [1, 2]]),
    labels("null.csv", LABELS.replace("yes", "null"), labels=("no", "null")),
    labels("dates.csv", LABELS.replace("yes", "2024-01-02"), labels=("2024-01-02", "no"), confusion=[[2, 1], [1, 2]]),
    labels("bits.csv", LABELS.replace("yes", "1").replace("no", "0"), labels=(0, 1)),
    labels("floats_beside_bits.csv", rows([BITS[v] for v in TRUTH], [BITS[v] + ".0" for v in PRED],
                                          head="y_true,y_pred"), labels=(0, 1),
           read_as="labels such as 1.0 are whole numbers"),
    labels("booleans.csv", LABELS.replace("yes", "True").replace("no", "False"), labels=(False, True)),
    labels("late_text.csv", "y_true,y_pred\n" + "1,1\n" * MANY + "x,1\n", labels=("1", "x"), rows=MANY + 1,
           confusion=[[MANY, 0], [1, 0]]),
    # Numbers
    scores("points.csv", SCORES),
    scores("decimal_commas.csv", rows(TRUTH, COMMAS, head="y_true;score", mark=";"),
           read_as="cells separated by semicolon, decimal commas"),
    scores("quoted_commas.csv", rows(TRUTH, [f'"{s}"' for s in COMMAS], head="y_true,score"), read_as="decimal commas"),
    scores("signs.csv", rows(TRUTH, ["+0.9", "6e-1", " .8", "1E-1", "0.40", "3.e-1"], head="y_true,score")),
    scores("said_commas.csv", rows(TRUTH, ["9,000", "6,000", "8,000", "1,000", "4,000", "3,000"],
                                   head="y_true;score", mark=";"), "--decimal", ",", "--threshold", "5",
           read_as="cells separated by semicolon, decimal commas"),
    refused("thousands.csv", rows(TRUTH, ["9,000"] * 6, head="y_true;score", mark=";"),
            "column 'score' contains '9,000': if the comma is the", *YES),
    refused("mixed_marks.csv", rows(TRUTH, [*COMMAS[:5], "0.3"], head="y_true;score", mark=";"),
            "column 'score' contains '0.3' (line 7), which is not a number", *YES),
    refused("thousands_late.csv", SCORES + 'yes,"1,234.5"\n',
        "column 'score' contains '1,234.5' (line 8), which is not", *YES),
    refused("underscore.csv", SCORES + "yes,1_0\n",
        "column 'score' contains '1_0' (line 8), which is not a number", *YES),
    refused("percent.csv", SCORES + "yes,50%\n", "column 'score' contains '50%' (line 8), which is", *YES),
    refused("late_word.csv", SCORES + "yes,0.5\n" * MANY + "no,high\n",
            f"column 'score' contains 'high' (line {MANY + 8})", *YES),
    refused("gap.csv", SCORES + "yes,\n", "column 'score' contains 1 NaN (first at line 8): remove", *YES),
    refused("na_score.csv", SCORES + "yes,NA\n", "column 'score' contains 1 NaN (first at line 8): remove", *YES),
    scores("dropped.csv", SCORES + "yes,NA\n,0.5\n", "--missing", "drop"),
    refused("label_gap.csv", LABELS + "\n\n,yes\n", "column 'y_true' has 1 missing label (first at line 10)"),
    # Encodings
    labels("bom.csv", "\ufeff" + LABELS),
    labels("utf16.csv", VI_TABLE.encode("utf-16"), labels=VI_LABELS, confusion=VI_MATRIX, read_as="utf-16"),
    labels("utf16be.csv", b"\xfe\xff" + ZH_TABLE.encode("utf-16-be"), labels=ZH_LABELS, confusion=ZH_MATRIX,
           read_as="utf-16"),
    labels("utf32.csv", ZH_TABLE.encode("utf-32"), labels=ZH_LABELS, confusion=ZH_MATRIX, read_as="utf-32"),
    refused("utf16_no_mark.csv", LABELS.encode("utf-16-le"),
        "looks like UTF-16 without a byte order mark: pass --encoding utf-16-le"),
    labels("utf16_said.csv", LABELS.encode("utf-16-le"), "--encoding", "utf-16-le", read_as="utf-16-le"),
    refused("gb.csv", ZH_TABLE.encode("gb18030"),
            "gb.csv is not UTF-8 (line 1). As gb18030 this line reads '真实,预测': if that is right, pass --encoding "
                "gb18030; otherwise"),
    labels("gb_said.csv", ZH_TABLE.encode("gb18030"), "--encoding", "GB18030", labels=ZH_LABELS, confusion=ZH_MATRIX,
           read_as="gb18030"),
    refused("cp1258.csv", rows(VI_TRUTH, VI_PRED, head="nhan,dư\u0323_đoán").encode("cp1258"),
            "cp1258.csv is not UTF-8 (line 1). As cp1258 this line reads 'nhan,dự_đoán': if that is"),
    labels("cp1258_said.csv", rows(VI_TRUTH, VI_PRED, head="nhan,dư\u0323_đoán").encode("cp1258"), "--encoding",
            "cp1258",
           labels=VI_LABELS, confusion=VI_MATRIX, read_as="cp1258"),
    refused("latin.csv", LABELS.replace("no", "né").encode("cp1252"),
        "latin.csv is not UTF-8 (line 3). As cp1252 this"),
    refused("late_latin.csv", LABELS.encode() + b"yes,no\n" * 300_000 + b"n\xe9,no\n",
            "late_latin.csv is not UTF-8 (line 300008). As cp1252 this line reads 'né,no': if that is"),
    refused("wrong_encoding.csv", b"y_true,y_pred\na,\xff\xff\n",
            "wrong_encoding.csv is not gb18030 (line 2): choose another --encoding",
            "--encoding", "gb18030"),
    refused("no_encoding.csv", LABELS, "unknown encoding 'utf-9': use for example utf-8", "--encoding", "utf-9"),
    # Packed, and other kinds
    labels("plain.csv.gz", gzip.compress(LABELS.encode()), read_as="gzip"),
    labels("gzip_called.csv", gzip.compress(LABELS.encode()), read_as="gzip"),
    labels("plain.csv.zst", zstd(LABELS.encode()), read_as="zstd"),
    labels("zstd_called.csv", zstd(VI_TABLE.encode("utf-16")), labels=VI_LABELS, confusion=VI_MATRIX,
           read_as="zstd, utf-16"),
    labels("plain_called.csv.gz", LABELS),
    refused("half.csv.gz", gzip.compress(LABELS.encode() * 50)[:-30],
            "half.csv.gz is damaged: it cannot be decompressed with gzip"),
    labels("x.parquet", arrow("parquet"), *YES, auc=AUC),
    labels("parquet_called.csv", arrow("parquet"), *YES, auc=AUC),
    labels("categories.parquet", arrow("parquet", categories=True), *YES, auc=AUC),
    labels("packed.parquet.gz", gzip.compress(arrow("parquet")), *YES, auc=AUC, read_as="gzip"),
    labels("x.feather", arrow("feather", "lz4"), *YES, auc=AUC),
    labels("zstd.feather", arrow("feather", "zstd"), *YES, auc=AUC),
    labels("categories.feather", arrow("feather", "lz4", categories=True), *YES, auc=AUC),
    labels("x.arrows", arrow("stream"), *YES, auc=AUC),
    refused("half.parquet", arrow("parquet")[:200], "half.parquet cannot be read: "),
    refused("half.feather", arrow("feather", "lz4")[:200], "half.feather cannot be read: "),
    labels("x.jsonl", objects(), *YES, auc=AUC, read_as="JSON lines"),
    labels("array.json", "[" + objects().strip().replace("\n", ",\n") + "]", *YES, auc=AUC, read_as="a JSON array"),
    labels("json_called.csv", "\ufeff" + objects(), *YES, auc=AUC, read_as="JSON lines"),
    labels("types.jsonl", "".join(f'{{"y_true": "{t}", "y_pred": "0{p}"}}\n' for t, p in ("01", "11", "01")),
           labels=("0", "01", "1"), confusion=[[0, 2, 0], [0, 0, 0], [0, 1, 0]], rows=3, read_as="JSON lines"),
    refused("bad.jsonl", objects("", '{"y_true": oops}'), "bad.jsonl line 8 is not JSON: Expecting value"),
    refused("nan.jsonl", objects('{"y_true": "yes", "y_pred": "yes", "score": NaN}'),
            "column 'score' contains 1 NaN (first at line 7): remove", *YES),
    refused("columns.json", '{"y_true": {"0": 1}, "score": {"0": 0.5}}',
        "columns.json contains a JSON object of whole"),
    refused("nested.jsonl", '{"y_true": {"a": 1}, "y_pred": "x"}\n{"y_true": "x", "y_pred": "x"}\n',
            "where a label or a "
            "number is needed"),
    labels("bits.jsonl", '{"y_true": 1, "y_pred": 1.0}\n{"y_true": 0, "y_pred": 1.0}\n', labels=(0, 1), rows=2,
           confusion=[[0, 1], [0, 1]], read_as="JSON lines"),
    labels("booleans.jsonl", '{"y_true": true, "y_pred": true}\n{"y_true": false, "y_pred": true}\n', rows=2,
           labels=(False, True), confusion=[[0, 1], [0, 1]], read_as="JSON lines"),
    refused("mixed_column.jsonl", '{"y_true": "a", "y_pred": "a"}\n{"y_true": 1, "y_pred": "a"}\n',
            "column 'y_true' mixes 'a' and 1: labels must be of one kind"),
    refused("mixed.jsonl", '{"y_true": "1", "y_pred": 1}\n', "labels mix int and str"),
    # No table at all
    refused("empty.csv", "", "empty.csv is empty"),
    refused("blank.csv", "\n \n", "blank.csv is empty"),
    refused("only_header.csv", "y_true,y_pred\n", "only_header.csv contains no rows"),
    refused("only_comments.csv", "# a\n# b\n", "only_comments.csv contains only comments"),
    refused("book.csv", b"PK\x03\x04\x14\x00\x06\x00", "book.csv is a zip archive or an Excel workbook"),
    refused("login.csv", "<!DOCTYPE html><html><body>Log in</body></html>", "login.csv is a web page"),
    refused("pickle.csv", b"\x80\x04\x95\x10\x00", "pickle.csv is a Python pickle, which could run code"),
    refused("noise.csv", bytes(range(256)) * 20, "noise.csv is neither text nor a known file format: CSV, JSON lines"),
]  # fmt: skip
