"""What a careful reviewer would say about an evaluation: rules by group, one file each."""

from importlib import import_module

from calipers.findings.base import RULES, Finding, look, look_at_validation, rule

# Importing a module enters its rules; findings of one severity come in this order.
GROUPS = (
    "labels", "scores", "calibration", "slices", "numbers", "clusters", "cluster_numbers", "folds", "sweeps",
    "recalibration", "trends", "recommendations", "topics",
)  # fmt: skip
for _group in GROUPS:
    import_module(f"calipers.findings.{_group}")

__all__ = ["RULES", "Finding", "look", "look_at_validation", "rule"]
