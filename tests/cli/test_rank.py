"""`calipers rank`: TREC files, tables, several runs, and one line for what is wrong."""

import json

import pytest

import calipers as cal
from calipers import datasets

QRELS, RUN, NEW = (datasets.path(name) for name in ("search.qrels", "search.run", "search_new.run"))
ROWS = "query,doc,score,relevance\na,x,3,1\na,y,2,0\nb,x,1,0\nb,z,5,2\n"


def refused(done, message):
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def test_the_shell_says_what_python_says(calipers):
    done = calipers("rank", QRELS, RUN, "-m", "ndcg@10", "-m", "map", "--per-query", "--json")
    document = json.loads(done.stdout)
    ev = cal.evaluate_ranking(QRELS, RUN, ["ndcg@10", "map"])
    assert document.pop("per_query") == list(ev.per_query.rows())
    assert document == ev.to_dict()
    assert calipers("rank", QRELS, RUN).stdout.strip() == repr(cal.evaluate_ranking(QRELS, RUN))


def test_markdown(calipers):
    assert calipers("rank", QRELS, RUN, "--md").stdout.strip() == cal.evaluate_ranking(QRELS, RUN).to_markdown().strip()
    runs = calipers("rank", QRELS, RUN, datasets.path("search_new.run"), "-m", "map", "--md").stdout
    assert runs.startswith("### ") or "| --- |" in runs
    refused(calipers("rank", QRELS, RUN, "--md", "--json"), "pass --json or --md, not both")


def test_a_table_by_query(calipers, tmp_path):
    (tmp_path / "ranked.csv").write_text(ROWS)
    output = calipers("rank", str(tmp_path / "ranked.csv"), "-m", "mrr,p@1", "--per-query").stdout
    columns = "columns: query = query, doc = doc, score = score, relevance = relevance"
    assert output.startswith(f"{columns}\nranking: 2 queries")
    assert "\nquery    MRR  Precision@1\na      1.000        1.000\nb      1.000        1.000\n" in output
    assert max(map(len, output.splitlines())) <= 80


def test_many_measures_by_query_say_what_is_left_out(calipers):
    names = ",".join(f"ndcg(gain=exponential)@{k}" for k in range(1, 7))
    output = calipers("rank", QRELS, RUN, "-m", names, "--per-query").stdout
    assert "... 4 more metrics" in output
    assert max(map(len, output.splitlines())) <= 80


def test_two_tables_and_columns_by_name(calipers, tmp_path):
    (tmp_path / "judged.csv").write_text("topic,item,grade\na,x,1\na,y,0\n")
    (tmp_path / "run.tsv").write_text("topic\titem\tpoints\na\tx\t1\na\ty\t2\n")
    both = str(tmp_path / "judged.csv"), str(tmp_path / "run.tsv")
    assert "MRR     0.500" in calipers("rank", *both, "-m", "mrr", "--score", "points").stdout
    refused(calipers("rank", *both, "-m", "mrr"), "run.tsv has the columns topic, item, points: choose the")


def test_runs_are_compared(calipers):
    done = calipers("rank", QRELS, RUN, NEW, "-m", "ndcg@10")
    assert done.stdout.startswith("ranking: 2 runs compared on the same 50 queries: search, search_new")
    assert "new better" in done.stdout
    document = json.loads(calipers("rank", QRELS, RUN, NEW, "-m", "ndcg@10", "--json").stdout)
    assert list(document["evaluations"]) == ["search", "search_new"]


def test_rules_reach_the_library(calipers, tmp_path):
    (tmp_path / "ranked.csv").write_text("query,doc,score,relevance\na,x,1,1\na,y,1,0\nb,z,1,0\n")
    args = ("rank", str(tmp_path / "ranked.csv"), "-m", "mrr", "--json", "--quiet")
    for options, value in (((), 0.25), (("--ties", "mean"), 0.375), (("--no-relevant", "skip"), 0.5)):
        assert json.loads(calipers(*args, *options).stdout)["metrics"]["mrr"]["value"] == value


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((QRELS,), "search.qrels is a TREC file: pass the judgements and a run, calipers rank qrels.txt run.txt"),
        ((QRELS, "nowhere.txt"), "nowhere.txt cannot be read: No such file or directory"),
        ((QRELS, RUN, "-m", "ndcg@0"), "'ndcg@0': k=0 is not a cutoff: pass a whole number, 1 or more"),
        ((QRELS, RUN, "-m", "recall"), "recall is not a ranking metric: request recall@10"),
        ((QRELS, RUN, "--ties", "best"), "'best' is not one of 'id', 'mean', 'order'"),
        ((QRELS, RUN, NEW, "--per-query"), "--per-query is for one run"),
        ((RUN, QRELS), "search.run has"),
    ],
)
def test_what_is_wrong_is_one_line(calipers, arguments, message):
    refused(calipers("rank", *arguments), message)


def test_a_measure_is_explained_with_judgements_and_a_run(calipers, tmp_path):
    done = calipers("explain", "ndcg@10", QRELS, RUN, "--got", "0.5547", "--lang", "zh")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == str(cal.evaluate_ranking(QRELS, RUN).explain("ndcg@10", lang="zh", got="0.5547"))
    (tmp_path / "ranked.csv").write_text(ROWS)
    done = calipers("explain", "map@10", str(tmp_path / "ranked.csv"))
    assert done.stderr == "columns: query = query, doc = doc, score = score, relevance = relevance\n"
    assert "  1.0000  precision divided by the number of relevant documents (trec_eval," in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((QRELS, RUN, "--truth", "x"), "mrr is for rankings, but --truth is not: pass judgements and a run"),
        ((QRELS, RUN, "--positive", "x"), "mrr is for rankings, but --positive is not: pass judgements and a run"),
        ((QRELS, RUN, NEW), "3 files: pass judgements and one run, as in calipers explain mrr qrels run"),
        ((QRELS,), "search.qrels is a TREC file: pass the judgements and a run, calipers rank"),
    ],
)
def test_what_cannot_be_explained_is_one_line(calipers, arguments, message):
    refused(calipers("explain", "mrr", *arguments), message)


def test_the_language_is_that_of_the_table_too(calipers):
    files = [datasets.path(name) for name in ("search.qrels", "search.run", "search_new.run")]
    one = calipers("rank", *files[:2], "-m", "ndcg@10", "--lang", "vi")
    assert one.stdout.startswith("xếp hạng: 50 truy vấn")
    two = calipers("rank", *files, "-m", "ndcg@10", "--lang", "zh")
    assert "nDCG" in two.stdout
    assert "difference" not in two.stdout
