"""IR types: those of numbers are the numeric classes themselves."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._ir_types import IRValue as Value

__all__ = ["BF16Type", "F16Type", "F32Type", "F64Type", "IntegerType", "Value"]


class IntegerType:
    """Integers by their width."""

    @staticmethod
    def get_signless(width: int, *_: Any) -> type:
        """The numeric class of ``width`` bits: Boolean for 1, else a signed one. ValueError for other widths."""
        return _compiler.Boolean if width == 1 else _compiler.dtype_by_name(f"Int{width}")

    get_signed = get_signless

    @staticmethod
    def get_unsigned(width: int, *_: Any) -> type:
        return _compiler.dtype_by_name(f"Uint{width}")


def _named(name: str, dtype: type) -> type:
    def get(*_: Any) -> type:
        return dtype

    return type(name, (), {"get": staticmethod(get), "__doc__": f"{dtype.__name__}."})


F16Type = _named("F16Type", _compiler.Float16)
BF16Type = _named("BF16Type", _compiler.BFloat16)
F32Type = _named("F32Type", _compiler.Float32)
F64Type = _named("F64Type", _compiler.Float64)
