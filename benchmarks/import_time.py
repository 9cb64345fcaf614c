"""Time of `import fairlead` beyond Python's start and NumPy, each import in a process of its own."""

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
    # A first round fills the page cache and is not counted.
    for counted in range(min(rounds, _ROUNDS) + 1):
        for name, statement in _FAIRLEAD.items():
            taken = milliseconds(sys.executable, statement, before="import numpy")
            if counted:
                times[name].append(taken)
        if peers:
            taken = milliseconds(peers, "import cutlass.cute", before="import numpy")
            if counted:
                theirs.append(taken)
    peer = median(theirs) if theirs else None
    return [
        row(name, median(taken), "ms", peer=peer, peer_name="import cutlass.cute")
        for name, taken in times.items()
    ]


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure, with_peers=False))
