"""Lists of recommended items for users with a few tastes: few and many users, small and large catalogues."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

import calipers as cal
from trials.cells import Answer, Null, Ready, Trial, answer
from trials.promises import Promise

LONGEST, LIKED, RATED = 10, 5, 4
METRICS = ("ndcg@10", "recall@10", "success@10", "catalogue_coverage@10", "exposure_gini@10", "exposure_entropy@10",
           "personalisation@10", "novelty@10", "average_popularity@10", "popularity_lift@10",
           "intra_list_diversity@10", "serendipity@10")  # fmt: skip
RATINGS = ("rating_mae", "rating_rmse", "rating_bias", "rating_r2")
TOGETHER = ("catalogue_coverage@10", "exposure_gini@10", "exposure_entropy@10")  # no upper limit: see the decision
TRUTH = 300  # samples whose mean is the truth
OTHERS = 1_000  # users of the history who are in no sample


@dataclass(frozen=True)
class World:
    """Items with features, tastes that prefer some of them, and the history of other users, which is fixed."""

    items: int
    tastes: int

    @cached_property
    def weights(self) -> np.ndarray:
        """How much each taste likes each item: items fall with their rank, in an order of its own."""
        rng = np.random.default_rng(self.items)
        falling = 1 / (np.arange(self.items) + 3.0)
        return np.array([falling[rng.permutation(self.items)] + falling for _ in range(self.tastes)])

    @cached_property
    def features(self) -> np.ndarray:
        return np.random.default_rng(self.items + 1).normal(size=(self.items, 6))

    @cached_property
    def others(self) -> np.ndarray:
        """What users had who are in no sample."""
        return self.lists(np.random.default_rng(0), np.arange(OTHERS) % self.tastes, RATED)

    def lists(self, rng: np.random.Generator, tastes: np.ndarray, count: int) -> np.ndarray:
        """Items of each user, drawn without replacement."""
        drawn = np.log(self.weights[tastes]) + rng.gumbel(size=(len(tastes), self.items))
        return np.argsort(-drawn, 1)[:, :count]


def pairs(lists: np.ndarray, **more: Any) -> dict[str, Any]:
    users = np.repeat(np.arange(len(lists)), lists.shape[1])
    return {"user": users, "item": lists.ravel(), **more}


@dataclass(frozen=True)
class Users:
    """Samples of n users; the truth is the mean over samples of as many users."""

    name: str
    n: int
    world: World
    level: float = 0.95

    def ready(self) -> Ready:
        rng = np.random.default_rng(1)
        values = [self._measured(rng) for _ in range(TRUTH)]
        names = (*METRICS, *RATINGS)
        truths = {name: float(np.nanmean([float(ev[name]) for ev in values])) for name in names}

        def ask(rng: np.random.Generator) -> dict[str, Answer]:
            ev = self._measured(rng)
            return {name: answer(ev[name], truths[name]) for name in names}

        return Ready(ask, {name: Promise(wide=name in TOGETHER) for name in names})

    def _measured(self, rng: np.random.Generator) -> cal.Evaluation:
        known, given = drawn(rng, self.n, self.world)
        scored = np.tile(4 - 0.2 * np.arange(LONGEST), self.n) + rng.normal(0, 0.5, self.n * LONGEST)
        shown = self.world.lists(rng, known, LONGEST)
        return cal.evaluate_recommendations(
            given.pop("truth"), pairs(shown, score=scored), [*METRICS, *RATINGS], level=self.level, **given
        )


def drawn(rng: np.random.Generator, n: int, world: World) -> tuple[np.ndarray, dict[str, Any]]:
    """The tastes of users, what they liked, and what is known of items and of the same users before."""
    tastes = rng.integers(0, world.tastes, n)
    liked, before = (world.lists(rng, tastes, count) for count in (LIKED, RATED))
    rated = pairs(liked, rating=rng.integers(1, 6, liked.size).astype(float))
    history = np.concatenate((before, world.others))
    return tastes, {"truth": rated, "history": pairs(history), "items": world.features,
                    "catalogue": np.arange(world.items)}  # fmt: skip


def equally_good(rng: np.random.Generator, n: int, world: World) -> tuple:
    """Two recommenders that draw from the same tastes."""
    tastes, given = drawn(rng, n, world)
    models = {name: pairs(world.lists(rng, tastes, LONGEST), rank=np.tile(np.arange(LONGEST), n)) for name in "AB"}
    return given.pop("truth"), models, {"rules": given}


def parts() -> dict[str, list[Trial]]:
    worlds = ((30, World(60, 3)), (100, World(500, 5)), (300, World(300, 8)))
    users = [Users(f"{n} users, {world.items} items", n, world) for n, world in worlds]
    compared = "ndcg@10 success@10 catalogue_coverage@10 exposure_gini@10 personalisation@10 novelty@10 serendipity@10"
    nulls = [
        Null(f"recommenders that are equally good, {n} users, {world.items} items",
             partial(equally_good, n=n, world=world), compared, {"task": "recommendation"})
        for n, world in worlds
    ]  # fmt: skip
    return {"users": users, "differences": nulls}
