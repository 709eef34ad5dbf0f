import subprocess
import sys

from calipers import datasets


def test_a_page_is_written_beside_what_is_printed(calipers, tmp_path):
    page = tmp_path / "report.html"
    done = calipers("evaluate", datasets.path("bad_debt.csv"), "--positive", "BAD", "--html", str(page))
    assert (done.returncode, done.stderr) == (0, "")
    assert f"written: {page}\n" in done.stdout
    text = page.read_text(encoding="utf-8")
    assert "--positive BAD --html" in text
    assert "Calipers 0.1.0" in text


def test_comparisons_and_rankings_have_pages(calipers, tmp_path):
    both = tmp_path / "both.csv"
    both.write_text("truth,a,b\n" + "".join(f"{i % 2},{i / 99},{(i * 7 % 99) / 99}\n" for i in range(99)))
    compared, ranked = tmp_path / "compare.html", tmp_path / "rank.html"
    done = calipers("compare", str(both), "--score", "a,b", "--positive", "1", "--html", str(compared), "--lang", "vi")
    assert (done.returncode, done.stderr) == (0, "")
    assert "So sánh mô hình" in compared.read_text(encoding="utf-8")
    done = calipers("rank", datasets.path("search.qrels"), datasets.path("search.run"), "--html", str(ranked))
    assert (done.returncode, done.stderr) == (0, "")
    assert "Ranked documents" in ranked.read_text(encoding="utf-8")


def test_a_page_that_cannot_be_is_refused_before_anything_is_read(calipers, tmp_path):
    done = calipers("evaluate", "absent.csv", "--html", "report.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "calipers: report.txt: a page is written as .html\n"
    code = "import sys; sys.modules['jinja2'] = None; from calipers.cli import main; main(sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", code, "evaluate", "absent.csv", "--html", "report.html"],
                          capture_output=True, text=True, cwd=tmp_path, check=False)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == 'calipers: a page needs Jinja2 and matplotlib: pip install "calipers[report]"\n'
    assert list(tmp_path.iterdir()) == []


def test_the_demo_writes_a_page_and_says_where(calipers, tmp_path):
    done = calipers("demo", "--html", str(tmp_path / "demo.html"))
    assert f"written: {tmp_path / 'demo.html'}\n" in done.stdout
    assert (tmp_path / "demo.html").stat().st_size < 300_000
