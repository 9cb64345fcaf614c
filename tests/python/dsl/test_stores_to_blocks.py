"""Copies from registers to shared memory of other blocks of a cluster (``cpasync.CopyDsmemStoreOp``)."""

from __future__ import annotations

import numpy as np
import pytest
from support.blackwell_tensors import assemble

from fairlead import CheckError, Float32, Int32, Int64, cute
from fairlead.cute.nvgpu import cpasync
from fairlead.cute.runtime import from_dlpack, make_fake_compact_tensor

VALUES, THREADS = 2, 64


@cute.kernel
def exchanged(numbers: cute.Tensor, out: cute.Tensor, without: cute.Constexpr):
    """Each of two blocks sends its numbers, backward, to the other one, which adds its rank."""
    memory = cute.SmemAllocator()
    came = memory.allocate_tensor(numbers.element_type, cute.make_layout((THREADS, VALUES)), 16)
    barrier = memory.allocate(Int64)
    thread, _, _ = cute.arch.thread_idx()
    rank = cute.arch.block_idx_in_cluster()
    if thread == 0:
        cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, VALUES * THREADS * 4)
    cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    atom = cute.make_copy_atom(cpasync.CopyDsmemStoreOp(), numbers.element_type)
    mine = cute.make_rmem_tensor(cute.make_layout(VALUES), numbers.element_type)
    for i in range(VALUES):
        mine[i] = numbers[rank, thread, i]
    to = cute.arch.map_dsmem_ptr(came.iterator + (THREADS - 1 - thread), rank ^ 1)
    target = cute.make_tensor(to, cute.make_layout(VALUES, stride=THREADS))
    cute.copy(atom, mine, target, mbar_ptr=cute.arch.map_dsmem_ptr(barrier, rank ^ 1))
    if cute.const_expr(without != "wait"):
        cute.arch.mbarrier_wait(barrier, 0)
    for i in range(VALUES):
        out[rank, thread, i] = came[thread, i] + rank.to(numbers.element_type)
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


@cute.jit
def exchange(numbers: cute.Tensor, out: cute.Tensor, without: cute.Constexpr = ""):
    exchanged(numbers, out, without).launch(grid=2, block=THREADS, cluster=(2, 1, 1))


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
@pytest.mark.parametrize("options", ["", "--check all"])
def test_numbers_arrive(dtype, options):
    numbers = np.arange(2 * THREADS * VALUES).reshape(2, THREADS, VALUES).astype(dtype)
    out = np.zeros_like(numbers)
    tensors = from_dlpack(numbers), from_dlpack(out)
    cute.compile(exchange, *tensors, options=f"--target cpu {options}")(*tensors)
    expected = numbers[::-1, ::-1] + np.arange(2).reshape(2, 1, 1)
    np.testing.assert_array_equal(out, expected)


def test_checks_find_a_missing_wait():
    tensors = [from_dlpack(np.zeros((2, THREADS, VALUES), np.float32)) for _ in range(2)]
    with pytest.raises(CheckError, match="race: shared memory"):
        cute.compile(exchange, *tensors, "wait", options="--check all")(*tensors)


@pytest.mark.parametrize("dtype", [Float32, Int32])
def test_assembles(dtype, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fakes = [make_fake_compact_tensor(dtype, (2, THREADS, VALUES)) for _ in range(2)]
    text = cute.compile(exchange, *fakes, options="--target cuda:sm_90a").__ptx__
    assert text.count("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r") == VALUES
    assemble(text, tmp_path, "sm_90a")
