"""Comparison of models."""
