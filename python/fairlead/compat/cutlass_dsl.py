"""Names that existing programs import from ``cutlass.cutlass_dsl``, ``cutlass.base_dsl`` and its modules."""

from __future__ import annotations

import types
from typing import Any

from fairlead import _NUMERIC, _compiler, primitives
from fairlead._tracing.language import (
    Constexpr,
    const_expr,
    dynamic_expr,
    max,
    min,
    range,
    range_constexpr,
    range_dynamic,
)
from fairlead._tracing.value_trees import set_dynamic_debug
from fairlead._tracing.value_trees import value_tree as debug_print_mlir_values
from fairlead.compat._architecture import Arch, BaseDSL
from fairlead.compat._ir_types import PointerType
from fairlead.compat._mlir._attributes import DictAttr
from fairlead.compat._mlir._types import IntegerType
from fairlead.compat._mlir._vectors import Vector, VectorType
from fairlead.compat._numeric_classes import FloatMeta
from fairlead.compat._places import taking_place
from fairlead.cute import _generate
from fairlead.cute._compile import CompiledFunction as JitCompiledFunction
from fairlead.cute._protocols import (
    adapted,
    dsl_user_op,
    extract_mlir_values,
    has_dynamic_protocol,
    new_from_mlir_values,
    register_jit_arg_adapter,
)
from fairlead.cute._types import Number
from fairlead.cute.cuda import checkCudaErrors
from fairlead.errors import DSLError as DSLRuntimeError
from fairlead.errors import DSLError as DSLUserCodeError

# ruff: noqa: F822  names that are made when first asked for

for_generate = taking_place(_generate.for_generate)
if_generate = taking_place(_generate.if_generate)
not_ = taking_place(_generate.not_)
while_generate = taking_place(_generate.while_generate)
yield_out = taking_place(_generate.yield_out)

#: The language as one object, under its other name.
CuTeDSL = BaseDSL

__all__ = [
    "Arch",
    "BaseDSL",
    "Constexpr",
    "CuTeDSL",
    "DSLCudaRuntimeError",
    "DSLRuntimeError",
    "DSLUserCodeError",
    "FloatMeta",
    "IntegerMeta",
    "JitArgument",
    "JitCompiledFunction",
    "MLIR_DYNAMIC_INDEX",
    "NumericMeta",
    "Pointer",
    "T",
    "Vector",
    "and_",
    "as_numeric",
    "checkCudaErrors",
    "const_expr",
    "debug_print_mlir_values",
    "dsl_user_op",
    "dynamic_expr",
    "extract_mlir_attributes",
    "extract_mlir_values",
    "for_generate",
    "get_c_pointers",
    "get_mlir_types",
    "if_generate",
    "load_cubin_module_data",
    "max",
    "min",
    "new_from_mlir_values",
    "not_",
    "or_",
    "range",
    "range_constexpr",
    "range_dynamic",
    "is_dynamic_expression",
    "register_jit_arg_adapter",
    "set_dynamic_debug",
    "target_version",
    "while_generate",
    "yield_out",
    *_NUMERIC,
]


class _NumericClasses(type):
    def __instancecheck__(cls, value: object) -> bool:
        return _compiler.is_dtype(value)


class _Pointers(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _compiler.Pointer | primitives.Pointer)

    def __call__(cls, base: object, **options: object) -> Any:
        return primitives.Pointer(base, **options)


class Pointer(metaclass=_Pointers):
    """Pointers of any layer; a call makes one of ``cutlass.Pointer``. Annotations of parameters convert nothing."""


class NumericMeta(metaclass=_NumericClasses):
    """Answers ``isinstance(x, NumericMeta)``: whether ``x`` is a numeric class, such as Float32."""


class _IntegerClasses(type):
    def __instancecheck__(cls, value: object) -> bool:
        return _compiler.is_dtype(value) and value.is_integer


class IntegerMeta(metaclass=_IntegerClasses):
    """Answers ``isinstance(x, IntegerMeta)``: whether ``x`` is a class of integers."""


#: The mark of a run-time index in ``llvm.getelementptr``.
MLIR_DYNAMIC_INDEX = -(2**31)

#: Numeric classes by their names.
__STR_TO_DTYPE__ = {
    name: getattr(_compiler, name)
    for name in _NUMERIC
    if name not in ("Float", "Integer", "Numeric")
}


class JitArgument:
    """A base for classes whose objects describe themselves as arguments. It adds nothing."""


def get_mlir_types(value: object) -> list[Any]:
    """The type of each run-time value that an object consists of."""
    argument = adapted(value)
    if hasattr(argument, "__get_mlir_types__"):
        return list(argument.__get_mlir_types__())
    return [
        type(part) if isinstance(part, _compiler.Numeric) else part.__get_mlir_types__()[0]
        for part in extract_mlir_values(value)
    ]


