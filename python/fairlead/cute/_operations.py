"""Functions on extents, layouts and tensors."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler


def _elementwise(function: Any, a: Any, b: Any) -> Any:
    if isinstance(a, tuple):
        others = b if isinstance(b, tuple) else (b,) * len(a)
        return tuple(_elementwise(function, x, y) for x, y in zip(a, others, strict=True))
    return function(a, b)


def ceil_div(a: Any, b: Any) -> Any:
    """``ceil(a / b)`` of integers, b positive; static for Python ints. Tuples element by element."""

    def divide(x: Any, y: Any) -> Any:
        return -(-x // y) if isinstance(x, int) and isinstance(y, int) else _compiler.ceil_div(x, y)

    return _elementwise(divide, a, b)


def round_up(a: Any, b: Any) -> Any:
    """The least multiple of b that is not below a. Tuples element by element."""
    return _elementwise(lambda x, y: ceil_div(x, y) * y, a, b)


def size(x: Any, mode: list[int] | None = None) -> Any:
    """Number of elements of a tensor, a layout or a shape, or of the modes listed."""
    shape = x.shape if hasattr(x, "shape") else x
    modes = shape if isinstance(shape, tuple) else (shape,)
    for index in mode or ():
        modes = modes[index] if isinstance(modes[index], tuple) else (modes[index],)
    product: Any = 1
    for extent in modes:
        product = product * (size(extent) if isinstance(extent, tuple) else extent)
    return product


def rank(x: Any) -> int:
    """Number of modes of a tensor, a layout or a shape."""
    shape = x.shape if hasattr(x, "shape") else x
    return len(shape) if isinstance(shape, tuple) else 1


def where(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``; both are evaluated. Scalars, or whole-tensor values."""
    if isinstance(condition, bool):
        return a if condition else b
    if any(isinstance(part, _compiler.TensorExpr) for part in (condition, a, b)):
        return _compiler.select_values(condition, a, b)
    return _compiler.select(condition, a, b)
