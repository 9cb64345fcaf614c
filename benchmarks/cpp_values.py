"""The cost of calls, containers and errors in C++: one program, compiled with either project's headers."""

import subprocess
import sys
import tempfile
from pathlib import Path

import _harness
from _harness import Row, compare
from _native import OWN, PEER, Side, sides

_SOURCE = Path(__file__).parent / "cpp" / "values.cpp"
#: By the program's name: the row's, and its unit.
_CASES = {
    "call": ("C++ Function call, two ints", "ns"),
    "throw": ("C++ throw and catch across the ABI, with backtrace", "us"),
    "array build": ("C++ Array, build 1e6, per element", "ns"),
    "array read": ("C++ Array, read 1e6, per element", "ns"),
    "array iterate": ("C++ Array, iterate 1e6, per element", "ns"),
    "map build": ("C++ Map, build 1e6, per element", "ns"),
    "map build in order": ("C++ Map, build 1e6, keys 0, 1, ..., per element", "ns"),
    "map read": ("C++ Map, read 1e6, per element", "ns"),
    "map iterate": ("C++ Map, iterate 1e6, per element", "ns"),
    "text map build": ("C++ Map of String, build 1e5, per element", "ns"),
}
_MOST_ROUNDS = 41


class Program:
    """A running program that measures a case whenever it is asked to."""

    def __init__(self, side: Side, folder: Path):
        path = side.build(_SOURCE, folder / side.name)
        self._process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def measure(self, case: str) -> float:
        print(case, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the program ended with {self._process.wait()} in case {case!r}")
        return float(line)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def measure(rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        programs = {side.name: Program(side, Path(folder)) for side in sides()}
        samples = {(case, name): [] for case in _CASES for name in programs}
        for round in range(-1, min(rounds, _MOST_ROUNDS)):
            for case in _CASES:
                for name in list(programs) if round % 2 else list(reversed(programs)):
                    seconds = programs[name].measure(case)
                    if round >= 0:  # the first warms up
                        samples[case, name].append(seconds)
        for program in programs.values():
            program.close()
    return [
        compare(title, samples, (case, OWN), (case, PEER), unit=unit, peer_name=PEER)
        for case, (title, unit) in _CASES.items()
    ]


if __name__ == "__main__":
    sys.exit(_harness.main(__doc__, measure, with_peers=False))