def extract_mlir_attributes(value: object) -> list[Any]:
    """The attributes of each parameter that an object is in a kernel: what its ``__extract_mlir_attributes__`` gives,
    else none, a DictAttr without entries for each value."""
    argument = adapted(value)
    if hasattr(argument, "__extract_mlir_attributes__"):
        return list(argument.__extract_mlir_attributes__())
    return [DictAttr.get() for _ in extract_mlir_values(argument)]


def is_dynamic_expression(value: object) -> bool:
    """Return whether the value is a run-time value, or an object that consists of such."""
    return _compiler.is_dynamic(value) or has_dynamic_protocol(adapted(value))


def get_c_pointers(value: object) -> list[Any]:
    """Return the addresses of the C values of an argument, from its ``__c_pointers__``."""
    return list(adapted(value).__c_pointers__())


def and_(first: Number, *others: Number) -> Any:
    """Return whether all are true; all operands are evaluated."""
    result = _compiler.Boolean(first)
    for operand in others:
        result = result & _compiler.Boolean(operand)
    return result


def or_(first: Number, *others: Number) -> Any:
    """Return whether one is true; all operands are evaluated."""
    result = _compiler.Boolean(first)
    for operand in others:
        result = result | _compiler.Boolean(operand)
    return result


def as_numeric(value: Any) -> _compiler.Numeric:
    """Return a number of Python as one of the language, and one of the language as it is; ValueError for others."""
    if isinstance(value, _compiler.Numeric):
        return value
    if not isinstance(value, bool | int | float):
        raise ValueError(f"unable to convert {value} in type {type(value)} to Numeric")
    if isinstance(value, bool):
        return _compiler.Boolean(value)
    if isinstance(value, float):
        return _compiler.Float32(value)
    return _compiler.Int32(value) if -(2**31) <= value < 2**31 else _compiler.Int64(value)


def load_cubin_module_data(cubin_data: bytes) -> Any:
    """A CUBIN as a module of the current context, by ``cuda.bindings``, which has to be installed; DSLCudaRuntimeError
    where the driver does not take it."""
    from cuda.bindings import driver

    status, module = driver.cuModuleLoadData(cubin_data)
    checkCudaErrors((status,))
    return module


#: The toolkit whose PTX Fairlead writes.
CUDA_VERSION = types.SimpleNamespace(major=13, minor=0)


def target_version(
    *,
    exact_version: str | None = None,
    min_version: str | None = None,
    max_version: str | None = None,
) -> bool:
    """Return whether ``CUDA_VERSION`` is this one, at least this one, at most this one: ``"13.0"``."""
    installed = (CUDA_VERSION.major, CUDA_VERSION.minor)

    def numbers(text: str) -> tuple[int, ...]:
        return tuple(int(part) for part in text.split(".")[:2])

    return (
        (exact_version is None or installed == numbers(exact_version))
        and (min_version is None or installed >= numbers(min_version))
        and (max_version is None or installed <= numbers(max_version))
    )


class T:
    """The IR types of numbers and addresses, by their short names: ``T.i32()``, ``T.f32()``, ``T.ptr()``."""

    @staticmethod
    def vector(size: int, dtype: type[_compiler.Numeric]) -> VectorType:
        return VectorType.get([size], dtype)

    @staticmethod
    def i(width: int) -> type:
        """Return the integer type of ``width`` bits; ValueError if there is none."""
        return IntegerType.get_signless(width)

    @staticmethod
    def ptr() -> PointerType:
        return PointerType()


def _type(name: str) -> staticmethod[[], type]:
    def get() -> type:
        return _compiler.dtype_by_name(name)

    get.__name__, get.__doc__ = name, f"{name}."
    return staticmethod(get)


for _short, _name in {
    "bool": "Boolean",
    "i1": "Boolean",
    **{f"i{width}": f"Int{width}" for width in (4, 8, 16, 32, 64, 128)},
    **{f"si{width}": f"Int{width}" for width in (8, 16, 32, 64)},
    **{f"ui{width}": f"Uint{width}" for width in (8, 16, 32, 64)},
    **{f"f{width}": f"Float{width}" for width in (16, 32, 64)},
    "bf16": "BFloat16",
    "tf32": "TFloat32",
    "f8E5M2": "Float8E5M2",
    "f8E4M3FN": "Float8E4M3FN",
    "f8E8M0FNU": "Float8E8M0FNU",
    "f4E2M1FN": "Float4E2M1FN",
    "f6E2M3FN": "Float6E2M3FN",
    "f6E3M2FN": "Float6E3M2FN",
}.items():
    setattr(T, _short, _type(_name))


def _build_kernel_attrs(config: object) -> dict[str, object]:
    """Attributes of a kernel for the loader: none. Published libraries replace the function by one without any."""
    return {}


def __getattr__(name: str) -> Any:
    if name in _NUMERIC:
        return getattr(_compiler, name)
    if name == "DSLCudaRuntimeError":
        # Made on first access; calls raise it from then on.
        from fairlead.cute import cuda

        return cuda.DSLCudaRuntimeError
    raise AttributeError(f"module 'cutlass.cutlass_dsl' has no attribute {name!r}")
