"""One model on one set of rows."""
