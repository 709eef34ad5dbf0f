"""The lessons: the same in three languages, each with an exercise, its solution and a notebook that runs."""

import doctest
import json
import re

import notebooks
import pytest

LANGUAGES = ("en", "vi", "zh")
SLUGS = sorted(lesson.stem for lesson in (notebooks.LESSONS / "en").glob("[0-9]*.md"))


def cells(slug, lang="en"):
    document = json.loads(notebooks.notebook_of(notebooks.LESSONS / lang / f"{slug}.md").read_text("utf-8"))
    return ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"]


def samples(slug, lang):
    """The code of a lesson with what it prints; a text that it prints in the language of the page is left out."""
    text = (notebooks.LESSONS / lang / f"{slug}.md").read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples("\n\n".join(notebooks.SAMPLE.findall(text)))
    return [(e.source.replace(f'"{lang}"', '"en"'), "" if ".say(" in e.source else e.want) for e in examples]


def test_there_are_eleven_lessons_in_each_language():
    assert len(SLUGS) == 11
    for lang in LANGUAGES:
        assert sorted(p.stem for p in (notebooks.LESSONS / lang).glob("[0-9]*.md")) == SLUGS


@pytest.mark.parametrize("slug", SLUGS)
def test_a_lesson_has_the_same_samples_in_every_language(slug):
    assert samples(slug, "en") == samples(slug, "vi") == samples(slug, "zh")


def test_every_lesson_ends_with_an_exercise_a_solution_with_code_and_its_notebook():
    for lesson in notebooks.lessons():
        text = lesson.read_text(encoding="utf-8")
        exercise, notebook = re.split(r"^## .+$", text, flags=re.M)[-2:]
        assert re.search(r"<details><summary>.+</summary>\n\n```python\n>>> ", exercise), lesson
        assert f"(notebooks/{lesson.stem}.ipynb)" in notebook, lesson


def test_notebooks_are_what_the_lessons_say():
    for lesson in notebooks.lessons():
        written = notebooks.notebook_of(lesson).read_text(encoding="utf-8")
        assert written == notebooks.notebook(lesson.read_text(encoding="utf-8")), "run: make pages"
    for slug in SLUGS:
        english = cells(slug)
        for lang in ("vi", "zh"):
            assert [cell.replace(f'"{lang}"', '"en"') for cell in cells(slug, lang)] == english


@pytest.mark.parametrize("slug", SLUGS)
def test_a_notebook_runs(slug, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for cell in cells(slug):
        exec(compile(cell, slug, "exec"), namespace)
    assert "cal" in namespace
