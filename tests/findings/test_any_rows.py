"""Whatever the rows, the rules and the reports come to an end, and say what JSON can hold."""

import json
import warnings

import pytest

from calipers.errors import InputError
from calipers.report.language import LANGUAGES
from calipers.report.terminal import width

KINDS = ("binary labels", "probabilities", "margins", "classes", "matrix", "score matrix", "label sets", "numbers")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(25))
def test_rules_and_reports_of_any_rows(rows, kind, seed):
    try:
        ev = rows(kind, seed, grouped=seed % 2 == 0).evaluate()
    except (InputError, KeyError) as refused:  # rows that cannot be measured at all, or a kind not yet known
        pytest.skip(str(refused))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        findings = ev.findings
    for finding in findings:
        assert json.dumps(finding.to_dict(), allow_nan=False)
        for code in LANGUAGES:
            assert "{" not in finding.say(code) + finding.advise(code)
    for code in LANGUAGES:
        assert max(map(width, ev.to_text(code).split("\n"))) <= 80
        assert ev.to_markdown(code).startswith("### ")
        for name in list(ev)[:4]:
            assert str(ev.explain(name, lang=code))
