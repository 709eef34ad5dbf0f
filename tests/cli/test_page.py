from calipers import __version__, datasets


def test_a_page_is_written_beside_what_is_printed(calipers, tmp_path):
    page = tmp_path / "report.html"
    done = calipers("evaluate", datasets.path("bad_debt.csv"), "--positive", "BAD", "--html", str(page))
    assert (done.returncode, done.stderr) == (0, "")
    assert f"written: {page}\n" in done.stdout
    text = page.read_text(encoding="utf-8")
    assert "--positive BAD --html" in text
    assert f"Calipers {__version__}" in text


def test_comparisons_and_rankings_have_pages(calipers, tmp_path):
    both = tmp_path / "both.csv"
    both.write_text("truth,a,b\n" + "".join(f"{i % 2},{i / 99},{(i * 7 % 99) / 99}\n" for i in range(99)))
    compared, ranked = tmp_path / "compare.html", tmp_path / "rank.html"
    done = calipers("compare", str(both), "--score", "a,b", "--positive", "1", "--html", str(compared), "--lang", "vi")
    assert (done.returncode, done.stderr) == (0, "")
    assert "So sánh mô hình" in compared.read_text(encoding="utf-8")
    done = calipers("rank", datasets.path("search.qrels"), datasets.path("search.run"), "--html", str(ranked))
    assert (done.returncode, done.stderr) == (0, "")
    assert "Ranking" in ranked.read_text(encoding="utf-8")


def test_a_page_that_cannot_be_is_refused_before_anything_is_read(calipers, tmp_path):
    done = calipers("evaluate", "absent.csv", "--html", "report.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "calipers: report.txt: a page must be written as .html\n"
    done = calipers("evaluate", "absent.csv", "--html", "nowhere/report.html")
    assert done.stderr == "calipers: nowhere/report.html cannot be written: No such file or directory\n"
    done = calipers("evaluate", "absent.csv", "--html", "report.html", absent="jinja2")
    assert done.returncode == 2
    assert done.stderr == 'calipers: a page needs Jinja2 and matplotlib: pip install "calipers[report]"\n'
    assert list(tmp_path.iterdir()) == []


def test_the_demo_writes_a_page_where_it_is_told_or_none(calipers, tmp_path):
    done = calipers("demo", "ranking", "--html", "search.html")
    assert done.stdout.endswith("\nReport written: search.html\n")
    assert [path.name for path in tmp_path.iterdir()] == ["search.html"]
    assert "written" not in calipers("demo", "ranking", "--no-html").stdout
    assert "pass --html FILE or --no-html, not both" in calipers("demo", "--html", "a.html", "--no-html").stderr
    assert [path.name for path in tmp_path.iterdir()] == ["search.html"]


def test_the_demo_does_without_a_page_that_nobody_asked_for(calipers, tmp_path):
    (tmp_path / "calipers-demo.html").mkdir()
    done = calipers("demo", "ranking")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\ncalipers-demo.html cannot be written: Is a directory\n")
    done = calipers("demo", "ranking", absent="jinja2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith('\na page needs Jinja2 and matplotlib: pip install "calipers[report]"\n')
    done = calipers("demo", "ranking", "--html", "search.html", absent="jinja2")
    assert (done.returncode, done.stdout) == (2, "")
