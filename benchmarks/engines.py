"""Spark and Dask at 1 and 10 million rows, Dask also at 100: Calipers against MLlib, and Dask on one and two processes.

python benchmarks/engines.py [--rows MILLIONS ...] [--only spark|dask] [--write]
--write puts the table into docs/spark-dask.md.
Processor time is that of the process and of all processes below it, workers and the virtual machine included.
"""

import argparse
import os
import tempfile
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from statistics import median_low

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import calipers as cal
import calipers.spark
from timing import MILLION, machine

PAGE = Path(__file__).parents[1] / "docs" / "spark-dask.md"
BEGIN, END = "<!-- make bench-engines writes this table -->\n", "<!-- end of the table -->"
HEAD = "| rows | what | time | CPU | |\n|--:|---|--:|--:|---|\n"
PARTS = 10  # at least
PER_PART = 4 * MILLION  # rows at most, which are 100 MB: the size that the best practices of Dask suggest
RUNS = 15  # of Dask on each side, which take about a second each; of more rows than Spark gets, fewer
MOST_FOR_SPARK = 10 * MILLION  # MLlib takes minutes for these
TICK = os.sysconf("SC_CLK_TCK")
CALIPERS = "Calipers: all metrics with intervals"


def made(folder, rows):
    """Files of labels, scores and predictions; each score distinct."""
    place = Path(folder) / f"{rows}"
    place.mkdir()
    parts = max(PARTS, rows // PER_PART)
    for part in range(parts):
        rng = np.random.default_rng(part)
        y = rng.integers(0, 2, rows // parts)
        p = 1 / (1 + np.exp(-rng.normal(2.0 * y - 1)))
        table = pa.table({"y": y.astype(float), "p": p, "guess": (p >= 0.5).astype(float)})
        pq.write_table(table, place / f"part-{part}.parquet")
    return str(place)


def processor_time():
    """Seconds of this process and of all below it, those that ended included."""
    spent, parents = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            cells = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):  # it has ended, and its parent has its time
            continue
        pid = int(stat.parent.name)
        parents[pid], spent[pid] = int(cells[1]), sum(map(int, cells[11:15])) / TICK
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(spent[pid] for pid in below)


def timed(what):
    """The answer, seconds and processor time of a call."""
    before, start = processor_time(), time.perf_counter()
    answer = what()
    return answer, time.perf_counter() - start, processor_time() - before


def labels_by_mllib(frame):
    """The usual metrics of labels, each by the evaluator that users call."""
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator

    of = MulticlassClassificationEvaluator(predictionCol="guess", labelCol="y")
    names = ("accuracy", "f1", "weightedPrecision", "weightedRecall")
    return [of.evaluate(frame, {of.metricName: name}) for name in names]


def area_by_mllib(frame, name):
    """The area under a curve, of 1,000 bins: its default."""
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    of = BinaryClassificationEvaluator(rawPredictionCol="p", labelCol="y")
    return of.evaluate(frame, {of.metricName: name})


def by_calipers(frame):
    """Every metric of a binary model, with intervals."""
    ev = cal.evaluate(frame, truth="y", score="p")
    assert all(each.low <= each.high for each in ev.values())
    return float(ev["roc_auc"]), float(ev["ap"]), float(ev["accuracy"])


def of_spark(path, rows):
    """Lines of Spark, both sides warm: each is run on a tenth of the rows before."""
    spark = calipers.spark.session(2, spark__driver__memory="4g", spark__ui__showConsoleProgress="false")
    frame, tenth = spark.read.parquet(path), spark.read.parquet(f"{path}/part-0.parquet")
    calls = {
        "MLlib: AUC": lambda rows: area_by_mllib(rows, "areaUnderROC"),
        "MLlib: area under PR": lambda rows: area_by_mllib(rows, "areaUnderPR"),
        "MLlib: accuracy, F1, precision, recall": labels_by_mllib,
        CALIPERS: by_calipers,
    }
    for call in calls.values():
        call(tenth)
    found = {what: timed(lambda: call(frame)) for what, call in calls.items()}  # noqa: B023
    auc, area, (accuracy, *_), ours = (answer for answer, *_ in found.values())
    for theirs, value, tolerance in zip((auc, area, accuracy), ours, (1e-3, 1e-3, 1e-12), strict=True):
        assert abs(theirs - value) < tolerance, (theirs, value)
    *theirs, (what, ours) = ((what, spent) for what, (_, *spent) in found.items())
    together = [sum(each) for each in zip(*(spent for _, spent in theirs), strict=True)]
    for of, spent in theirs:
        yield f"Spark, {of}", *spent, ""
    yield "Spark, MLlib: these together", *together, ""
    yield f"Spark, {what}", *ours, f"{ours[1] / together[1]:.3f} of MLlib's CPU"


def of_dask(path, rows):
    """Lines of Dask: one process and two in turns, the best of several runs; a task has one thread.

    Driver, scheduler and workers share the cores, so that two processes cannot take less time than the processor time
    of all processes divided by the number of cores.
    """
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    frame = dd.read_parquet(path)
    with ExitStack() as both:
        clients = {}
        for count in (1, 2):
            cluster = LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)
            clients[count] = both.enter_context(Client(both.enter_context(cluster), set_as_default=False))
            clients[count].run(__import__, "calipers.partitions.evaluate_frame")  # as on a cluster that has run
        os.environ.pop("OMP_NUM_THREADS", None)  # which a local cluster sets for its workers, here too
        for what, call in {"NumPy: the scores sorted in each partition": by_numpy, CALIPERS: by_calipers}.items():
            runs = {count: [] for count in clients}
            for turn in range((RUNS if rows <= MOST_FOR_SPARK else RUNS // 3) + 1):
                for count, client in clients.items():
                    with client.as_current():
                        _, *spent = timed(lambda: call(frame))  # noqa: B023
                    runs[count] += [spent] if turn else []  # the first one warms
            yield from of_processes(what, runs)


def by_numpy(frame):
    """What Dask does alone: the least score of each partition, by a sort, without work of the driver."""
    least = frame[["y", "p"]].map_partitions(lambda rows: np.sort(rows["p"].to_numpy())[0], meta=(None, float))
    return least.compute().min()


def of_processes(what, runs):
    """The lines of one process and of two."""
    best, middle = ({count: of(runs[count]) for count in runs} for of in (min, median_low))
    cores = len(os.sched_getaffinity(0))
    against = f"{best[1][0] / best[2][0]:.2f}x as fast (medians: {middle[1][0] / middle[2][0]:.2f}x, "
    against += f"and {cores * middle[1][0] / middle[2][1]:.2f}x if no core were ever idle)"
    yield f"Dask, 1 process, {what}", *best[1], ""
    yield f"Dask, 2 processes, {what}", *best[2], against


def written(lines):
    """Put the table into the guide."""
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    here = "; ".join(machine().strip().splitlines()[:2])
    PAGE.write_text(f"{before}{BEGIN}{HEAD}{''.join(lines)}\n{here}.\n{END}{after}", encoding="utf-8")


def main():
    """Measure, print, and write the table where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 10, 100], help="in millions")
    parser.add_argument("--only", choices=("spark", "dask"), help="one engine")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore", FutureWarning)
    engines = {"spark": of_spark, "dask": of_dask}
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in (n * MILLION for n in options.rows):
            path = made(folder, rows)
            asked = [options.only] if options.only else engines
            for of in (engines[name] for name in asked if name == "dask" or rows <= MOST_FOR_SPARK):
                for what, seconds, cpu, against in of(path, rows):
                    lines.append(f"| {rows // MILLION} M | {what} | {seconds:.3g} s | {cpu:.3g} s | {against} |\n")
                    print(lines[-1], end="", flush=True)
            if options.write:  # after each size, since the largest takes minutes
                written(lines)


if __name__ == "__main__":
    main()
