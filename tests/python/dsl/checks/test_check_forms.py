"""Accesses that are checked for all threads at once are judged as they are one by one.

Random kernels, some with races, some with indices that are outside, run in both forms that the CPU target has: loops
over threads, which look at affine accesses together, and threads that are suspended, which tell each access.
FAIRLEAD_RANDOM=N makes N kernels instead of a few."""

import importlib.util
import os
import random

import numpy as np
import pytest
from support.check_support import fairlead

COUNT = int(os.environ.get("FAIRLEAD_RANDOM", "24"))
HEAD = """
from fairlead import Float32, cute

@cute.kernel
def kernel(a: cute.Tensor, b: cute.Tensor):
    x, y, _ = cute.arch.thread_idx()
    g, _, _ = cute.arch.block_idx()
    t = y * {width} + x
    s = cute.SmemAllocator().allocate_tensor(Float32, 256)
"""
TAIL = """
@cute.jit
def host(a: cute.Tensor, b: cute.Tensor):
    kernel(a, b).launch(grid=3, block=({width}, {height}))
"""


def make_kernel(seed):
    """The text of a kernel with 64 threads: writes and reads of shared and global memory."""
    rng = random.Random(seed)
    width = rng.choice([64, 64, 16])
    lines = []

    def index(most):
        """An affine index, most often below `most`."""
        kind = rng.randrange(7)
        if kind == 0:
            return f"t + {rng.choice([0, 1, 32, 64, 100])}"
        if kind == 1:
            return f"{rng.choice([2, 3])} * t + {rng.randrange(3)}"
        if kind == 2:
            return f"{rng.choice([63, 127])} - t"
        if kind == 3:
            return "y * 16 + x" if width == 16 else "t"
        if kind == 4:
            return "x * 8 + y" if width == 16 else "t"
        if kind == 5:
            return str(rng.randrange(64))
        return "t" if rng.random() < 0.97 else f"t + {most - 32}"

    def access(indent):
        pad = " " * indent
        where = rng.randrange(6)
        number = len(lines)
        if where == 0:
            lines.append(f"{pad}s[{index(256)}] = Float32(t + {number})")
        elif where == 1:
            lines.append(f"{pad}s[t] = s[{index(256)}] + Float32(t)")
        elif where == 2:
            lines.append(f"{pad}b[g * 64 + t] = s[{index(256)}]")
        elif where == 3:
            part = rng.choice(["g * 64", "g * 64", "g * 64", "g * 32"])
            lines.append(f"{pad}b[{part} + t] = a[g * 64 + {index(192)}]")
        elif where == 4:
            lines.append(f"{pad}s[t] = s[t] + b[g * 64 + {rng.choice(['t', 't', '63 - t'])}]")
        else:
            lines.append(f"{pad}for i in range({rng.choice([2, 4])}):")
            step = rng.choice(["64 * i + t", "4 * t + i", "t + i"])
            lines.append(f"{pad}    s[{step}] = Float32(t + i + {number})")

    for _ in range(rng.randint(2, 6)):
        kind = rng.randrange(5)
        if kind == 0:
            lines.append(f"    if t < {rng.choice([1, 16, 32, 64])}:")
            access(8)
        elif kind == 1:
            lines.append(f"    if t == {rng.choice([0, 5])}:")
            access(8)
        else:
            access(4)
        if rng.random() < 0.7:
            lines.append("    cute.arch.sync_threads()")
    lines.append("    cute.arch.sync_threads()")
    if not any(line.lstrip().startswith("s[") for line in lines):
        lines.append("    s[t] = 0.0")
    sizes = {"width": width, "height": 64 // width}
    return HEAD.format(**sizes) + "\n".join(lines) + "\n" + TAIL.format(**sizes)


def findings_of(host):
    """(kind, accesses' lines) of all findings of a call."""
    arguments = np.arange(448, dtype=np.float32), np.zeros(448, np.float32)
    try:
        with fairlead.checks.on("bounds,race"):
            host(*arguments)
    except fairlead.CheckError as error:
        return {
            (found.kind, *sorted((each.what, each.line) for each in found.accesses))
            for found in error.findings
        }
    return set()


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.host


def test_both_forms_find_the_same(tmp_path, monkeypatch):
    clean = 0
    for seed in range(COUNT):
        path = tmp_path / f"kernel_{seed}.py"
        path.write_text(make_kernel(seed))
        monkeypatch.delenv("FAIRLEAD_CPU_COROUTINES", raising=False)
        together = findings_of(load(path, f"together_{seed}"))
        monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", "1")
        single = findings_of(load(path, f"single_{seed}"))
        # The report may name any of several accesses that race at an element.
        assert {kind for kind, *_ in together} == {kind for kind, *_ in single}, path.read_text()
        clean += not together
    assert clean and (clean < COUNT or COUNT == 1)  # there are both kinds


@pytest.mark.parametrize("form", ["together", "single"])
def test_blocks_that_meet_in_global_memory(form, monkeypatch, tmp_path):
    """Every second block overwrites the block before it."""
    if form == "single":
        monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", "1")
    path = tmp_path / f"blocks_{form}.py"
    path.write_text(
        HEAD.format(width=64)
        + "    b[g // 2 * 64 + t] = Float32(t + g)\n"
        + "    cute.arch.sync_threads()\n    s[t] = 1.0\n"
        + TAIL.format(width=64, height=1)
    )
    assert findings_of(load(path, f"blocks_{form}")) == {("race", ("write", 10), ("write", 10))}
