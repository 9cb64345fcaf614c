"""The cost of guards, which code for the CPU has by default: the kernels for the CPU of the other benchmarks and of
``fairlead.ops``, with guards and with ``--check none``. Two processes call by turns; the processors' time of all their
threads counts, since other programs hardly change it.

``ops`` compiles its kernels without guards; here they have them where FAIRLEAD_CHECK says so.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from time import process_time

import _harness
from _harness import Row, compare

SECONDS = 0.05


def calls() -> dict[str, Callable[[], object]]:
    """By case, a call."""
    import checks
    import cpu_gemm
    import numpy as np
    import throughput
    import torch

    from fairlead import ops

    torch.manual_seed(0)
    numbers, matrix = np.ones(1 << 22, np.float32), np.ones((256, 256), np.float32)
    others, rows = np.zeros_like(numbers), numbers.reshape(-1, throughput.COLUMNS)
    sums = np.zeros(len(numbers) // 256, np.float32)
    cases: dict[str, Callable[[], object]] = {}
    for name, function, arrays in (
        ("elementwise", checks.scale, (numbers, others)),
        ("block reduction", checks.sums, (numbers, sums)),
        ("tiled product", checks.product, (matrix, matrix, np.zeros_like(matrix))),
        ("add", throughput.add, (numbers, numbers, others)),
        ("add of 128 bits", throughput.add_wide, (numbers, numbers, others)),
        ("sums in a loop", throughput.block_sums, (numbers, sums)),
        ("softmax", throughput.softmax, (rows, np.zeros_like(rows))),
    ):
        cases[name] = lambda function=function, arrays=arrays: function(*arrays)
    sgemm, side = cpu_gemm.compiled_sgemm(), cpu_gemm.SIDE
    a, b, c = (torch.randn(side, side) for _ in range(3))
    cases["sgemm of threads"] = lambda: sgemm(a.T, b.T, c)
    for dtype in (torch.float32, torch.bfloat16):
        x, y, out = (matrix.to(dtype) for matrix in (a, b, c))
        name = str(dtype).removeprefix("torch.")
        cases[f"ops.matmul, {name}"] = lambda x=x, y=y, out=out: ops.matmul(x, y.T, out=out)
        cases[f"ops.softmax, {name}"] = lambda x=x: ops.softmax(x)
        weight = torch.ones(side, dtype=dtype)
        cases[f"ops.rms_norm, {name}"] = lambda x=x, w=weight: ops.rms_norm(x, w)
    for head_dim in (64, 128):
        q, k, v = (torch.randn(1, 8, side, head_dim).bfloat16() for _ in range(3))
        case = f"ops.attention, heads of {head_dim}, bfloat16"
        cases[case] = lambda q=q, k=k, v=v: ops.attention(q, k, v)
    return cases


def answer() -> None:
    """Say which cases there are, and time each case that is asked for."""
    cases = calls()
    counts = {}
    print(*cases, sep="\t", flush=True)
    for line in sys.stdin:
        call = cases[line.strip()]
        if line not in counts:
            call()
            start = process_time()
            call()
            counts[line] = max(1, int(SECONDS / (process_time() - start)))
        start = process_time()
        for _ in range(counts[line]):
            call()
        print((process_time() - start) / counts[line], flush=True)


class Process:
    """A process whose code is compiled with these checks."""

    def __init__(self, checks: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--answer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "FAIRLEAD_CHECK": checks},
        )
        self.cases = self._process.stdout.readline().rstrip("\n").split("\t")

    def seconds(self, case: str) -> float:
        self._process.stdin.write(case + "\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def measure(rounds: int) -> list[Row]:
    processes = {"guards": Process("guards"), "none": Process("none")}
    rows = []
    for case in processes["none"].cases:
        samples: dict[str, list[float]] = {name: [] for name in processes}
        for number in range(rounds):
            for name in list(processes) if number % 2 else reversed(processes):
                samples[name].append(processes[name].seconds(case))
        row = compare(case, samples, "guards", "none", "ms", peer_name="--check none")
        least = min(samples["guards"]) / min(samples["none"])
        row.detail = f"of the least times: {least:.2f}x"
        rows.append(row)
    for process in processes.values():
        process.close()
    ratios = [row.ratio for row in rows if row.ratio]
    rows.append(Row("median of the ratios", statistics.median(ratios), ""))
    rows.append(Row("worst of the ratios", max(ratios), ""))
    return rows


if __name__ == "__main__":
    if sys.argv[1:] == ["--answer"]:
        answer()
    else:
        raise SystemExit(_harness.main(__doc__.splitlines()[0], measure, with_peers=False))
