"""Calls with arguments that the signature rejects, launches that cannot run."""

import os
import subprocess
import sys
from typing import Annotated

import kernels
import numpy as np
from claims import Claim
from error_cases import case

import fairlead
from fairlead import Int32, cute


@case
def ArgumentCount():
    kernels.compiled()(kernels.zeros())


@case
def ArgumentType():
    kernels.compiled()(kernels.zeros(), 1)


@case
def TensorDType():
    kernels.compiled()(kernels.zeros(), kernels.zeros(dtype=np.float64))


@case
def TensorNdim():
    kernels.compiled()(kernels.zeros(), kernels.zeros().reshape(2, 4))


@case
def ExtentStatic():
    compiled = cute.compile(
        kernels.nothing, kernels.vector(n=5), kernels.vector(), options="--target cpu"
    )
    compiled(kernels.zeros(6), kernels.zeros())


@case
def ExtentSymbol():
    kernels.compiled()(kernels.zeros(8), kernels.zeros(12))


@case
def ExtentDivisibility():
    kernels.compiled()(kernels.zeros(6), kernels.zeros(6))


@case
def ExtentRange():
    fake = kernels.vector(cute.Int8)
    claim = Claim((2**31,), bits=8)
    cute.compile(kernels.nothing, fake, fake, options="--target cpu")(claim, claim)


@case
def TensorDevice():
    kernels.compiled()(Claim((8,), device=(2, 0)), Claim((8,), device=(2, 0)))


@case
def TensorOnHost():
    @cute.jit
    def first(a: cute.Tensor):
        a[0] = 1.0

    compiled = cute.compile(first, kernels.vector(), options="--target cuda:sm_80")
    compiled(Claim((8,), device=(2, 0)))


@case
def TensorDeviceId():
    compiled = cute.compile(
        kernels.nothing, kernels.vector(), kernels.vector(), options="--target cuda:sm_80"
    )
    compiled(Claim((8,), device=(2, 0)), Claim((8,), device=(2, 1)))


@case
def StrideMismatch():
    kernels.compiled()(kernels.zeros(16)[::2], kernels.zeros(8))


@case
def ArgumentsOverlap():
    @cute.jit
    def shift(a: cute.Tensor, b: Annotated[cute.Tensor, cute.no_alias]):
        for i in range(b.shape[0]):
            b[i] = a[i] + 1

    memory = kernels.zeros(9)
    shift(memory[:8], memory[1:])


@case
def TensorAlignment():
    kernels.compiled()(kernels.zeros(9)[1:], kernels.zeros(8))


@case
def TensorNull():
    import torch

    dead = torch.zeros(8)
    dead.untyped_storage().resize_(0)
    kernels.compiled()(dead, kernels.zeros(8))


def _pointer_function():
    @cute.jit
    def host(p: cute.Pointer):
        pass

    null = cute.runtime.nullptr(cute.Float32, assumed_align=16)
    return cute.compile(host, null, options="--target cpu")


@case
def PointerNull():
    _pointer_function()(0)


@case
def PointerAlignment():
    _pointer_function()(kernels.zeros().ctypes.data + 4)


@case
def ScalarRange():
    @cute.jit
    def host(x: cute.Int8, y):
        pass

    cute.compile(host, cute.Int8, kernels.vector(), options="--target cpu")(300, kernels.zeros())


@cute.kernel
def device(a, grid: fairlead.Constexpr):
    a[0] = 1.0


@cute.jit
def launches(a, gx: Int32, gy: Int32, bx: Int32, smem: Int32):
    device(a, 0).launch(grid=(gx, gy), block=(bx, 1, 1), smem=smem)


def launch(gx=1, gy=1, bx=1, smem=0):
    compiled = cute.compile(launches, kernels.vector(), gx, gy, bx, smem, options="--target cpu")
    compiled(kernels.zeros(), gx, gy, bx, smem)


@case
def LaunchGridNegative():
    launch(gx=-1)


@case
def LaunchGridSize():
    launch(gx=2**31 - 1, gy=2**31 - 1)


@case
def LaunchExtentRange():
    @cute.jit
    def host(a, n: Int32):
        device(a, 0).launch(grid=n * n, block=1)

    compiled = cute.compile(host, kernels.vector(), 1, options="--target cpu")
    compiled(kernels.zeros(), 65537)


@case
def LaunchBlockSize():
    launch(bx=4096)


@case
def LaunchSharedMemory():
    launch(smem=-1)


@case
def WholeTensorExtent():
    def host(a, b):
        b[:] = a[:]

    compiled = kernels.compile_host(host, kernels.vector(n=4), kernels.vector())
    compiled(kernels.zeros(4), kernels.zeros(5))


@case
def LoadedOverlap():
    def host(a, b):
        b.store(a.load() + 1.0)

    memory = kernels.zeros(3000)
    kernels.compile_host(host, kernels.vector(), kernels.vector())(memory[:2000], memory[1:2001])


def in_process(code: str, **environment: str) -> None:
    """Run ``code`` in a fresh process, and raise the error that it printed as ``kind: message``."""
    path = os.pathsep.join(
        [os.path.dirname(os.path.dirname(fairlead.__file__)), os.path.dirname(__file__)]
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )
    kind, _, message = done.stdout.partition(": ")
    assert done.returncode == 0 and message, done.stdout + done.stderr
    raise getattr(__builtins__, kind, None) or __builtins__[kind](message.rstrip("\n"))


_PRINT_ERROR = """
import kernels
import numpy as np
try:
    kernels.compiled()(kernels.zeros(), kernels.zeros())
except Exception as error:
    print(f"{type(error).__name__}: {error}")
"""


@case
def ThreadCount():
    in_process(_PRINT_ERROR, FAIRLEAD_NUM_THREADS="many")


_LIMITED = """
import resource
import cases_calls
import kernels
import numpy as np
cases_calls.launch()
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, resource.RLIM_INFINITY))
try:
    cases_calls.launch(smem=2**31 - 1)
except Exception as error:
    print(f"{type(error).__name__}: {error}")
"""


@case
def LaunchOutOfMemory():
    in_process(_LIMITED)
