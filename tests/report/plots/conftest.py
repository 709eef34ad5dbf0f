"""Results to draw, each once: two classes, three, forty with long labels, models over data sets, folds and sizes."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import calipers as cal
from calipers import datasets
from calipers.tasks import TASKS


def classes(count, rows=1500, seed=1, name="class {:02d}".format):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, count, rows)
    score = rng.normal(size=(rows, count)) + 3.2 * np.eye(count)[truth] * rng.uniform(0.4, 1.3, count)[truth][:, None]
    score = np.exp(score) / np.exp(score).sum(1, keepdims=True)
    names = [name(i) for i in range(count)]
    return cal.evaluate(np.array(names)[truth], score, labels=names)


def long_name(index):
    return f"a_rather_long_label_of_a_species_{index:02d}_in_the_north"


@pytest.fixture(scope="session")
def loans():
    columns = datasets.load("bad_debt")
    return cal.evaluate(columns, truth="truth", score="score", positive="BAD", by="region")


@pytest.fixture(scope="session")
def weather():
    columns = datasets.load("weather")
    return cal.evaluate(columns, truth="truth", score=["p_rain", "p_snow", "p_sun"], by="season")


@pytest.fixture(scope="session")
def articles():
    return cal.evaluate_topics(datasets.path("articles_topics.json"), datasets.path("articles.jsonl"), ["c_v"])


@pytest.fixture(scope="session")
def forty():
    return classes(40, name=long_name)


@pytest.fixture(scope="session")
def twelve():
    return classes(12)


@pytest.fixture(scope="session")
def flats():
    """Prices that are predicted too low where they are high, with errors that grow."""
    if "regression" not in TASKS:
        pytest.skip("numbers are not measured here")
    rng = np.random.default_rng(5)
    truth = rng.gamma(4, 60, 800) + 40
    predicted = 60 + 0.75 * truth + truth / 8 * rng.normal(size=800)
    return cal.evaluate(truth, predicted)


@pytest.fixture(scope="session")
def models():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    boosting, logistic, noisy = (
        1 / (1 + np.exp(-(spread * rng.normal(size=400) + gap * truth)))
        for spread, gap in ((1.0, 1.4), (1.7, 1.9), (2.0, 1.0))
    )
    named = {"gradient boosting": boosting, "logistic regression": logistic}
    return cal.compare(truth, named), cal.compare(truth, {**named, "noisy": noisy}, margin=0.05)


@pytest.fixture(scope="session")
def ranks():
    rng = np.random.default_rng(4)
    shifts = {"C4.5": 0, "C4.5+m": 0.2, "C4.5+cf": 0.1, "forest": 0.9, "boosting": 0.8, "naive Bayes": -0.1}
    return cal.compare_datasets({name: (rng.random(14) + shift).tolist() for name, shift in shifts.items()})


@pytest.fixture(scope="session")
def corners():
    """Two columns, and classes at the corners of a square with some labels wrong; a tree for them."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(400, 2))
    return DecisionTreeClassifier(random_state=0), X, (X.prod(1) + 0.5 * rng.normal(size=400) > 0).astype(int)


@pytest.fixture(scope="session")
def over_folds():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(300, 2))
    return cal.cross_validate(GaussianNB(), X, (X.sum(1) + rng.normal(size=300) > 0).astype(int), seed=0)


@pytest.fixture(scope="session")
def learnt(corners):
    return cal.learning_curve(*corners, seed=0, metrics=["accuracy", "log_loss"])


@pytest.fixture(scope="session")
def tuned(corners):
    return cal.validation_curve(*corners, "max_depth", [1, 2, 3, 5, 8, 12], simpler="first", seed=0)


@pytest.fixture(scope="session")
def named(corners):
    """Values that are no numbers, one of which fails."""
    return cal.validation_curve(*corners, "criterion", ["gini", "entropy", "$wrong$"], seed=0)


@pytest.fixture(scope="session")
def apart(corners):
    return cal.bias_variance(*corners, replicates=30, seed=0)


@pytest.fixture(scope="session")
def apart_squared(corners):
    _, X, y = corners
    return cal.bias_variance(DecisionTreeRegressor(random_state=0), X, X[:, 0] + y, replicates=30, seed=0)
