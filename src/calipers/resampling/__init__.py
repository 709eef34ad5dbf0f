"""Bootstrap, influence of rows, and groups of rows."""
