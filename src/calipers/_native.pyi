from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.data.containers import Array

def threads() -> int: ...
def encode_integers(array: Array) -> tuple[Array, NDArray[np.int64]]: ...
def encode_fixed(array: Array) -> tuple[Array, NDArray[np.int64]]: ...
def encode_objects(column: Array | Sequence[object]) -> tuple[Array, NDArray[np.int64], int, int]: ...
def recode(codes: Array, table: Array) -> Array: ...
def bincount(codes: Array, k: int, weights: Array | None = None) -> Array: ...
def expected_information(sizes_a: Array, times_a: Array, sizes_b: Array, times_b: Array) -> float: ...
def cluster_distances(
    groups: Array, begins: Array, sizes: Array, rows: Array, own: Array
) -> tuple[Array, Array, Array, Array, Array]: ...
def count_windows(
    codes: Array, ends: Array, blocks: Array, block_count: int, size: int, starts: Array, partners: Array
) -> Array: ...
def confusion(truth: Array, pred: Array, k: int, weights: Array | None = None) -> Array: ...
def read_arrow(capsule: object, columns: Sequence[str] | None) -> list[tuple[Any, ...]]: ...
def read_arrow_array(
    schema: object, array: object, columns: Sequence[str] | None
) -> list[tuple[Any, ...]]: ...
def read_stream(
    parts: Iterable[tuple[object, str]], kinds: str, progress: Callable[[int], object]
) -> list[tuple[Any, ...]] | tuple[str, int, int, str]: ...

class Records:
    count: int
    ambiguous: bool
    def __init__(self, delimiter: str, cells: int, quotes: bool) -> None: ...
    def feed(self, chunk: bytes) -> None: ...

class Walk:
    pairs2: float
    distinct: int
    v10: float
    v01: float
    ap: float
    ap_trapezoid: float
    ap_if2: float
    ap_if4: float
    ap_rival: float
    ks: float
    ks_threshold: float
    youden_threshold: float
    f1_max: float
    f1_threshold: float
    corner_threshold: float
    eer: float
    eer_threshold: float
    break_even: float
    break_even_threshold: float

class WeightedWalk(Walk): ...

def split_scores(
    scores: Array, codes: Array, positive: int, for_numpy: bool
) -> tuple[Array, tuple[int, int, int], tuple[bool, bool, bool, bool], int, int, float, float]: ...
def sort_columns(scores: Array, codes: Array) -> tuple[Array, list[tuple[int, float, float, int, int, Walk]]]: ...
def merge_sorted(
    a: Array, b: Array, a_weights: Array | None, b_weights: Array | None
) -> tuple[Array, Array | None]: ...
def sort_weighted(
    scores: Array, codes: Array, positive: int, weights: Array
) -> tuple[Array, Array, int, int, int, int, float, float]: ...
def walk(pos: Array, neg: Array, full: bool = True) -> Walk: ...
def walk_weighted(
    pos: Array, neg: Array, pos_weights: Array, neg_weights: Array, repeated: bool = False
) -> WeightedWalk: ...

_Cells = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]

def count_scores(pos: Array, neg: Array) -> _Cells: ...
def merge_cells(a: _Cells, b: _Cells, budget: int, fences: Array) -> _Cells: ...
def sweep(
    pos: Array, neg: Array, pos_weights: Array | None, neg_weights: Array | None, corners: bool, floats: bool = False
) -> tuple[Array, Array, Array]: ...

def roc(
    pos: Array, neg: Array, pos_weights: Array | None, neg_weights: Array | None, corners: bool
) -> tuple[Array, Array, Array]: ...
def precision_recall(
    pos: Array, neg: Array, pos_weights: Array | None, neg_weights: Array | None, rising: bool = False
) -> tuple[Array, Array, Array]: ...

_Moments = tuple[int, float, float, float, float, float, float, float]

def losses(
    pos: Array, neg: Array, pos_weights: Array | None, neg_weights: Array | None, clip: float
) -> tuple[_Moments, _Moments, tuple[float, float, float]]: ...
def row_losses(
    scores: Array, codes: Array, positive: int, clip: float
) -> tuple[_Moments, _Moments, tuple[float, float, float], float, float, bool]: ...
_Joint = tuple[int, float, float, Array, float, float]
Pass = tuple[_Joint, _Joint, list[_Moments], tuple[float, float, float], list[_Joint], Array]

