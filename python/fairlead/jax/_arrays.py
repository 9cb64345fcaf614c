"""Arrays of JAX as the compiler describes tensors: element types, layouts, stand-ins for arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from fairlead import _compiler, cute
from fairlead._frameworks.interface import Tensor, framework_name
from fairlead.errors import make_error

__all__ = ["cute_dtype", "fake_tensor", "jax_dtype", "layout_of", "permutation"]

#: The dtypes that calls of XLA support.
_NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 float8_e4m3fn "
    "float8_e5m2 float8_e4m3 float8_e4m3b11fnuz float8_e8m0fnu"
).split()


def jax_dtype(dtype: type[_compiler.Numeric]) -> np.dtype:
    """Return the dtype of arrays of a numeric class; FrameworkDType where JAX has none."""
    name = framework_name(dtype)
    jax_type = getattr(jnp, name, None) if name in _NAMES else None
    if jax_type is None:
        raise make_error("FrameworkDType", framework="JAX", got=dtype.__name__)
    result: np.dtype = np.dtype(jax_type)
    return result


def cute_dtype(dtype: Any) -> type:
    """Return the numeric class of arrays of a dtype; FrameworkDType for an unsupported one."""
    dtype = np.dtype(dtype)
    for name in _NAMES:
        numeric = _compiler.dtype_by_name(name)
        if jax_dtype(numeric) == dtype:
            return numeric
    raise make_error("FrameworkDType", framework="Fairlead", got=str(dtype))


def fake_tensor(
    array: Any,
    *,
    static: bool = False,
    modes: Sequence[int] | None = None,
    layout: Sequence[int] | None = None,
    divisibility: Sequence[int] | None = None,
) -> Any:
    """Return the stand-in of an array for compile, or of anything with a shape and a dtype: compact, with extents of
    its own. ``modes``: which mode of the array each mode of the tensor is. ``layout``: the array's modes from major to
    minor, by default as they are. ``static``: with these very extents. ``divisibility``: of each mode of the tensor,
    what its extents are multiples of."""
    rank = len(array.shape)
    order = tuple(range(rank)) if modes is None else tuple(modes)
    places = tuple(range(rank)) if layout is None else tuple(layout)
    factors = (1,) * rank if divisibility is None else tuple(divisibility)
    extents: list[Any] = []
    for mode, factor in zip(order, factors, strict=True):
        extent = array.shape[mode]
        if static and not isinstance(extent, int):
            raise make_error(
                "FrameworkOption", option="static", expected="known extents", got=str(extent)
            )
        extents.append(extent if static else cute.sym_int(32, factor or 1))
    return cute.runtime.make_fake_compact_tensor(
        cute_dtype(array.dtype),
        tuple(extents),
        stride_order=tuple(rank - 1 - places.index(mode) for mode in order),
    )


def layout_of(tensor: Tensor) -> tuple[int, ...] | None:
    """Return the modes from major to minor as the strides of a parameter need them; None for row-major."""
    rank = len(tensor.shape)
    left, modes_in_order = list(range(rank)), []
    product: tuple[int, tuple[int, ...]] = (1, ())
    while left:
        # The last modes that fit, as in row-major order; then strides that any layout fits.
        exact = [mode for mode in left if _same(tensor.strides[mode], product)]
        free = [mode for mode in left if _is_symbol(tensor.strides[mode])]
        chosen = (exact or free or left)[-1]
        left.remove(chosen)
        modes_in_order.append(chosen)
        coefficient, symbols = tensor.shape[chosen]
        product = (product[0] * coefficient, (*product[1], *symbols))
    order = tuple(reversed(modes_in_order))
    return None if order == tuple(range(rank)) else order


def _same(some: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return some[0] == other[0] and sorted(some[1]) == sorted(other[1])


def _is_symbol(extent: tuple[Any, ...]) -> bool:
    return extent[0] == 1 and len(extent[1]) == 1


def permutation(orders: Iterable[tuple[Sequence[int] | None, int]]) -> np.ndarray:
    """Orders of modes, one after the other, as handlers read them; None is 0, 1, ... of a rank."""
    flat: list[int] = []
    for order, rank in orders:
        flat += range(rank) if order is None else order
    return np.array(flat, np.int32)
