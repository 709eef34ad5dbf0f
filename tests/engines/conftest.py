"""One Spark session and one Dask cluster for all tests. `make test-engines` runs them; `make test` leaves them out."""

import os
import signal
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

if not os.environ.get("CALIPERS_ENGINES"):
    collect_ignore_glob = ["test_*.py"]


ENGINES = {
    "test_dask.py": "Dask",
    "test_spark.py": "Spark",
    "test_spark_without_retries.py": "Spark without retries",
    "test_spark_connect.py": "Spark Connect",
}
SEEN: set[str] = set()  # files
SKIPPED: dict[str, None] = {}  # what, and why, once each


def pytest_runtest_logreport(report):
    name = Path(report.nodeid.partition("::")[0]).name
    SEEN.add(name)
    if report.skipped:
        reason = report.longrepr[2].removeprefix("Skipped: ")
        SKIPPED[f"{ENGINES.get(name, name)} ({reason})"] = None


def pytest_collectreport(report):
    if report.skipped:
        pytest_runtest_logreport(report)


def pytest_deselected(items):
    SKIPPED[f"{len(items)} tests (deselected)"] = None


def pytest_unconfigure(config):
    """The last line: what did not run, and why."""
    if os.environ.get("CALIPERS_ENGINES") and not hasattr(config, "workerinput"):
        others = [f"{engine} (not selected)" for name, engine in ENGINES.items() if name not in SEEN]
        skipped = "; ".join([*SKIPPED, *others])
        print(f"Skipped: {skipped}" if skipped else f"Nothing was skipped: {', '.join(ENGINES.values())} ran.")


@pytest.fixture(scope="module")
def spark(request):
    """A session with the settings that the module names, else that of `calipers.spark.session`; all share a JVM."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    import calipers as cal
    import calipers.spark

    settings = {"spark__ui__showConsoleProgress": "false", "spark__log__level": "ERROR"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            session = calipers.spark.session(**settings, **getattr(request.module, "SETTINGS", {}))
        except cal.MissingExtra as error:
            pytest.skip(str(error))
    yield session
    session.stop()


@pytest.fixture
def kill_workers(monkeypatch):
    """A function: the first worker of Spark that has made the statistics of a partition is killed before it sends them.

    A file marks that it happened. The work is wrapped in a function, since workers cannot import a module of tests.
    """
    import calipers.spark

    def kill(marker):
        reduced = calipers.spark.Adapter.reduced

        def deadly(self, columns, work, together=None):
            def make(tables):
                state = work.make(tables)
                if not marker.exists():
                    marker.touch()
                    os.kill(os.getpid(), signal.SIGKILL)
                return state

            return reduced(self, columns, replace(work, make=make), together)

        monkeypatch.setattr(calipers.spark.Adapter, "reduced", deadly)

    return kill


@pytest.fixture(scope="session")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    client = distributed.Client(cluster, set_as_default=False)
    yield client
    client.close()
    cluster.close()
