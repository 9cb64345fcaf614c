"""Fairlead: compute kernels written once, compiled for CPU or CUDA, called from anywhere.

``fairlead.cute`` is the language, the numeric types and loop forms are here, ``fairlead.ffi`` is the runtime.
Importing the package loads neither the compiler nor a framework; the compiler is loaded when first used.
"""

from importlib import import_module as _import_module

__version__ = "0.1.0"

_NUMERIC = (
    "Numeric Integer Float Boolean Int4 Int8 Int16 Int32 Int64 Int128 Uint8 Uint16 Uint32 Uint64 Uint128 Float16 "
    "BFloat16 TFloat32 Float32 Float64 Float8E5M2 Float8E4M3 Float8E4M3FN Float8E4M3B11FNUZ Float8E8M0FNU "
    "Float6E3M2FN Float6E2M3FN Float4E2M1FN"
).split()

# Module -> the names that it defines; loaded on first use. Type checkers read __init__.pyi, which
# tests/python/typing/public_names.py writes from this table.
_NAMES = {
    "fairlead._compiler": " ".join(["AddressSpace", *_NUMERIC]),
    "fairlead._tracing.language": (
        "Constexpr const_expr dtype dynamic_expr max min range range_constexpr range_dynamic"
    ),
    "fairlead.checks": "CheckError",
    "fairlead.cute._compile_events": "CompileEvent CompileKey freeze manifest on_compile unfreeze",
    "fairlead.cute._generate": "for_generate yield_out",
    "fairlead.cute._protocols": (
        "dsl_user_op extract_mlir_values new_from_mlir_values register_jit_arg_adapter"
    ),
    "fairlead.cute._tuning.search": "tune",
    "fairlead.cute._warm": "WarmReport compile_set",
    "fairlead.cute.typing": "Int",
    "fairlead.errors": "DSLError",
    "fairlead.kernels": "Launch kernel",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}
_MODULES = (
    "checks",
    "coverage",
    "cute",
    "ffi",
    "compat",
    "errors",
    "jax",
    "ops",
    "pipeline",
    "plans",
    "primitives",
    "timeline",
    "torch",
    "tuning",
    "utils",
)

# Without compat: to import it is to put names of other packages into the process; and without jax and torch,
# which import the frameworks.
__all__ = [
    *_HOMES,
    "checks",
    "coverage",
    "cute",
    "ffi",
    "pipeline",
    "plans",
    "primitives",
    "timeline",
    "tuning",
    "utils",
    "__version__",
]


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
