"""Options of compile, and what they make happen."""

import numpy as np
from error_cases import case

from fairlead import cute


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
def ToolFailed():
    @cute.kernel
    def device(a: cute.Tensor):
        a[0] = 1.0

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    options = "--target cuda:sm_90a --ptxas-options --no-such-option"
    cute.compile(host, np.zeros(1, np.float32), options=options)
