"""The result of a cross-validation as a document of plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calipers.validation.cross_validation import Validation

SCHEMA = 1


def document_of(validation: Validation) -> dict[str, Any]:
    """Every metric in each fold, averaged, pooled, on training rows; never a row of the data."""
    gaps, train, averaged = validation.gap, validation.train, validation.averaged()
    return {
        "calipers": SCHEMA,
        "kind": "validation",
        "task": validation.task,
        "model": validation.model,
        "cv": validation.cv,
        "rows": validation.rows,
        "seed": validation.seed,
        "level": validation.level,
        "about": {"what": validation.about, "training_rows": validation.trained, "interval": validation.method},
        "notes": list(validation.notes),
        "metrics": {
            name: {
                **validation[name].to_dict(),
                "pooled": None if validation.unpooled else validation.pooled()[name].to_dict(),
                "train": train[name].to_dict() if name in train else None,
                "gap": gaps[name].to_dict() if name in gaps else None,
                "folds": averaged[name].to_dict(),
            }
            for name in validation
        },
        "folds": [
            {"number": f.number, "train": len(f.train), "test": len(f.test), "seconds": f.seconds}
            for f in validation.folds
        ],
        "failures": [{"fold": f.number, "error": f.error} for f in validation.failures],
        "findings": [finding.to_dict() for finding in validation.findings],
    }
