"""Input rows from any container, checked, encoded and weighted once."""
