"""A bundle of 1,000 kernels: its size, and time and memory to load it.

The library is loaded by a process that has the runtime already, as a server that loads its kernels would; memory is
what the process has more of afterwards, apart from what other processes could share.
"""

import os
import sys
import tempfile
from statistics import median

_COUNT = 1000
_PROCESSES = 5

_LOAD = """
import ctypes, json, os, sys, time
import numpy as np
from fairlead import cute
def memory():
    fields = dict(line.split(":") for line in open("/proc/self/smaps_rollup") if ":" in line)
    return sum(int(fields[name].split()[0]) for name in ("Private_Clean", "Private_Dirty"))
# Python and the loader read these for any first library.
cute.runtime.load_module(sys.argv[2])
before = memory()
start = time.perf_counter()
module = cute.runtime.load_module(sys.argv[1])
loaded = time.perf_counter()
function = module.f777
a, b = np.ones(8, np.float32), np.zeros(8, np.float32)
function(a, b)
called = time.perf_counter()
assert (b == 2).all()
print(json.dumps({"load": (loaded - start) * 1e3, "call": (called - loaded) * 1e3, "memory": memory() - before}))
"""


def make_bundle(folder: str, count: int) -> str:
    from compile_time import cute_function

    from fairlead import bundles, cute

    options = "--no-cache --target ptx:compute_80,cpu"
    function = cute_function(cute)(options)
    objects = os.path.join(folder, "objects")
    os.makedirs(objects)
    for index in range(count):
        function.export_to_c(os.path.join(objects, f"f{index}.o"), function_name=f"f{index}")
    return bundles.bundle([objects], os.path.join(folder, f"lib{count}.so")).library


def measure(rounds: int) -> list:
    from _processes import child, row

    with tempfile.TemporaryDirectory() as folder:
        first = make_bundle(os.path.join(folder, "first"), 1)
        library = make_bundle(os.path.join(folder, "many"), _COUNT)
        # The files are in memory: this measures loading, not the disk.
        runs = [child(sys.executable, _LOAD, library, first) for _ in range(_PROCESSES)]
        size = os.path.getsize(library)
    return [
        row(f"load a bundle of {_COUNT} kernels", median(r["load"] for r in runs), "ms"),
        row("its first call", median(r["call"] for r in runs), "ms"),
        row("private memory that it takes", median(r["memory"] for r in runs) / 1e3, "MB"),
        row("size of the library", size / 1e6, "MB", f"{size / _COUNT / 1e3:.1f} KB a kernel"),
    ]


if __name__ == "__main__":
    import _harness

    sys.exit(_harness.main(__doc__, measure, with_peers=False))
