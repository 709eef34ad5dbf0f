"""Models against each other."""
