"""The fake of an operator for tracing: it checks tensors without memory, and makes results without memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from fairlead import _compiler
from fairlead._frameworks.description import free_strides, symbol_sources
from fairlead._frameworks.interface import Tensor, Values, framework_name
from fairlead.errors import make_error
from fairlead.torch._inductor import show_function
from fairlead.torch._schema import Overload, Schema

__all__ = ["Fake", "register_fake"]


class Fake:
    """The fake implementation of an overload. ``is_direct``: Inductor's programs may call the function itself."""

    def __init__(self, schema: Schema, overload: Overload, is_direct: bool) -> None:
        self._schema, self._overload, self._is_direct = schema, overload, is_direct

    def __call__(self, *args: Any) -> Any:
        schema, overload = self._schema, self._overload
        if self._is_direct:
            show_function(overload.name, overload.inputs, overload.results, schema.arguments)
        interface = schema.interface
        arguments = dict(zip(overload.inputs, args, strict=True))
        values = Values(interface)
        for scalar in interface.scalars:
            if scalar.symbol >= 0:
                values.bind_number(scalar.symbol, arguments[scalar.name])
        tensors = schema.tensors(overload.inputs)
        for tensor in tensors:
            self._check_tensor(tensor, arguments[tensor.name], values)
        self._check_devices({tensor.name: arguments[tensor.name].device.type for tensor in tensors})
        symbols = set(symbol_sources(interface, overload.inputs))
        results = [
            self._empty(tensor, arguments, values, symbols)
            for tensor in schema.tensors(overload.results)
        ]
        if not results:
            return None
        return results[0] if len(results) == 1 else tuple(results)

    def _misfit(self, what: str, expected: object, got: object) -> Exception:
        text = self._schema.interface.text
        return make_error("FrameworkExtent", what=what, signature=text, expected=expected, got=got)

    def _check_tensor(self, tensor: Tensor, value: torch.Tensor, values: Values) -> None:
        if value.dim() != len(tensor.shape):
            raise self._misfit(
                f"number of dimensions of {tensor.name}", len(tensor.shape), value.dim()
            )
        dtypes = [_torch_dtype(dtype) for dtype in tensor.dtypes]
        if value.dtype not in dtypes:
            expected = " or ".join(map(str, dtypes))
            raise self._misfit(f"dtype of {tensor.name}", expected, value.dtype)

        def check(holds: object, what: str, expected: object, got: object) -> None:
            if not isinstance(holds, bool):
                text = self._schema.interface.text
                torch._check(holds, lambda: f"Mismatched {what} when calling: `{text}`")
            elif not holds:
                raise self._misfit(what, expected, got)

        values.bind(tensor, value.shape, check)

    def _check_devices(self, devices: dict[str, str]) -> None:
        """Refuse a mixture: with one tensor on ``meta`` torch comes here, and does nothing with the others."""
        for name, device in devices.items():
            if device != "meta" and "meta" in devices.values():
                raise self._misfit(f"device of {name}", "meta, where other tensors are", device)

    def _empty(
        self, tensor: Tensor, arguments: dict[str, Any], values: Values, symbols: set[int]
    ) -> torch.Tensor:
        shape = values.shape(tensor)
        assert shape is not None
        first = next(value for value in arguments.values() if isinstance(value, torch.Tensor))
        dtype = _torch_dtype(tensor.dtypes[0])
        if tensor.variable >= 0:
            dtype = next(
                arguments[other.name].dtype
                for other in self._schema.interface.tensors
                if other.variable == tensor.variable and other.name in arguments
            )
        if free_strides(tensor, symbols):
            return first.new_empty(shape, dtype=dtype)
        strides = [values.value(stride) for stride in tensor.strides]
        return first.new_empty_strided(shape, strides, dtype=dtype)


def register_fake(name: str, fake: Callable[..., Any], library: torch.library.Library) -> None:
    """Do what torch.library.register_fake does, without finding the file and the module of its caller, which would
    take half of the time that an operator takes."""
    try:
        internals: Any = torch._library
        holder = internals.simple_registry.singleton.find(name).fake_impl
        library._registration_handles.append(holder.register(fake, __file__, lib=library))
    except (AttributeError, TypeError):  # another torch
        torch.library.register_fake(name, fake, lib=library)


def _torch_dtype(dtype: type[_compiler.Numeric]) -> torch.dtype:
    torch_dtype = getattr(torch, framework_name(dtype), None)
    if not isinstance(torch_dtype, torch.dtype):
        raise make_error("FrameworkDType", framework="torch", got=dtype.__name__)
    return torch_dtype
