"""Files and queries as columns."""
