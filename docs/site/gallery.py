"""The gallery: every chart in both themes and every kind of report, made from the example data, with their code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from calipers.errors import CalipersError
from calipers.report.plots import KINDS
from calipers.report.plots.files import rendered

# How the result of each kind is made; `calipers.datasets.load("bad_debt")` has the columns.
CODE = {
    "evaluation": 'ev = cal.evaluate(loans, truth="truth", score="score", positive="BAD")',
    "comparison": 'result = cal.compare(truth, {"old": old, "new": new}, positive="BAD")',
    "fold_comparison": "result = cal.compare_folds(old, new, test_share=0.25)",
    "dataset_comparison": 'result = cal.compare_datasets({"a": a, "b": b, "c": c})',
    "gate": 'result = cal.gate(ev, ["roc_auc >= 0.8", "recall >= 0.6"])',
    "validation": "result = cal.cross_validate(model, X, y, cv=3)",
    "bootstrap_validation": "result = cal.bootstrap_validate(model, X, y)",
    "learning_curve": "result = cal.learning_curve(model, X, y)",
    "validation_curve": 'result = cal.validation_curve(model, X, y, param="max_depth", values=[1, 2, 4])',
    "bias_variance": "result = cal.bias_variance(model, X, y)",
    "selection": 'result = cal.select({"small": small, "large": large}, X, y, metric="roc_auc")',
    "cluster_selection": "result = cal.select_n_clusters(model, X, k=[2, 3, 4])",
    "calibration": 'result = cal.calibrate(truth, score, method="platt")',
    "decision_curve": 'result = cal.decision_curve(truth, {"old": old, "new": new})',
    "trend": 'result = cal.trend({"2026-01": january, "2026-02": february})',
}
# The evaluations of the example data, in their order: what each is called, and how it is made.
EVALUATIONS = {
    "Two classes": CODE["evaluation"],
    "Two classes, labels and scores": 'ev = cal.evaluate(loans, truth="truth", pred="predicted", score="score")',
    "Several classes": 'ev = cal.evaluate(days, truth="truth", score=["p_rain", "p_snow", "p_sun"])',
    "Regression": 'ev = cal.evaluate(flats, truth="truth", pred="predicted")',
    "Ranking": 'ev = cal.evaluate_ranking("search.qrels", "search.run")',
    "Several labels": "ev = cal.evaluate(labels, scores)",
    "Clustering": "ev = cal.evaluate_clusters(clusters, truth, X)",
}
LANGUAGES = {"en": "English", "vi": "Tiếng Việt", "zh": "中文"}


def charts() -> Iterator[tuple[Any, str]]:
    """Every chart with a result that has it."""
    from example_results import results

    for of, kinds in KINDS.items():
        candidates = [result for each in results().values() for result in each if isinstance(result, of)]
        for kind in kinds:
            for result in candidates:
                try:
                    rendered(result, kind, ".svg", lang="en")
                except CalipersError:
                    continue
                yield result, kind
                break


def write(folder: Path) -> str:
    """Write pictures and reports below a folder; the rest of the page of the gallery."""
    parts = ["## Reports\n", "Each opens in this browser, works offline, and follows your light or dark theme.\n"]
    reports, pictures = folder / "extra" / "reports", folder / "pictures"
    reports.mkdir(parents=True)
    pictures.mkdir()
    parts += [f"- {link}" for link in written_reports(reports)]
    parts.append("\n## Charts\n")
    above = ""
    for result, kind in charts():
        if result.kind != above:
            above = result.kind
            parts.append(f"### {above.replace('_', ' ')}\n")
        name = f"{result.kind}-{kind}"
        for theme in ("light", "dark"):
            picture = rendered(result, kind, ".svg", lang="en", theme=theme)
            (pictures / f"{name}-{theme}.svg").write_bytes(picture)
        made = made_by(result)
        variable = made.partition(" ")[0]
        parts.append(f"#### {name}\n\n```text\n{made}\n{variable}.plot(\"{kind}\")\n```\n")
        parts.append("\n".join(
            f'<img src="pictures/{name}-{theme}.svg" width="48%" alt="{kind} chart, {theme} theme">'
            for theme in ("light", "dark")
        ) + "\n")  # fmt: skip
    return "\n".join(parts)


def made_by(result: Any) -> str:
    """The code that makes a result."""
    from example_results import results

    if result.kind != "evaluation":
        return CODE.get(result.kind, f"result = ...  # a {result.kind}")
    at = next(number for number, each in enumerate(results()["evaluation"]) if each is result)
    return list(EVALUATIONS.values())[at]


def written_reports(folder: Path) -> Iterator[str]:
    """Write a report of every kind, and the demo in three languages; links to them."""
    from example_results import results

    demo = results()["evaluation"][0]
    for lang, name in LANGUAGES.items():
        demo.save(folder / f"demo-{lang}.html", lang=lang)
        yield f'<a href="reports/demo-{lang}.html">Demo: 1,000 loans ({name})</a>'
    for kind, found in results().items():
        for number, result in enumerate(found):
            if kind == "evaluation" and number == 0:
                continue
            file = f"{kind}-{number}.html" if len(found) > 1 else f"{kind}.html"
            result.save(folder / file, lang="en")
            title, made = kind.replace("_", " ").capitalize(), CODE.get(kind, "")
            if kind == "evaluation":
                title, made = list(EVALUATIONS.items())[number]
            code = made.partition(" = ")[2]
            yield f'<a href="reports/{file}">{title}</a>' + (f" `{code}.save(\"report.html\")`" if code else "")
