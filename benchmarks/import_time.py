"""Time of imports beyond Python's start and NumPy or torch, each in a process of its own."""

import sys
from pathlib import Path
from statistics import median

import _harness
from _harness import Row, peers_python
from _processes import child, row

_ROUNDS = 11
_TIMED = """
import json, time
{before}
start = time.perf_counter()
{statement}
print(json.dumps(dict(ms=(time.perf_counter() - start) * 1e3)))
"""
_FAIRLEAD = {
    "import fairlead": "import fairlead",
    "import, compiler loaded": "import fairlead, fairlead._compiler; from fairlead import cute",
}


def milliseconds(python: str | Path, statement: str, before: str = "") -> float:
    return child(python, _TIMED.format(before=before, statement=statement))["ms"]


def measure(rounds: int) -> list[Row]:
    peers = peers_python()
    times: dict[str, list[float]] = {name: [] for name in _FAIRLEAD}
    theirs: list[float] = []
    own_ffi: list[float] = []
    their_ffi: list[float] = []
    # A first round fills the page cache and is not counted.
    for counted in range(min(rounds, _ROUNDS) + 1):
        for name, statement in _FAIRLEAD.items():
            taken = milliseconds(sys.executable, statement, before="import numpy")
            if counted:
                times[name].append(taken)
        taken = milliseconds(sys.executable, "import fairlead.ffi", before="import torch")
        if counted:
            own_ffi.append(taken)
        if peers:
            taken = milliseconds(peers, "import cutlass.cute", before="import numpy")
            if counted:
                theirs.append(taken)
            taken = milliseconds(peers, "import tvm_ffi", before="import torch")
            if counted:
                their_ffi.append(taken)
    peer = median(theirs) if theirs else None
    ffi_peer = median(their_ffi) if their_ffi else None
    return [
        *(
            row(name, median(taken), "ms", peer=peer, peer_name="import cutlass.cute")
            for name, taken in times.items()
        ),
        row(
            "import fairlead.ffi after torch",
            median(own_ffi),
            "ms",
            peer=ffi_peer,
            peer_name="import tvm_ffi after torch",
        ),
    ]


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure, with_peers=False))
