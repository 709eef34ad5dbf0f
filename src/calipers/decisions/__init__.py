"""Probabilities for decisions: recalibration and net benefit."""
