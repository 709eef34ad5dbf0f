"""Where the estimates over resamples lie: python benchmarks/resampled_means.py [samples].

Means over samples of what `bootstrap_validate` estimates by each method, and the expected value of models of all rows.
"""

import sys

import numpy as np

import calipers as cal
from trials.areas.folds import parts


def main(samples: int) -> None:
    for trial in parts()["resamples, .632+"]:
        rng, name = np.random.default_rng(1), trial.metrics.split()[0]
        expected, estimates = trial.expected(rng)[name], []
        for seed in range(samples):
            rows = trial.draw(rng, trial.n)
            validation = cal.bootstrap_validate(trial.learner(), *rows, metrics=name, seed=seed, **trial.how)
            estimates.append(validation.estimates(name))
        means = {method: np.mean([each[method] for each in estimates]) for method in estimates[0]}
        listed = ", ".join(f"{method} {value:.3f}" for method, value in means.items())
        print(f"{trial.name}, {name}: expected {expected:.3f}; {listed}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 150)
