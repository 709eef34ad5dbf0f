"""Intervals: how far from the truth an estimate may be, as pure functions of counts and moments."""
