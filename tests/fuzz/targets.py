"""The entry points that the fuzzer drives. A target draws one input and passes it in.

A `CalipersError` is a legal answer to a hostile input, and a defect for an ordinary one. Anything else that is raised,
and any answer that contradicts its definition, is a finding.
"""

from __future__ import annotations

from collections.abc import Callable

from draws import Draw
from rows import compare, counts, evaluate, metric, ranking
from sketches import sketch
from texts import document, file, name, requirement, statistic

TARGETS: dict[str, Callable[[Draw], None]] = {
    target.__name__: target
    for target in (evaluate, metric, name, requirement, counts, compare, ranking, document, statistic, file, sketch)
}
