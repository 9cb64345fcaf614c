"""Time of load_inline of a small C++ library: built, found in a new process, and found again in the same one."""

import sys
import tempfile
from pathlib import Path
from statistics import median

import _harness
from _harness import Row, peers_python
from _processes import child, row

_ROUNDS = 5
_SOURCE = """
void add_one(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
  for (int64_t i = 0; i < x.numel(); ++i)
    static_cast<float*>(y.data_ptr())[i] = static_cast<float*>(x.data_ptr())[i] + 1;
}
"""
_TIMED = """
import json, sys, time
from PACKAGE import cpp
source = sys.argv[1]
def load():
    start = time.perf_counter()
    cpp.load_inline("bench", cpp_sources=source, functions=["add_one"])
    return (time.perf_counter() - start) * 1e3
first = load()
again = sorted(load() for _ in range(21))[10]
print(json.dumps(dict(first=first, again=again)))
"""
_CASES = ("load_inline, built", "load_inline, kept, new process", "load_inline, kept, same process")


def times(python: str | Path, package: str) -> tuple[float, float, float]:
    """Milliseconds of each case."""
    with tempfile.TemporaryDirectory() as cache:
        program = _TIMED.replace("PACKAGE", package)
        cold = child(python, program, _SOURCE, TVM_FFI_CACHE_DIR=cache)
        kept = child(python, program, _SOURCE, TVM_FFI_CACHE_DIR=cache)
        return cold["first"], kept["first"], kept["again"]


def measure(rounds: int) -> list[Row]:
    peers = peers_python()
    own, theirs = [], []
    for _ in range(min(rounds, _ROUNDS)):
        own.append(times(sys.executable, "fairlead.ffi"))
        if peers:
            theirs.append(times(peers, "tvm_ffi"))
    rows = []
    for number, case in enumerate(_CASES):
        peer = median(sample[number] for sample in theirs) if theirs else None
        value = median(sample[number] for sample in own)
        rows.append(row(case, value, "ms", peer=peer, peer_name="apache-tvm-ffi"))
    return rows


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure, with_peers=False))
