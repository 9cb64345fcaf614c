"""Kernels whose threads work together, wrongly."""

import kernels
import numpy as np
from error_cases import case
from kernels import in_kernel

from fairlead import Int16, cute
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
def PointerExpected():
    def device(a, b):
        cute.arch.atomic_add(a[0], 1.0)

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
def calls_only(a: cute.Tensor):
    not_launched(a)


@case
def KernelNotLaunched():
    cute.compile(calls_only, kernels.vector(), options="--target cpu")


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
def waits_in_a_branch(a: cute.Tensor):
    if cute.arch.thread_idx()[0] < 32:
        cute.arch.sync_threads()
    a[0] = 1.0


@cute.jit
def launches_waiting(a: cute.Tensor):
    waits_in_a_branch(a).launch(grid=(1, 1, 1), block=(64, 1, 1))


@case
def DivergentBarrier():
    cute.compile(launches_waiting, kernels.vector(), options="--target cpu")
