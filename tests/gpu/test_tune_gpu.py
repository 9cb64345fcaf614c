"""``fairlead.tune`` on a GPU: times by events with a cold cache, and launches that fail."""

import pytest

import fairlead
from fairlead import cute

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.gpu


@cute.kernel
def add_kernel(x: cute.Tensor, y: cute.Tensor, threads: cute.Constexpr, repeats: cute.Constexpr):
    i = cute.arch.block_idx()[0] * threads + cute.arch.thread_idx()[0]
    if i < x.shape[0]:
        total = cute.Float32(0.0)
        for _ in range(repeats):
            total = total + cute.math.sin(x[i] + total)
        y[i] = y[i] + total


@cute.jit
def add(x: cute.Tensor, y: cute.Tensor, threads: cute.Constexpr, repeats: cute.Constexpr = 1):
    grid = cute.ceil_div(x.shape[0], threads)
    add_kernel(x, y, threads, repeats).launch(grid=grid, block=threads)


def reference(x, y):
    y += torch.sin(x)


def test_tune_on_a_gpu(cache_dir):
    x, y = torch.rand(2, 1 << 22, device="cuda")
    before = y.clone()
    configs = [
        {"threads": 256, "repeats": 1},
        {"threads": 256, "repeats": 400},
        {"threads": 4096, "repeats": 1},
    ]
    tuned = fairlead.tune(add, configs[:1] + configs[2:], args=(x, y), check=reference, rtol=1e-3)
    rows = tuned.report().rows
    assert tuned.config == configs[0]
    # 48 MB move: a time below would not be of a cold cache.
    assert rows[0].microseconds > 5 and rows[1].reason
    assert torch.equal(y, before)
    slow = fairlead.tune(add, configs[:2], args=(x, y))
    times = {row.config["repeats"]: row for row in slow.report().rows}
    assert times[1].stored and times[400].microseconds > 3 * times[1].microseconds
    again = fairlead.tune(add, configs[:2], args=(x, y))
    assert again.stored and again.config == configs[0]
    assert "CUDA" in again.report().place