def regression(
    truth: Array,
    predicted: Array,
    weights: Array | None,
    kinds: list[tuple[str, float]],
    joint: bool,
    answers: list[tuple[int, float]] = ...,
    keep: bool = False,
) -> Pass: ...
def joint_moments(x: Array, y: Array, weights: Array | None) -> _Joint: ...
def means(first: Array, second: Array) -> tuple[float, float]: ...
def copied(first: Array, second: Array) -> Array: ...
def pick(values: Array, other: Array | None, first: float, last: float) -> tuple[int, Array]: ...
def loss_rows(truth: Array, predicted: Array, kind: str, parameter: float = 0.0) -> Array: ...
def scan_rows(
    scores: Array, codes: Array | None, ranked: bool = True
) -> tuple[Array, Array, Array, Array, float, float, int, int, float, int]: ...
def label_ranking(truth: Array, scores: Array) -> tuple[Array, Array]: ...
def label_counts(truth: Array, pred: Array, weights: Array | None = None) -> Array: ...
def label_pairs(truth: Array, pred: Array, weights: Array | None = None) -> Array: ...
def row_counts(truth: Array, pred: Array) -> Array: ...
def marks(matrix: Array) -> tuple[Array, bool]: ...
def own_rank(scores: Array, codes: Array) -> Array: ...
def own_lead(scores: Array, codes: Array) -> Array: ...
def coverage(truth: Array, scores: Array) -> Array: ...
def trapezoid(x: Array, y: Array) -> tuple[float, float, float]: ...
def pair_counts(scores: Array, codes: Array, weights: Array | None = None) -> Array: ...
def bin_sums(values: Array, weights: Array | None, cuts: Sequence[int]) -> Array: ...
def bootstrap(
    pos: Array,
    neg: Array,
    pos_weights: Array | None,
    neg_weights: Array | None,
    pos_keys: Array | None,
    neg_keys: Array | None,
    fixed: bool,
    losses: bool,
    clip: float,
    seed: int,
    first: int,
    count: int,
) -> NDArray[np.float64]: ...
def area_influences(
    pos: Array,
    neg: Array,
    pos_weights: Array | None,
    neg_weights: Array | None,
    scores: Array,
    positive: Array,
    area: float,
    positives: float,
    negatives: float,
) -> NDArray[np.float64]: ...
def precision_influences(
    thresholds: Array,
    tp: Array,
    fp: Array,
    scores: Array,
    positive: Array,
    ap: float,
    positives: float,
    total: float,
) -> NDArray[np.float64]: ...
def resampled_sums(
    n: int,
    columns: Sequence[tuple[Array | None, int, Array | None]],
    weights: Array | None,
    keys: Array | None,
    seed: int,
    first: int,
    count: int,
) -> NDArray[np.float64]: ...
def resampled_walks(
    pos: Array,
    neg: Array,
    pos_weights: Array | None,
    neg_weights: Array | None,
    pos_keys: Array | None,
    neg_keys: Array | None,
    fixed: bool,
    seed: int,
    first: int,
    count: int,
) -> NDArray[np.float64]: ...
def draws(seed: int, replicate: int, n: int, keys: Array | None = None, first: int = 0) -> NDArray[np.uint8]: ...

NEGATIVES_FROM: int

class Ids:
    def __len__(self) -> int: ...
    def text(self, row: int) -> str: ...

def fixed_codes(array: Array) -> tuple[Array, Array] | None: ...
def arrow_codes(capsule: object) -> tuple[Array, list[str]] | None: ...

def ids_fixed(array: Array) -> Ids | None: ...
def ids_integers(array: Array) -> Ids: ...
def ids_objects(column: tuple[Any, ...]) -> Ids: ...
def ids_arrow(capsule: object) -> Ids | None: ...
def rank_rows(
    queries: Array,
    count: int,
    scores: Array,
    ids: Ids | None,
    by_id: bool,
    beside: Array | None,
    judged: tuple[Array, Array, Array, Array, Ids] | None,
    ordered: bool = False,
) -> tuple[Array, Array, Array, int, int, Array, Array]: ...
def known_gains(starts: Array, gains: Array) -> tuple[Array, Array]: ...
def rank_measures(
    starts: Array,
    gains: Array,
    tied: Array | None,
    pool_starts: Array,
    pool: Array,
    asked: Sequence[tuple[str, float, float, float]],
    condensed: bool,
) -> tuple[Array, Array]: ...
