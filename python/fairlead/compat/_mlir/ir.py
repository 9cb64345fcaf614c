"""IR types: those of numbers are the numeric classes themselves."""

from __future__ import annotations

import re
from typing import Any

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.compat._ir_types import PointerType, StructType
from fairlead.compat._mlir._attributes import (
    Attribute,
    DictAttr,
    IntegerAttr,
    TypeAttr,
    UnitAttr,
    constant_of,
)
from fairlead.compat._mlir._vectors import VectorType
from fairlead.cute._ir_types import IRValue as Value

__all__ = [
    "Attribute",
    "BF16Type",
    "Context",
    "DictAttr",
    "F16Type",
    "F32Type",
    "F64Type",
    "InsertionPoint",
    "IntegerAttr",
    "IntegerType",
    "Location",
    "Operation",
    "Type",
    "TypeAttr",
    "UnitAttr",
    "Value",
    "VectorType",
]


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


def _named(name: str, dtype: type[_compiler.Numeric]) -> type:
    def get(*_: Any) -> type:
        return dtype

    return type(name, (), {"get": staticmethod(get), "__doc__": f"{dtype.__name__}."})


F16Type = _named("F16Type", _compiler.Float16)
BF16Type = _named("BF16Type", _compiler.BFloat16)
F32Type = _named("F32Type", _compiler.Float32)
F64Type = _named("F64Type", _compiler.Float64)


class _OfTrace(type):
    """Classes whose ``current`` object belongs to the trace of this thread."""

    @property
    def current(cls) -> Any:
        return None if state.program is None else cls()


class Context(metaclass=_OfTrace):
    """Where the IR is built; ``Context.current`` is None outside of a trace."""


class Location(metaclass=_OfTrace):
    """A place in a program; ``Location.current`` is None outside of a trace. Every operation is where the program's
    line is, whatever a program passes."""

    @classmethod
    def unknown(cls, *_: Any, **__: Any) -> Location:
        """Return a location without a file."""
        return cls()

    def __enter__(self) -> Location:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class _OfTraceOrError(type):
    @property
    def current(cls) -> Any:
        if state.program is None:
            raise ValueError("no current InsertionPoint: nothing is traced")
        return cls()


class InsertionPoint(metaclass=_OfTraceOrError):
    """Where operations are put. They are put where the program is, whatever a program passes. ``current`` raises
    ValueError outside of a trace."""


class Operation:
    """An operation by its name: ``Operation.create`` makes constants."""

    def __init__(self, result: Any) -> None:
        self.result, self.results = result, [result]

    @classmethod
    def create(
        cls,
        name: str,
        results: Any = None,
        operands: Any = None,
        attributes: Any = None,
        **_: Any,
    ) -> Operation:
        """Return the operation, whose ``result`` is a number.

        Args:
            name: ``"arith.constant"`` or ``"llvm.mlir.constant"``.
            results: a list of the type of the result.
            attributes: the IntegerAttr of the number, by the name ``value``.

        Raises NotImplementedError for another operation.
        """
        if name not in ("arith.constant", "llvm.mlir.constant"):
            raise NotImplementedError(
                f"expected arith.constant or llvm.mlir.constant for Operation.create, but got {name!r}"
            )
        return cls(constant_of(results[0], attributes["value"]))


class Type:
    """A type by its text."""

    @staticmethod
    def parse(text: str, *_: Any, **__: Any) -> Any:
        """The type of ``"i32"``, ``"bf16"``, ``"vector<4xf32>"``, ``"!llvm.ptr<3>"`` or ``"!llvm.struct<(i32, f32)>"``;
        ValueError for other texts."""
        words = text.strip()
        if found := re.fullmatch(r"!llvm\.struct<\((.*)\)>", words):
            return StructType.get_literal([Type.parse(each) for each in found[1].split(",")])
        if re.fullmatch(r"!llvm\.ptr(<\d+>)?", words):
            return PointerType()
        if found := re.fullmatch(r"vector<(\d+)x(\w+)>", words):
            return VectorType.get([int(found[1])], Type.parse(found[2]))
        if found := re.fullmatch(r"i(\d+)", words):
            return IntegerType.get_signless(int(found[1]))
        if words == "bf16":
            return _compiler.BFloat16
        if found := re.fullmatch(r"f(16|32|64)", words):
            return _compiler.dtype_by_name(f"Float{found[1]}")
        raise ValueError(f"no IR type of the text {text!r} is known here")
