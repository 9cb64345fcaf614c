"""``cutlass._mlir.ir``: types, attributes, and the places of operations."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
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
    IndexType,
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
    "IndexType",
    "InsertionPoint",
    "IntegerAttr",
    "IntegerType",
    "Location",
    "Operation",
    "Region",
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
    """The block of operations that the program builds, or a part of it that runs if a condition holds."""

    def __init__(self, condition: _compiler.Boolean | None = None) -> None:
        self.condition: Any = condition

    @property
    def operations(self) -> list[_Launch]:
        """Its launches of kernels so far. Other operations are not listed."""
        return [_Launch() for _ in range(state.kernels)]


class Region:
    """Operations that run if a condition holds: ``blocks.append()`` gives the block that an InsertionPoint enters."""

    def __init__(self, condition: _compiler.Boolean) -> None:
        self.blocks = self
        self._condition = condition

    def append(self, *_: object) -> _Block:
        """Its block."""
        return _Block(self._condition)


class InsertionPoint(metaclass=_OfTraceOrError):
    """The place of new operations. They go to the program's current place, or to the block of a Region; another place
    that a program passes is ignored. ``current`` raises ValueError outside of a trace."""

    def __init__(self, block: object = None, *_: object) -> None:
        self.block = block if isinstance(block, _Block) else _Block()

    def __enter__(self) -> InsertionPoint:
        if self.block.condition is not None:
            self.block.condition.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self.block.condition is not None:
            self.block.condition.__exit__(*error)


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
