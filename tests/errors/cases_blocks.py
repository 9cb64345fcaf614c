"""Kernels whose threads work together, wrongly."""

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
    def device():
        thread, _, _ = cute.arch.thread_idx()
        if thread == 0:
            cute.arch.sync_threads()
        else:
            cute.arch.sync_warp()

    @cute.jit
    def host(out: cute.Tensor):
        device().launch(grid=1, block=32)

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
