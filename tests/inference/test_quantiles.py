import math
import subprocess
import sys

import pytest
from scipy.special import stdtrit

from calipers.inference.quantiles import t, z


@pytest.mark.parametrize(("level", "expected"), [(0.9, 1.644854), (0.95, 1.959964), (0.99, 2.575829)])
def test_normal_quantiles_are_the_tabulated_ones(level, expected):
    assert z(level) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999])
@pytest.mark.parametrize("df", [200, 200.5, 317, 1e3, 1e5, 1e9])
def test_series_for_many_degrees_of_freedom_is_good_to_1e_9(level, df):
    assert t(level, df) == pytest.approx(-stdtrit(df, (1 - level) / 2), abs=1e-9)


# Fisher & Yates, table III.
@pytest.mark.parametrize(
    ("df", "expected"), [(1, 12.706), (2, 4.303), (10, 2.228), (30, 2.042), (120, 1.980)]
)
def test_student_quantiles_are_the_tabulated_ones(df, expected):
    assert t(0.95, df) == pytest.approx(expected, abs=5e-4)


def test_student_reaches_the_normal_and_needs_degrees_of_freedom():
    assert t(0.95, math.inf) == z(0.95)
    assert math.isnan(t(0.95, 0))
    assert math.isnan(t(0.95, math.nan))


def test_inference_is_imported_without_scipy():
    code = (
        "import sys, calipers, calipers.inference.area, calipers.inference.calibration;"
        "from calipers.inference.mean import hall; hall(500, 1, 499, 20, 0.95);"
        "from calipers.inference.proportion import wilson; wilson(3, 9, 0.95);"
        "from calipers.inference.quantiles import t; t(0.95, 500);"
        "sys.exit('scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
