"""Kernels whose threads work together, wrongly."""

import kernels
import numpy as np
from error_cases import case
from kernels import in_kernel

from fairlead import Boolean, Float16, Float32, Int16, _compiler, cute
from fairlead.cute.nvgpu import CopyUniversalOp, cpasync, warp, warpgroup
from fairlead.utils import SmemAllocator


@case
def SharedAlignment():
    def device(a, b):
        SmemAllocator().allocate(16, byte_alignment=48)

    in_kernel(device)


@case
def SharedSize():
    def device(a, b):
        SmemAllocator().allocate(-1)

    in_kernel(device)


@case
def LaunchSharedReserved():
    @cute.kernel
    def device():
        SmemAllocator().allocate(100)

    @cute.jit
    def host():
        device().launch(grid=1, block=1, smem=99)

    cute.compile(host)


@case
def AtomicType():
    def device(a, b):
        cute.arch.atomic_add(SmemAllocator().allocate_array(Int16, 1), 1)

    in_kernel(device)


@case
def AtomicWord():
    def device(a, b):
        cute.arch.atomic_add(a.iterator, 1.0, scope="galaxy")

    in_kernel(device)


@case
def OperationOperands():
    def device(a, b):
        _compiler.operation("transpose_matrix", [a[0]])

    in_kernel(device)


@case
def WarpGroup():
    def device(a, b):
        cute.arch.warp_reduction_sum(a[0], threads_in_group=12)

    in_kernel(device)


@case
def LayoutMode():
    def device(a, b):
        cute.make_layout((4, "8"))

    in_kernel(device)


@case
def StrideNesting():
    cute.make_layout((4, 8), stride=(1, (2, 4)))


@case
def OrderNesting():
    cute.make_ordered_layout((4, 8), order=(0, (1, 2)))


@case
def PrintFormat():
    def device(a, b):
        cute.printf("%d %d", cute.Int32(1))

    in_kernel(device)


@case
def ThreadsWait():
    @cute.kernel
    def device(out: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()
        if thread == out.shape[0] - 1:  # which the run alone tells
            cute.arch.sync_threads()
        else:
            cute.arch.sync_warp()

    @cute.jit
    def host(out: cute.Tensor):
        device(out).launch(grid=1, block=32)

    host(np.zeros(1, np.float32))


@case
def LayoutOperation():
    cute.composition(cute.make_layout((4, 3), stride=(3, 1)), cute.make_layout(5, stride=3))


@case
def ValueIndex():
    def device(a, b):
        a.load()[0]

    in_kernel(device)


@case
def RegisterTensor():
    in_kernel(big_register_tensor)


def big_register_tensor(a, b):
    cute.make_rmem_tensor(1 << 20, Int16)


@case
def ReductionProfile():
    in_kernel(partial_reduction)


def partial_reduction(a, b):
    values = cute.make_rmem_tensor((2, 3), cute.Float32).load()
    values.reduce(cute.ReductionOp.ADD, 0.0, reduction_profile=(None, 1, 1))


@cute.kernel
def not_launched(a: cute.Tensor):
    a[0] = 1.0


@cute.jit
def launches_without_grid(a: cute.Tensor):
    not_launched(a).launch(block=(32, 1, 1))


@case
def LaunchGrid():
    cute.compile(launches_without_grid, kernels.vector(), options="--target cpu")


@case
def KernelReturns():
    def returns(a: cute.Tensor, b: cute.Tensor):
        return a[0] + 1.0

    kernels.in_kernel(returns)


@case
def IndexBounds():
    def outside(a: cute.Tensor, b: cute.Tensor):
        a[100] = 1.0

    kernels.in_kernel(outside, kernels.vector(n=8), kernels.vector(n=8))


@cute.kernel
def multiplies_in_a_branch(a: cute.Tensor):
    major, smem = warpgroup.OperandMajorMode.K, SmemAllocator()
    op = warpgroup.MmaF16BF16Op(
        Float16, Float32, (64, 64, 16), warpgroup.OperandSource.SMEM, major, major
    )
    mma = cute.make_tiled_mma(op)
    tile = smem.allocate_tensor(Float16, cute.make_layout((64, 16)), 1024)
    tile[0, 0] = 1.0
    part = mma.get_slice(0)
    sums = registers(mma.partition_shape_C((64, 64)), Float32)
    sums.fill(0.0)
    left, right = (
        mma.make_fragment_A(part.partition_A(tile)),
        mma.make_fragment_B(part.partition_B(tile)),
    )
    if cute.arch.thread_idx()[0] < 64:
        cute.gemm(mma, sums, left, right, sums)
    a[0] = 1.0


@cute.jit
def launches_multiplying(a: cute.Tensor):
    multiplies_in_a_branch(a).launch(grid=(1, 1, 1), block=(128, 1, 1))


@case
def DivergentWarpgroup():
    cute.compile(launches_multiplying, kernels.vector(), options="--target cuda:sm_90a")


def wide_copy(op):
    """Copy tiles (8, 32), 16 bytes of a row per thread."""
    atom = cute.make_copy_atom(op, Float16, num_bits_per_copy=128)
    threads, values = cute.make_layout((8, 4), stride=(4, 1)), cute.make_layout((1, 8))
    return cute.make_tiled_copy_tv(atom, threads, values)


def registers(shape, dtype=Float16):
    return cute.make_rmem_tensor(shape, dtype)


@case
def AtomUse():
    cute.make_copy_atom(Float32, Float16)


@case
def AtomAlignment():
    def device(a, b):
        rows = cute.make_layout((8, 32), stride=(36, 1))
        shared = SmemAllocator().allocate_tensor(Float16, rows, byte_alignment=16)
        thread = wide_copy(cpasync.CopyG2SOp()).get_slice(cute.arch.thread_idx()[0])
        tile = cute.recast_tensor(cute.make_tensor(a.iterator.align(16), (128,)), Float16)
        tile = cute.make_tensor(tile.iterator, cute.make_layout((8, 32), stride=(32, 1)))
        cute.copy(thread, thread.partition_S(tile), thread.partition_D(shared))

    in_kernel(device)


@case
def TiledFormCover():
    def device(a, b):
        mma = cute.make_tiled_mma(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
        mma.get_slice(cute.arch.thread_idx()[0]).partition_A(registers((20, 16)))

    in_kernel(device)


@case
def CopyPartitions():
    def device(a, b):
        cute.copy(wide_copy(CopyUniversalOp()), registers((8, 2, 3)), registers((8, 3, 2)))

    in_kernel(device)


@case
def CopyPredicate():
    def device(a, b):
        flags = registers((1, 3, 2), Boolean)
        source, destination = registers((8, 2, 3)), registers((8, 2, 3))
        cute.copy(wide_copy(CopyUniversalOp()), source, destination, pred=flags)

    in_kernel(device)


@case
def GemmFragments():
    def device(a, b):
        mma = cute.make_tiled_mma(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
        sums = registers((4, 1, 1), Float32)
        cute.gemm(mma, sums, registers((8, 1, 1)), registers((4, 1, 2)), sums)

    in_kernel(device)
