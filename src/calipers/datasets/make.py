"""Writes the example files: `python -m calipers.datasets.make`."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

HERE = Path(__file__).parent
# How often each pair of true and predicted label occurs, and the shape (alpha, beta) of its scores: the probability
# of BAD, drawn from a beta distribution on the side of 0.5 that the predicted label stands for.
CELLS = {
    ("BAD", "BAD"): (55, 3.0, 2.2),
    ("BAD", "GOOD"): (45, 1.6, 1.8),
    ("GOOD", "BAD"): (50, 1.1, 4.0),
    ("GOOD", "GOOD"): (850, 1.0, 2.4),
}
KINDS = ("rain", "snow", "sun")
SEASONS = {
    "spring": (0.4, 0.05, 0.55),
    "summer": (0.3, 0.001, 0.699),
    "autumn": (0.5, 0.05, 0.45),
    "winter": (0.3, 0.3, 0.4),
}  # the share of each kind
# The share of a district among the flats, its typical rent, and the standard deviation of the predictions (in logs).
DISTRICTS = {"centre": (0.3, 1250.0, 0.16), "harbour": (0.2, 1010.0, 0.09), "hills": (0.5, 860.0, 0.08)}
# Words of articles by theme, the most frequent first, and words that all have.
THEMES = {
    "cooking": "recipe oven flour butter sugar onion garlic sauce pan dinner bake spoon",
    "football": "goal match team league coach player season striker penalty stadium fans referee",
    "garden": "garden soil seeds plants roses compost water spring lawn bees weeds greenhouse",
    "money": "bank loan interest market shares rent tax budget savings price mortgage invoice",
    "travel": "train station hotel ticket beach airport luggage museum island flight passport ferry",
    "weather": "rain wind storm sunny forecast snow cloud temperature frost thunder humidity drizzle",
}
EVERYWHERE = "new year people day time week good last best little today home"
SPECIES = {"aster": (1.5, 0.3), "borage": (4.2, 1.3), "clover": (5.4, 1.9)}  # length and width of a petal, in cm
GENRES = ["action", "comedy", "crime", "drama", "fantasy", "romance"]
REGIONS = {"north": 0.34, "south": 0.28, "east": 0.22, "west": 0.16}


def bad_debt(seed: int = 2012) -> str:
    """1000 loans as CSV: what became of them, what a model predicted, its probability of BAD, and the region."""
    draw = random.Random(seed)
    rows = []
    for (truth, predicted), (count, alpha, beta) in CELLS.items():
        low = 0.5 if predicted == "BAD" else 0.0
        for _ in range(count):
            score = low + 0.4999 * draw.betavariate(alpha, beta)
            rows.append(f"{truth},{predicted},{score:.4f},{draw.choices(list(REGIONS), list(REGIONS.values()))[0]}")
    draw.shuffle(rows)
    return "\n".join(["truth,predicted,score,region", *rows, ""])


def weather(seed: int = 1959) -> str:
    """600 days as CSV: the weather, a forecast's probability of each kind, and the season."""
    draw = random.Random(seed)
    rows = ["truth,p_rain,p_snow,p_sun,season"]
    for _ in range(600):
        season = draw.choice(list(SEASONS))
        (truth,) = draw.choices(KINDS, SEASONS[season])
        # A Dirichlet draw: the season's shares, and weight for what will come.
        shares = zip(KINDS, SEASONS[season], strict=True)
        parts = [draw.gammavariate(2 * share + 2 * (kind == truth), 1) for kind, share in shares]
        rain, snow = (round(part / sum(parts), 3) for part in parts[:2])
        rows.append(f"{truth},{rain:.3f},{snow:.3f},{1 - rain - snow:.3f},{season}")
    return "\n".join([*rows, ""])


def search(seed: int = 1992) -> dict[str, str]:
    """50 searches in a library as TREC writes them: the judgements, and two runs of 30 documents per search.

    A run ranks by how relevant a document is, and by noise, of which the second has less. Both miss some documents.
    """
    draw = random.Random(seed)
    judged, runs = [], {"search.run": (1.6, 0.75), "search_new.run": (1.2, 0.85)}
    run_lines: dict[str, list[str]] = {name: [] for name in runs}
    for query in (f"q{i:02d}" for i in range(1, 51)):
        documents = draw.sample(range(10_000), 60)
        grades = {f"doc{d:04d}": draw.choices((0, 1, 2, 3), (14, 3, 2, 1))[0] for d in documents[:20]}
        hard = draw.uniform(0.5, 1.6)
        judged += [f"{query} 0 {doc} {grade}" for doc, grade in grades.items()]
        for name, (noise, share) in runs.items():
            met = [doc for doc in grades if draw.random() < share] + [f"doc{d:04d}" for d in documents[20:]]
            score = {doc: 8 + grades.get(doc, 0) + draw.gauss(0, noise * hard) for doc in met}
            best = sorted(score, key=lambda doc: (round(score[doc], 1), doc), reverse=True)[:30]
            tag = name.removesuffix(".run")
            run_lines[name] += [f"{query} Q0 {d} {rank} {score[d]:.1f} {tag}" for rank, d in enumerate(best, 1)]
    return {name: "\n".join([*lines, ""]) for name, lines in {"search.qrels": judged, **run_lines}.items()}


