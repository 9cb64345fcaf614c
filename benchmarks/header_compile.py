"""Time to compile a file of one kernel that includes tvm/ffi/tvm_ffi.h, with either project's headers, by turns."""

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import _harness
from _harness import Row, compare
from _native import OWN, PEER, sides

_SOURCE = Path(__file__).parent / "cpp" / "kernel.cpp"
_MOST_ROUNDS = 11


def measure(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            side.name: side.compile_command(_SOURCE, Path(folder) / f"{side.name}.o")
            for side in sides()
        }
        samples = {name: [] for name in commands}
        for round in range(-1, min(rounds, _MOST_ROUNDS)):
            for name in list(commands) if round % 2 else list(reversed(commands)):
                start = perf_counter()
                subprocess.run(commands[name], check=True)
                if round >= 0:  # the first reads the files
                    samples[name].append(perf_counter() - start)
    return [
        compare("compile one kernel, umbrella header", samples, OWN, PEER, "ms", peer_name=PEER)
    ]


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure, with_peers=False))
