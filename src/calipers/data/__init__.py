"""Rows in: whatever holds them, checked, encoded and weighted once."""
