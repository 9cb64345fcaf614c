"""``cutlass.experimental.cuda``: Fairlead's ``primitives.cuda``."""

from __future__ import annotations

from fairlead import _compiler
from fairlead.compat._places import forwarding, taking_place
from fairlead.errors import make_error
from fairlead.primitives import cuda
from fairlead.primitives._operands import type_name

__all__ = [
    *cuda.__all__,
    "get_dsl_type_to_tensormap_type",
    "get_tensormap_type_to_dsl_type",
]

cuda.TensorMap.get_ptr = taking_place(cuda.TensorMap.get_ptr)  # type: ignore[method-assign]

_T = cuda.TensorMapDataType
_CLASSES: dict[cuda.TensorMapDataType, type[_compiler.Numeric]] = {
    _T.uint8: _compiler.Uint8,
    _T.uint16: _compiler.Uint16,
    _T.uint32: _compiler.Uint32,
    _T.int32: _compiler.Int32,
    _T.uint64: _compiler.Uint64,
    _T.int64: _compiler.Int64,
    _T.float16: _compiler.Float16,
    _T.float32: _compiler.Float32,
    _T.float64: _compiler.Float64,
    _T.bfloat16: _compiler.BFloat16,
    _T.float32_ftz: _compiler.Float32,
    _T.tfloat32: _compiler.TFloat32,
    _T.tfloat32_ftz: _compiler.TFloat32,
    _T.f416u4_align8b: _compiler.Float4E2M1FN,
    _T.f416u4_align16b: _compiler.Float4E2M1FN,
}


def get_dsl_type_to_tensormap_type(dtype: object) -> cuda.TensorMapDataType:
    """Return the element type of tensor maps for a numeric class.

    Args:
        dtype: A numeric class, such as Float16.

    Raises ValueError (ArgumentValue) for a class whose elements no tensor map has.
    """
    name = getattr(dtype, "__name__", type_name(dtype))
    number = cuda._TYPES.get(name)
    if number is None:
        raise make_error(
            "ArgumentValue",
            function="get_dsl_type_to_tensormap_type",
            expected=f"one of {', '.join(sorted(cuda._TYPES))} as dtype",
            got=name,
        )
    return cuda.TensorMapDataType(number)


def get_tensormap_type_to_dsl_type(
    tensormap_type: cuda.TensorMapDataType,
) -> type[_compiler.Numeric]:
    """Return the numeric class of the elements that a type of tensor maps has.

    Args:
        tensormap_type: A member of TensorMapDataType.

    Raises ValueError (ArgumentValue) for anything else, and for 6-bit elements, which several classes have.
    """
    if tensormap_type not in _CLASSES:
        raise make_error(
            "ArgumentValue",
            function="get_tensormap_type_to_dsl_type",
            expected="a member of TensorMapDataType other than f416u6_align16b as tensormap_type",
            got=str(tensormap_type),
        )
    return _CLASSES[tensormap_type]


__getattr__, __dir__ = forwarding(globals(), cuda)
