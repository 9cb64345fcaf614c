"""What existing programs import from ``cutlass.cutlass_dsl`` and ``cutlass.base_dsl.dsl``."""

from __future__ import annotations

from fairlead import _compiler
from fairlead._language import Constexpr, const_expr, dynamic_expr, max, min
from fairlead.cute._protocols import (
    dsl_user_op,
    extract_mlir_values,
    new_from_mlir_values,
    register_jit_arg_adapter,
)
from fairlead.errors import DSLError as DSLRuntimeError

Boolean, Float32, Float64 = _compiler.Boolean, _compiler.Float32, _compiler.Float64
Int32, Int64, Numeric, Uint32 = (
    _compiler.Int32,
    _compiler.Int64,
    _compiler.Numeric,
    _compiler.Uint32,
)

__all__ = [
    "Boolean",
    "Constexpr",
    "DSLRuntimeError",
    "Float32",
    "Float64",
    "Int32",
    "Int64",
    "Numeric",
    "Uint32",
    "const_expr",
    "dsl_user_op",
    "dynamic_expr",
    "extract_mlir_values",
    "max",
    "min",
    "new_from_mlir_values",
    "register_jit_arg_adapter",
]
