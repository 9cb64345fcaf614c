"""``cutlass.experimental.cuda``: Fairlead's ``primitives.cuda``."""

from __future__ import annotations

from typing import Any

from fairlead.compat._places import forwarding
from fairlead.errors import make_error
from fairlead.primitives import cuda
from fairlead.primitives._operands import type_name

__all__ = [*cuda.__all__, "get_dsl_type_to_tensormap_type"]


def get_dsl_type_to_tensormap_type(dtype: Any) -> cuda.TensorMapDataType:
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


__getattr__, __dir__ = forwarding(globals(), cuda)
