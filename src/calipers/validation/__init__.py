"""Cross-validation, bootstrap and curves of models. Only this package imports scikit-learn and joblib."""
