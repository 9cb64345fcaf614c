"""Arguments of compiles in the form of JSON, and back: the rows of manifests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairlead import _compiler
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._fake import FakeStream, FakeTensor
from fairlead.cute._symbols import Product, SymInt

__all__ = ["described", "name_of", "rebuilt"]

_PLAIN = (bool, int, float, str, type(None))
_CPU = 1


def name_of(function: object) -> str:
    """Return ``module:qualified.name`` of a function."""
    inner = getattr(function, "function", function)
    return f"{getattr(inner, '__module__', '')}:{getattr(inner, '__qualname__', '')}"


class _Unknown(Exception):
    """An argument that has no form of JSON."""


def described(arguments: Mapping[str, object]) -> dict[str, Any] | None:
    """Return the arguments of a compile as values of JSON; None if one has no such form."""
    symbols: dict[int, int] = {}
    try:
        return {name: _describe(value, symbols) for name, value in arguments.items()}
    except _Unknown:
        return None


def _describe(value: object, symbols: dict[int, int]) -> dict[str, Any]:
    if isinstance(value, _PLAIN):
        return {"value": value}
    if isinstance(value, type) and _compiler.is_dtype(value):
        return {"type": value.__name__}
    if isinstance(value, FakeStream):
        return {"stream": value.environment}
    if isinstance(value, FakeTensor):
        return {
            "tensor": value.dtype.__name__,
            "shape": [_extent(extent, symbols) for extent in value.shape],
            "stride": [_extent(extent, symbols) for extent in value.stride],
            "memspace": value.memspace.name,
            "align": value.alignment,
            "narrow": value.narrow_strides,
        }
    if hasattr(value, "__dlpack__"):
        tensor = value if isinstance(value, RuntimeTensor) else RuntimeTensor(value, None, False)
        device = "cpu" if tensor.device_type == _CPU else f"cuda:{tensor.device_id}"
        producer = getattr(tensor, "_producer", value)
        return {
            "array": tensor.dtype.__name__,
            "shape": list(tensor._extents),
            "stride": list(tensor._strides),
            "device": device,
            "framework": type(producer).__module__.partition(".")[0],
        }
    raise _Unknown


def _extent(extent: object, symbols: dict[int, int]) -> Any:
    if type(extent) is int:
        return extent
    if type(extent) is SymInt:
        number = symbols.setdefault(id(extent), len(symbols))
        return {
            "symbol": number,
            "width": extent.width,
            "divisibility": extent.divisibility,
            "name": extent.symbol,
        }
    if isinstance(extent, Product):
        return {
            "times": extent.coefficient,
            "of": [_extent(symbol, symbols) for symbol in extent.symbols],
        }
    raise _Unknown


def rebuilt(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that ``described`` wrote down: stand-ins, and arrays of zeros.

    Raises ValueError for another form, ImportError if an array's framework is missing.
    """
    symbols: dict[int, SymInt] = {}
    try:
        return {name: _rebuild(value, symbols) for name, value in arguments.items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"expected arguments as a manifest has them: {error!r}") from None


def _rebuild(value: Mapping[str, Any], symbols: dict[int, SymInt]) -> Any:
    if "value" in value:
        if not isinstance(value["value"], _PLAIN):
            raise TypeError(f"a value of type {type(value['value']).__name__}")
        return value["value"]
    if "type" in value:
        return _dtype(value["type"])
    if "stream" in value:
        return FakeStream(bool(value["stream"]))
    if "array" in value:
        return _array(value)
    return FakeTensor(
        _dtype(value["tensor"]),
        tuple(_rebuilt_extent(extent, symbols) for extent in value["shape"]),
        tuple(_rebuilt_extent(extent, symbols) for extent in value["stride"]),
        _compiler.AddressSpace[value["memspace"]],
        value["align"],
        bool(value["narrow"]),
    )


def _dtype(name: str) -> Any:
    dtype = getattr(_compiler, name)
    if not _compiler.is_dtype(dtype):
        raise TypeError(f"{name} is no numeric class")
    return dtype


def _rebuilt_extent(extent: int | Mapping[str, Any], symbols: dict[int, SymInt]) -> Any:
    if isinstance(extent, int):
        return extent
    if "symbol" in extent:
        number = extent["symbol"]
        if number not in symbols:
            symbols[number] = SymInt(
                extent["width"], divisibility=extent["divisibility"], symbol=extent["name"]
            )
        return symbols[number]
    return Product(
        extent["times"], tuple(_rebuilt_extent(symbol, symbols) for symbol in extent["of"])
    )


def _array(value: Mapping[str, Any]) -> Any:
    """Return an array of zeros with the given strides. Its memory is not touched on the CPU."""
    name: str = value["array"]
    shape, strides = tuple(value["shape"]), tuple(value["stride"])
    if value["framework"] == "torch" or value["device"] != "cpu":
        import torch

        dtype = "bool" if name == "Boolean" else name.lower()
        return torch.empty_strided(
            shape, strides, dtype=getattr(torch, dtype), device=value["device"]
        )
    import numpy as np

    dtype_name = {"Boolean": "bool"}.get(name, name.lower())
    if dtype_name == "bfloat16":
        import ml_dtypes

        kind = np.dtype(ml_dtypes.bfloat16)
    else:
        kind = np.dtype(dtype_name)
    span = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
    memory = np.zeros(max(span, 1), kind)
    steps = tuple(stride * kind.itemsize for stride in strides)
    return np.lib.stride_tricks.as_strided(memory, shape, steps)
