"""Axe over every kind of page in all three languages and both themes: `python tests/browser/axe_everywhere.py`.

The tests run each kind in one language; this script runs the rest, and takes a few minutes.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from axe_core_python.sync_playwright import Axe
from kinds import HOSTILE, KINDS, made, two_classes, violations
from playwright.sync_api import sync_playwright

LANGUAGES = ("en", "vi", "zh")

def main(names):
    """Look at these kinds of pages; the number of violations is the exit code."""
    found = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        page = started.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]).new_page()
        for name, result in made(two_classes(), Path(folder)).items():
            for lang in LANGUAGES if name in names else ():
                result.save(file := Path(folder) / "page.html", lang=lang, title=HOSTILE if name == "hostile" else None)
                page.goto(file.as_uri())
                for violation in (violated := violations(Axe(), page)):
                    print(name, lang, *violation)
                found += len(violated)
                print(name, lang, "done", flush=True)
    return min(found, 99)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(KINDS)))
