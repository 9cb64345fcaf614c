"""Fairlead: compute kernels written once, compiled for CPU or CUDA, called from anywhere.

``fairlead.cute`` is the language, the numeric types and loop forms are here, ``fairlead.ffi`` is the runtime.
Importing the package loads neither the compiler nor a framework; the compiler is loaded when first used.
"""

from __future__ import annotations

from importlib import import_module as _import_module

__version__ = "0.1.0"

_NUMERIC = (
    "Numeric Integer Float Boolean Int8 Int16 Int32 Int64 Uint8 Uint16 Uint32 Uint64 Float16 BFloat16 Float32 Float64"
).split()

# Name -> module that defines it; loaded on first use.
_HOMES = {
    **dict.fromkeys(_NUMERIC, "fairlead._compiler"),
    "AddressSpace": "fairlead._compiler",
    "DSLError": "fairlead.errors",
    "Launch": "fairlead.kernels",
    "kernel": "fairlead.kernels",
    "Constexpr": "fairlead._language",
    "const_expr": "fairlead._language",
    "dynamic_expr": "fairlead._language",
    "range": "fairlead._language",
    "range_constexpr": "fairlead._language",
    "range_dynamic": "fairlead._language",
    "dtype": "fairlead._language",
    "min": "fairlead._language",
    "max": "fairlead._language",
}
_MODULES = ("cute", "ffi", "compat", "errors", "utils")

# Without compat: to import it is to put names of other packages into the process.
__all__ = [*_HOMES, "cute", "ffi", "utils", "__version__"]

# As in typing, whose import would take most of the time of this one.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from fairlead import compat, cute, ffi, utils
    from fairlead._compiler import (
        AddressSpace,
        BFloat16,
        Boolean,
        Float,
        Float16,
        Float32,
        Float64,
        Int8,
        Int16,
        Int32,
        Int64,
        Integer,
        Numeric,
        Uint8,
        Uint16,
        Uint32,
        Uint64,
    )
    from fairlead._language import (
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
    from fairlead.errors import DSLError
    from fairlead.kernels import Launch, kernel


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
        raise AttributeError(f"module 'fairlead' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
