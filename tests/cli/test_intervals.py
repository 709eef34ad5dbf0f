"""`--interval`, `--groups`, `--seed` and `--replicates`, as Python has them."""

import json

import numpy as np
import pytest

import calipers as cal

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, 80)
S = np.round(np.clip(RNG.normal(0.35 + 0.3 * Y, 0.2), 0, 1), 3)
WHO = np.array([f"p{i // 4}" for i in range(80)])
TABLE = "label,score,patient\n" + "".join(f"{y},{s},{w}\n" for y, s, w in zip(Y, S, WHO, strict=True))


def bounds(calipers, file, *options):
    done = calipers("evaluate", file(TABLE), "--metrics", "accuracy,roc_auc", "--json", *options)
    assert done.returncode == 0, done.stderr
    metrics = json.loads(done.stdout)["metrics"]
    return {name: (estimate["low"], estimate["high"], estimate["method"]) for name, estimate in metrics.items()}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--interval", "jeffreys"], {"interval": "jeffreys"}),
        (["--interval", "delong"], {"interval": "delong"}),
        (["--interval", "bca", "--seed", "5", "--replicates", "99"], {"interval": "bca", "seed": 5, "replicates": 99}),
        (["--groups", "patient"], {"groups": WHO}),
        (["--groups", "PATIENT", "--interval", "percentile"], {"groups": WHO, "interval": "percentile"}),
    ],
)
def test_the_shell_says_what_python_says(calipers, file, options, named):
    ev = cal.evaluate(Y, S, metrics=["accuracy", "roc_auc"], **named)
    right = {name: (pytest.approx(ev[name].low), pytest.approx(ev[name].high), ev[name].method) for name in ev}
    assert bounds(calipers, file, *options) == right


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--interval", "wilsen"], "--interval wilsen is not known"),
        (["--groups", "hospital"], "x.csv has no column 'hospital'"),
        (["--replicates", "1"], "--replicates 1: must be a whole number, 10 or more"),
        (["--seed", "-1"], "--seed -1: must be a whole number, 0 or more"),
    ],
)
def test_what_is_refused(calipers, file, options, message):
    done = calipers("evaluate", file(TABLE), *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
