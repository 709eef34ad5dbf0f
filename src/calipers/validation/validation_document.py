"""The result of a cross-validation as a document of plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calipers.validation.cross_validation import Validation

SCHEMA = 1


def document_of(found: Validation) -> dict[str, Any]:
    """Every metric in each fold, averaged, pooled, on training rows; never a row of the data."""
    gaps, train, averaged = found.gap, found.train, found.averaged()
    return {
        "calipers": SCHEMA,
        "kind": "validation",
        "task": found.task,
        "model": found.model,
        "cv": found.cv,
        "rows": found.rows,
        "seed": found.seed,
        "level": found.level,
        "about": {"what": found.about, "training_rows": found.trained, "interval": found.method},
        "notes": list(found.notes),
        "metrics": {
            name: {
                **found[name].to_dict(),
                "pooled": None if found.unpooled else found.pooled()[name].to_dict(),
                "train": train[name].to_dict() if name in train else None,
                "gap": gaps[name].to_dict() if name in gaps else None,
                "folds": averaged[name].to_dict(),
            }
            for name in found
        },
        "folds": [
            {"number": f.number, "train": len(f.train), "test": len(f.test), "seconds": f.seconds}
            for f in found.folds
        ],
        "failures": [{"fold": f.number, "error": f.error} for f in found.failures],
        "findings": [finding.to_dict() for finding in found.findings],
    }
