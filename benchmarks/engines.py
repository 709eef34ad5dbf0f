"""Spark and Dask at 1 and 10 million rows: Calipers against MLlib, and Dask on one and two processes.

python benchmarks/engines.py [--rows MILLIONS ...] [--write]: --write puts the table into docs/spark-dask.md.
Processor time is that of the process and of all processes below it, workers and the virtual machine included.
"""

import argparse
import os
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import calipers as cal
import calipers.spark
from timing import MILLION, machine

PAGE = Path(__file__).parents[1] / "docs" / "spark-dask.md"
BEGIN, END = "<!-- make bench-engines writes this table -->\n", "<!-- end of the table -->"
HEAD = "| rows | what | time | CPU |\n|--:|---|--:|--:|\n"
PARTS = 10
TICK = os.sysconf("SC_CLK_TCK")


def made(folder, rows):
    """Files of labels, scores and predictions; each score distinct."""
    place = Path(folder) / f"{rows}"
    place.mkdir()
    for part in range(PARTS):
        rng = np.random.default_rng(part)
        y = rng.integers(0, 2, rows // PARTS)
        p = 1 / (1 + np.exp(-rng.normal(2.0 * y - 1)))
        table = pa.table({"y": y.astype(float), "p": p, "guess": (p >= 0.5).astype(float)})
        pq.write_table(table, place / f"part-{part}.parquet")
    return str(place)


def processor_time(pid=None):
    """Seconds of a process and of all below it, those that ended included."""
    pid = pid or os.getpid()
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    below = [each for task in Path(f"/proc/{pid}/task").iterdir() for each in (task / "children").read_text().split()]
    total = sum(map(int, stat[11:15])) / TICK
    for child in below:
        try:
            total += processor_time(int(child))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return total


def timed(what):
    """The answer, seconds and processor time of a call."""
    before, start = processor_time(), time.perf_counter()
    answer = what()
    return answer, time.perf_counter() - start, processor_time() - before


def by_mllib(frame):
    """AUC, area under PR, and the usual metrics of labels."""
    from pyspark.ml.evaluation import BinaryClassificationEvaluator, MulticlassClassificationEvaluator

    scored = BinaryClassificationEvaluator(rawPredictionCol="p", labelCol="y")
    labelled = MulticlassClassificationEvaluator(predictionCol="guess", labelCol="y")
    areas = [scored.evaluate(frame, {scored.metricName: name}) for name in ("areaUnderROC", "areaUnderPR")]
    names = ("accuracy", "f1", "weightedPrecision", "weightedRecall")
    return [*areas, *(labelled.evaluate(frame, {labelled.metricName: name}) for name in names)]


def by_calipers(frame):
    """Every metric of a binary model, with intervals."""
    ev = cal.evaluate(frame, truth="y", score="p")
    return [(float(each), each.low, each.high) for each in ev.values()], float(ev["roc_auc"])


def of_spark(path, rows):
    """Lines of Spark: MLlib, then Calipers."""
    spark = calipers.spark.session(2, spark__driver__memory="4g", spark__ui__showConsoleProgress="false")
    frame = spark.read.parquet(path)
    frame.limit(1000).toArrow()
    by_calipers(frame.limit(1000))  # workers start and import once, as those of a cluster
    (_, auc), *ours = timed(lambda: by_calipers(frame))
    theirs_found, *theirs = timed(lambda: by_mllib(frame))
    assert abs(theirs_found[0] - auc) < 1e-3, (theirs_found[0], auc)  # MLlib takes 1,000 bins
    yield f"| {rows // MILLION} M | Spark: MLlib, AUC + area under PR + 4 metrics of labels", *theirs
    yield f"| {rows // MILLION} M | Spark: Calipers, all metrics with intervals", *ours


def of_dask(path, rows):
    """Lines of Dask: one process, then two."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    for count in (1, 2):
        with (
            LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as _,
        ):
            frame = dd.read_parquet(path)
            by_calipers(frame.partitions[:2])  # as above
            _, *ours = timed(lambda: by_calipers(frame))  # noqa: B023
        yield f"| {rows // MILLION} M | Dask: Calipers, {count} process{'es' * (count > 1)}", *ours


def main():
    """Measure, print, and write the table where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 10], help="in millions")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore", FutureWarning)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in (n * MILLION for n in options.rows):
            path = made(folder, rows)
            for of in (of_spark, of_dask):
                for line, seconds, cpu in of(path, rows):
                    lines.append(f"{line} | {seconds:.1f} s | {cpu:.1f} s |\n")
                    print(lines[-1], end="", flush=True)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.partition(BEGIN)[0], page.partition(END)[2]
        PAGE.write_text(f"{before}{BEGIN}{HEAD}{''.join(lines)}\n{machine()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
