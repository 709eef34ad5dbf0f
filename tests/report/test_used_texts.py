"""Every text of the reports is used: what no code asks for is deleted in the three languages."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import calipers
from calipers.report.messages import texts
from calipers.tasks import TASKS

SOURCE = Path(calipers.__file__).parent
PAGE, PLOTS = SOURCE / "report" / "page", SOURCE / "report" / "plots"
HOLE = r"[\w-]*"
# Texts that code asks for without the name of their file: `canvas.say("roc.title")`, `say('heat')` in a template.
WITHIN = {"plots": (PLOTS, "*.py"), "page": (PAGE, "*"), "views": (PAGE, "*"), "workbench": (PAGE, "workbench*")}
FILES = sorted(
    path.stem
    for path in (SOURCE / "report" / "i18n" / "en").glob("*.toml")
    if path.stem not in ("errors", "remarks", "findings")  # codes: tests/test_codes.py; topics: one per rule
)


def pattern(node):
    """What a string or an f-string of the source may be, as a regular expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(re.escape(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)
    return None


@cache
def is_one_text(regular):
    """Whether an expression is that of a single text: thousands of these are looked up faster than they are tried."""
    return re.escape(re.sub(r"\\(.)", r"\1", regular, flags=re.DOTALL)) == regular


def mentioned(path):
    """The texts that a file of the source may ask for."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        return {found for node in ast.walk(ast.parse(text)) if (found := pattern(node))}
    quoted = re.findall(r"""['"`]([\w.-]+)['"`]?\s*(~|\+|\$\{)?""", text)
    words = re.findall(r"\.(\w+)", text) if path.suffix == ".js" else []
    joined = {re.sub(r"\$\{[^}]*\}", lambda _: HOLE, part) for part in re.findall(r"`([\w.${}]+)`", text)}
    return joined | {re.escape(word) + (HOLE if more else "") for word, more in quoted} | set(map(re.escape, words))


UNITS = {task.unit for task in TASKS.values()}


@cache
def in_source():
    """The texts that each file of the source may ask for, read when a test asks and not when tests are collected."""
    return {path: mentioned(path) for path in SOURCE.rglob("*") if path.suffix in (".py", ".html", ".js")}


@cache
def words():
    """The texts of the source that are the same whatever it computes."""
    return {word for found in in_source().values() for word in found if HOLE not in word}


@cache
def terms():
    """The words of the field that code asks for by `lang.term`."""
    calls = (node for path in SOURCE.rglob("*.py") for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    asked = [c.args[0] for c in calls if isinstance(c, ast.Call) and getattr(c.func, "attr", "") == "term"]
    named = {found for argument in asked for node in ast.walk(argument) if (found := pattern(node))}
    pages = (page.read_text("utf-8") for page in PAGE.glob("*.html"))
    return named | {word for page in pages for word in re.findall(r"""term\(['"](\w+)""", page)}


def asked_for(file):
    """The keys of a file that the source may ask for."""
    keys, before = set(), re.escape(f"{file}.")
    for found in in_source().values():
        for whole in found:
            if whole.startswith(before):
                key = whole.removeprefix(before)
                # The hole alone is any word of the source; of a file with its own way to ask, that way.
                keys |= {key} if key != HOLE else set() if file in (*WITHIN, "terms") else words()
    if file in WITHIN:
        folder, names = WITHIN[file]
        keys |= {key for path in folder.glob(names) for key in in_source().get(path, ())}
    return keys | (terms() if file == "terms" else set())


@pytest.mark.parametrize("file", FILES)
def test_every_text_is_asked_for(file):
    keys = {key for key in asked_for(file) if re.search(r"\w", key.replace(HOLE, ""))}
    possible = re.compile("|".join(sorted(key for key in keys if not is_one_text(key))) or "(?!)")
    asked = [key for key in texts("en", file) if re.escape(key) in keys or possible.fullmatch(key)]
    unused = [key for key in texts("en", file) if key not in asked and not _of_a_family(key, file)]
    assert not unused, f"nothing asks for these texts of {file}.toml: delete them in the three languages: {unused}"


def _of_a_family(key, file):
    """Whether the key is made of parts: answers and cards by question and code, what a task calls its units, sentences
    of the script, symbols of a view."""
    parts = [re.escape(part) for part in key.split(".")]
    if file == "answers":
        return len(parts) == 3 and all(part.removesuffix("_several") in words() for part in parts[1:])
    if file == "cards" or (file == "views" and key.partition(".")[0] in UNITS):
        return all(part in words() for part in parts)
    if file == "workbench":
        sentences = {word for path in PAGE.glob("workbench*.js") for word in in_source()[path]}
        return parts[0] == "script" and any(re.fullmatch(word, key.partition(".")[2]) for word in sentences)
    return file == "explain" and parts[0] == "symbols" and all(part in words() for part in parts[1:])


def test_every_term_that_is_asked_for_exists():
    assert {word for word in terms() if HOLE not in word} <= set(texts("en", "terms"))


@pytest.mark.parametrize("unit", sorted(UNITS))
def test_every_unit_has_a_text_for_how_many_more_are_needed(unit):
    """An undecided gate or comparison of recommendations or topics says how many users or documents would decide it."""
    keys = {
        "answers": [f"card.compared.more_{unit}", f"card.requirements.more_{unit}"],
        "compare": [f"more_{unit}", f"verdicts.settled_by_{unit}"],
        "views": [f"compare.needed_{unit}"],
    }
    assert not [key for file, names in keys.items() for key in names if key not in texts("en", file)]
