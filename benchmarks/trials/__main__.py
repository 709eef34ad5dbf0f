"""Count how often intervals hold the truth and tests reject a true null: make coverage [AREA=...] [SAMPLES=...].

    python -m trials [AREA ...] [--samples N] [--only WORD ...] [--write]

Without AREA, every area but held-out. --only: trials whose name has one of these words. --write: put the tables into
docs/coverage.md. The exit code is 1 if a cell misses and is not listed in known_misses.py.
"""

import argparse
import sys

from trials.areas import AREAS
from trials.harness import line, run
from trials.known_misses import known
from trials.page import written
from trials.rules import Cell


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("areas", nargs="*", metavar="AREA", help=", ".join(AREAS))
    parser.add_argument("--samples", type=int, help="samples per cell, for a quick look")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    unknown = [area for area in options.areas if area not in AREAS]
    if unknown:
        parser.error(f"no area {unknown[0]!r}: choose from {', '.join(AREAS)}")
    if options.only and options.write:
        parser.error("--only leaves out populations of the tables that --write would replace")
    missed: list[Cell] = []
    for area in options.areas or [name for name, area in AREAS.items() if not area.asked_only]:
        cells = run(area, options.samples or AREAS[area].samples, options.only)
        missed += [cell for cell in cells if cell.missed]
        if options.write:
            written(area, cells)
    unexplained = [cell for cell in missed if not known(cell)]
    print(f"\n{len(missed)} cells miss, {len(missed) - len(unexplained)} of them known", file=sys.stderr)
    for cell in unexplained:
        print(f"{line(cell)}: {cell.area}: {cell.population}", file=sys.stderr)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
