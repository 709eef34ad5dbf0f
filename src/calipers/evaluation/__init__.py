"""Evaluation of one model on one set of rows."""
