"""Python programs in processes that are forked from one which has imported NumPy and torch: that takes longer than most
of the programs.

For programs that import torch anyway. `fairlead` is imported by each of them.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import types
from pathlib import Path


def run(*arguments: object, cwd: object = None) -> subprocess.CompletedProcess[str]:
    """Run `python arguments`, which begin with `-m MODULE`, `-c TEXT` or the path of a script, and capture its output.
    The environment is that of this process, except for variables that torch and Python read at their start."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [f"{folder}/{name}" for name in ("stdout", "stderr")]
        order = {
            "arguments": [str(argument) for argument in arguments],
            "folder": str(cwd or os.getcwd()),
            "variables": dict(os.environ),
            "outputs": outputs,
        }
        status = _status_of(json.dumps(order))
        out, errors = (Path(path).read_text() for path in outputs)
    return subprocess.CompletedProcess(order["arguments"], status, out, errors)


def _status_of(order: str) -> int:
    server = _server()
    try:
        server.stdin.write(order + "\n")
        server.stdin.flush()
        return int(server.stdout.readline())
    except BaseException:  # such as the time limit of a test: the next order starts another server
        _end(server)
        raise


@functools.cache
def _server() -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    atexit.register(_end, server)
    return server


def _end(server: subprocess.Popen[str]) -> None:
    """End the server and its programs."""
    _server.cache_clear()
    atexit.unregister(_end)
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _serve() -> None:
    """Read orders, one a line, and print the status of each program. Also returns in the processes of programs."""
    import numpy  # noqa: F401
    import torch  # noqa: F401

    # Each process would visit torch's objects in every collection, and once more when it ends.
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        process = os.fork()
        if process == 0:
            _run(order)
            return
        status = os.waitpid(process, 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run(order: dict) -> None:
    """Run the program in this process."""
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    for descriptor, path in enumerate(order["outputs"], 1):
        with open(path, "w") as file:
            os.dup2(file.fileno(), descriptor)
    os.environ.clear()
    os.environ.update(order["variables"])
    os.chdir(order["folder"])
    kind, *rest = order["arguments"]
    if kind == "-m":
        sys.argv, sys.path[0] = rest, order["folder"]
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv, sys.path[0] = ["-c", *rest[1:]], ""
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), vars(module))
    else:
        sys.argv, sys.path[0] = [kind, *rest], os.path.dirname(os.path.abspath(kind))
        runpy.run_path(kind, run_name="__main__")


if __name__ == "__main__":
    _serve()
