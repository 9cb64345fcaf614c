"""Vectors of a few numbers: made, taken apart, read as other types."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from fairlead import _compiler
from fairlead.compat._mlir._vectors import Vector, VectorType, as_vector, element_of, with_element
from fairlead.compat._places import take_places
from fairlead.cute._types import Int
from fairlead.errors import make_error

__all__ = [
    "bitcast",
    "broadcast",
    "extract",
    "extract_strided_slice",
    "extractelement",
    "from_elements",
    "insert",
    "insert_strided_slice",
    "insertelement",
    "shape_cast",
    "shuffle",
    "splat",
]


def from_elements(result: VectorType, elements: Sequence[Any]) -> Vector:
    """A vector of these numbers."""
    dtype = result.element_type
    return Vector([element.to(dtype) for element in elements], dtype, result.shape)


def splat(result: VectorType, value: object) -> Vector:
    """A vector whose numbers are all ``value``."""
    return from_elements(result, [value] * result.size)


def broadcast(result: VectorType, source: object) -> Vector:
    """A vector whose numbers are all the number ``source``, or a vector that is repeated along new dimensions in front;
    an extent of 1 is repeated, too."""
    if isinstance(source, _compiler.Numeric):
        return splat(result, source)
    vector = as_vector(source)
    shape = [1] * (len(result.shape) - len(vector.shape)) + list(vector.shape)
    fits = [extent in (1, result_extent) for extent, result_extent in zip(shape, result.shape)]
    if len(shape) != len(result.shape) or not all(fits):
        raise make_error("LayoutMode", expected=f"a part of {result!r}", got=repr(vector.type))
    aligned = Vector(vector.numbers, vector.element_type, shape)
    places = [
        aligned.places([index % extent for index, extent in zip(at, shape)], [1] * len(shape))[0]
        for at in product(*map(range, result.shape))
    ]
    return from_elements(result, [vector.numbers[place] for place in places])


def shape_cast(result: VectorType, source: object) -> Vector:
    """The same numbers in the shape of ``result``. TypeError if that has another count of numbers."""
    return as_vector(source).reshaped(result)


def _unit_strides(strides: Sequence[int]) -> None:
    if any(stride != 1 for stride in strides):
        raise make_error("LayoutMode", expected="strides of 1", got=str(list(strides)))


def extract_strided_slice(
    result: VectorType,
    source: object,
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
) -> Vector:
    """The part of a vector that begins at ``offsets`` and has these sizes; of further dimensions all."""
    _unit_strides(strides)
    vector = as_vector(source)
    numbers = [vector.numbers[place] for place in vector.places(offsets, sizes)]
    return shape_cast(result, Vector(numbers, vector.element_type))


def insert_strided_slice(
    source: object, dest: object, offsets: Sequence[int], strides: Sequence[int]
) -> Vector:
    """``dest`` with the vector ``source`` in it, which begins at ``offsets``."""
    _unit_strides(strides)
    part, target = as_vector(source), as_vector(dest)
    sizes = [1] * (len(target.shape) - len(part.shape)) + list(part.shape)
    numbers = list(target.numbers)
    for place, number in zip(target.places(offsets, sizes), part.numbers, strict=True):
        numbers[place] = number.to(target.element_type)
    return Vector(numbers, target.element_type, target.shape)


def shuffle(first: object, second: object, mask: Sequence[int]) -> Vector:
    """The numbers of two vectors, one behind the other, at the places of ``mask``. TypeError for a place that neither
    has."""
    one, other = as_vector(first), as_vector(second)
    numbers = one.numbers + other.numbers
    if not all(0 <= place < len(numbers) for place in mask):
        raise make_error(
            "LayoutMode", expected=f"places of {len(numbers)} numbers", got=str(list(mask))
        )
    return Vector([numbers[place] for place in mask], one.element_type)


def bitcast(result: VectorType, source: object) -> Vector:
    """Reinterpret the bits as a vector of another type."""
    return as_vector(source).bitcast(result)


def extract(
    source: object,
    dynamic_position: Sequence[Any] = (),
    static_position: Sequence[int] = (),
) -> Any:
    """The number at a place, which the run may decide; the vector behind a place of fewer dimensions."""
    vector = as_vector(source)
    if dynamic_position or (vector.shape == (len(vector),) and len(static_position) == 1):
        return element_of(_of_one_dimension(vector), _place(dynamic_position, static_position))
    rest = vector.shape[len(static_position) :]
    places = vector.places(static_position, [1] * len(static_position))
    numbers = [vector.numbers[place] for place in places]
    return Vector(numbers, vector.element_type, rest) if rest else numbers[0]


def _of_one_dimension(vector: Vector) -> Vector:
    if len(vector.shape) > 1:
        raise make_error(
            "LayoutMode",
            expected="a vector of one dimension for a place that the run decides",
            got=repr(vector.type),
        )
    return vector


def _place(dynamic_position: Sequence[Any], static_position: Sequence[int]) -> Any:
    """Return the position: static positions have a placeholder for a dynamic one."""
    return dynamic_position[0] if dynamic_position else static_position[0]


def insert(
    source: object,
    dest: object,
    dynamic_position: Sequence[Any] = (),
    static_position: Sequence[int] = (),
) -> Vector:
    """``dest`` with the number ``source`` at a place, which the run may decide, or with a vector of the dimensions
    behind it."""
    target = as_vector(dest)
    if dynamic_position or len(target.shape) == 1:
        place = _place(dynamic_position, static_position)
        return with_element(_of_one_dimension(target), source, place)
    part = source if isinstance(source, _compiler.Numeric) else as_vector(source)
    numbers = part.numbers if isinstance(part, Vector) else (part,)
    inside = Vector(numbers, target.element_type)
    sizes = [1] * len(static_position)
    result = list(target.numbers)
    for place, number in zip(target.places(static_position, sizes), inside.numbers, strict=True):
        result[place] = number
    return Vector(result, target.element_type, target.shape)


def extractelement(source: object, *, position: Int) -> Any:
    """The number at ``position``, which the run may decide."""
    return element_of(as_vector(source), position)


def insertelement(source: object, dest: object, *, position: Int) -> Vector:
    """``dest`` with another number at ``position``, which the run may decide."""
    return with_element(as_vector(dest), source, position)


take_places(globals(), __all__)
