"""Calipers and scikit-learn on the same arrays in the same run: python benchmarks/bench.py [OPTIONS].

Every row first checks that both sides give the same numbers (1e-12 relative, 1e-6 in single precision); a
disagreement ends the run with exit code 1. Calls are interleaved and the best time of each side counts. Targets
"30x" say how many times faster than scikit-learn a row is to be; targets "<= 1.6" bound the cost of a row in units of
the yardstick that its name gives. --write puts the table into docs/speed.md, and ten of its rows, with the claim that
they support, into README.md.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import calipers as cal
import dropin
import files
import processes
import ranking
import regression
import resampling
import validation
from arrays import KINDS, classes, matrix, predicted, scored
from calipers.statistics.sorting import sorted_samples
from markers import replaced
from sklearn import metrics as sk
from timing import MILLION, Numbers, Row, line, machine, measure, seconds, size

ROOT = Path(__file__).parents[1]
HEAD = "| work | ours | scikit-learn, or yardstick | ratio | target | met |\n|---|--:|--:|--:|--:|---|"
IN_README = {
    "roc_auc, 10 M", "roc_auc, 1 M", "average_precision, 1 M", "ROC curve, 1 M", "PR curve, 1 M",
    "roc_auc, ovr macro, 20,000 x 50", "confusion, 10 classes, 1 M, int64",
    "precision, recall, F1 of 10 classes and averaged, 1 M, int64", "log_loss, 1 M", "f1, 1 M",
}  # fmt: skip

# What is timed where one call does not say it


REPORTED = "precision", "recall", "f1"


def report(y: Any, p: Any) -> Numbers:
    """Every per-class and averaged value of one evaluation."""
    ev = cal.evaluate(y, p)
    each = [c[m] for c in ev.classes.values() for m in REPORTED]
    return each + [ev[f"{m}(average={a})"] for a in ("macro", "weighted", "micro") for m in REPORTED]


def sk_report(y: Any, p: Any) -> Numbers:
    report = sk.classification_report(y, p, output_dict=True)
    lines = [v for v in report.values() if isinstance(v, dict)]
    return [v[m] for v in lines for m in ("precision", "recall", "f1-score")] + [report["accuracy"]] * 3


def curve(kind: str, columns: tuple[str, ...], y: Any, s: Any) -> Numbers:
    """With no metrics= every estimate waits until it is read, so this is the sort and the curve alone."""
    c = cal.evaluate(y, s).curve(kind)
    return [c[name] for name in columns]


def sk_pr(y: Any, s: Any) -> Numbers:
    """Theirs runs upwards and ends in a point (1, 0) that has no threshold."""
    precision, recall, threshold = sk.precision_recall_curve(y, s)
    return precision[-2::-1], recall[-2::-1], threshold[::-1]


def everything(y: Any, s: Any, *yardstick: Any) -> Numbers:
    """Every headline metric with both bounds."""
    ev = cal.evaluate(y, s)
    assert all(ev[name].low <= ev[name].high for name in ev)
    return [ev[name] for name in ("roc_auc", "average_precision", "log_loss", "brier")]


def sk_everything(y: Any, s: Any, *yardstick: Any) -> Numbers:
    return [f(y, s) for f in (sk.roc_auc_score, sk.average_precision_score, sk.log_loss, sk.brier_score_loss)]


def with_threads(count: int, y: Any, s: Any) -> Numbers:
    """The same on this many threads."""
    before = os.environ.get("CALIPERS_THREADS")
    os.environ["CALIPERS_THREADS"] = str(count)
    try:
        return everything(y, s)
    finally:
        if before is None:
            del os.environ["CALIPERS_THREADS"]
        else:
            os.environ["CALIPERS_THREADS"] = before


def weighted(y: Any, s: Any, w: Any) -> Numbers:
    """Every headline metric with both bounds, of rows with weights."""
    ev = cal.evaluate(y, s, weights=w)
    assert all(ev[name].low <= ev[name].high for name in ev)
    return [ev[name] for name in ("roc_auc", "average_precision", "log_loss", "brier")]


def sk_weighted(y: Any, s: Any, w: Any) -> Numbers:
    measures = sk.roc_auc_score, sk.average_precision_score, sk.log_loss, sk.brier_score_loss
    return [f(y, s, sample_weight=w) for f in measures]


def sort(s: Any, codes: Any, *yardstick: Any) -> Numbers:
    """The split and the sort alone."""
    got = sorted_samples(s, codes, 1)
    return got.pos, got.neg


def sorted_by_numpy(s: Any, codes: Any, *yardstick: Any) -> Numbers:
    return np.sort(s[codes == 1]), np.sort(s[codes != 1])


def few(kind: str, n: int) -> tuple:
    """Scores of few distinct values, the labels as codes, and distinct scores beside them."""
    y, values, _, s = KINDS[kind](n)
    return values, y.astype(np.uint8), s


def confusion(y: Any, p: Any) -> Numbers:
    return cal.evaluate(y, p, metrics=["accuracy"]).confusion.counts


def one(metric: str, y: Any, s: Any) -> Numbers:
    return cal.evaluate(y, s, metrics=[metric])[metric]


# The table


def rows() -> Iterator[Row]:
    m, million, fifty = cal.metrics, partial(scored, MILLION), partial(matrix, 20_000, 50)
    for n, target in ((10 * MILLION, "30x"), (MILLION, "30x"), (100, "40x")):
        yield Row(f"roc_auc, {size(n)}", target, partial(scored, n), m.roc_auc, sk.roc_auc_score)
    yield Row("average_precision, 1 M", "20x", million, m.average_precision, sk.average_precision_score)
    yield Row("ROC curve, 1 M", "18x", million, partial(curve, "roc", ("fpr", "tpr", "threshold")), sk.roc_curve)
    yield Row("PR curve, 1 M", "18x", million, partial(curve, "pr", ("precision", "recall", "threshold")), sk_pr)
    kinds = (("int64", "50x"), ("'U' strings", "20x"), ("shared str objects", "100x"), ("a str object each", "20x"))
    for kind, target in kinds:
        make = partial(classes, MILLION, kind)
        yield Row(f"confusion, 10 classes, 1 M, {kind}", target, make, confusion, sk.confusion_matrix)
    for kind, target in (("int64", "80x"), ("'U' strings", "40x")):
        make = partial(classes, MILLION, kind)
        yield Row(f"precision, recall, F1 of 10 classes and averaged, 1 M, {kind}", target, make, report, sk_report)
    yield Row("log_loss, 1 M", "20x", million, m.log_loss, sk.log_loss)
    yield Row("brier, 1 M", "20x", million, m.brier, sk.brier_score_loss)
    for n, target in ((MILLION, "50x"), (100, "30x")):
        yield Row(f"f1, {size(n)}", target, partial(predicted, n), m.f1, sk.f1_score)
        yield Row(f"mcc, {size(n)}", target, partial(predicted, n), m.mcc, sk.matthews_corrcoef)
        pair = m.balanced_accuracy, sk.balanced_accuracy_score
        yield Row(f"balanced_accuracy, {size(n)}", target, partial(predicted, n), *pair)
    for how, target in (("ovr", "14x"), ("ovo", "30x")):
        ours = partial(one, {"ovr": "roc_auc(average=macro)", "ovo": "roc_auc_ovo"}[how])
        peer = partial(sk.roc_auc_score, multi_class=how)
        yield Row(f"roc_auc, {how} macro, 20,000 x 50", target, fifty, ours, peer)
    peer = partial(sk.top_k_accuracy_score, k=5)
    yield Row("top 5, 50,000 x 1,000", "30x", partial(matrix, 50_000, 1000), partial(one, "top_k(k=5)"), peer)
    for n in (MILLION, 10 * MILLION):
        for dtype, most, close in (("float64", "<= 1.6", 1e-12), ("float32", "<= 2.2", 1e-6)):
            what, then = f"evaluate, all bounds, {size(n)} {dtype}", (sk_everything, close)
            make = partial(scored, n, dtype)
            yield Row(f"{what} / np.sort", most, make, everything, lambda y, s: np.sort(s), *then)
            beside = lambda _y, _s, y, s: everything(y, s)  # noqa: E731
            for kind, values in KINDS.items():
                most, make = "<= 1.0" if kind == "ordered" else "<= 0.5", partial(values, n, dtype)
                yield Row(f"{what}, {kind} / continuous", most, make, everything, beside, *then)
        what = f"evaluate, all bounds, {size(n)} float64, two threads, beside one"
        pair = partial(with_threads, 2), partial(with_threads, 1)
        yield Row(what, "1.7x" if n > MILLION else "1.5x", partial(scored, n), *pair, sk_everything)
    make = lambda: (*scored(MILLION), np.random.default_rng(0).random(MILLION) + 0.5)  # noqa: E731
    what, plain = "evaluate, all bounds, 1 M, with weights / without", lambda y, s, w: everything(y, s)
    yield Row(what, "<= 2.0", make, weighted, plain, sk_weighted, 1e-9)
    for kind in (kind for kind in KINDS if "values" in kind):
        what, make = f"sort, 1 M, {kind} / distinct scores", partial(few, kind, MILLION)
        yield Row(what, "<= 0.5", make, sort, lambda _s, codes, s: sort(s, codes), sorted_by_numpy)
    yield from regression.rows()


def in_processes(run: Callable[..., str], repeats: int) -> Iterator[str]:
    """What starts anew each time: imports, and the shell."""
    plain, used, numpy, bare, loaded = processes.imports(run, repeats)
    yield line("import calipers / import numpy", "<= 1.3", plain, numpy, seconds)
    yield line("import calipers and name calipers.evaluate / import numpy", "<= 1.3", used, numpy, seconds)
    yield line("the same, less a bare python", "<= 1.3", used - bare, numpy - bare, seconds)
    help_, evaluate, numpy = files.start_up(run, repeats)
    yield line("calipers --help / import numpy", "<= 1.0", help_, numpy, seconds)
    yield line("calipers evaluate, 1000 rows / import numpy", "<= 6.0", evaluate, numpy, seconds)
    work = "calipers evaluate, 10 M rows of CSV, beside polars and scikit-learn's AUC, F1 and matrix"
    yield line(work, "3x", *files.ten_million(run, max(1, repeats // 5)), seconds)
    print(f"\ncalipers.evaluate loads, outside the standard library: {', '.join(sorted(loaded))}")
    if loaded & processes.HEAVY:
        sys.exit(f"import calipers loads {', '.join(sorted(loaded & processes.HEAVY))}")


def lines(selected: Callable[[str], bool], quick: bool) -> Iterator[str]:
    """The rows of the table, each when it was measured."""
    for row in (*rows(), *ranking.rows(), *validation.rows()):
        if selected(row.work):
            yield measure(row, 0.5 if quick else 3.0)
    if selected(resampling.WORK):
        yield resampling.table(*scored(MILLION))
    if selected(work := "peak memory of evaluate, all bounds, 10 M float64 / its inputs"):
        yield line(work, "<= 3.0", *processes.peak_memory(), lambda b: f"{b / 1e6:.0f} MB")
    for kind, peak, inputs in files.memory() if selected("peak memory of calipers evaluate") else ():
        work = f"peak memory of calipers evaluate, whole process, 10 M {kind} / its two columns"
        yield line(work, "<= 3.0", peak, inputs, lambda b: f"{b / 1e6:.0f} MB")
    if selected("import calipers / import numpy, the shell"):
        with processes.installed() as run:
            yield from in_processes(run, 3 if quick else 10)


CLAIM = re.compile(r"\d+ to \d+ times as fast as scikit-learn")


def written(measured: list[str]) -> None:
    """Put the table into the guide, and the rows that matter most into the README."""
    here = "; ".join(machine().strip().splitlines())
    replaced(ROOT / "docs/speed.md", "speed", "\n".join((f"{here}.\n", HEAD, *measured)))
    cells = [row.strip("| ").split(" | ") for row in measured]
    few = [row[:4] for row in cells if row[0] in IN_README]
    table = [f"| {' | '.join(row)} |" for row in few]
    head = "| work | ours | scikit-learn | ratio |\n|---|--:|--:|--:|"
    readme = ROOT / "README.md"
    cpu, versions, *_ = here.split("; ")
    replaced(readme, "speed", "\n".join((head, *table, f"\n{cpu}; {versions}. [More measurements](docs/speed.md).")))
    ratios = sorted(float(ratio.rstrip("x")) for *_, ratio in few)
    claim = f"{ratios[0]:.0f} to {ratios[-1]:.0f} times as fast as scikit-learn"
    readme.write_text(CLAIM.sub(claim, readme.read_text(encoding="utf-8")), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="rows whose name contains a WORD")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--write", action="store_true", help="write the tables of docs/speed.md and README.md")
    options = parser.parse_args()
    if options.write and (options.only or options.quick):
        parser.error("--write needs the whole table: leave out --only and --quick")

    def selected(work: str) -> bool:
        return not options.only or any(word in work for word in options.only)

    print(HEAD, flush=True)
    measured = []
    for row in lines(selected, options.quick):
        measured.append(row)
        print(row, flush=True)
    dropin.table(selected, 0.3 if options.quick else 1.5)
    print(machine())
    if options.write:
        written(measured)


if __name__ == "__main__":
    main()
