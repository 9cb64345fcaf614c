"""A function as an operator, by the members of the C structs that describe one (fairlead/Frameworks.h)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlead import _compiler
from fairlead._frameworks.interface import Extent, Interface, Scalar, Stream, Tensor, framework_name
from fairlead.ffi import dtype as ffi_dtype

__all__ = ["DEVICES", "describe", "free_strides", "symbol_sources"]

#: FairleadTorchDevice.
DEVICES = {"cpu": 1, "cuda": 2}

_TENSOR, _INT, _FLOAT, _BOOL, _STREAM = range(5)
#: kFairleadTorchMayAlias.
_MAY_ALIAS = 2


def _kind(argument: Tensor | Scalar | Stream) -> int:
    if isinstance(argument, Tensor):
        return _TENSOR
    if isinstance(argument, Stream):
        return _STREAM
    kind = argument.dtypes[0]
    if kind is _compiler.Boolean:
        return _BOOL
    return _FLOAT if issubclass(kind, _compiler.Float) else _INT


def _element_type(of: type) -> list[int]:
    """The members of a DLDataType."""
    dtype = ffi_dtype(framework_name(of))
    return [dtype.type_code, dtype.bits, dtype.lanes]


def _codes(extents: Sequence[Extent]) -> list[int]:
    flat: list[int] = []
    for coefficient, symbols in extents:
        flat += [coefficient, len(symbols), *symbols]
    return flat


def symbol_sources(interface: Interface, inputs: Sequence[str]) -> dict[int, tuple[int, int]]:
    """For each symbol that the inputs determine, the input and the mode of its shape (-1: the number)."""
    sources: dict[int, tuple[int, int]] = {}
    for index, argument in enumerate(_named(interface, inputs)):
        if isinstance(argument, Scalar):
            if argument.symbol >= 0:
                sources.setdefault(argument.symbol, (index, -1))
            continue
        for mode, (coefficient, symbols) in enumerate(argument.shape):
            if coefficient == 1 and len(symbols) == 1:
                sources.setdefault(symbols[0], (index, mode))
    return sources


def _named(interface: Interface, names: Sequence[str]) -> list[Any]:
    by_name = {argument.name: argument for argument in interface.arguments}
    return [by_name[name] for name in names]


def free_strides(tensor: Tensor, symbols_known: set[int]) -> bool:
    """True if the inputs do not determine an output's strides: it is then row-major."""
    return any(symbol not in symbols_known for _, symbols in tensor.strides for symbol in symbols)


def describe(
    name_space: str,
    schema: str,
    interface: Interface,
    inputs: Sequence[str],
    results: Sequence[Tensor],
    written: Sequence[str],
    may_alias: Mapping[str, str],
) -> dict[str, Any]:
    """An operator by the members of FairleadTorchOperator and its kernel. `inputs`: the operator's arguments; `made`:
    tensors that it allocates and returns; `written`: inputs that it writes; `may_alias`: of these the input that each
    may be itself."""
    places = {name: index for index, name in enumerate(inputs)}
    arguments = interface.arguments
    symbols = symbol_sources(interface, inputs)
    names = [argument.name for argument in arguments]

    def write(name: str) -> int:
        """The member `written` of a FairleadTorchParam."""
        if name not in written or name not in may_alias:
            return int(name in written)
        return _MAY_ALIAS + names.index(may_alias[name])

    outputs = []
    for tensor in results:
        compact = free_strides(tensor, set(symbols))
        source = -1
        if tensor.variable >= 0:
            source = next(
                places[other.name]
                for other in interface.tensors
                if other.variable == tensor.variable and other.name in places
            )
        position = names.index(tensor.name)
        extents = _codes(tensor.shape) + ([] if compact else _codes(tensor.strides))
        dtype = _element_type(tensor.dtypes[0])
        outputs.append([position, source, dtype, len(tensor.shape), int(compact), extents])
    return {
        "namespace": name_space,
        "name": schema.partition("(")[0],
        "schema": schema,
        "devices": sum(bit for kind, bit in DEVICES.items() if interface.runs_on(kind)),
        "params": [
            [_kind(argument), places.get(argument.name, -1), write(argument.name)]
            for argument in arguments
        ],
        "outputs": outputs,
        "symbols": [list(symbols.get(index, (0, -1))) for index in range(len(interface.symbols))],
        "num_inputs": len(inputs),
    }
