"""A result in every format. Each kind of result has one description, a `Report`, and each format has one renderer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calipers.choices import Lang
from calipers.report import html, latex, markdown, text
from calipers.report.language import Language, language, typeset
from calipers.report.terminal import COLUMNS

if TYPE_CHECKING:
    from calipers.evaluation.worst_rows import WorstRows
    from calipers.report.report import Report
    from calipers.result import AnyResult


def to_text(result: AnyResult, lang: Lang | None = None, rows: WorstRows | None = None, columns: int = COLUMNS) -> str:
    """Plain text of this width; rows: the worst rows to show in a table."""
    words = language(lang)
    return text.render(report(result, words, rows), words, columns)


def to_markdown(result: AnyResult, lang: Lang | None = None, rows: WorstRows | None = None) -> str:
    """Markdown for pull requests and wikis."""
    words, described = language(lang), report(result, language(lang), rows)
    whole = answered(result, described, words)
    judged = whole.answer is not None and any(card.verdict for card in whole.answer.cards)
    return markdown.render(whole if judged else described, words)


def to_html(result: AnyResult, lang: Lang | None = None, rows: WorstRows | None = None) -> str:
    """A piece of HTML, as notebooks show it."""
    words = typeset(lang)
    return html.render(answered(result, report(result, words, rows), words), words)


def to_latex(result: AnyResult, lang: Lang | None = None, rows: WorstRows | None = None) -> str:
    """The tables for a paper."""
    words = language(lang)
    return latex.render(report(result, words, rows), words)


def report(result: AnyResult, lang: Language, rows: WorstRows | None = None) -> Report:
    """What is to be said about a result; rows: the worst ones, if requested."""
    described = _description(result)(result, lang)
    if rows is None:
        return described
    from calipers.report import worst_rows

    return replace(described, tables=(*described.tables, worst_rows.section(rows, lang)))


def answered(result: AnyResult, described: Report, lang: Language) -> Report:
    """A report that begins with the answer; plain text says it in sentences, findings or the title."""
    if described.answer is not None:
        return described
    from calipers.answers.results import answer_of
    from calipers.report.answers import shown

    answer = answer_of(result)
    return described if answer is None else replace(described, answer=shown(answer, lang))


def _description(result: AnyResult) -> Callable[[Any, Language], Report]:
    """The function that describes such a result; modules are imported as they are needed."""
    from calipers.evaluation.evaluation import Evaluation
    from calipers.report import evaluation

    if isinstance(result, Evaluation):  # alone in most programs: nothing else is imported for it
        return evaluation.report
    from calipers.comparison.advice import Advice
    from calipers.comparison.compare import Comparison
    from calipers.comparison.folds_and_datasets import DatasetComparison, FoldComparison
    from calipers.comparison.trend import Trend
    from calipers.decisions.calibrate import Calibration
    from calipers.decisions.decision_curve import DecisionCurve
    from calipers.evaluation.worst_rows import WorstRows
    from calipers.gating.gate import GateResult
    from calipers.inference.power import Power
    from calipers.report import (
        advice,
        cluster_selection,
        comparison,
        decisions,
        explanation,
        folds_and_datasets,
        gate,
        metric_list,
        resampled,
        selection,
        sweeps,
        trend,
        validation,
        worst_rows,
    )
    from calipers.validation.bias_variance import BiasVariance
    from calipers.validation.bootstrap_validation import BootstrapValidation
    from calipers.validation.cluster_selection import ClusterSelection
    from calipers.validation.cross_validation import Validation
    from calipers.validation.selection import Selection
    from calipers.validation.sweep import Sweep

    described: dict[type[AnyResult], Callable[[Any, Language], Report]] = {
        Comparison: comparison.report,
        FoldComparison: folds_and_datasets.folds,
        DatasetComparison: folds_and_datasets.data_sets,
        GateResult: gate.report,
        Calibration: decisions.calibration,
        DecisionCurve: decisions.decision_curve,
        Validation: validation.report,
        BootstrapValidation: resampled.report,
        Selection: selection.report,
        ClusterSelection: cluster_selection.report,
        Sweep: sweeps.sweep_report,
        BiasVariance: sweeps.parts_report,
        Power: advice.power,
        Advice: advice.advice,
        explanation.Explanation: explanation.report,
        metric_list.MetricList: metric_list.report,
        WorstRows: worst_rows.report,
        Trend: trend.report,
    }
    return next(function for kind, function in described.items() if isinstance(result, kind))
