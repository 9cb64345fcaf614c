"""Runs test files with pytest, each in a process forked from this one, which has imported the large packages.

Reads lines of JSON, one for each run: `arguments` of pytest, the `folder` to work in, `variables` of the environment,
the `log` for the output, and `seconds` that it may take. Prints the exit status of each: 124 if the time ran out.
"""

import contextlib
import gc
import json
import os
import signal
import sys
import time

import numpy  # noqa: F401
import pytest

with contextlib.suppress(ImportError):
    import torch  # noqa: F401


def main() -> int:
    # Each process would visit torch's objects in every collection, and once more when it ends.
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        process = os.fork()
        if process == 0:
            return run(order)
        print(wait(process, order["seconds"]), flush=True)
    return 0


def run(order: dict) -> int:
    """Run pytest in this process, as `python -m pytest` would."""
    with open(os.devnull) as nothing, open(order["log"], "w") as log:
        os.dup2(nothing.fileno(), 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.environ.update(order["variables"])
    os.chdir(order["folder"])
    sys.path[0] = order["folder"]
    return int(pytest.main(order["arguments"]))


def wait(process: int, seconds: float) -> int:
    deadline = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return 124
        time.sleep(0.01)


if __name__ == "__main__":
    sys.exit(main())
