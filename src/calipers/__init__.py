"""Calipers measures models: how good, how sure, and where they fail."""
