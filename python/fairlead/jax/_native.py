"""XLA handlers of the runtime library, registered with JAX (fairlead/Frameworks.h)."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import Any

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead._core import Function, _raise_pending, _xla_function
from fairlead._frameworks.interface import Interface, Scalar, Stream, Tensor
from fairlead.ffi._exports import symbol_of_object
from fairlead.ffi._library import ffi_library, runtime_library

__all__ = ["EAGER_TARGET", "TARGET", "add_program", "install", "make_handler"]

#: The targets of all calls, as jax.export's DisabledSafetyCheck.custom_call names them; EAGER_TARGET's calls stay out
#: of command buffers (CUDA graphs).
TARGET = "fairlead_call"
EAGER_TARGET = "fairlead_call_eager"

TENSOR, NUMBER, STREAM, INPUTS, RESULTS = range(5)
_OWNED_TENSORS = 1
_CPU, _CUDA = 1, 2


def _library() -> ctypes.CDLL:
    if runtime_library is None:
        raise FileNotFoundError("the runtime library libcuda_dialect_runtime.so is not installed")
    return runtime_library


def _param(argument: Tensor | Scalar | Stream) -> tuple[int, int, str]:
    if isinstance(argument, Tensor):
        return TENSOR, len(argument.shape), argument.name
    return (NUMBER if isinstance(argument, Scalar) else STREAM), 0, argument.name


@functools.cache
def _known_programs() -> set[int]:
    return set()


def add_program(number: int, interface: Interface) -> None:
    """Make the function known to the handlers of TARGET under a number."""
    if number in _known_programs():
        return
    params = [_param(argument) for argument in interface.arguments]
    flags = 0 if interface.function.views else _OWNED_TENSORS
    add = _library().FairleadXlaAddProgram
    add.argtypes, add.restype = [ctypes.c_int64, ctypes.c_void_p], None
    add(number, _xla_function(interface.name, interface.function, params, flags))
    _known_programs().add(number)


def make_handler(
    function: Function,
    params: Sequence[tuple[int, int, str]],
    *,
    cuda: bool,
    command_buffer: bool,
    owned: bool,
) -> Any:
    """Return a capsule with a handler of its own for the function. `params`: (kind, rank, name) of each argument."""
    flags = _OWNED_TENSORS if owned else 0
    described = _xla_function(function.__name__ or "function", function, params, flags)
    make = _library().FairleadXlaHandler
    make.argtypes, make.restype = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32], ctypes.c_void_p
    address = make(described, _CUDA if cuda else _CPU, int(command_buffer))
    if not address:
        _raise_pending()
    return _capsule(address)


# One of its own: jax.ffi.pycapsule changes the types of ctypes.pythonapi's, which the whole process shares.
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))


def _capsule(address: int) -> Any:
    """A handler as jax.ffi takes it."""
    return _new_capsule(address, None, None)


_LOADER = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)


@_LOADER  # type: ignore[untyped-decorator]
def _load(data: int, size: int, name: bytes) -> int | None:
    """The FairleadXlaFunction of an exported object's bytes."""
    try:
        return symbol_of_object(ctypes.string_at(data, size), f"__fairlead_xla_{name.decode()}")
    except Exception as error:
        ffi_library.TVMFFIErrorSetRaisedFromCStr(b"RuntimeError", str(error).encode())
        return None


@functools.cache
def install() -> None:
    """Registers the targets with JAX for the CPU and for CUDA devices."""
    import jax

    if jax.__version_info__ < (0, 7):
        raise ImportError(f"fairlead.jax needs jax 0.7 or newer, but this one is {jax.__version__}")
    library = _library()
    library.FairleadXlaSetLoader.argtypes = [_LOADER]
    library.FairleadXlaSetLoader(_load)

    def handler(function: Any) -> Any:
        return _capsule(ctypes.cast(function, ctypes.c_void_p).value or 0)

    cpu = handler(library.FairleadXlaCpu)
    # XLA initialises before it records a graph: the parts that a call needs are loaded then.
    for target, function in (
        (TARGET, library.FairleadXlaCuda),
        (EAGER_TARGET, library.FairleadXlaCudaEager),
    ):
        cuda = handler(function)
        jax.ffi.register_ffi_target(target, cpu, platform="cpu")
        jax.ffi.register_ffi_target(target, {"initialize": cuda, "execute": cuda}, platform="CUDA")
