"""Kernels of operators in C++, without Python or torch's headers (fairlead/Frameworks.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import starmap
from typing import Any

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead import _compiler
from fairlead._core import _raise_pending
from fairlead._frameworks.interface import Extent, Interface, Scalar, Stream, Tensor
from fairlead.ffi import dtype as ffi_dtype
from fairlead.ffi._library import runtime_library

__all__ = ["describe", "free_strides", "implement", "symbol_sources"]

#: Kinds of devices: the dispatch key, the bit of FairleadTorchDevice.
_KEYS = {"cpu": ("CPU", 1), "cuda": ("CUDA", 2)}

_TENSOR, _INT, _FLOAT, _BOOL, _STREAM = range(5)


class _DType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Param(ctypes.Structure):
    """FairleadTorchParam."""

    _fields_ = (("kind", ctypes.c_int32), ("input", ctypes.c_int32), ("written", ctypes.c_int32))


class _Output(ctypes.Structure):
    """FairleadTorchOutput."""

    _fields_ = (
        ("param", ctypes.c_int32),
        ("dtype_from", ctypes.c_int32),
        ("dtype", _DType),
        ("rank", ctypes.c_int32),
        ("compact", ctypes.c_int32),
        ("extents", ctypes.POINTER(ctypes.c_int64)),
    )


class _Symbol(ctypes.Structure):
    """FairleadTorchSymbol."""

    _fields_ = (("input", ctypes.c_int32), ("mode", ctypes.c_int32))


class _Kernel(ctypes.Structure):
    """FairleadTorchKernel."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("entry", ctypes.c_void_p),
        ("handle", ctypes.c_void_p),
        ("params", ctypes.POINTER(_Param)),
        ("outputs", ctypes.POINTER(_Output)),
        ("symbols", ctypes.POINTER(_Symbol)),
        ("num_params", ctypes.c_int32),
        ("num_outputs", ctypes.c_int32),
        ("num_symbols", ctypes.c_int32),
        ("num_inputs", ctypes.c_int32),
    )


#: What kernels read lives as long as the process.
_kept: list[Any] = []


def _kind(argument: Tensor | Scalar | Stream) -> int:
    if isinstance(argument, Tensor):
        return _TENSOR
    if isinstance(argument, Stream):
        return _STREAM
    kind = argument.dtypes[0]
    if kind is _compiler.Boolean:
        return _BOOL
    return _FLOAT if issubclass(kind, _compiler.Float) else _INT


def _dtype(of: type) -> list[int]:
    """The members of a DLDataType."""
    names = {"Boolean": "bool", "TFloat32": "float32"}
    prefixed = {name: name.lower().replace("float8", "float8_") for name in dir(_compiler)}
    text = names.get(of.__name__) or (
        prefixed[of.__name__] if of.__name__.startswith("Float8") else of.__name__.lower()
    )
    made = ffi_dtype(text)
    return [made.type_code, made.bits, made.lanes]


def _codes(extents: Sequence[Extent]) -> list[int]:
    flat: list[int] = []
    for coefficient, symbols in extents:
        flat += [coefficient, len(symbols), *symbols]
    return flat


def symbol_sources(interface: Interface, inputs: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Of each symbol that the inputs tell, the input and the mode of its shape (-1: the number)."""
    found: dict[int, tuple[int, int]] = {}
    for index, argument in enumerate(_named(interface, inputs)):
        if isinstance(argument, Scalar):
            if argument.symbol >= 0:
                found.setdefault(argument.symbol, (index, -1))
            continue
        for mode, (coefficient, symbols) in enumerate(argument.shape):
            if coefficient == 1 and len(symbols) == 1:
                found.setdefault(symbols[0], (index, mode))
    return found


def _named(interface: Interface, names: Sequence[str]) -> list[Any]:
    by_name = {argument.name: argument for argument in interface.arguments}
    return [by_name[name] for name in names]


def free_strides(tensor: Tensor, known: set[int]) -> bool:
    """Whether an output's strides are not told by the inputs: it is then row-major."""
    return any(symbol not in known for _, symbols in tensor.strides for symbol in symbols)


def describe(
    name_space: str,
    schema: str,
    interface: Interface,
    inputs: Sequence[str],
    made: Sequence[Tensor],
    written: Sequence[str],
) -> dict[str, Any]:
    """An operator by the members of FairleadTorchOperator and its kernel. `inputs`: the operator's arguments; `made`:
    tensors that it allocates and returns; `written`: inputs that it writes."""
    places = {each: index for index, each in enumerate(inputs)}
    arguments = interface.arguments
    known = symbol_sources(interface, inputs)
    outputs = []
    for tensor in made:
        compact = free_strides(tensor, set(known))
        source = -1
        if tensor.variable >= 0:
            source = next(
                places[each.name]
                for each in interface.tensors
                if each.variable == tensor.variable and each.name in places
            )
        position = [each.name for each in arguments].index(tensor.name)
        extents = _codes(tensor.shape) + ([] if compact else _codes(tensor.strides))
        dtype = _dtype(tensor.dtypes[0])
        outputs.append([position, source, dtype, len(tensor.shape), int(compact), extents])
    return {
        "namespace": name_space,
        "name": schema.partition("(")[0],
        "schema": schema,
        "devices": sum(bit for kind, (_, bit) in _KEYS.items() if interface.runs_on(kind)),
        "params": [
            [_kind(each), places.get(each.name, -1), int(each.name in written)]
            for each in arguments
        ],
        "outputs": outputs,
        "symbols": [list(known.get(index, (0, -1))) for index in range(len(interface.symbols))],
        "num_inputs": len(inputs),
    }


def implement(interface: Interface, described: dict[str, Any]) -> None:
    """Registers kernels for the devices that the function has code for."""
    params = (_Param * max(1, len(described["params"])))(*starmap(_Param, described["params"]))
    symbols = (_Symbol * max(1, len(described["symbols"])))(*starmap(_Symbol, described["symbols"]))
    outputs = (_Output * max(1, len(described["outputs"])))()
    codes = []
    for index, (position, source, dtype, rank, compact, extents) in enumerate(described["outputs"]):
        codes.append((ctypes.c_int64 * max(1, len(extents)))(*extents))
        places = ctypes.cast(codes[-1], ctypes.POINTER(ctypes.c_int64))
        outputs[index] = _Output(position, source, _DType(*dtype), rank, compact, places)
    kernel = _Kernel(
        interface.name.encode(),
        None,
        interface.function.__chandle__(),
        params,
        outputs,
        symbols,
        len(described["params"]),
        len(described["outputs"]),
        len(described["symbols"]),
        described["num_inputs"],
    )
    _kept.append((kernel, params, outputs, symbols, codes, interface.function))
    register = _library().FairleadTorchImplement
    register.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
    name_space, name = described["namespace"].encode(), described["name"].encode()
    for key, bit in _KEYS.values():
        if described["devices"] & bit and register(
            name_space, name, key.encode(), ctypes.addressof(kernel)
        ):
            _raise_pending()


def _library() -> ctypes.CDLL:
    if runtime_library is None:
        raise FileNotFoundError("the runtime library libcuda_dialect_runtime.so is not installed")
    return runtime_library
