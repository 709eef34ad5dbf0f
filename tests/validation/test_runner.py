"""The runner: order, seeds, failures and Ctrl-C."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier

from calipers.errors import InputError
from calipers.validation.problems import problem
from calipers.validation.runner import Failed, Job, data_of, run, seed_of, seeding, some
from calipers.validation.splits import splits

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 3)), np.arange(60) % 3


def jobs(model, **how):
    return [Job(model, *pair, **how) for pair in splits(4, 60).pairs]


def ran(work, then=lambda done: done, **how):
    return run(work, len(work), data_of(X, Y), problem(work[0].model, Y), then, seed=5, **how)


def test_any_number_of_workers_gives_the_same_answers():
    work = jobs(ExtraTreesClassifier(3))
    with parallel_config("threading"):
        alone, two = (ran(work, lambda done: done.answer.score.tolist(), n_jobs=n) for n in (1, 2))
    assert alone == two
    assert [ran(work, lambda done: done.number)] == [[0, 1, 2, 3]]
    assert alone[0] != ran([work[1], work[0]], lambda done: done.answer.score.tolist())[1]


def test_what_is_given_a_seed_is_said():
    assert seeding(SGDClassifier()) == ("parameters set from the seed for each fit: random_state",)
    assert seeding(SGDClassifier(random_state=0)) == ()


class Breaks(LogisticRegression):
    """Refuses training sets that hold row 0."""

    def fit(self, X, y):
        if (X == RNG_ROW).all(1).any():
            raise RuntimeError("no\nthanks")
        return super().fit(X, y)


RNG_ROW = X[0]


def test_a_fold_that_raises_leaves_the_others():
    results = ran(jobs(Breaks()))
    done, failed = some(results, "validation.no_folds_done")
    assert len(done) == 1
    assert {f.error for f in failed} == {"RuntimeError: no thanks"}
    assert "in fit" in failed[0].trace
    assert not failed[0].stopped
    with pytest.raises(InputError, match=r"no fold succeeded \(3 tried\); the first error: RuntimeError: no thanks"):
        some(list(failed), "validation.no_folds_done")


def test_a_result_keeps_its_failures_in_english_whoever_reads(monkeypatch):
    def then(done):
        raise InputError("validation.no_splits")

    monkeypatch.setenv("CALIPERS_LANG", "vi")
    failed = ran(jobs(LogisticRegression()), then)
    assert {f.error for f in failed} == {"InputError: cv has no splits"}
    with pytest.raises(InputError, match="không fold nào thành công"):
        some(failed, "validation.no_folds_done")


def test_what_cannot_be_measured_fails_alone():
    def then(done):
        if done.number == 2:
            raise InputError("validation.no_splits")
        return done.number

    results = ran(jobs(LogisticRegression()), then)
    assert [results[0], results[1], results[3]] == [0, 1, 3]
    assert results[2].error == "InputError: cv has no splits"


def test_ctrl_c_keeps_what_is_done():
    def then(done):
        if done.number == 2:
            raise KeyboardInterrupt
        return done.number

    results = ran(jobs(LogisticRegression()), then)
    assert results[:2] == [0, 1]
    assert [f.stopped for f in results[2:]] == [True, True]
    with pytest.raises(KeyboardInterrupt):
        ran(jobs(LogisticRegression()), lambda done: then(type(done)(2, *list(vars(done).values())[1:])))


def test_columns_for_fit_are_cut_to_the_training_rows():
    class Weighed(LogisticRegression):
        def fit(self, X, y, sample_weight=None, factor=1):
            assert len(sample_weight) == len(X)
            assert (factor, len(X)) == (3, 45)
            return super().fit(X, y, sample_weight)

    data = data_of(X, Y, fit_params={"sample_weight": np.ones(60), "factor": 3})
    work = jobs(Weighed())
    assert not any(isinstance(r, Failed) for r in run(work, 4, data, problem(Weighed(), Y), lambda d: d, seed=0))


def test_training_rows_and_models_are_kept_where_asked_for():
    full = ran(jobs(LogisticRegression(), keep=True))[0]
    assert full.model.coef_.shape == (3, 3)
    assert len(full.train_answer.predicted) == 45
    bare = ran(jobs(LogisticRegression(), predict_train=False))[0]
    assert bare.model is None
    assert bare.train_answer is None


def test_rows_that_do_not_belong_together_are_refused():
    with pytest.raises(InputError, match="X, y and groups must have the same rows: Found input variables"):
        data_of(X, Y[:-1])
    with pytest.raises(InputError, match="seed=-1: must be a whole number, 0 or more"):
        seed_of(-1)
    assert seed_of(3) == 3
    assert 0 <= seed_of(None) < 2**32


def test_a_bar_shows_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    ran(jobs(LogisticRegression()))
    output = capsys.readouterr().err.split("\r")
    assert output[1] == "[                        ] folds: 0 of 4"
    assert output[5] == "[########################] folds: 4 of 4"
