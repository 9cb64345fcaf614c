"""Calls that JAX makes, and what fairlead.jax and fairlead.torch are given."""

import subprocess
import sys

import kernels
from error_cases import case

import fairlead
from fairlead import cute


def _jax():
    import jax
    import jax.numpy as jnp

    import fairlead.jax

    return jax, jnp, fairlead.jax.call


def _raw(kind, name, *arrays, results=(), **attributes):
    """A call of jax.ffi alone, without what fairlead.jax checks before. XLA's error, as an exception of the kind that
    XLA has a code for."""
    jax, _, _ = _jax()
    shapes = tuple(jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in results)
    make = jax.ffi.ffi_call(name, shapes, has_side_effect=True, vmap_method="sequential")
    try:
        jax.block_until_ready(make(*arrays, **attributes))
    except jax.errors.JaxRuntimeError as error:
        code, _, text = str(error).partition(": ")
        assert code == ("INTERNAL" if kind is RuntimeError else "INVALID_ARGUMENT"), error
        raise kind(text) from None


def _registered(function, *params):
    """A target of JAX of its own for a function; `params` as fairlead.jax has them."""
    jax, _, _ = _jax()
    from fairlead.jax._native import TENSOR, make_handler

    _registered.count += 1
    name = f"cases_{_registered.count}"
    params = params or ((TENSOR, 1, "a"), (TENSOR, 1, "b"))
    capsule = make_handler(function, params, cuda=False, command_buffer=False, owned=False)
    jax.ffi.register_ffi_target(name, capsule, platform="cpu")
    return name


_registered.count = 0


@case
def XlaBuffers():
    _, jnp, _ = _jax()
    _raw(ValueError, _registered(kernels.compiled()), jnp.ones(4))


@case
def XlaNumber():
    _, jnp, _ = _jax()
    _raw(TypeError, _registered(kernels.compiled(), (3, -1, ""), (1, 0, "alpha")), jnp.ones(4))


@case
def XlaElementType():
    _, jnp, _ = _jax()
    _raw(TypeError, _registered(kernels.compiled(), (3, -1, "")), jnp.ones(4, jnp.int4))


@case
def XlaRank():
    _, jnp, _ = _jax()
    _raw(ValueError, _registered(kernels.compiled()), jnp.ones(()), results=[((4,), jnp.float32)])


@case
def XlaBatch():
    _, jnp, _ = _jax()
    _raw(
        ValueError,
        _registered(kernels.compiled()),
        jnp.ones((2, 4)),
        results=[((3, 4), jnp.float32)],
    )


@case
def XlaProgram():
    import numpy as np

    _, jnp, _ = _jax()
    attributes = {"fairlead_program": np.int64(1), "fairlead_name": "double"}
    _raw(RuntimeError, "fairlead_call", jnp.ones(4), **attributes)


@case
def HandlerCode():
    # A process whose memory is at its limit has none for code.
    program = """
import ctypes, resource
from fairlead import _core, ffi
from fairlead.ffi._library import runtime_library
address = _core._xla_function("double", ffi.convert(lambda: None), [], 0)
make = runtime_library.FairleadXlaHandler
make.argtypes, make.restype = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32], ctypes.c_void_p
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used, used))
if not make(address, 1, 0):
    try:
        _core._raise_pending()
    except RuntimeError as error:
        print(error, end="")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    raise RuntimeError(done.stdout or done.stderr)


@case
def FrameworkFunction():
    _, _, call = _jax()
    call(print)


@case
def FrameworkParameter():
    _, _, call = _jax()
    pointer = cute.runtime.make_ptr(fairlead.Float32, 256, fairlead.AddressSpace.gmem)
    call(cute.compile(kernels.take_pointer, pointer))


@case
def FrameworkOption():
    _, _, call = _jax()
    call(kernels.compiled(), vmap="quickly")


@case
def FrameworkOutputs():
    _, _, call = _jax()
    call(kernels.compiled(), outputs=("c",))


@case
def FrameworkShape():
    _, jnp, call = _jax()
    n, m = cute.sym_int(), cute.sym_int()
    a, b = (cute.runtime.make_fake_compact_tensor(fairlead.Float32, (each,)) for each in (n, m))
    call(cute.compile(kernels.ignore_two, a, b))(jnp.ones(4))


@case
def FrameworkExtent():
    _, jnp, call = _jax()
    a, b = (cute.runtime.make_fake_compact_tensor(fairlead.Float32, (4,)) for _ in range(2))
    call(cute.compile(kernels.ignore_two, a, b))(jnp.ones(5))


@case
def FrameworkDType():
    from fairlead.jax._arrays import cute_dtype

    cute_dtype("complex64")


@case
def FrameworkBackward():
    jax, jnp, call = _jax()
    double = call(kernels.compiled(), vjp=lambda inputs, outputs, cotangents: (None, None))
    jax.grad(lambda x: double(x).sum())(jnp.ones(4))


@case
def JaxArguments():
    _, jnp, call = _jax()
    call(kernels.compiled())(jnp.ones(4, jnp.int32))


@case
def JaxNumber():
    _, jnp, call = _jax()
    call(kernels.scaled(), outputs="b")(jnp.ones(4), factor=jnp.float32(2))


@case
def JaxDerivative():
    jax, jnp, call = _jax()
    jax.grad(lambda x: call(kernels.compiled())(x).sum())(jnp.ones(4))


def _op(*args, **options):
    import fairlead.torch

    return fairlead.torch.op(*args, **options)


@case
def TorchName():
    _op(kernels.compiled(), "add_one", outputs="b")


@case
def TorchNameTaken():
    for _ in range(2):
        _op(kernels.compiled(), "cases::taken", outputs="b")


@case
def TorchGradient():
    import torch

    _op(kernels.compiled(), "cases::gradient", outputs="b")(torch.ones(4, requires_grad=True))


@case
def TorchBackward():
    _op(kernels.compiled(), "cases::backward", outputs="b", backward=kernels.compiled())


@case
def TorchTangent():
    import torch
    from torch.autograd import forward_ad

    operator = _op(kernels.compiled(), "cases::tangent", outputs="b")
    with forward_ad.dual_level():
        operator(forward_ad.make_dual(torch.ones(4), torch.ones(4)))


@case
def TorchBatch():
    import torch

    operator = _op(kernels.compiled(), "cases::batch", outputs="b")
    torch.vmap(operator, (0, None))(torch.ones(2, 4), torch.ones(4))


@case
def TorchOverlap():
    import torch

    memory = torch.ones(5)
    operator = _op(kernels.compiled(), "cases::overlap", outputs="b")
    operator(memory[:4], memory[1:])


@case
def TorchOperator():
    import ctypes

    import torch  # noqa: F401

    from fairlead._core import _raise_pending
    from fairlead.ffi._library import runtime_library

    if runtime_library.FairleadTorchDefine(
        ctypes.c_char_p(b"cases"), ctypes.c_char_p(b"no schema")
    ):
        _raise_pending()


@case
def TorchVersion():
    # A process without torch.
    program = """
import ctypes
from fairlead import _core
from fairlead.ffi._library import runtime_library
if runtime_library.FairleadTorchDefine(ctypes.c_char_p(b"a"), ctypes.c_char_p(b"b() -> ()")):
    try:
        _core._raise_pending()
    except RuntimeError as error:
        print(error, end="")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    raise RuntimeError(done.stdout or done.stderr)
