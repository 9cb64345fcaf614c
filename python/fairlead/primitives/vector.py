"""Functions that make and combine vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

from fairlead import _compiler
from fairlead.cute._print import printf
from fairlead.cute._types import DType, Extents, Number
from fairlead.errors import make_error
from fairlead.primitives._vector import Vector, as_vector, checked_shape, number_as

__all__ = [
    "all_",
    "any_",
    "broadcast_to",
    "create_mask",
    "empty_like",
    "full",
    "full_like",
    "ones_like",
    "outerproduct",
    "print_nd_vector",
    "where",
    "zeros_like",
]


def full(shape: Extents, fill_value: Number, dtype: DType | None = None) -> Vector:
    """Return a vector of a static shape whose elements are all ``fill_value``.

    Args:
        shape: an int, or a tuple or a list of them.
        fill_value: a scalar.
        dtype: a numeric class; default that of ``fill_value``, for numbers of Python Float32, Int32 or Boolean.
    """
    extents = checked_shape(shape, "full")
    if dtype is None:
        dtype = _scalar_class(fill_value)
    number = number_as(dtype, fill_value)
    return Vector.from_elements([number] * math.prod(extents), dtype).reshape(extents)


def _scalar_class(value: object) -> DType:
    if isinstance(value, _compiler.Numeric):
        return type(value)
    if isinstance(value, bool):
        return _compiler.Boolean
    return _compiler.Int32 if isinstance(value, int) else _compiler.Float32


def full_like(src: Vector, fill_value: Number, dtype: DType | None = None) -> Vector:
    """Return a vector of the shape of ``src``, and of its type unless ``dtype`` is given."""
    like = as_vector(src)
    return full(like.shape, fill_value, dtype or like.dtype)


def zeros_like(src: Vector, dtype: DType | None = None) -> Vector:
    """Return zeros in the shape of ``src``."""
    return full_like(src, 0, dtype)


def ones_like(src: Vector, dtype: DType | None = None) -> Vector:
    """Return ones in the shape of ``src``."""
    return full_like(src, 1, dtype)


def empty_like(src: Vector, dtype: DType | None = None) -> Vector:
    """Return elements of no particular value, which are zeros, in the shape of ``src``."""
    return zeros_like(src, dtype)


def broadcast_to(src: Vector | _compiler.TensorExpr | Number, shape: Extents) -> Vector:
    """Return a vector or a scalar repeated to a shape, whose last axes are those of ``src`` or repeat its extent 1.

    Raises ValueError for a shape that does not fit, naming the axis.
    """
    extents = checked_shape(shape, "broadcast_to")
    if not isinstance(src, (Vector, _compiler.TensorExpr)):
        return full(extents, src)
    vector = as_vector(src)
    missing = len(extents) - len(vector.shape)
    for axis, extent in enumerate(vector.shape):
        if missing < 0 or extent not in (1, extents[axis + missing]):
            raise make_error(
                "ArgumentValue",
                function="broadcast_to",
                expected=f"a shape whose last {len(vector.shape)} axes fit {vector.shape}",
                got=f"{extents}, which does not repeat extent {extent} of axis {axis}",
            )
    elements, steps = vector.to_elements(), []
    for axis, extent in enumerate(vector.shape):
        steps.append(0 if extent == 1 else math.prod(vector.shape[axis + 1 :]))
    places = [
        sum(index * step for index, step in zip(coordinate[missing:], steps, strict=True))
        for coordinate in product(*map(range, extents))
    ]
    return Vector.from_elements([elements[place] for place in places], vector.dtype).reshape(
        extents
    )


def outerproduct(a: Vector, b: Vector, acc: Vector | None = None) -> Vector:
    """Return the products of each element of ``a`` with each of ``b``, of shape (m, n); ``acc`` is added to them.

    Raises ValueError for operands of several axes, or an ``acc`` of another shape.
    """
    for name, operand in (("a", a), ("b", b)):
        if len(operand.shape) != 1:
            raise make_error(
                "ArgumentValue",
                function="outerproduct",
                expected=f"a vector of one axis as {name}",
                got=f"the shape {operand.shape}",
            )
    shape = (a.shape[0], b.shape[0])
    products = [x * y for x in a.to_elements() for y in b.to_elements()]
    result = Vector.from_elements(products).reshape(shape)
    return result if acc is None else acc + result


def create_mask(shape: Extents, sizes: Sequence[Any]) -> Vector:
    """Return Booleans that are true where the coordinate is below ``sizes`` along every axis.

    Args:
        shape: the static shape.
        sizes: an integer for each axis, which may be a run-time number.

    Raises ValueError for another number of sizes.
    """
    extents = checked_shape(shape, "create_mask")
    limits: list[Any] = list(sizes) if isinstance(sizes, (tuple, list)) else [sizes]
    if len(limits) != len(extents):
        raise make_error(
            "ArgumentValue",
            function="create_mask",
            expected=f"{len(extents)} sizes for the shape {extents}",
            got=str(len(limits)),
        )
    lanes = []
    for coordinate in product(*map(range, extents)):
        lane: Any = _compiler.Boolean(True)
        for index, limit in zip(coordinate, limits, strict=True):
            lane = lane & _compiler.Boolean(limit > index)
        lanes.append(lane)
    return Vector.from_elements(lanes, _compiler.Boolean).reshape(extents)


def where(condition: Vector, x: Vector | Number, y: Vector | Number) -> Vector:
    """Return the elements of ``x`` where ``condition`` is true, else those of ``y``; both vectors or scalars."""
    like = x if isinstance(x, Vector) else y
    dtype = like.dtype if isinstance(like, Vector) else _scalar_class(like)
    sides = [
        side.to(dtype) if isinstance(side, Vector) else full(condition.shape, side, dtype)
        for side in (x, y)
    ]
    for name, side in zip("xy", sides, strict=True):
        if side.shape != condition.shape:
            raise make_error(
                "ArgumentValue",
                function="where",
                expected=f"{name} of the shape {condition.shape} of the condition",
                got=str(side.shape),
            )
    lanes = zip(condition.to_elements(), *(side.to_elements() for side in sides), strict=True)
    elements = [_compiler.select(*lane) for lane in lanes]
    return Vector.from_elements(elements, dtype).reshape(condition.shape)


def all_(condition: Vector) -> Any:
    """Return the Boolean whether all elements are true."""
    result: Any = _compiler.Boolean(True)
    for element in as_vector(condition).to_elements():
        result = result & _compiler.Boolean(element)
    return result


def any_(condition: Vector) -> Any:
    """Return the Boolean whether one element is true."""
    result: Any = _compiler.Boolean(False)
    for element in as_vector(condition).to_elements():
        result = result | _compiler.Boolean(element)
    return result


def print_nd_vector(vector: Vector) -> None:
    """Print a vector when the program runs, nested as its shape is."""
    text, elements = _nested(vector.shape), vector.to_elements()
    printf(text, *elements)


def _nested(shape: tuple[int, ...]) -> str:
    inner = "{}" if len(shape) == 1 else _nested(shape[1:])
    return "[" + ", ".join([inner] * shape[0]) + "]"
