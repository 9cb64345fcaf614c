"""Options of compile, and their effects."""

import kernels
import numpy as np
from error_cases import case

from fairlead import cute, utils
from fairlead._tracing.state import state


@case
def AssertionFailed():
    @cute.kernel
    def device(a: cute.Tensor):
        cute.testing.assert_(a[0] > 0, "a[0] is positive")

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    a = np.zeros(1, np.float32)
    cute.compile(host, a, options="--target cpu --enable-assertions")(a)


@case
def CheckFailed():
    @cute.kernel
    def device(a: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        a[t] = 1.0

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=8)

    a = np.zeros(4, np.float32)
    cute.compile(host, a, options="--target cpu --check bounds")(a)


@case
def CheckName():
    @cute.jit
    def host(a: cute.Tensor):
        a[:] = 1.0

    cute.compile(host, np.zeros(4, np.float32), options="--target cpu --check bound")


@case
def CheckTarget():
    @cute.jit
    def host(a: cute.Tensor):
        a[:] = 1.0

    cute.compile(host, np.zeros(4, np.float32), options="--target cuda:sm_80 --check race")


@case
def ToolFailed():
    @cute.kernel
    def device(a: cute.Tensor):
        a[0] = 1.0

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    options = "--target cuda:sm_90a --ptxas-options --no-such-option"
    cute.compile(host, np.zeros(1, np.float32), options=options)


@case
def ArgumentKind():
    cute.jit(3)


@case
def KeywordUnknown():
    @cute.jit
    def host(a: cute.Tensor):
        a.fill(0.0, valu=1.0)

    cute.compile(host, kernels.vector(), options="--target cpu")


@case
def ProgramCompiled():
    programs = []

    @cute.jit
    def host(a: cute.Tensor):
        programs.append(state.program)

    cute.compile(host, np.zeros(1, np.float32), options="--target cpu")
    programs[0].arguments()


@case
def ArgumentValue():
    utils.get_smem_capacity_in_bytes("sm_1")
