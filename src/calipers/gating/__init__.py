"""The release gate: a model is checked against requirements and a baseline."""
