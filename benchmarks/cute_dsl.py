"""One program for the published names, run by Fairlead and by CuTe DSL by turns: calls with every check, launches, the
forms of arguments, direct calls, and compiles.

`_cute_script.py` is the program; each implementation runs it in a process of its own. CuTe DSL is that of the peers'
interpreter, or of the folder $FAIRLEAD_CUTE_DSL. Without a GPU only compiles are measured, for sm_90a; with ``--calls``
none.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import _harness
from _harness import Row, compare, interleave

SCRIPT = Path(__file__).with_name("_cute_script.py")
CHAINS = (10, 100, 1000, 4000)
#: Runs a script with the packages of a folder, as `pip install --target` fills it.
IN_FOLDER = (
    "import runpy, site, sys; site.addsitedir(sys.argv[1]); "
    "runpy.run_path(sys.argv[2], run_name='__main__')"
)


class Program:
    """A script in a process: asked for seconds, it measures and answers. Its first line lists what can be asked for."""

    def __init__(self, command: list[Any], script: Path, environment: dict[str, str]):
        self.process = subprocess.Popen(
            [*command, str(script)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.cases: list[str] = self.answer()

    def answer(self) -> Any:
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{' '.join(map(str, self.process.args))} ended")
        return json.loads(line)

    def ask(self, *request: Any) -> float:
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return self.answer()

    def call(self, case: str) -> _harness.Timer:
        return lambda count: self.ask("call", case, count)

    def compile(self, case: str) -> _harness.Timer:
        return lambda count: sum(self.ask("compile", case) for _ in range(count))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=60)


def programs(script: Path) -> dict[str, Program]:
    """Fairlead's, and CuTe DSL's where it is installed."""
    # Neither's disk cache may answer for its compiler; Fairlead reads this variable, too.
    environment = {**os.environ, "CUTE_DSL_DISABLE_FILE_CACHING": "1", "CUDA_CACHE_DISABLE": "1"}
    found = {"fairlead": Program([sys.executable, "-m", "fairlead.compat"], script, environment)}
    python, folder = _harness.peers_python(), os.environ.get("FAIRLEAD_CUTE_DSL")
    if not python and not folder:
        print("No CuTe DSL: $FAIRLEAD_CUTE_DSL names none.", file=sys.stderr)
        return found
    environment.pop("PYTHONPATH", None)
    command = [sys.executable, "-c", IN_FOLDER, folder] if folder else [python]
    found["CuTe DSL"] = Program(command, script, environment)
    return found


def by_turns(running: dict[str, Program], case: str, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of compiles, without the first one."""
    timers = {name: program.compile(case) for name, program in running.items()}
    taken = [{name: timer(1) for name, timer in timers.items()} for _ in range(rounds + 1)]
    return {name: [turn[name] for turn in taken[1:]] for name in timers}


def measure(rounds: int, calls_only: bool) -> list[Row]:
    running = programs(SCRIPT)
    rows = []
    for case in running["fairlead"].cases:
        # A direct call of the peer takes milliseconds.
        some = rounds if case != "direct call" else min(rounds, 21)
        timers = {name: program.call(case) for name, program in running.items()}
        taken = interleave(timers, some)
        rows.append(compare(f"call: {case}", taken, "fairlead", "CuTe DSL", "us"))
    if running["fairlead"].cases:
        # The cost that descriptors add to a launch: each implementation beside itself.
        for name, program in running.items():
            timers = {case: program.call(f"three {case}") for case in ("descriptors", "matrices")}
            taken, what = interleave(timers, rounds), f"{name}: three descriptors"
            rows.append(compare(what, taken, "descriptors", "matrices", "us", peer_name="plain"))
    for case, what in [
        ("add", "add"),
        ("gemm", "persistent product for Hopper"),
        *((str(n), f"{n} multiply-adds") for n in CHAINS),
    ] * (not calls_only):
        taken = by_turns(running, case, min(rounds, 9))
        rows.append(compare(f"compile: {what}", taken, "fairlead", "CuTe DSL", "ms"))
    for program in running.values():
        program.close()
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--calls", action="store_true")
    options, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    sys.exit(
        _harness.main(__doc__, lambda rounds: measure(rounds, options.calls), with_peers=False)
    )