def flats(seed: int = 1885) -> str:
    """500 flats as CSV: the rent, a prediction, which is too low for expensive flats, and the district."""
    draw = random.Random(seed)
    rows = ["truth,predicted,district"]
    for _ in range(500):
        district = draw.choices(list(DISTRICTS), [d[0] for d in DISTRICTS.values()])[0]
        rent = DISTRICTS[district][1] * draw.lognormvariate(0, 0.35)
        guess = 120 + 0.88 * rent * draw.lognormvariate(0, DISTRICTS[district][2])
        rows.append(f"{rent:.2f},{guess:.2f},{district}")
    return "\n".join([*rows, ""])


def films(seed: int = 1895) -> dict[str, str]:
    """100 viewers and 120 films as CSV: what they watched before and later, what two recommenders show, and the films.

    A viewer likes two genres. One recommender knows that, with noise, and prefers popular films; the other shows the
    most popular films that a viewer has not watched.
    """
    draw = random.Random(seed)
    genres = {f"film{i:03d}": draw.sample(GENRES, 1 + (draw.random() < 0.4)) for i in range(1, 121)}
    names = list(genres)
    popular = {film: 1 / place**0.8 for place, film in enumerate(names, 1)}
    tables: dict[str, list[str]] = {"history": ["user,item"], "truth": ["user,item,rating"],
                                    "recommendations": ["user,item,score"], "popular": ["user,item,rank"],
                                    "items": [",".join(["item", *GENRES])]}  # fmt: skip
    tables["items"] += [",".join([film, *(str(int(g in own)) for g in GENRES)]) for film, own in genres.items()]
    for user in (f"viewer{i:03d}" for i in range(1, 101)):
        likes = draw.sample(GENRES, 2)
        taste = {film: popular[film] * (4 if set(own) & set(likes) else 1) for film, own in genres.items()}
        order = sorted(names, key=lambda film: draw.expovariate(1) / taste[film])  # drawn without replacement
        watched, later, rest = order[:12], order[12:18], order[12:]
        tables["history"] += [f"{user},{film}" for film in watched]
        liked = {film: min(5, max(1, round(draw.gauss(3 + bool(set(genres[film]) & set(likes)), 1)))) for film in later}
        tables["truth"] += [f"{user},{film},{rating}" for film, rating in liked.items()]
        score = {film: taste[film] ** 0.5 * draw.lognormvariate(0, 0.5) for film in rest}
        best = sorted(rest, key=score.__getitem__, reverse=True)[:10]
        tables["recommendations"] += [f"{user},{film},{score[film]:.4f}" for film in best]
        known = [film for film in names if film not in watched][:10]
        tables["popular"] += [f"{user},{film},{rank}" for rank, film in enumerate(known, 1)]
    return {f"films_{name}.csv": "\n".join([*lines, ""]) for name, lines in tables.items()}


def articles(seed: int = 1990) -> dict[str, str]:
    """300 short articles as JSON lines, with the log-likelihood that a topic model gives to each, and its topics.

    Two of the topics share most words, and the last one is a mixture that is no topic.
    """
    draw = random.Random(seed)
    words = {theme: text.split() for theme, text in THEMES.items()}
    everywhere = EVERYWHERE.split()
    size = sum(map(len, words.values()))
    lines = []
    for _ in range(300):
        about = draw.sample(list(words), 2)
        tokens, log_likelihood = [], 0.0
        for _ in range(draw.randint(12, 30)):
            theme = draw.choices([*about, ""], (6, 2, 3))[0]
            listed = words.get(theme, everywhere)
            word = draw.choices(listed, [1 / (2 + at) for at in range(len(listed))])[0]
            tokens.append(word)
            known = 0.7 * (word in words[about[0]]) / len(words[about[0]]) + 0.1 / size
            log_likelihood += math.log(known if word not in everywhere else 0.2 / len(everywhere))
        lines.append(json.dumps({"text": " ".join(tokens), "log_likelihood": round(log_likelihood, 3)}))
    topics = {theme: listed[:8] for theme, listed in words.items()}
    topics["cooking again"] = [*words["cooking"][1:7], *words["garden"][:2]]
    topics["mixture"] = [listed[-1] for listed in words.values()] + ["quasar", "today"]
    return {"articles.jsonl": "\n".join([*lines, ""]), "articles_topics.json": json.dumps(topics, indent=1) + "\n"}


def flowers(seed: int = 1936) -> str:
    """180 flowers as CSV: species, length and width of a petal, and the cluster; -1 is a flower far from all others."""
    draw = random.Random(seed)
    rows = []
    for species, (length, width) in SPECIES.items():
        for _ in range(60):
            size = draw.gauss(0, 0.35)
            point = round(length + size, 2), round(width + 0.4 * size + draw.gauss(0, 0.15), 2)
            apart = {name: (point[0] - x) ** 2 + (point[1] - y) ** 2 for name, (x, y) in SPECIES.items()}
            nearest = min(apart, key=lambda name: apart[name])
            cluster = -1 if apart[nearest] > 0.6 else list(SPECIES).index(nearest)
            rows.append(f"{species},{point[0]:.2f},{point[1]:.2f},{cluster}")
    draw.shuffle(rows)
    return "\n".join(["species,length,width,cluster", *rows, ""])


EXAMPLES = {"bad_debt": bad_debt, "weather": weather, "flats": flats, "flowers": flowers}

if __name__ == "__main__":
    files = {f"{name}.csv": make() for name, make in EXAMPLES.items()} | search() | films() | articles()
    for name, text in files.items():
        (HERE / name).write_text(text, encoding="utf-8", newline="\n")
