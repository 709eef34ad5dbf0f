"""How often intervals for a difference of paired shares miss it: python benchmarks/paired_shares.py.

All tables of n rows are enumerated, so there is no chance in it. Each line gives the misses in per cent at 95%.
"""

import numpy as np
from scipy.stats import multinomial

from calipers.inference import paired

# Both shares, and the share of rows that both models get right.
POPULATIONS = ((0.6, 0.6, 0.45), (0.9, 0.9, 0.85), (0.9, 0.8, 0.75), (0.7, 0.5, 0.4), (0.95, 0.85, 0.82))


def main() -> None:
    for n in (20, 45):
        tables = [
            (e, f, g, n - e - f - g) for e in range(n + 1) for f in range(n + 1 - e) for g in range(n + 1 - e - f)
        ]
        ends = {
            "Tango": np.array([paired.tango(f, g, n, 0.95) for _, f, g, _ in tables]),
            "Newcombe 10": np.array([paired.newcombe_paired(*table, 0.95) for table in tables]),
        }
        for p1, p2, both in POPULATIONS:
            chance = multinomial.pmf(tables, n, [both, p1 - both, p2 - both, 1 - p1 - p2 + both])
            for name, (low, high) in ((name, bounds.T) for name, bounds in ends.items()):
                missed = float(chance @ ((low > p1 - p2 + 1e-12) | (high < p1 - p2 - 1e-12)))
                print(f"{n} rows, {p1} and {p2}: {name} {100 * missed:.1f}")


if __name__ == "__main__":
    main()
