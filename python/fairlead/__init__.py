"""Fairlead: compute kernels written once, compiled for CPU or CUDA, called from anywhere.

``fairlead.cute`` is the language, the numeric types and loop forms are here, ``fairlead.ffi`` is the runtime.
Importing the package loads neither the compiler nor a framework; the compiler is loaded when first used.
"""

from __future__ import annotations

from importlib import import_module as _import_module

__version__ = "0.1.0"

_NUMERIC = (
    "Numeric Integer Float Boolean Int4 Int8 Int16 Int32 Int64 Int128 Uint8 Uint16 Uint32 Uint64 Uint128 Float16 "
    "BFloat16 TFloat32 Float32 Float64 Float8E5M2 Float8E4M3 Float8E4M3FN Float8E4M3B11FNUZ Float8E8M0FNU "
    "Float6E3M2FN Float6E2M3FN Float4E2M1FN"
).split()

# Name -> module that defines it; loaded on first use.
_HOMES = {
    **dict.fromkeys(_NUMERIC, "fairlead._compiler"),
    "AddressSpace": "fairlead._compiler",
    "DSLError": "fairlead.errors",
    "CheckError": "fairlead.checks",
    **dict.fromkeys(
        [
            "dsl_user_op",
            "extract_mlir_values",
            "new_from_mlir_values",
            "register_jit_arg_adapter",
        ],
        "fairlead.cute._protocols",
    ),
    "tune": "fairlead.cute._tuning.search",
    "Launch": "fairlead.kernels",
    "kernel": "fairlead.kernels",
    "Constexpr": "fairlead._tracing.language",
    "const_expr": "fairlead._tracing.language",
    "dynamic_expr": "fairlead._tracing.language",
    "range": "fairlead._tracing.language",
    "range_constexpr": "fairlead._tracing.language",
    "range_dynamic": "fairlead._tracing.language",
    "dtype": "fairlead._tracing.language",
    "Int": "fairlead.cute.typing",
    "min": "fairlead._tracing.language",
    "max": "fairlead._tracing.language",
    **dict.fromkeys(["for_generate", "yield_out"], "fairlead.cute._generate"),
}
_MODULES = (
    "checks",
    "cute",
    "ffi",
    "compat",
    "errors",
    "jax",
    "pipeline",
    "torch",
    "tuning",
    "utils",
)

# Without compat: to import it is to put names of other packages into the process; and without jax and torch,
# which import the frameworks.
__all__ = [*_HOMES, "checks", "cute", "ffi", "pipeline", "tuning", "utils", "__version__"]

# As in typing, whose import would take most of the time of this one.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairlead import checks, compat, cute, ffi, pipeline, tuning, utils
    from fairlead._compiler import (
        AddressSpace,
        BFloat16,
        Boolean,
        Float,
        Float4E2M1FN,
        Float6E2M3FN,
        Float6E3M2FN,
        Float8E4M3,
        Float8E4M3B11FNUZ,
        Float8E4M3FN,
        Float8E5M2,
        Float8E8M0FNU,
        Float16,
        Float32,
        Float64,
        Int4,
        Int8,
        Int16,
        Int32,
        Int64,
        Int128,
        Integer,
        Numeric,
        TFloat32,
        Uint8,
        Uint16,
        Uint32,
        Uint64,
        Uint128,
    )
    from fairlead._tracing.language import (
        Constexpr,
        const_expr,
        dtype,
        dynamic_expr,
        max,
        min,
        range,
        range_constexpr,
        range_dynamic,
    )
    from fairlead.checks import CheckError
    from fairlead.cute._protocols import (
        dsl_user_op,
        extract_mlir_values,
        new_from_mlir_values,
        register_jit_arg_adapter,
    )
    from fairlead.cute._tuning.search import tune
    from fairlead.errors import DSLError
    from fairlead.kernels import Launch, kernel


if not TYPE_CHECKING:  # a type checker knows the names that there are

    def __getattr__(name: str):
        home = _HOMES.get(name)
        if name == "_compiler":
            # First: picks the one runtime library of the process, which the compiler needs too.
            _import_module("fairlead.ffi")
            value = _import_module("fairlead._compiler")
        elif home == "fairlead._compiler":
            from fairlead import _compiler

            value = getattr(_compiler, name)
        elif home is not None:
            value = getattr(_import_module(home), name)
        elif name in _MODULES:
            value = _import_module(f"fairlead.{name}")
        else:
            raise _import_module("fairlead._hints").no_attribute(__name__, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
