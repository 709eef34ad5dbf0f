"""When a cell of the trials fails, and which failures are known."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import sqrt

from trials.promises import Promise

ENOUGH = 4_000  # with at least this many samples, rejections are judged without an allowance
MISSES = {"low": "coverage too low", "high": "coverage too high: the interval is wider than necessary",
          "rejects": "rejects too often"}  # fmt: skip
MARKS = {"flags": "have correct coverage, but a flag in more than 20% of the samples",
         "excused": "have few rows and a coverage that is too low, with a flag in at least 80% of the samples",
         "none": "have no interval in any sample"}  # fmt: skip
STANDARD_ERRORS, OFTEN, SELDOM = 3, 80.0, 20.0


@dataclass(frozen=True)
class Cell:
    """What the samples of one population gave for one metric, point of a curve or test.

    Of `samples` samples `known` had an interval, and `covered` of these hold the truth; `flagged` had a flag, and
    `plain` hold the truth without a flag. Of a test, `covered` counts rejections.
    """

    area: str
    part: str
    population: str
    metric: str
    level: float
    promise: Promise
    samples: int
    known: int
    covered: int
    flagged: int
    plain: int

    @property
    def coverage(self) -> float:
        """In per cent of the samples that had an interval; of a test, rejections in per cent of all samples."""
        return percent(self.covered, self.samples if self.promise.test else self.known)

    @property
    def strict(self) -> float:
        """The same with samples without an interval as misses."""
        return percent(self.covered, self.samples)

    @property
    def unflagged(self) -> float:
        """Coverage among the samples without a flag."""
        return percent(self.plain, self.known - self.flagged)

    @property
    def flags(self) -> float:
        """Flagged samples, in per cent of those with an interval."""
        return percent(self.flagged, self.known)

    @property
    def verdict(self) -> str:
        """A name of MISSES or MARKS, or nothing."""
        if not self.promise.judged:
            return ""
        if self.promise.test:
            return "rejects" if self.coverage > self._most_rejections else ""
        if not self.known:
            return "none"
        least, most = limits(self.level)
        few = self.promise.few
        if self.coverage < least - self._allowance(least):
            return "excused" if few and self.flags >= OFTEN else "low"
        if self.coverage > most + self._allowance(most) and not few and not self.promise.wide:
            return "high"
        return "flags" if self.flags > SELDOM and not few else ""

    @property
    def missed(self) -> bool:
        return self.verdict in MISSES

    def _allowance(self, share: float) -> float:
        return STANDARD_ERRORS * sqrt(share * (100 - share) / self.known)

    @property
    def _most_rejections(self) -> float:
        """6% of tests at a level of 5%; with few samples, an allowance for their noise is added."""
        most = 120 * (1 - self.level)
        return most if self.samples >= ENOUGH else most + STANDARD_ERRORS * sqrt(most * (100 - most) / self.samples)


def percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else float("nan")


def limits(level: float) -> tuple[float, float]:
    """93% and 98% at a level of 95%: 1.4 and 0.4 times the misses that the level allows."""
    return 100 - 140 * (1 - level), 100 - 40 * (1 - level)


@dataclass(frozen=True)
class KnownMiss:
    """Cells (by patterns as of file names, those of metrics with | between them) that miss, how, and why."""

    area: str
    population: str
    metric: str
    verdict: str
    reason: str

    def explains(self, cell: Cell) -> bool:
        of_metric = any(fnmatchcase(cell.metric, pattern) for pattern in self.metric.split("|"))
        fits = of_metric and fnmatchcase(cell.population, self.population)
        return fits and (cell.area, cell.verdict) == (self.area, self.verdict)
