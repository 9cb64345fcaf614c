"""Two builds of Fairlead side by side: calls, compiles and CPU kernels, by turns, in a process each.

    python benchmarks/_two_builds.py OLD/build/python NEW/build/python [--rounds N] [--only TEXT] [--json FILE]
        [--instructions]

The ratio is the new build's share of the old one's time. Cases that one of them lacks are left out. NumPy is needed.

With --instructions, Valgrind also counts the instructions of each case. Their number does not depend on the load of the
machine. Valgrind's processor has no AVX-512 and no instructions for SHA-256, which checks the cache's entries. If it
cannot read the debug information of a build, pass a copy without it (`strip --strip-debug`).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

from _harness import Row, Timer, compare, interleave, loop, show


def compile_timer(options: str, kernel: str) -> Timer:
    import compile_time
    import throughput

    from fairlead import cute

    fake = cute.runtime.make_fake_compact_tensor
    if kernel == "add_one":
        once = compile_time.cute_function(cute)
        return loop(once, options)
    shapes = [fake(cute.Float32, (cute.sym_int(), throughput.COLUMNS)) for _ in range(2)]
    return loop(lambda: cute.compile(throughput.softmax, *shapes, options=options))


def map_timer(function: str, dtype: str, count: int, options: str) -> Timer:
    """One math function, of each of ``count`` numbers between 0.1 and 9."""
    import numpy as np

    import fairlead
    from fairlead import cute

    operation, element = getattr(cute.math, function), getattr(fairlead, dtype)

    @cute.kernel
    def device(x: cute.Tensor, y: cute.Tensor):
        i = cute.arch.block_idx()[0] * 256 + cute.arch.thread_idx()[0]
        if i < x.shape[0]:
            y[i] = (
                operation(x[i].to(cute.Float32)).to(element)
                if dtype == "Float16"
                else operation(x[i])
            )

    @cute.jit
    def run(x: cute.Tensor, y: cute.Tensor):
        device(x, y).launch(grid=[cute.ceil_div(x.shape[0], 256), 1, 1], block=[256, 1, 1])

    x = np.random.default_rng(0).uniform(0.1, 9, count).astype(dtype.lower())
    y = np.empty_like(x)
    n = cute.sym_int()
    fakes = [cute.runtime.make_fake_compact_tensor(element, (n,)) for _ in range(2)]
    return loop(cute.compile(run, *fakes, options=options), x, y)


def throughput_timer(name: str, options: str) -> Timer:
    import numpy as np
    import throughput

    from fairlead import cute

    count = 1 << 22
    a = np.random.default_rng(0).random(count, dtype=np.float32)
    arrays: tuple[Any, ...]
    if name == "softmax":
        rows = a.reshape(-1, throughput.COLUMNS)
        arrays = (rows, np.zeros_like(rows))
    elif name == "block_sums":
        arrays = (a, np.zeros(count // throughput.THREADS, np.float32))
    else:
        arrays = (a, a[::-1].copy(), np.zeros_like(a))
    tensors = [cute.runtime.from_dlpack(x) for x in arrays]
    return loop(cute.compile(getattr(throughput, name), *tensors, options=options), *arrays)


def call_timer(form: str) -> Timer:
    import numpy as np

    from fairlead import cute

    @cute.jit
    def nothing(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        pass

    n = cute.sym_int()
    fakes = [cute.runtime.make_fake_compact_tensor(cute.Float32, (n,)) for _ in range(3)]
    arrays = [np.zeros(1024, np.float32) for _ in range(3)]
    if form == "direct":
        return loop(nothing, *arrays)
    return loop(cute.compile(nothing, *fakes, options="--target cpu"), *arrays)


def cases() -> dict[str, tuple]:
    cpu = "--target cpu"
    found: dict[str, tuple] = {
        "call of a compiled function, 3 NumPy arrays": (call_timer, "compiled"),
        "direct call of a jit function, 3 NumPy arrays": (call_timer, "direct"),
        "compile add_one, CPU, no cache": (compile_timer, f"--no-cache {cpu}", "add_one"),
        "compile add_one, cuda:sm_90a, no cache": (
            compile_timer,
            "--no-cache --target cuda:sm_90a",
            "add_one",
        ),
        "compile add_one, CPU, in the cache": (compile_timer, cpu, "add_one"),
        "compile softmax, CPU, no cache": (compile_timer, f"--no-cache {cpu}", "softmax"),
    }
    for name in ("add", "block_sums", "softmax"):
        found[f"CPU {name}, 2^22 float32"] = (throughput_timer, name, cpu)
    for function in ("exp", "exp2", "log", "sin", "cos", "tan", "tanh", "sqrt", "rsqrt", "erf"):
        found[f"CPU {function}, 2^20 float32"] = (map_timer, function, "Float32", 1 << 20, cpu)
    for function in ("exp", "log", "sin"):
        found[f"CPU {function}, 2^20 float64"] = (map_timer, function, "Float64", 1 << 20, cpu)
    found["CPU exp, 2^20 float16"] = (map_timer, "exp", "Float16", 1 << 20, cpu)
    found["CPU exp, 2^20 float32, x86-64-v3"] = (
        map_timer,
        "exp",
        "Float32",
        1 << 20,
        f"{cpu}:x86-64-v3",
    )
    return found


class Build:
    """A process that has imported the package of one build, and measures on request."""

    def __init__(self, package: str):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            env={**os.environ, "PYTHONPATH": package},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, *question: Any) -> Any:
        assert self.process.stdin and self.process.stdout
        print(json.dumps(question), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the process of a build ended while it was asked for {question[0]}")
        return json.loads(line)

    def timer(self, case: str) -> Timer:
        return lambda count: self.ask(case, count)


def instructions(package: str, case: str, count: int) -> float:
    """Return the instructions of one repetition: the difference of two runs, of ``count`` and of twice as many."""
    if not shutil.which("valgrind"):
        raise SystemExit("--instructions needs Valgrind: the program `valgrind` is not in PATH")
    totals = []
    for repetitions in (count, 2 * count):
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
            + ["--instr-atstart=no", sys.executable, __file__, "--repeat", case, str(repetitions)],
            env={**os.environ, "PYTHONPATH": package, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
        )
        total = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not total:
            raise SystemExit(f"Valgrind counted no instructions of {case}:\n{done.stderr[-800:]}")
        totals.append(int(total[1]))
    return (totals[1] - totals[0]) / count


def repeat(case: str, count: int) -> None:
    """Run a case in Valgrind, which counts its instructions and none of the preparation."""
    make, *arguments = cases()[case]
    timer = make(*arguments)
    timer(5)
    for state in ("on", "off"):
        command = ["callgrind_control", f"--instr={state}", str(os.getpid())]
        subprocess.run(command, check=True, capture_output=True)
        if state == "on":
            timer(count)


def serve() -> None:
    """Answers questions of case and count with seconds; with null for a case that this build does not have."""
    answers, sys.stdout = sys.stdout, sys.stderr
    timers: dict[str, Timer | None] = {}
    for line in sys.stdin:
        case, count = json.loads(line)
        if case not in timers:
            make, *arguments = cases()[case]
            try:
                timers[case] = make(*arguments)
            except Exception as error:
                print(f"{case}: {error}", file=sys.stderr)
                timers[case] = None
        timer = timers[case]
        start = perf_counter()
        seconds = timer(count) if timer else None
        print(
            json.dumps(seconds and min(seconds, perf_counter() - start)), file=answers, flush=True
        )


def main() -> None:
    if sys.argv[1:] == ["--serve"]:
        return serve()
    if sys.argv[1:2] == ["--repeat"]:
        return repeat(sys.argv[2], int(sys.argv[3]))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("old", help="folder of the package: build/python")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--only", default="", help="cases with this text in their name")
    parser.add_argument("--instructions", action="store_true", help="count them, with Valgrind")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    options = parser.parse_args()
    old, new = Build(options.old), Build(options.new)
    rows: list[Row] = []
    for case in cases():
        if options.only not in case or None in (old.ask(case, 1), new.ask(case, 1)):
            continue
        samples = interleave({"new": new.timer(case), "old": old.timer(case)}, options.rounds, 0.02)
        unit = "ms" if min(samples["old"]) > 1e-4 else "ns"
        row = compare(case, samples, "new", "old", unit)
        if options.instructions:
            count = max(3, math.ceil(0.002 / min(samples["old"])))
            before, now = (instructions(path, case, count) for path in (options.old, options.new))
            row.detail = f"instructions: {now:,.0f}, old {before:,.0f}, ratio {now / before:.3f}"
        rows.append(row)
    show(rows)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
