"""Required sample size, against known sizes and against samples of that size."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from calipers.errors import InputError
from calipers.inference import paired, power
from calipers.inference.delong import covariance, placements


def test_a_mean_is_the_t_test_of_the_textbook():
    """Cohen 1988: d = .5 two-sided at .05 with power .80 takes 34 pairs; .2 takes 199 and .8 takes 15."""
    assert [power.rows_for_mean(d, 1.0, 0.8, 0.95) for d in (0.2, 0.5, 0.8)] == [199, 34, 15]
    for n in (15, 34, 199):
        reach = power.mean_reach(2.0, n, 0.8, 0.95)
        beyond = stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, reach / 2 * np.sqrt(n))
        assert beyond == pytest.approx(0.8, abs=0.01)


def test_proportions_see_what_they_promise():
    """Mid-p McNemar at the computed size rejects in 80% of samples."""
    rng = np.random.default_rng(11)
    for difference, discordance in ((0.05, 0.15), (0.1, 0.2)):
        n = power.rows_for_proportions(difference, discordance, 0.8, 0.95)
        b, c = (discordance + difference) / 2, (discordance - difference) / 2
        draws = rng.multinomial(n, [b, c, 1 - b - c], 1500)
        seen = np.mean([paired.mcnemar(int(x), int(y)).pvalue < 0.05 for x, y, _ in draws])
        assert seen == pytest.approx(0.8, abs=0.035)


def test_areas_see_about_what_they_promise():
    """Normal scores, whose areas vary a little less than the exponential model says."""
    rng, first, second, share = np.random.default_rng(12), 0.85, 0.75, 0.3
    n = power.rows_for_area(first, second, share, 0.0, 0.8, 0.95)
    positives, hits = round(n * share), 0
    for _ in range(600):
        each = [placements(rng.normal(np.sqrt(2) * ndtri(x), 1, positives), rng.normal(size=n - positives))
                for x in (first, second)]  # fmt: skip
        v10, v01 = (np.array(part) for part in zip(*each, strict=True))
        result = covariance(v10, v01)
        hits += v10[0].mean() - v10[1].mean() > 1.96 * np.sqrt(result[0, 0] + result[1, 1] - 2 * result[0, 1])
    assert 0.76 < hits / 600 < 0.9


def test_more_is_needed_for_less():
    sizes = [power.rows_for_area(0.8, x, 0.1, 0.5, 0.8, 0.95) for x in (0.9, 0.85, 0.82, 0.81)]
    assert sizes == sorted(sizes)
    assert power.rows_for_area(0.8, 0.82, 0.1, 0.9, 0.8, 0.95) < sizes[2]
    with pytest.raises(InputError, match="at least the difference"):
        power.rows_for_proportions(0.3, 0.2, 0.8, 0.95)
    with pytest.raises(InputError, match="too small to detect"):
        power.rows_for_mean(1e-9, 1.0, 0.8, 0.95)
