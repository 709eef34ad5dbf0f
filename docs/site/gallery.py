"""The gallery: every chart in both themes and every kind of report, made from the example data, with their code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from calipers.choices import Lang
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
    "power": "result = cal.power(accuracy=(0.9, 0.92))",
    "advice": "result = cal.which_test(folds=10)",
    "explanation": 'result = ev.explain("roc_auc")',
    "metric_list": 'result = cal.MetricList(("f1", "mae"))',
    "worst_rows": "result = ev.worst_rows(5)",
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
    "Recommendation": "ev = cal.evaluate_recommendations(truth, recommendations, history=history, items=items)",
    "Topic model": "ev = cal.evaluate_topics(topics, texts)",
}
COMPARISONS = {
    "Two models": CODE["comparison"],
    "Three models": 'result = cal.compare(truth, {"old": old, "new": new, "mixed": mixed}, positive="BAD")',
    "Different rows": "result = cal.compare_independent(january, february)",
}
SEVERAL = {"evaluation": EVALUATIONS, "comparison": COMPARISONS}
LANGUAGES: dict[Lang, str] = {"en": "English", "vi": "Tiếng Việt", "zh": "中文"}


def charts() -> Iterator[tuple[Any, str]]:
    """Every chart with a result that has it."""
    from example_results import results

    for of, kinds in KINDS.items():
        candidates = [result for each in results().values() for result in each if isinstance(result, of)]
        for kind in kinds:
            result = next((result for result in candidates if has(result, kind)), None)
            if result is None:
                raise LookupError(f"no example has the chart {kind} of {of.__name__}: add one to example_results.py")
            yield result, kind


def has(result: Any, kind: str) -> bool:
    """Whether a result has a chart."""
    try:
        rendered(result, kind, ".svg", lang="en")
    except CalipersError:
        return False
    return True


def write(folder: Path) -> str:
    """Write pictures and reports below a folder; the rest of the page of the gallery."""
    introduction = "Each is one file that works offline. A saved report follows the light or dark theme of its reader."
    parts = ["## Reports\n", f"{introduction}\n"]
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
        _, made = made_by(result)
        variable = made.partition(" ")[0]
        parts.append(f"#### {name}\n\n```text\n{made}\n{variable}.plot(\"{kind}\")\n```\n")
        parts.append("\n".join(
            f'<img src="pictures/{name}-{theme}.svg" width="48%" alt="{kind} chart, {theme} theme">'
            for theme in ("light", "dark")
        ) + "\n")  # fmt: skip
    return "\n".join(parts)


def made_by(result: Any) -> tuple[str, str]:
    """The title of a result, and the code that makes it."""
    from example_results import results

    named = SEVERAL.get(result.kind)
    if named is None:
        return result.kind.replace("_", " ").capitalize(), CODE[result.kind]
    at = next(number for number, each in enumerate(results()[result.kind]) if each is result)
    return list(named.items())[at]


def written_reports(folder: Path) -> Iterator[str]:
    """Write a report of every kind in both themes, and the demo in three languages; links to them."""
    from example_results import results

    demo = results()["evaluation"][0]
    for lang, name in LANGUAGES.items():
        yield f"Demo: 1,000 loans ({name}): {links(demo, folder, f'demo-{lang}', lang)}"
    for kind, found in results().items():
        for number, result in enumerate(found):
            title, made = made_by(result)
            code = made.partition(" = ")[2]
            yield f'{title}: {links(result, folder, f"{kind}-{number}")} `{code}.save("report.html")`'


def links(result: Any, folder: Path, name: str, lang: Lang = "en") -> str:
    """Write the report of a result in both themes; links to them."""
    saved = folder / f"{name}-light.html"
    result.save(saved, lang=lang)
    text = saved.read_text(encoding="utf-8")
    written = []
    for theme in ("light", "dark"):
        file = f"{name}-{theme}.html"
        themed = text.replace("<html ", f'<html data-theme="{theme}" ', 1)
        (folder / file).write_text(themed, encoding="utf-8")
        written.append(f'<a href="reports/{file}">{theme}</a>')
    return " · ".join(written)
