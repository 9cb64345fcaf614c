"""All functions and enumerations of the primitives, by their names."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from fairlead.primitives import (
    _arithmetic,
    _barriers,
    _control,
    _conversions,
    _copies,
    _descriptors,
    _enums,
    _fences,
    _later,
    _launch_control,
    _matrices,
    _mbarriers,
    _memory_ops,
    _mixed,
    _tensor_memory,
    _tensor_products,
    _warp,
)
from fairlead.primitives._operands import checked

__all__ = ["FUNCTIONS"]


def _checked(value: object) -> Any:
    return checked(value) if isinstance(value, FunctionType) else value


FUNCTIONS: dict[str, Any] = {
    name: _checked(getattr(module, name))
    for module in (
        _arithmetic,
        _barriers,
        _control,
        _conversions,
        _copies,
        _descriptors,
        _enums,
        _fences,
        _later,
        _launch_control,
        _matrices,
        _mbarriers,
        _memory_ops,
        _mixed,
        _tensor_memory,
        _tensor_products,
        _warp,
    )
    for name in module.__all__
}
