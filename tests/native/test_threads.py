"""Threads that fail, that do not start, and that are not there after a fork."""

import os
import subprocess
import sys
import textwrap

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


def run(code):
    environment = {**os.environ, "CALIPERS_THREADS": "4"}
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
