"""The time that a hit of a remote cache takes beyond one of the local cache, with the server on this machine.

A process compiles programs that another one has put into the store: the first time each comes from there, the second
time from its folder. The first of all connects.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from statistics import median

_PROGRAMS = 40

_WORK = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from compile_time import cute_function
from fairlead import cute, Float32
@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        b[i] = a[i] + c
@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    kernel(a, b, c).launch(grid=((a.shape[0] + 63) // 64, 1, 1), block=(64, 1, 1))
n = cute.sym_int()
a, b = (cute.runtime.make_fake_compact_tensor(Float32, (n,)) for _ in range(2))
cute_function(cute)("--no-cache --target cpu")
times = {"first": [], "again": []}
for c in range(int(sys.argv[2])):
    for which in times:
        start = time.perf_counter()
        function = cute.compile(add, a, b, float(c), options="--target cpu")
        times[which].append((time.perf_counter() - start) * 1e3)
        cached = function.cached
        assert cached or which == "first"
    if sys.argv[3] == "reads":
        assert cached
print(json.dumps(times))
"""


def _redis(folder: str):
    """A server's process and its URL; None without one."""
    import importlib.util

    if shutil.which("redis-server") is None or importlib.util.find_spec("redis") is None:
        return None
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while True:
        assert server.poll() is None
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server, f"redis://127.0.0.1:{port}/0"
        except OSError:
            time.sleep(0.02)


def _rows(store: str, url: str, folder: str) -> list:
    from _processes import child, row

    here = os.path.dirname(os.path.abspath(__file__))
    work = os.path.join(folder, "work.py")  # kernels are in files
    with open(work, "w") as file:
        file.write(_WORK)
    key = os.path.join(folder, store)
    subprocess.run(
        [sys.executable, "-m", "fairlead", "key", "new", key],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    common = {
        "FAIRLEAD_NO_CACHE": "0",
        "CUTE_DSL_DISABLE_FILE_CACHING": "0",
        "FAIRLEAD_REMOTE_CACHE": url,
        "FAIRLEAD_REMOTE_CACHE_KEYS": f"{key}.pub",
    }
    child(
        sys.executable, work, here, str(_PROGRAMS), "writes", **common,
        FAIRLEAD_CACHE_DIR=f"{key}-writer", FAIRLEAD_REMOTE_CACHE_SIGN=f"{key}.key",
    )  # fmt: skip
    runs = [
        child(
            sys.executable, work, here, str(_PROGRAMS), "reads", **common,
            FAIRLEAD_CACHE_DIR=f"{key}-{number}",
        )
        for number in range(3)
    ]  # fmt: skip
    beyond = [
        first - again for run in runs for first, again in zip(run["first"][1:], run["again"][1:])
    ]
    connecting = median(run["first"][0] - run["again"][0] for run in runs)
    local = median(again for run in runs for again in run["again"])
    detail = f"best {min(beyond):.3f}; a local hit, tracing included, {local:.2f}; the first one {connecting:.1f}"
    return [row(f"a remote hit beyond a local one, {store}", median(beyond), "ms", detail)]


def measure(rounds: int) -> list:
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        os.mkdir(store)
        rows = _rows("folder", store, folder)
        if started := _redis(folder):
            server, url = started
            try:
                rows += _rows("redis", url, folder)
            finally:
                server.kill()
                server.wait()
        return rows


if __name__ == "__main__":
    import _harness

    sys.exit(_harness.main(__doc__, measure, with_peers=False))
