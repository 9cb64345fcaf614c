"""``cutlass._mlir.ir``: types, attributes, and the places of operations."""

from __future__ import annotations

from typing import Any

from fairlead._tracing.state import state
from fairlead.compat._mlir._attributes import (
    Attribute,
    DictAttr,
    IntegerAttr,
    TypeAttr,
    UnitAttr,
    constant_of,
)
from fairlead.compat._mlir._types import (
    BF16Type,
    F16Type,
    F32Type,
    F64Type,
    IntegerType,
    Type,
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


class _OfTrace(type):
    """Classes whose ``current`` object belongs to the trace of this thread."""

    @property
    def current(cls) -> Any:
        return None if state.program is None else cls()


class Context(metaclass=_OfTrace):
    """The place where the IR is built; ``Context.current`` is None outside of a trace."""


class Location(metaclass=_OfTrace):
    """A place in a program; ``Location.current`` is None outside of a trace. The location of an operation is always the
    program's line; a location that a program passes is ignored."""

    @classmethod
    def unknown(cls, *_: object, **__: object) -> Location:
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


class _LaunchConfig:
    """The configuration of a launch, which functions of ``dialects.cuda`` take."""


class _Launch:
    """A launch of a kernel, among the operations of a block."""

    name = "cuda.launch_ex"

    def __init__(self) -> None:
        self.operands = [_LaunchConfig()]

    @property
    def operation(self) -> _Launch:
        """Itself."""
        return self


class _Block:
    """The block of operations that the program builds."""

    @property
    def operations(self) -> list[_Launch]:
        """Its launches of kernels so far. Other operations are not listed."""
        return [_Launch() for _ in range(state.kernels)]


class InsertionPoint(metaclass=_OfTraceOrError):
    """The place of new operations. They always go to the program's current place; a place that a program passes is
    ignored. ``current`` raises ValueError outside of a trace."""

    def __init__(self, *_: object) -> None:
        self.block = _Block()

    def __enter__(self) -> InsertionPoint:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Operation:
    """An operation by its name: ``Operation.create`` makes constants."""

    def __init__(self, result: object) -> None:
        self.result, self.results = result, [result]

    @classmethod
    def create(
        cls,
        name: str,
        results: Any = None,
        operands: object = None,
        attributes: Any = None,
        **_: object,
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
