"""The document of a choice among models: every model over every fold, the choice and what it is worth."""

from __future__ import annotations

from typing import Any, get_args

from calipers.cached import given
from calipers.choices import SelectionRule
from calipers.metrics.base import CATALOGUE
from calipers.remarks import plain, with_codes
from calipers.report.documents.absent import Absent
from calipers.report.documents.evaluation import measured
from calipers.report.documents.folds import (
    average_of,
    failures_values,
    read_average,
    read_failures,
    read_splits,
    read_table,
    read_tested,
    splits_values,
    tested_values,
)
from calipers.report.documents.folds_and_datasets import contents_of_folds
from calipers.report.documents.values import Fields
from calipers.validation.selection import Candidate, Selection


def contents(selection: Selection) -> dict[str, Any]:
    """The models, the choice, its comparisons and the estimate of such a choice."""
    settings = {"metric": selection.metric, "rule": selection.rule, "seed": selection.seed, "level": selection.level}
    return {
        "settings": settings,
        "choice": selection.choice,
        "best": selection.best,
        "finalists": list(selection.finalists),
        "nested": selection.nested.to_dict(),
        "optimism": plain(selection.optimism),
        "models": {
            name: {**c.average.estimate.to_dict(), "folds": c.average.to_dict(), "chosen": c.times}
            for name, c in selection.candidates.items()
        },
        "outer": selection.outer.to_dict(),
        "train": {
            name: {**c.train_average.estimate.to_dict(), "values": [plain(c.train_average.values.tolist())]}
            for name, c in selection.candidates.items()
        },
        "comparisons": {
            name: {**contents_of_folds(c), "adjusted": plain(selection.pvalues[name]), "better": selection.winner(name)}
            for name, c in selection.comparisons.items()
        },
        "splits": splits_values(selection.splits),
        "factors": tested_values(selection.outer.tested),
        **with_codes({"cv": selection.splits.description, "inner": selection.inner, "notes": selection.notes}),
        "about": {"what": "procedure", "training_rows": selection.splits.trained},
        "failures": {name: failures_values(failed) for name, failed in selection.failures.items()},
    }


def restored(fields: Fields) -> Selection:
    """The choice that a document describes, without the models themselves."""
    settings, splits = fields.part("settings"), read_splits(fields.part("splits"))
    measure, level, folds = CATALOGUE[settings.text("metric")], settings.level(), len(splits)
    tested = read_tested(fields, "factors", splits.ratio, level)
    nested, train = measured(fields.part("nested"), measure), fields.part("train")
    absent: Any = Absent()
    candidates = {}
    for name, part in fields.named("models"):
        average = read_average(part.part("folds"), measure, measured(part, measure), folds, splits, tested)
        trained = train.part(name)
        values = read_table(trained, "values", 1, folds)[0]
        on_training = average_of(values, measure, measured(trained, measure), splits)
        candidates[name] = Candidate(absent, average, on_training, part.count("chosen"))
    names, failed = tuple(candidates), fields.part("failures")
    finalists = tuple(Fields({"name": name}, "finalists").choice("name", names) for name in fields.items("finalists"))
    selection = Selection(
        candidates, fields.choice("choice", names), finalists, fields.choice("best", names),
        read_average(fields.part("outer"), measure, nested, folds, splits, tested),
        {name: read_failures(failed, name) for name in failed.values}, splits, fields.text("inner"),
        settings.choice("rule", get_args(SelectionRule)), settings.count("seed"), level,
    )  # fmt: skip
    return given(selection, notes=fields.texts("notes"))
