"""Every metric's formula string, evaluated on symbols counted here the long way, against the metric's own function."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq, minimize, root
from scipy.special import expit

import calipers as cal
from calipers.data.recommendations import read as read_recommendations
from calipers.evaluation.evaluate_recommendations import Options
from calipers.metrics import (
    association,
    beyond_chance,
    chance,
    classes,
    joint,
    partial_areas,
    probabilities,
    rater_agreement,
    scores,
    skill,
)
from calipers.metrics.base import CATALOGUE
from calipers.metrics.bins import binned
from calipers.metrics.exposures import Exposures
from calipers.metrics.joint import Joint, Sizes
from calipers.metrics.overlaps import Overlaps
from calipers.metrics.ranking import step_of
from calipers.metrics.topic_words import Likelihood, TopicLists, TopicSupport, TopicTexts, TopicWindows
from calipers.metrics.values import number
from calipers.metrics.views import RowMean
from calipers.statistics.classes import ClassScores
from calipers.statistics.confusion import ConfusionCounts, Margins, OneVsRest
from calipers.statistics.contingency import Contingency
from calipers.statistics.errors import Errors
from calipers.statistics.geometry import Geometry
from calipers.statistics.moments import Moments
from calipers.statistics.queries import QueryGains
from calipers.statistics.ranks import RankCounts
from calipers.statistics.recommended import RatingErrors, RecommendedLists
from calipers.statistics.rows import Rows
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.word_counts import WordCounts

FUNCTIONS = {
    **{
        name: getattr(np, name)
        for name in (
            "sum", "mean", "max", "abs", "sqrt", "log", "log1p", "exp", "maximum", "average", "interp", "median",
            "where", "log2", "minimum",
        )
    },
    **{f.__name__: f for f in (association.correlation, association.tau_b, partial_areas.band_area)},
    "ranks": lambda x: association.Order(x).ranks(),
    **{f.__name__: f for f in (beyond_chance.binomial_tail, beyond_chance.penalties)},
    "agreement_beyond_chance": beyond_chance.agreement_beyond_chance,
    **{f.__name__: f for f in (rater_agreement.beyond, rater_agreement.one_of_all)},
    **{f.__name__: f for f in (scores.standardised_area, scores.interpolated_area, scores.crossing)},
    **{f.__name__: f for f in (probabilities.chi2_tail, probabilities.two_sided, skill.normal_quantile)},
}


def logistic_model(outcome, p):
    """Intercept and slope of the outcome on the log odds, by a general minimiser."""
    x = np.log(np.clip(p, 1e-8, 1 - 1e-8)) - np.log1p(-np.clip(p, 1e-8, 1 - 1e-8))
    ends = None if outcome.min() == outcome.max() else [(x[outcome == k].min(), x[outcome == k].max()) for k in (0, 1)]
    if ends is None or ends[1][0] >= ends[0][1] or ends[1][1] <= ends[0][0]:
        return np.full(2, np.nan)
    loss = lambda b: np.logaddexp(0, b[0] + b[1] * x).sum() - outcome @ (b[0] + b[1] * x)  # noqa: E731
    slopes = lambda b: (expit(b[0] + b[1] * x) - outcome) @ np.stack((np.ones(len(x)), x), 1)  # noqa: E731
    return root(slopes, minimize(loss, [0.0, 0.0], jac=slopes, method="BFGS").x, tol=1e-13).x


def logistic_shift(outcome, p):
    """The shift of the log odds at which the mean probability is the share of positives."""
    x = np.log(np.clip(p, 1e-8, 1 - 1e-8)) - np.log1p(-np.clip(p, 1e-8, 1 - 1e-8))
    if outcome.min() == outcome.max():
        return np.nan
    return brentq(lambda a: expit(a + x).mean() - outcome.mean(), -60, 60, xtol=1e-13)


def smooth_outcome(outcome, p):
    """Lowess with a span of 2/3, one place after the other."""
    out, reach = [], int(np.ceil(2 / 3 * len(p) - 1e-9))
    for place in p:
        far = np.abs(p - place)
        h = np.sort(far)[max(reach, 1) - 1]
        near = (1 - (far / h) ** 3) ** 3 if h else np.zeros(len(p))
        weight = np.where(far <= 0.001 * h, 1.0, np.where(far < 0.999 * h, near, 0.0))
        weight = weight / weight.sum()
        centre = weight @ p
        spread = weight @ (p - centre) ** 2
        tilt = (place - centre) / spread if np.sqrt(spread) > 0.001 * np.ptp(p) else 0.0
        out.append((weight * (1 + tilt * (p - centre))) @ outcome)
    return np.array(out)


FUNCTIONS |= {f.__name__: f for f in (logistic_model, logistic_shift, smooth_outcome)}
# Values besides the default at which each parameter is tried; a parameter that is not here fails.
PARAMETERS = {
    "beta": [2.0, 0.5], "fp_cost": [3.0], "fn_cost": [0.2], "max_fpr": [0.3, 1.0], "min_fpr": [0.05], "max_tpr": [0.9],
    "min_tpr": [0.3], "penalty": ["linear"], "scale": [2.5], "k": [2, 3], "pairs": ["prevalence"],
    "gain": ["exponential"], "rel": [2.0], "denominator": ["min"], "p": [0.5], "most": [5.0],
    "alpha": [0.9, 0.1], "delta": [0.3], "power": [3.0, 1.2, -1.0], "features": [3], "share": [0.8],
    "interpolation": ["trapezoid", "11-point", "all-point"], "bins": [4, 7],
    "rule": ["mass", "width", "quantile", "sas"], "closed": ["right"],
    "fitted": [True], "fraction": [0.2, 0.77, 1.0], "mean": ["geometric", "min", "max"],
    "of": ["variation_of_information"], "count": [19], "window": [3], "recall": [0.0, 0.3, 1.0],
    "given": ["classes", "clusters"],
}  # fmt: skip
CASES = [
    pytest.param(metric, {key: value} if key else {}, id=f"{metric.name}({key}={value})" if key else metric.name)
    for metric in cal.metrics.catalogue()
    for key, value in [(None, None), *((key, value) for key in metric.parameters for value in PARAMETERS[key])]
]


def of_one_vs_rest(c, measure):
    return {"tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn}


def of_margins(m, measure):
    return {"agreed": m.agreed, "truth": m.truth, "predicted": m.predicted, "total": m.total, "classes": len(m.truth)}


def of_confusion(c, measure):
    mask = c.cells.sum(1) > 0
    table = {"cells": c.cells, "classes": len(c.labels)}
    sums = {"truth": c.cells.sum(1)[mask], "predicted": c.cells.sum(0)[mask]}
    return {"diagonal": c.cells.diagonal()[mask], **sums, **table}


def of_samples(s, measure):
    """All pairs and all thresholds, one by one."""
    score, outcome = np.concatenate((s.pos, s.neg)).astype(float), np.repeat([1.0, 0.0], [len(s.pos), len(s.neg)])
    thresholds = np.append(np.inf, np.unique(score)[::-1])
    tp, fp = (np.array([(part >= t).sum() for t in thresholds]) for part in (s.pos, s.neg))
    gap = s.pos[:, None] - s.neg
    values = {
        "pairs": (gap > 0).sum() + (gap == 0).sum() / 2, "positives": len(s.pos), "negatives": len(s.neg),
        "tpr": tp / len(s.pos), "fpr": fp / len(s.neg), "recall": tp[1:] / len(s.pos),
        "precision": tp[1:] / (tp + fp)[1:],
        "flagged": (tp + fp) / len(score),
        "recall_from_0": tp / len(s.pos), "predicted_per_positive": (tp + fp) / len(s.pos),
        "p": score, "outcome": outcome, "p_true": np.where(outcome == 1, score, 1 - score), "base": outcome.mean(),
        "margin": np.where(outcome == 1, score, -score),
    }  # fmt: skip
    parameters = {**measure.metric.parameters, **measure.parameters}
    if "bins" in parameters and s.probabilities:
        edges = binned(s, parameters["bins"], parameters["rule"]).edges
        if parameters["rule"] == "width":
            assert edges == pytest.approx(np.linspace(0, 1, parameters["bins"] + 1), abs=1e-15)
        where = np.searchsorted(edges[1:-1], score, "left" if parameters.get("closed") == "right" else "right")
        members = [where == b for b in np.unique(where)]
        values["bin_count"] = np.array([m.sum() for m in members])
        values["bin_share"] = values["bin_count"] / len(score)
        means = (np.array([x[m].mean() for m in members]) for x in (score, outcome))
        values["bin_score"], values["bin_outcome"] = means
        values["filled_bins"] = len(members)
        values["hosmer_lemeshow"] = number(
            CATALOGUE["hosmer_lemeshow"].metric.function(s, bins=parameters["bins"], rule=parameters["rule"])
        )
    if measure.metric.name == "spiegelhalter_p":
        values["spiegelhalter_z"] = number(CATALOGUE["spiegelhalter_z"].formula(s))
    return values


def of_ranks(r, measure):
    return {"rank_counts": r.cells}


def of_class_scores(s, measure):
    areas, weights = classes.pair_areas(s, measure.parameters.get("pairs") == "prevalence")
    one_way = np.full_like(areas, np.nan)
    for k in range(len(areas)):
        for j in range(len(areas)):
            gap = s.scores[s.truth == k, k][:, None] - s.scores[s.truth == j, k]
            one_way[k, j] = ((gap > 0) + (gap == 0) / 2).mean()
    upper = np.triu_indices(len(areas), 1)
    assert areas[upper] == pytest.approx(((one_way + one_way.T) / 2)[upper])
    return {"pair_areas": areas[upper], "pair_weights": weights[upper]}


def of_query(q, measure, greatest):
    """The symbols of one query of a ranking without ties, counted document by document."""
    parameters = {**measure.metric.parameters, **measure.parameters}
    k, rel, most = parameters.get("k", np.inf), parameters.get("rel", 1.0), parameters.get("most") or greatest
    grades, rank = np.where(q.gains >= 0, q.gains, 0.0), np.arange(1, len(q.gains) + 1)
    judged, kept = q.gains >= 0, rank <= k
    gained = (lambda g: 2.0**g - 1) if parameters.get("gain") == "exponential" else (lambda g: g)
    pool = q.pool[q.pool >= 0]
    hit, ideal = (grades >= rel) & judged, np.sort(pool)[::-1][: int(min(k, len(pool)))]
    stop = (2.0**grades - 1) / 2.0**most
    relevant = int((pool >= rel).sum())
    bound = min(relevant, len(pool) - relevant)
    above = np.minimum(np.cumsum(judged & ~hit), bound)
    values = {
        "gain": gained(grades), "rank": rank, "relevant": hit.astype(float), "precision": np.cumsum(hit) / rank,
        "stopped": stop, "reached": np.append(1.0, np.cumprod(1 - stop))[:-1] if len(stop) else stop,
        "others_above": above if bound else above * 0.0, "found": np.cumsum(hit), "unjudged": (~judged).astype(float),
        "pooled_above": np.cumsum(~np.isnan(q.gains)) - ~np.isnan(q.gains),
        "relevant_share_above": (np.cumsum(hit) - hit + 1e-5) / (np.cumsum(judged) - judged + 2e-5),
    }  # fmt: skip
    needed = [int(tenth / 10 * relevant + 0.9) for tenth in range(11)]
    best = [np.max(values["precision"] * (np.cumsum(hit) >= count), initial=0.0) for count in needed]
    values = {name: np.append(column[kept], 0.0 if name != "rank" else np.inf) for name, column in values.items()}
    whole = {"ideal": gained(ideal), "ideal_rank": np.arange(1, len(ideal) + 1), "others_bound": bound or 1}
    divided = min(relevant, k) if parameters.get("denominator") == "min" else relevant
    whole |= {"interpolated": best, "retrieved": len(grades), "depth": min(k, len(grades))}
    whole |= {"needed": int(parameters.get("recall", 0) * relevant + 0.9)}
    at = relevant if measure.metric.name == "relative_precision" else len(grades)  # without a cutoff
    return values | whole | {"all_relevant": divided, "k": k if k < np.inf else at}


def of_numbers(rows, measure):
    """The rows themselves; a metric with a number of features has none by default, and is NaN there."""
    truth, pred = rows.truth.astype(float), rows.predictions.astype(float)
    parameters = {**measure.metric.parameters, **measure.parameters}
    result = {"truth": truth, "predicted": pred, "error": pred - truth, "rows": len(truth)}
    if "alpha" in parameters:
        result["quantile"] = np.quantile(truth, parameters["alpha"], method="averaged_inverted_cdf")
    if "power" in parameters:
        deviance = CATALOGUE["tweedie_deviance"].metric.formula
        expression = re.sub(r"\{(\w+)\}", r"\1", deviance)
        for name, column in (("power", pred), ("mean", np.full_like(truth, truth.mean()))):
            known = {"truth": truth, "predicted": column, "power": parameters["power"], **FUNCTIONS}
            result[f"deviance_of_{name}"] = eval(expression, {}, known)
    return result


def of_overlaps(o, measure):
    """Pair by pair and cell by cell, from the rows that the table stands for."""
    counts = o.cells.astype(int)
    truth, found = np.repeat(o.down, counts), np.repeat(o.across, counts)
    first, second = np.triu_indices(len(truth), 1)
    one_class, one_cluster = truth[first] == truth[second], found[first] == found[second]
    sizes = [np.bincount(codes) for codes in (truth, found)]
    entropies = [-sum(s / len(truth) * np.log(s / len(truth)) for s in each if s) for each in sizes]
    parameters = {**measure.metric.parameters, **measure.parameters}
    cells = [((truth == i) & (found == j)).sum() for i, j in zip(o.down, o.across, strict=True)]
    shares = {"bcubed_precision": [np.mean(truth[found == c] == t) for t, c in zip(truth, found, strict=True)],
              "bcubed_recall": [np.mean(found[truth == t] == c) for t, c in zip(truth, found, strict=True)]}
    table = np.zeros((len(sizes[0]), len(sizes[1])), int)
    np.add.at(table, (truth, found), 1)
    side = max(table.shape)
    square = np.zeros((side, side), int)
    square[: table.shape[0], : table.shape[1]] = table
    best = max(sum(square[i, p] for i, p in enumerate(each)) for each in itertools.permutations(range(side)))
    joint = -sum(c / len(truth) * np.log(c / len(truth)) for c in cells)
    values = {
        "together": (one_class & one_cluster).sum(), "of_classes": one_class.sum(), "of_clusters": one_cluster.sum(),
        "pairs": len(first), "rows": len(truth), "cells": np.array(cells), "class_of_cell": sizes[0][o.down],
        "cluster_of_cell": sizes[1][o.across], "information": sum(entropies) - joint,
        "class_entropy": entropies[0], "cluster_entropy": entropies[1], "matched": best,
        "largest_in_clusters": table.max(0), "largest_in_classes": table.max(1),
        "homogeneity": (sum(entropies) - joint) / entropies[0],
        "completeness": (sum(entropies) - joint) / entropies[1],
        **{name: np.mean(each) for name, each in shares.items()},
        "class_count": len(set(truth.tolist())), "cluster_count": len(set(found.tolist())),
    }  # fmt: skip
    if "given" in parameters:
        classes_given = parameters["given"] == "classes"
        values["largest_of_given"] = table.max(1) if classes_given else table.max(0)
        values["most_common"] = max(sizes[1] if classes_given else sizes[0])
        values["entropy_of_other"] = entropies[1] if classes_given else entropies[0]
    if "mean" in parameters:
        means = {"arithmetic": np.mean, "geometric": lambda e: np.sqrt(np.prod(e)), "min": np.min, "max": np.max}
        values["mean_entropy"] = means[parameters["mean"]](entropies)
        emi = pytest.importorskip("sklearn.metrics.cluster").expected_mutual_information
        from scipy.sparse import csr_matrix

        values["expected_information"] = emi(csr_matrix(table.astype(np.int64)), len(truth))
    if "count" in parameters:
        values["as_good"] = chance.as_good(o, parameters["of"], parameters["count"])
    return values


def of_contingency(c, measure):
    return {"noise": c.noise, "all_rows": c.rows}


def points_of(batch):
    return np.random.default_rng(len(batch)).normal(size=(len(batch), 3)) + batch.pred[:, None] % 7


def of_geometry(g, measure):
    """Row by row and pair by pair, from the points."""
    points, codes = g.points, np.unique(g.kept, return_inverse=True)[1]
    apart = np.sqrt(((points[:, None] - points) ** 2).sum(2))
    k = codes.max() + 1
    means = np.array([[apart[i, codes == c].mean() for c in range(k)] for i in range(len(codes))])
    own = np.array([apart[i, codes == c].sum() / max((codes == c).sum() - 1, 1) for i, c in enumerate(codes)])
    means[np.arange(len(codes)), codes] = np.inf
    centres = np.array([points[codes == c].mean(0) for c in range(k)])
    spread = np.array([np.sqrt(((points[codes == c] - centres[c]) ** 2).sum(1)).mean() for c in range(k)])
    ratio = [max((spread[i] + spread[j]) / np.linalg.norm(centres[i] - centres[j]) for j in range(k) if j != i)
             for i in range(k)]  # fmt: skip
    alone = np.bincount(codes)[codes] == 1  # by definition 0
    same = codes[:, None] == codes
    return {
        "to_own": np.where(alone, means.min(1), own), "to_nearest": means.min(1), "worst_ratio": np.array(ratio),
        "within": sum(((points[codes == c] - centres[c]) ** 2).sum() for c in range(k)), "cluster_count": k,
        "between": sum((codes == c).sum() * ((centres[c] - points.mean(0)) ** 2).sum() for c in range(k)),
        "points": len(codes), "least_between": apart[~same].min(), "most_within": apart[same].max(),
    }  # fmt: skip


class Seen:
    """A geometry with the points that it was made of."""

    def __init__(self, batch):
        self.kept = batch.pred[batch.pred < len(batch.code_names[1])]
        self.points = points_of(batch)[batch.pred < len(batch.code_names[1])]
        self.geometry = Geometry.of_points(points_of(batch), batch.pred, batch.code_names[1])

    def __getattr__(self, name):
        return getattr(self.geometry, name)


def of_list(lists, user, measure):
    """The items of one user, pair by pair."""
    k = measure.parameters.get("k", np.inf)
    begin, end = lists.starts[user : user + 2]
    codes = lists.codes[begin:end][: int(min(k, end - begin))]
    share = lists.popularity[codes] / lists.popularity.sum()
    cosine = lists.vectors[codes] @ lists.vectors[codes].T
    return {
        "item_popularity": lists.popularity[codes] / lists.history_users, "interaction_share": share[share > 0],
        "pair_similarity": cosine[np.triu_indices(len(codes), 1)],
        "relevant_item": lists.relevant[begin : begin + len(codes)],
        "history_similarity": lists.vectors[codes] @ lists.taste[user],
    }  # fmt: skip


def of_exposures(e, measure):
    """Items and pairs of users, one after the other."""
    lists = e.lists
    each = [lists.codes[begin:end].tolist() for begin, end in itertools.pairwise(lists.starts.tolist())]
    counts = np.array([sum(code in one for one in each) for code in range(len(lists.items))])
    pairs = list(itertools.combinations([set(one) for one in each if one], 2))
    popular = lists.popularity / lists.history_users
    known = ~np.isnan(lists.profile)
    return {
        "exposure": counts, "catalogue": len(counts), "place": np.arange(1, len(counts) + 1),
        "sorted_exposure": np.sort(counts), "exposure_share": counts[counts > 0] / counts.sum(),
        "list_similarity": [len(a & b) / np.sqrt(len(a) * len(b)) for a, b in pairs],
        "list_popularity": np.array([np.mean(popular[one]) for one in each])[known],
        "history_popularity": lists.profile[known],
    }  # fmt: skip


def of_ratings(totals, measure):
    rating, score = LISTS.rated[1:]
    return {"rating_error": score - rating, "rating": rating}


def recommended():
    """Random lists with a history and features, and the pairs with a rating and a score."""
    rng = np.random.default_rng(5)
    truth = {u: {i: float(rng.integers(1, 6)) for i in rng.choice(20, 6, replace=False).tolist()} for u in range(12)}
    shown = {u: {i: rng.normal(3, 1) for i in rng.choice(20, 7, replace=False).tolist()} for u in range(12)}
    history = {u: rng.choice(20, 4, replace=False).tolist() for u in range(9)}
    options = Options(catalogue=list(range(25)), history=history, items=rng.normal(size=(25, 4)))
    pairs = options.pairs(truth, "truth"), options.pairs(shown, "recommendations")
    return read_recommendations(*pairs, options.given, options.how())


LISTS = recommended()


def of_topic(t, measure):
    """Word by word and pair by pair; every word of this topic occurs, and no two always together."""
    n = t.shares.shape[-1]
    pairs = [(i, j) for i in range(n) for j in range(i)]
    value = {(i, j): t.shares[i, j] for i, j in itertools.product(range(n), range(n))}
    together = np.array([value[i, j] for i, j in pairs]) if pairs else np.zeros(0)
    first, second = (np.array([value[p[k], p[k]] for p in pairs]) for k in (1, 0))
    vectors = np.array([[np.log((value[i, j] + 1e-12) / value[i, i] / value[j, j]) / -np.log(value[i, j] + 1e-12)
                         for j in range(n)] for i in range(n)])  # fmt: skip
    whole = vectors.sum(0)
    lengths = np.sqrt((vectors**2).sum(1)) * np.sqrt((whole**2).sum())
    return {"together": together, "first": first, "second": second, "similarity": vectors @ whole / lengths,
            "epsilon": 1e-12}  # fmt: skip


def of_lists(t, measure):
    words = [word for topic in t.topics for word in topic]
    pairs = list(itertools.combinations(map(set, t.topics), 2))
    return {
        "topics_with_word": np.array([words.count(word) for word in words]),
        "shared": np.array([len(a & b) for a, b in pairs]), "either": np.array([len(a | b) for a, b in pairs]),
    }  # fmt: skip


def texts_of(batch):
    counts = WordCounts.of(batch, (0, 3))
    return TopicTexts(counts)


def windows_of(batch, metric):
    texts = texts_of(batch)
    return texts.windows(0, 3 if metric.parameters else 0, texts.every)


def errors_of(batch, measure):
    return Errors.of(batch, [] if measure.loss is None else [measure.loss])


# What a formula is over: the symbols of such a view, the rows it is made of, and the view of a batch.
SYMBOLS = {
    OneVsRest: (of_one_vs_rest, "classes", lambda batch, metric: ConfusionCounts.of(batch).one_vs_rest),
    Margins: (of_margins, "classes", lambda batch, metric: ConfusionCounts.of(batch).margins),
    ConfusionCounts: (of_confusion, "classes", lambda batch, metric: ConfusionCounts.of(batch)),
    ScoreSamples: (of_samples, "probabilities", lambda batch, metric: ScoreSamples.of(batch)),
    RankCounts: (of_ranks, "score matrix", lambda batch, metric: RankCounts.of(batch)),
    ClassScores: (of_class_scores, "score matrix", lambda batch, metric: ClassScores.of(batch)),
    QueryGains: (of_query, "queries", None),
    RowMean: (None, "label sets", lambda batch, metric: Moments.of(batch, metric.rows)),
    Rows: (of_numbers, "numbers", lambda batch, metric: Rows.of(batch)),
    Overlaps: (of_overlaps, "clusters", lambda batch, metric: Overlaps.of(Contingency.of(batch))),
    Geometry: (of_geometry, "clusters", lambda batch, metric: Seen(batch)),
    Contingency: (of_contingency, "clusters", lambda batch, metric: Contingency.of(batch)),
    TopicWindows: (of_topic, "documents", windows_of),
    TopicSupport: (of_topic, "documents", windows_of),
    TopicLists: (of_lists, "documents", lambda batch, metric: TopicLists(batch.vocabulary.topics)),
    Likelihood: (lambda t, measure: vars(t), "documents", lambda batch, metric: Likelihood(-321.5, 70)),
    Errors: (of_numbers, "numbers", errors_of),
    Joint: (of_numbers, "numbers", lambda batch, metric: joint.view(Errors.of(batch).joint)),
    Sizes: (of_numbers, "numbers", lambda batch, metric: joint.view(Errors.of(batch).sizes, Sizes)),
}


OVER_QUERIES = "gm_map"  # its formula is over the average precisions of all queries
RANKED = [case for case in CASES if case.values[0].over is QueryGains and case.values[0].name != OVER_QUERIES]
RECOMMENDED = [case for case in CASES if case.values[0].view.of_lists]
CASES = [case for case in CASES if case.values[0].over is not QueryGains and not case.values[0].view.of_lists]


@pytest.mark.parametrize(("metric", "parameters"), RECOMMENDED)
def test_formula_of_recommendations(metric, parameters):
    """User by user, where a metric is a mean over users."""
    measure, lists = metric.with_parameters(parameters), RecommendedLists.of(LISTS)
    expression = re.sub(r"\{(\w+)\}", r"\1", metric.formula)
    if metric.each is not None:
        result = metric.each(Exposures(lists.first(measure.parameters.get("k", np.inf))))
        views = [(value, of_list(lists, user, measure)) for user, value in enumerate(result.tolist())]
    elif metric.over is RecommendedLists:
        served = {"served": np.count_nonzero(lists.sizes[lists.tested]), "tested": lists.tested.sum()}
        views = [(float(number(measure.formula(lists))), served)]
    elif metric.over is RatingErrors:
        totals = RatingErrors.of(LISTS).totals.sum(0)
        views = [(float(number(measure.formula(totals))), of_ratings(totals, measure))]
    else:
        seen = Exposures(lists.first(measure.parameters.get("k", np.inf)))
        views = [(float(number(measure.formula(seen))), of_exposures(seen, measure))]
    for value, known in views:
        with np.errstate(all="ignore"):
            expected = float(eval(expression, {}, {**FUNCTIONS, **known}))
        assert value == pytest.approx(expected, rel=1e-9, nan_ok=True)
    assert not all(np.isnan(value) for value, _ in views)


@pytest.mark.parametrize(("metric", "parameters"), RANKED)
@pytest.mark.parametrize("seed", [3, 4])
def test_formula_of_a_query(rows, metric, parameters, seed):
    """Query by query; 0 / 0 of one without relevant documents is 0, as trec_eval has it."""
    batch = rows("queries", seed, n=70, digits=16, options={"ties": "order"}).batch()
    measure = metric.with_parameters(parameters)
    result = QueryGains.of(batch, {"it": step_of(measure, batch.most)}).of_measure("it")
    expression = re.sub(r"\{(\w+)\}", r"\1", metric.formula)
    for query, value in enumerate(result.tolist()):
        alone = replace(batch.take([query]), rules=batch.rules)
        known = of_query(alone, measure, batch.most)
        with np.errstate(all="ignore"):
            expected = eval(expression, {}, {**FUNCTIONS, **metric.parameters, **measure.parameters, **known})
        assert value == pytest.approx(np.nan_to_num(expected), rel=1e-12, abs=1e-14), query
    assert len(set(result.tolist())) > 1
    assert float(number(measure.formula(result))) == pytest.approx(result.mean())


def test_formula_over_queries():
    metric = CATALOGUE[OVER_QUERIES].metric
    precisions = np.array([0.3, 0.0, 1.0, 0.45])
    expected = eval(re.sub(r"\{(\w+)\}", r"\1", metric.formula), {}, {**FUNCTIONS, "average_precision": precisions})
    assert number(metric.function(precisions)) == pytest.approx(expected) == pytest.approx((0.3 * 1e-5 * 0.45) ** 0.25)


@pytest.mark.parametrize(("metric", "parameters"), CASES)
@pytest.mark.parametrize("digits", [1, 16])
@pytest.mark.parametrize("seed", [3, 4])
def test_formula(rows, metric, parameters, digits, seed):
    symbols, kind, view_of = SYMBOLS[metric.over]
    sample = rows(kind, seed, n=70, classes=4, whole=True, weighted=False, digits=digits, dtype=np.float64,
                negative=False)  # fmt: skip
    if kind == "probabilities":  # away from 0 and 1, where log loss is clipped and a bin may promise certainty
        sample = type(sample)(sample.truth, None, sample.score.clip(0.05, 0.95), options=sample.options)
    batch, measure = sample.batch(), metric.with_parameters(parameters)
    view = view_of(batch, measure if metric.of_numbers else metric)
    seen = Rows.of(batch) if metric.of_numbers else view
    known = {"rows": metric.rows(batch)} if metric.over is RowMean else symbols(seen, measure)
    expression = re.sub(r"\{(\w+)\}", r"\1", metric.formula)
    if metric.name in ("adjusted_r2", "mase") and not parameters:  # for how many features nobody said
        assert np.isnan(number(measure.formula(view)))
        return
    with np.errstate(all="ignore"):
        expected = eval(expression, {}, {**FUNCTIONS, **metric.parameters, **measure.parameters, **known})
        result = number(measure.formula(view))
    assert np.asarray(result, float) == pytest.approx(np.asarray(expected, float), rel=1e-9, abs=1e-12, nan_ok=True)
    assert not np.isnan(np.asarray(result, float)).all()


def test_every_symbol_of_a_formula_is_in_braces():
    """Documentation prints the symbols, and `explain` puts numbers in: a bare name would be left as it is."""
    for metric in cal.metrics.catalogue():
        bare = re.sub(r"\{\w+\}", "1", metric.formula)
        names = set(re.findall(r"[A-Za-z_]\w*", bare)) - {"weights"}  # the keyword of average()
        assert names <= set(FUNCTIONS), metric.name
        # In symbols.
        inside = {"bins", "rule", "closed", "pairs", "k", "gain", "rel", "denominator", "most", "power", "mean", "of",
                  "window", "recall", "given"}  # fmt: skip
        assert set(metric.parameters) <= set(re.findall(r"\{(\w+)\}", metric.formula)) | inside, metric.name
