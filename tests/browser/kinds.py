"""What is looked at in a browser: every kind of page once, in one of the three languages."""

from pathlib import Path

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

import calipers as cal
from calipers import datasets

DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
HOSTILE = "</script><img src=x onerror=document.title='owned'>\"'&{{7*7}}"
KINDS = {
    "loans": "en", "weather": "vi", "topics": "zh", "flats": "vi", "searches": "zh", "models": "en", "runs": "vi",
    "hostile": "en", "families": "zh", "folds": "vi",
    "gate": "en", "five": "vi", "sixty": "zh",
}  # fmt: skip

OPEN = "document.querySelectorAll('details').forEach((part, at) => { part.open = at % 7 === 0; })"
ONE_OF_MANY = {"exclude": [[".number:nth-child(n+9)"]]}  # of lines that are all made alike, the first
SCHEMES = {"light": {}, "dark": {"runOnly": {"type": "rule", "values": ["color-contrast"]}}}


def violations(axe, page):
    """What axe finds on a page in light and dark, some of its parts being open."""
    page.evaluate(OPEN)
    found = []
    for scheme, rules in SCHEMES.items():
        page.emulate_media(color_scheme=scheme)
        found += axe.run(page, ONE_OF_MANY, {"resultTypes": ["violations"], **rules})["violations"]
    return [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found]


def made(loans, folder):
    """The results by name; `loans` is at hand already."""
    makers = (weather, topics, flats, searches, models, hostile, families, folds, gate, five, sixty)
    return {"loans": loans, "runs": runs(folder), **{make.__name__: make() for make in makers}}


def two_classes():
    asked = {"truth": "truth", "score": "score", "positive": "BAD", "by": ["region"]}
    return cal.evaluate(datasets.load("bad_debt"), **asked)


def flats():
    return cal.evaluate(datasets.load("flats"), truth="truth", pred="predicted", by="district")


def weather():
    return cal.evaluate(datasets.load("weather"), truth="truth", score=["p_rain", "p_snow", "p_sun"], by=["season"])


def topics():
    predictions = [{"sport"}, {"sport", "money"}, set(), {"money", "law"}] * 9
    return cal.evaluate([{"sport"}, {"sport", "law"}, {"law"}, {"money", "law"}] * 9, predictions)


def searches():
    return cal.evaluate_ranking(datasets.path("search.qrels"), datasets.path("search.run"))


def models():
    debts = datasets.load("bad_debt")
    wary = [0.9 * score + 0.1 * (row * 0.618 % 1) for row, score in enumerate(debts["score"])]
    return cal.compare(debts["truth"], {"new": debts["score"], HOSTILE: wary}, positive="BAD")


def runs(folder):
    """The run of the example, and one that trusts it less the further down."""
    lines = [line.split() for line in Path(datasets.path("search.run")).read_text().splitlines()]
    other = folder / "other.run"
    other.write_text("".join(f"{q} Q0 {d} 0 {int(rank) * 7 % 31} x\n" for q, _, d, rank, *_ in lines))
    return cal.compare(datasets.path("search.qrels"), {"last": datasets.path("search.run"), "other": other})


def hostile():
    debts = datasets.load("bad_debt")
    truth = [HOSTILE if v == "BAD" else v for v in debts["truth"]]
    return cal.evaluate(truth, debts["score"], positive=HOSTILE, by={HOSTILE: [HOSTILE, "b"] * 500})


def families():
    rows = range(240)
    return cal.evaluate([i % 2 for i in rows], [(i * 37 % 101 + 40 * (i % 2)) / 150 for i in rows],
                        groups=[i // 4 for i in rows])  # fmt: skip


def folds():
    debts = datasets.load("bad_debt")
    truth = [HOSTILE if v == "BAD" else v for v in debts["truth"]]
    return cal.cross_validate(KNeighborsClassifier(1), np.c_[debts["score"]], truth, positive=HOSTILE, seed=0)


def gate():
    asked = ["roc_auc >= 0.8", "recall >= 0.5", "log_loss <= 0.25", "precision >= 0.7", "by region: recall >= 0.4"]
    return cal.gate(two_classes(), asked)


def five():
    rng = np.random.default_rng(3)
    truth = (rng.random(600) < 0.25).astype(int)
    signals = {"logistic regression (baseline)": 0.9, "gradient boosting v2.1": 1.4, "xgb": 0.9, "net-final-2": 0.6,
               "coin": 0}  # fmt: skip
    return cal.compare(truth, {
        name: 1 / (1 + np.exp(-(signal * (2 * truth - 1) + rng.normal(size=600) - 1)))
        for name, signal in signals.items()
    })  # fmt: skip


def sixty():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 60, 1800)
    predicted = np.where(rng.random(1800) < 0.2, rng.integers(0, 60, 1800), truth)
    return cal.evaluate([f"class_{i:02d}" for i in truth], [f"class_{i:02d}" for i in predicted])
