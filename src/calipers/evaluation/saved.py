"""An evaluation as bytes: schema, settings and statistics, so that everything works after loading.

Unlike the document, which is bounded and holds no rows, the bytes can contain every score.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from calipers.data.batch import Batch, Scan
from calipers.data.rankings import Rankings
from calipers.data.schema import Columns, Names, Schema
from calipers.errors import CalipersError, InputError
from calipers.evaluation.evaluation import Evaluation
from calipers.metrics.base import CATALOGUE
from calipers.metrics.views import Views
from calipers.settings import Label, Rules, Settings
from calipers.statistics.combine import Evidence
from calipers.statistics.geometry import Geometry
from calipers.statistics.portable import Portable
from calipers.statistics.scores import ScoreSamples

DAMAGE = (TypeError, ValueError, AttributeError, LookupError, OverflowError, RecursionError)
ROWS = ("truth", "pred", "score", "weights", "groups")  # the columns of rows that are kept
RANKED = tuple(f.name for f in fields(Rankings) if f.name not in ("rules", "weights", "groups", "documents"))


@dataclass(frozen=True, eq=False)
class SavedEvaluation(Portable):
    """The state of an evaluation in plain values and statistics."""

    schema: dict[str, Any]
    settings: dict[str, Any]
    metrics: tuple[str, ...]
    notes: tuple[str, ...]
    predictions: str
    rows: int
    model: str | None
    sources: tuple[str, ...]
    restated: bool
    evidence: Evidence
    slices: dict[str, dict[Label, SavedEvaluation]]
    kept: dict[str, Any] | None
    ranked: dict[str, Any] | None
    geometry: Geometry | None = None


def to_bytes(ev: Evaluation) -> bytes:
    """The bytes of an evaluation whose statistics are there."""
    return saved(ev).to_bytes()


def from_bytes(data: bytes) -> Evaluation:
    """The evaluation that `to_bytes` wrote."""
    state = Portable.from_bytes(data)
    if type(state).__name__ == "SavedStream":
        raise InputError("evaluation.bytes_of_a_stream")
    if not isinstance(state, SavedEvaluation):
        raise InputError("evaluation.bytes_of_a_statistic", kind=type(state).__name__)
    return restored(state)


def restored(state: SavedEvaluation) -> Evaluation:
    """The evaluation of a state; bytes that cannot be one are an error."""
    try:
        return _restored(state)
    except CalipersError:
        raise
    except DAMAGE as error:
        raise InputError("statistics.damaged", error=error) from error


def saved(ev: Evaluation) -> SavedEvaluation:
    """The state of an evaluation whose statistics are there."""
    views = ev.views
    ranked = views.rankings
    return SavedEvaluation(
        saved_schema(ev.schema),
        {f.name: _plain(getattr(ev.settings, f.name)) for f in fields(Settings)},
        tuple(map(str, ev.listed)),
        ev.notes,
        ev.predictions,
        ev.rows,
        ev.model,
        ev.sources,
        views.fixed,
        views.evidence,
        {name: {v: saved(part) for v, part in parts.items()} for name, parts in ev.slices.items()},
        None if views.source is None else _columns(views.source),
        None if ranked is None else {name: getattr(ranked, name) for name in RANKED} | {"rules": asdict(ranked.rules)},
        views.geometry,
    )


def _columns(rows: Batch) -> dict[str, Any]:
    scan = None if rows.scan is None else tuple(rows.scan)
    return {name: getattr(rows, name) for name in ROWS} | {"scan": scan}


def saved_schema(schema: Schema) -> dict[str, Any]:
    """A schema in plain values."""
    return {f.name: _plain(getattr(schema, f.name)) for f in fields(Schema)}


def _plain(value: Any) -> Any:
    if isinstance(value, Rules):
        return asdict(value)
    return value


def _restored(state: SavedEvaluation) -> Evaluation:
    schema = restored_schema(state.schema)
    settings = Settings(**state.settings)
    source = ranked = None
    if state.kept is not None:
        kept = dict(state.kept)
        scan = kept.pop("scan")
        source = Batch(schema, **kept, scan=None if scan is None else Scan(*scan))
    if state.ranked is not None:
        ranked = Rankings(**{**state.ranked, "rules": Rules(**state.ranked["rules"])})
    return Evaluation(
        Views(_walked_once(state), schema, state.restated, source, ranked, state.geometry),
        settings,
        tuple(CATALOGUE[name] for name in state.metrics),
        schema=schema,
        notes=state.notes,
        predictions=state.predictions,
        rows=state.rows,
        slices={name: {v: _restored(part) for v, part in parts.items()} for name, parts in state.slices.items()},
        model=state.model,
        sources=state.sources,
    )


def _walked_once(state: SavedEvaluation) -> Evidence:
    """The statistics; where several metrics were asked for, one walk over the scores serves them all."""
    samples = state.evidence.get(ScoreSamples)
    if samples is None or len(state.metrics) == 1:
        return state.evidence
    return state.evidence.with_part(ScoreSamples.__name__, replace(samples, together=True))


def restored_schema(values: dict[str, Any]) -> Schema:
    """The schema of plain values."""
    values = dict(values)
    if values["columns"] is not None:
        values["columns"] = Columns(*(list(x) if isinstance(x, tuple) else x for x in values["columns"]))
    if values["ranking"] is not None:
        values["ranking"] = Rules(**values["ranking"])
    return Schema(**{**values, "names": Names(*values["names"])})
