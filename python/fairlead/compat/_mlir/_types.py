"""IR types: those of numbers are the numeric classes themselves."""

from __future__ import annotations

import re
from typing import Any

from fairlead import _compiler
from fairlead.compat._ir_types import PointerType, StructType
from fairlead.compat._mlir._vectors import VectorType

__all__ = ["BF16Type", "F16Type", "F32Type", "F64Type", "IntegerType", "Type"]


class IntegerType:
    """Integers by their width."""

    @staticmethod
    def get_signless(width: int, *_: object) -> type:
        """The numeric class of ``width`` bits: Boolean for 1, else a signed one. ValueError for other widths."""
        return _compiler.Boolean if width == 1 else _compiler.dtype_by_name(f"Int{width}")

    get_signed = get_signless

    @staticmethod
    def get_unsigned(width: int, *_: object) -> type:
        return _compiler.dtype_by_name(f"Uint{width}")

    @staticmethod
    def isinstance(value: object) -> bool:
        """Return whether a type is one of integers."""
        return _compiler.is_dtype(value) and bool(value.is_integer)


def _named(name: str, dtype: type[_compiler.Numeric]) -> type:
    def get(*_: object) -> type:
        return dtype

    return type(name, (), {"get": staticmethod(get), "__doc__": f"{dtype.__name__}."})


F16Type = _named("F16Type", _compiler.Float16)
BF16Type = _named("BF16Type", _compiler.BFloat16)
F32Type = _named("F32Type", _compiler.Float32)
F64Type = _named("F64Type", _compiler.Float64)
IndexType = _named("IndexType", _compiler.Int64)


class Type:
    """A type by its text."""

    @staticmethod
    def parse(text: str, *_: object, **__: object) -> Any:
        """The type of ``"i32"``, ``"bf16"``, ``"vector<4xf32>"``, ``"!llvm.ptr<3>"``, ``"!llvm.array<4 x i32>"`` or
        ``"!llvm.struct<(i32, f32)>"``; ValueError for other texts. An array is a struct of its elements."""
        words = text.strip()
        if parts := re.fullmatch(r"!llvm\.struct<\((.*)\)>", words):
            return StructType.get_literal([Type.parse(member) for member in parts[1].split(",")])
        if parts := re.fullmatch(r"(?:!llvm\.)?array<(\d+) x (.*)>", words):
            return StructType.get_literal([Type.parse(parts[2])] * int(parts[1]))
        if re.fullmatch(r"!llvm\.ptr(<\d+>)?", words):
            return PointerType()
        if parts := re.fullmatch(r"vector<(\d+)x(\w+)>", words):
            return VectorType.get([int(parts[1])], Type.parse(parts[2]))
        if parts := re.fullmatch(r"i(\d+)", words):
            return IntegerType.get_signless(int(parts[1]))
        if words == "bf16":
            return _compiler.BFloat16
        if parts := re.fullmatch(r"f(16|32|64)", words):
            return _compiler.dtype_by_name(f"Float{parts[1]}")
        raise ValueError(f"no IR type of the text {text!r} is known here")
