"""--check bounds on a GPU: the report, and its cost.

A finding ends the process's work with the GPU, so each program runs in its own process.
"""

import re
import statistics
import subprocess
import sys
import textwrap

import pytest

torch = pytest.importorskip("torch")

from fairlead import cute  # noqa: E402

PROGRAM = """
import torch
import fairlead
from fairlead import Float32, Int32, cute

@cute.kernel
def shift(a: cute.Tensor, by: Int32):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    a[x * 32 + t + by] = Float32(1.0)

@cute.kernel
def tiles(a: cute.Tensor, by: Int32):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    tile = cute.local_tile(a, (32,), (x + by,))
    tile[t] = Float32(1.0)

@cute.kernel
def window(a: cute.Tensor, by: Int32):
    t, _, _ = cute.arch.thread_idx()
    smem = cute.SmemAllocator().allocate_tensor(Float32, 64)
    smem[t] = Float32(1.0)
    cute.arch.sync_threads()
    part = cute.make_tensor(smem.iterator + t + by, cute.make_layout(4))
    a[t] = part[3]

@cute.kernel
def asserting(a: cute.Tensor, by: Int32):
    t, _, _ = cute.arch.thread_idx()
    cute.testing.assert_(t + by < 40, "a small one")
    a[t] = Float32(1.0)

@cute.jit
def host(a: cute.Tensor, by: Int32):
    KERNEL(a, by).launch(grid=2, block=32)

a = torch.zeros(64, device="cuda")
f = cute.compile(host, a, 0, options="--check bounds --enable-assertions")
f(a, 0)
print("fine", int(a.sum().item()) > 0)
try:
    f(a, 36)
    print("nothing found")
except fairlead.CheckError as error:
    (finding,) = error.findings
    (access,) = finding.accesses
    print(error)
    print("source:", access.source, access.thread, access.block)
except AssertionError as error:
    print("assertion:", error)
"""


def report(kernel, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM).replace("KERNEL", kernel))
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("fine True"), run.stdout
    print(run.stdout)
    return run.stdout


def test_an_index(tmp_path):
    text = report("shift", tmp_path)
    assert "of mode 0, which has extent 64, of global Float32" in text
    assert "source: a[x * 32 + t + by] = Float32(1.0)" in text


def test_a_tile_over_the_end(tmp_path):
    text = report("tiles", tmp_path)
    assert "after the end of the memory of Float32" in text
    assert "source: tile[t] = Float32(1.0)" in text


def test_shared_memory(tmp_path):
    text = report("window", tmp_path)
    # Any thread may be the first to report: the least of them begins at the end.
    assert re.search(
        r"(begin at|after) the end of the 256 bytes of shared memory that program\.py:\d+ allocates",
        text,
    )
    assert "source: a[t] = part[3]" in text


def test_an_assertion(tmp_path):
    text = report("asserting", tmp_path)
    assert "assertion: a small one (program.py:" in text and "of `asserting" in text


@cute.kernel
def scaled(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    i = x * 256 + t
    if i < a.shape[0]:
        out[i] = a[i] * 2.0


@cute.jit
def elementwise(a: cute.Tensor, out: cute.Tensor):
    scaled(a, out).launch(grid=(a.shape[0] + 255) // 256, block=256)


def test_cost_of_a_memory_bound_kernel():
    a = torch.rand(1 << 28, device="cuda")
    out = torch.zeros_like(a)

    def seconds(options):
        f = cute.compile(elementwise, a, out, options=options)
        f(a, out)
        times = []
        for _ in range(20):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            f(a, out)
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) / 1000)
        return statistics.median(times)

    plain, checked = seconds(""), seconds("--check bounds")
    torch.testing.assert_close(out, a * 2)
    print(f"plain {plain * 1e3:.3f} ms, checked {checked * 1e3:.3f} ms: {checked / plain:.2f}x")
    assert checked <= 1.5 * plain
