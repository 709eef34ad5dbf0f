"""A model against requirements and a baseline."""
