"""Plain learners that are quick to fit; they have `fit`, and `predict` or `predict_proba`."""

import numpy as np
from scipy.special import expit


class Centroids:
    """The class of the nearer mean: stable."""

    def fit(self, X, y):
        low, high = (X[y == c].mean(0) for c in (0, 1))
        self.w, self.b = high - low, (high @ high - low @ low) / 2

    def predict(self, X):
        return (X @ self.w > self.b).astype(int)


class LeastSquares:
    """A linear fit with an intercept: stable."""

    def fit(self, X, y):
        self.beta = np.linalg.lstsq(np.c_[X, np.ones(len(X))], y, rcond=None)[0]

    def predict(self, X):
        return np.c_[X, np.ones(len(X))] @ self.beta


class Neighbour:
    """The class of the nearest row, by one feature: unstable."""

    def fit(self, X, y):
        order = np.argsort(X[:, 0])
        self.y = np.asarray(y)[order]
        self.between = (X[order, 0][1:] + X[order, 0][:-1]) / 2

    def predict(self, X):
        return self.y[np.searchsorted(self.between, X[:, 0])]


class Logistic:
    """Logistic regression with a little ridge, by Newton's method."""

    classes_ = np.array([0, 1])

    def fit(self, X, y):
        Z, beta = np.c_[X, np.ones(len(X))], np.zeros(X.shape[1] + 1)
        ridge = 0.01 * np.eye(len(beta))
        for _ in range(12):
            p = expit(Z @ beta)
            step = np.linalg.solve(Z.T @ (Z * (p * (1 - p))[:, None]) + ridge, Z.T @ (y - p) - ridge @ beta)
            beta = beta + step
            if abs(step).max() < 1e-6:
                break
        self.beta = beta

    def predict_proba(self, X):
        p = expit(np.c_[X, np.ones(len(X))] @ self.beta)
        return np.c_[1 - p, p]
