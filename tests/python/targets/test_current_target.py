"""Functions whose trace depends on the target, and those whose trace does not."""

import numpy as np
import pytest
from target_kernels import check, scale, some

import fairlead
from fairlead import Float16, Float32, cute
from fairlead.cute.nvgpu import warp

SEVERAL = ["cuda:sm_80", "cpu:x86-64", "ptx:compute_80", "cuda:sm_90a", "cpu:x86-64-v3"]


def vector():
    return cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(),))


@cute.kernel
def capability_kernel(a: cute.Tensor):
    if cute.arch.thread_idx()[0] < a.shape[0]:
        a[cute.arch.thread_idx()[0]] = 1000.0 + cute.current_target().capability


@cute.jit
def capability(a: cute.Tensor):
    traced.append(str(cute.current_target()))
    capability_kernel(a).launch(grid=(1, 1, 1), block=(32, 1, 1))


traced: list[str] = []


def test_traced_for_each_family_of_targets():
    traced.clear()
    compiled = cute.compile(capability, vector(), targets=SEVERAL, no_cache=True)
    assert traced == ["cuda:sm_80", "cpu:x86-64", "cuda:sm_90a"]
    assert sorted(map(str, compiled.targets)) == sorted(SEVERAL)
    a = np.zeros(4, np.float32)
    compiled(a)
    assert list(a) == [1000.0] * 4
    assert str(np.float32(1080.0).view(np.int32)) in compiled.ptx


def test_traced_once_where_nothing_depends_on_it():
    traced.clear()

    @cute.jit
    def noted(a: cute.Tensor, b: cute.Tensor, c: cute.Float32):
        traced.append("")
        scale(a, b, c)

    n = cute.sym_int()
    make = cute.runtime.make_fake_compact_tensor
    compiled = cute.compile(
        noted, make(Float32, (n,)), make(Float32, (n,)), 1.0, targets=SEVERAL, no_cache=True
    )
    assert len(traced) == 1
    check(compiled)


def test_launches_that_depend_on_the_target_are_refused():
    @cute.jit
    def differing(a: cute.Tensor):
        block = 64 if cute.current_target().capability >= 90 else 32
        capability_kernel(a).launch(grid=(1, 1, 1), block=(block, 1, 1))

    with pytest.raises(ValueError, match="cuda:sm_80 and cuda:sm_90a: its launches depend"):
        cute.compile(differing, vector(), targets=["cuda:sm_80", "cuda:sm_90a"])
    cute.compile(differing, vector(), targets=["cuda:sm_80", "cpu"])


def test_arrays_on_the_cpu_do_not_cost_a_second_trace(monkeypatch):
    """The first trace finds that the function has kernels, for the architecture that the variable names."""
    monkeypatch.delenv("FAIRLEAD_TARGET", raising=False)
    monkeypatch.setenv("CUTE_DSL_ARCH", "sm_80")
    traced.clear()

    @cute.jit
    def noted(a: cute.Tensor, b: cute.Tensor):
        traced.append("")
        some(a, b)

    n = np.zeros(5, np.float32)
    compiled = cute.compile(noted, n, n)
    assert (str(compiled.target), len(traced)) == ("cuda:sm_80", 1)


def test_outside_of_a_trace():
    with pytest.raises(RuntimeError, match="asking for the current target"):
        cute.current_target()


@cute.kernel
def multiply_kernel(mma: cute.TiledMma, a: cute.Tensor):
    mine = mma.get_slice(cute.arch.thread_idx()[0])
    left, right, sums = (
        mma.make_fragment_A(mine.partition_A(a)),
        mma.make_fragment_B(mine.partition_B(a)),
        cute.make_rmem_tensor(mma.partition_shape_C((16, 16)), Float32),
    )
    sums.fill(0.0)
    cute.gemm(mma, sums, left, right, sums)


@cute.jit
def multiply(a: cute.Tensor):
    mma = cute.make_tiled_mma(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
    multiply_kernel(mma, a).launch(grid=(1, 1, 1), block=(32, 1, 1))


def test_atoms_that_a_target_lacks_are_named_with_the_line():
    tile = cute.runtime.make_fake_compact_tensor(Float16, (16, 16))
    with pytest.raises(fairlead.DSLError) as caught:
        cute.compile(multiply, tile, targets=["cuda:sm_80", "cuda:sm_75"])
    message = str(caught.value)
    assert (
        "needs compute capability 8.0 or newer, but the function is compiled for cuda:sm_75"
        in message
    )
    assert "cute.gemm(mma, sums, left, right, sums)" in message
