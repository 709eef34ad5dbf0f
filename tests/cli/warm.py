"""`calipers` as a process of its own, forked from one that has imported everything: it starts in 20 ms instead of 600.

Run as a script this is that process. It takes requests from the socket that is its standard input and forks for each;
the child becomes the command, with its own folder, environment, pipes and exit code, and nothing of it is kept.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache

import calipers

LIMIT = 60  # seconds
LOADED = ("scipy.special", "scipy.stats", "matplotlib.figure", "matplotlib.backends.backend_agg", "duckdb",
          "pyarrow.parquet")  # fmt: skip


def run(arguments, folder, environment, stdin=b"", absent=None):
    """What the command answered: .returncode, .stdout and .stderr; `absent` is a package that it does not find."""
    reader, writer = os.pipe()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start(arguments, folder, environment, [reader, out.fileno(), err.fileno()], absent)
        os.close(reader)
        threading.Thread(target=_feed, args=(writer, stdin), daemon=True).start()
        code = wait()
        texts = [(stream.seek(0), stream.read().decode())[1] for stream in (out, err)]
    return subprocess.CompletedProcess(arguments, code, *texts)


def start(arguments, folder, environment, streams, absent=None):
    """Start the command with these descriptors as its standard input, output and error."""
    request = json.dumps([arguments, str(folder), environment, absent]).encode()
    socket.send_fds(_server(), [len(request).to_bytes(4)], streams)
    _server().sendall(request)


def wait():
    """The exit code of the command that was started last."""
    return int.from_bytes(_server().recv(4), signed=True)


def _feed(writer, stdin):
    with contextlib.suppress(BrokenPipeError), open(writer, "wb") as pipe:
        pipe.write(stdin)


@cache
def _server():
    ours, theirs = socket.socketpair()
    ours.settimeout(LIMIT)
    process = subprocess.Popen([sys.executable, __file__], stdin=theirs)
    theirs.close()
    atexit.register(lambda: (ours.close(), process.wait()))
    return ours


def serve(requests):
    """Fork for each request; return in the child, where the process has become what was asked for."""
    while True:
        size, streams, *_ = socket.recv_fds(requests, 4, 3)
        if not size:
            sys.exit()
        request = b""
        while len(request) < int.from_bytes(size):
            request += requests.recv(65536)
        child = os.fork()
        if not child:
            requests.close()
            return become(streams, *json.loads(request))
        for stream in streams:
            os.close(stream)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        requests.sendall(code.to_bytes(4, signed=True))


def become(streams, arguments, folder, environment, absent):
    """The streams, arguments, folder, environment and packages of the process."""
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(place, mode, encoding="utf-8", closefd=False) for place, mode in enumerate("rww")
    )
    sys.argv = ["calipers", *arguments]
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    if absent:
        sys.modules[absent] = None


if __name__ == "__main__":
    connection = socket.socket(fileno=os.dup(0))
    ours = (module.name for module in pkgutil.walk_packages(calipers.__path__, "calipers."))
    for name in (*LOADED, *(name for name in ours if not name.endswith((".make", ".__main__")))):
        importlib.import_module(name)
    gc.freeze()
    serve(connection)
    try:
        calipers.cli.main()
    except SystemExit as done:  # taking down what was imported would take longer than the command
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(done.code)
