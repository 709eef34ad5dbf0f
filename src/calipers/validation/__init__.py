"""Models tried on rows that they have not seen. scikit-learn and joblib are imported here only, when something runs."""
