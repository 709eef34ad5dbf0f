"""Populations that no method was chosen on: written down before the methods were fixed, and run once, at the end.

They differ in kind from those of the other areas: other distributions of scores, sizes, effects, weights and errors,
and other levels of confidence. Nothing may be tuned on them; docs/coverage.md prints the result whatever it is.
"""

from trials.areas.trend import held_out
from trials.held_out.few_errors import FEW_ERRORS
from trials.held_out.few_groups import FEW_GROUPS
from trials.held_out.learners import FOLDS
from trials.held_out.nulls import NULLS
from trials.held_out.rows import AUC, GROUPS, WEIGHTS
from trials.held_out.values import CLASSES, GOODNESS, LOSSES, QUERIES, REGRESSION

PARTS = {
    "groups": GROUPS,
    "few groups": FEW_GROUPS,
    "few errors": FEW_ERRORS,
    "auc": AUC,
    "weights": WEIGHTS,
    "losses": LOSSES,
    "regression": REGRESSION,
    "classes": CLASSES,
    "folds": FOLDS,
    "compare": NULLS,
    "goodness of fit": GOODNESS,
    "ranking": QUERIES,
    "trend": held_out(),
}
