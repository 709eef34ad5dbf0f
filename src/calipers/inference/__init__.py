"""Intervals and tests, as pure functions of counts and moments."""
