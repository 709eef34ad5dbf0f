"""Threads that fail, that do not start, that are not there after a fork, and how many there are."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from calipers import _native


@pytest.mark.parametrize("row", [0, 120_000, 199_999])
@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_an_exception_in_any_block_comes_to_the_caller(monkeypatch, row, threads):
    monkeypatch.setenv("CALIPERS_THREADS", threads)
    scores, codes = np.full((200_000, 4), 0.25), np.zeros(200_000, np.uint8)
    codes[row] = 9
    for _ in range(20):
        with pytest.raises(ValueError, match=r"^a code has no column$"):
            _native.scan_rows(scores, codes)


def run(code, **settings):
    environment = {**os.environ, "CALIPERS_THREADS": "4", **settings}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=environment, check=False
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory by /proc and RLIMIT_AS")
def test_threads_that_do_not_start_are_done_without():
    # A thread's stack takes 8 MiB, more than there is left.
    result = run(
        """
        import resource
        import threading
        import numpy as np
        from calipers import _native
        codes = np.random.default_rng(0).integers(0, 2, 1_000_000).astype(np.uint8)
        expected = np.bincount(codes)
        pages = int(open("/proc/self/statm").read().split()[0])
        limit = pages * resource.getpagesize() + (4 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        try:
            threading.Thread(target=print).start()
        except RuntimeError:
            print("no thread")
        print((_native.bincount(codes, 2) == expected).all())
        """
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "no thread\nTrue\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_may_use_threads_again():
    result = run(
        """
        import os
        import numpy as np
        from calipers import _native
        codes = np.zeros(1_000_000, np.uint8)
        _native.bincount(codes, 1)
        child = os.fork()
        if child == 0:
            os._exit(0 if _native.bincount(codes, 1)[0] == 1_000_000 else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert (result.returncode, result.stdout) == (0, "0\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forks_while_other_threads_work():
    result = run(
        """
        import os, threading
        import numpy as np
        from calipers import _native
        codes, stop = np.zeros(1_000_000, np.uint8), threading.Event()
        def work():
            while not stop.is_set():
                _native.bincount(codes, 1)
        others = [threading.Thread(target=work) for _ in range(3)]
        for other in others: other.start()
        ends = []
        for _ in range(30):
            child = os.fork()
            if child == 0:
                os._exit(0 if _native.bincount(codes, 1)[0] == 1_000_000 else 1)
            ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        stop.set()
        for other in others: other.join()
        print(set(ends))
        """
    )
    assert (result.returncode, result.stdout) == (0, "{0}\n")


def test_many_callers_at_once_get_their_own_answers():
    result = run(
        """
        from concurrent.futures import ThreadPoolExecutor
        import numpy as np
        from calipers import _native
        def count(k):
            codes = np.full(300_000 + k, k, np.uint8)
            return all(_native.bincount(codes, 9)[k] == 300_000 + k for _ in range(20))
        print(all(ThreadPoolExecutor(8).map(count, range(9))))
        """
    )
    assert (result.returncode, result.stdout) == (0, "True\n")


COUNT = """
    from calipers import _native
    print(_native.threads())
"""


@pytest.mark.parametrize(
    ("setting", "expected"), [("1", 1), ("3", 3), ("256", 256), ("20000", max(256, os.cpu_count())), (f"{2**70}", None)]
)
def test_a_number_of_threads_is_taken_up_to_a_limit(setting, expected):
    assert run(COUNT, CALIPERS_THREADS=setting).stdout == f"{expected or max(256, os.cpu_count())}\n"


@pytest.mark.parametrize("setting", ["", "0", "-2", "many", "2.5", "4 threads"])
def test_what_is_no_number_of_threads_is_as_if_unset(setting):
    assert run(COUNT, CALIPERS_THREADS=setting).stdout == run(COUNT, CALIPERS_THREADS="").stdout


def test_an_absurd_number_of_threads_takes_no_time():
    result = run(
        """
        import time
        import numpy as np
        from calipers import _native
        codes = np.zeros(5_000_000, np.uint8)
        start = time.process_time()
        assert _native.bincount(codes, 1)[0] == 5_000_000
        assert time.process_time() - start < 5
        """,
        CALIPERS_THREADS="20000",
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_affinity_and_the_threads_of_other_libraries_are_limits():
    one_cpu = "import os\nos.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n" + textwrap.dedent(COUNT)
    assert run(one_cpu, CALIPERS_THREADS="").stdout == "1\n"
    assert run(COUNT, CALIPERS_THREADS="", OMP_NUM_THREADS="1").stdout == "1\n"
    assert run(COUNT, CALIPERS_THREADS="3", OMP_NUM_THREADS="1").stdout == "3\n"


# The line of /proc/self/cgroup, and the files, of each version of control groups.
QUOTAS = {
    "version 2": ("0::/", {"cpu.max": "100000 100000"}),
    "version 1": (":cpu", {"cpu/cpu.cfs_quota_us": "50000", "cpu/cpu.cfs_period_us": "100000"}),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no control groups on this system")
@pytest.mark.parametrize("version", QUOTAS)
def test_a_quota_of_cpu_time_is_a_limit(tmp_path, version):
    """The files lie over the real ones in a mount namespace of the test's own."""
    line, files = QUOTAS[version]
    if line not in Path("/proc/self/cgroup").read_text():
        pytest.skip(f"no control groups of {version} here")
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    mounted = f'mount --bind {tmp_path} /sys/fs/cgroup && "$0" "$@"'
    hidden = ["unshare", "--map-root-user", "--mount", "sh", "-c", mounted]
    if subprocess.run([*hidden, "true"], capture_output=True, check=False).returncode:
        pytest.skip("mount namespaces are not allowed here")
    environment = {**os.environ, "CALIPERS_THREADS": ""}
    command = [*hidden, sys.executable, "-c", textwrap.dedent(COUNT)]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (result.stdout, result.stderr) == ("1\n", "")


def test_workers_of_joblib_share_the_cpus():
    result = run(
        """
        import os
        from joblib import Parallel, delayed, cpu_count
        from calipers import _native
        def threads():
            from calipers import _native
            return _native.threads()
        workers = cpu_count()
        print(set(Parallel(n_jobs=workers)(delayed(threads)() for _ in range(4))) if workers > 1 else {1})
        """,
        CALIPERS_THREADS="",
    )
    assert (result.returncode, result.stdout) == (0, "{1}\n")
