"""launch(smem_merge_branch_allocs=True): the branches of a run-time condition reserve the same shared memory."""

import numpy as np
import pytest

from fairlead import cute

CHECKS = ["none", "all"]


def reserved(elements):
    layout = cute.make_layout(elements)
    return cute.SmemAllocator().allocate_tensor(cute.Float32, layout, 16)


@cute.kernel
def branches(x: cute.Tensor, n: cute.Int32):
    t = cute.arch.thread_idx()[0]
    first = reserved(32)
    first[t] = x[t]
    cute.arch.sync_threads()
    value = first[31 - t]
    if n > 3:
        doubled = reserved(32)
        doubled[t] = value * 2.0
        cute.arch.sync_threads()
        value = doubled[31 - t]
    elif n > 1:
        tripled = reserved(64)
        tripled[t + 32] = value * 3.0
        cute.arch.sync_threads()
        value = tripled[63 - t]
    else:
        value = -value
    last = reserved(32)
    last[31 - t] = value
    cute.arch.sync_threads()
    x[t] = last[t]


def run(n, merges, checks="none"):
    sizes = []

    @cute.jit
    def host(x: cute.Tensor, n: cute.Int32):
        call = branches(x, n)
        call.launch(grid=1, block=32, smem_merge_branch_allocs=merges)
        sizes.append(call.smem_usage())

    x = np.arange(32, dtype=np.float32)
    compiled = cute.compile(host, x, cute.Int32(0), options=f"--target cpu --check {checks}")
    compiled(x, n)
    return x, sizes


@pytest.mark.parametrize("checks", CHECKS)
@pytest.mark.parametrize("merges, size", [(False, 4 * 160), (True, 4 * 128)])
@pytest.mark.parametrize("n, factor", [(5, 2), (2, 3)])
def test_each_branch_has_its_memory(n, factor, merges, size, checks):
    result, sizes = run(n, merges, checks)
    assert sizes == [size]
    assert result.tolist() == [factor * (31 - i) for i in range(32)]


def test_a_branch_without_memory():
    result, _ = run(0, True)
    assert result.tolist() == [-i for i in range(32)]
