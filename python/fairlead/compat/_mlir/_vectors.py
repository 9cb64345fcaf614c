"""Short vectors of numbers as values of the IR: tuples of the language's own numbers, with a type."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

from fairlead import _compiler, primitives
from fairlead.errors import make_error

__all__ = ["Vector", "VectorType", "as_vector", "element_of", "with_element"]


class VectorType:
    """The type of numbers of a numeric class in a shape, the last dimension fastest."""

    def __init__(self, of: Any, text: str | None = None) -> None:
        """``of``: a VectorType, or the shape and the class as a pair; ``text``: how the IR writes it."""
        self.shape: Any
        self.element_type: Any
        self.shape, self.element_type = (
            (of.shape, of.element_type) if isinstance(of, VectorType) else of
        )
        self._text = text

    @classmethod
    def get(
        cls, shape: Sequence[int], element_type: type[_compiler.Numeric], **_: object
    ) -> VectorType:
        """A vector of one or more dimensions; ValueError for extents that are no ints above 0."""
        if not shape or not all(isinstance(extent, int) and extent > 0 for extent in shape):
            raise ValueError(f"expected dimensions of known size, but got {shape!r}")
        return cls((list(shape), element_type))

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VectorType)
            and list(self.shape) == list(other.shape)
            and self.element_type is other.element_type
        )

    def __hash__(self) -> int:
        return hash((*self.shape, self.element_type))

    def __repr__(self) -> str:
        return f"vector<{'x'.join(map(str, self.shape))}x{self.element_type.__name__}>"

    def __str__(self) -> str:
        return self._text or repr(self)


def _elementwise(combine: Callable[[Any, Any], Any]) -> Callable[[Vector, Vector], Vector]:
    """Return the method of an operator on vectors of one shape."""

    def apply(self: Vector, other: object) -> Vector:
        right = as_vector(other)
        if list(right.type.shape) != list(self.type.shape):
            raise make_error(
                "LayoutMode", expected=f"a second operand {self.type!r}", got=repr(right.type)
            )
        numbers = [combine(a, b) for a, b in zip(self.numbers, right.numbers, strict=True)]
        return Vector(numbers, type(numbers[0]), self.type.shape)

    return apply


class Vector:
    """Numbers of one class, the last dimension of their shape fastest."""

    def __init__(
        self,
        numbers: Sequence[Any],
        element_type: type[_compiler.Numeric],
        shape: Sequence[int] | None = None,
    ) -> None:
        """``shape``: without it, one dimension."""
        self.numbers = tuple(numbers)
        self.type = VectorType.get([len(self.numbers)] if shape is None else shape, element_type)

    __add__, __sub__ = _elementwise(operator.add), _elementwise(operator.sub)
    __mul__, __truediv__ = _elementwise(operator.mul), _elementwise(operator.truediv)
    __and__, __or__ = _elementwise(operator.and_), _elementwise(operator.or_)
    __xor__ = _elementwise(operator.xor)

    def __neg__(self) -> Vector:
        return Vector([-number for number in self.numbers], self.element_type, self.type.shape)

    @classmethod
    def from_elements(
        cls,
        numbers: Sequence[Any],
        element_type: type[_compiler.Numeric] | None = None,
        **_: object,
    ) -> Vector:
        """Return a vector of the numbers, converted to ``element_type``; without it, they must have one class."""
        element_type = type(numbers[0]) if element_type is None else element_type
        return cls([element_type(number) for number in numbers], element_type)

    def to_elements(self, **_: object) -> tuple[Any, ...]:
        """Its numbers."""
        return self.numbers

    def ir_value(self, **_: object) -> Vector:
        return self

    @property
    def element_type(self) -> type:
        cls: type = self.type.element_type
        return cls

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extents."""
        return tuple(self.type.shape)

    def __getitem__(self, place: object) -> Any:
        return element_of(self, place)

    def __len__(self) -> int:
        return len(self.numbers)

    def reshaped(self, to: VectorType) -> Vector:
        """The same numbers in the shape of a type. TypeError if that has another count of numbers."""
        if to.size != len(self.numbers):
            raise make_error(
                "LayoutMode", expected=f"a shape of {len(self.numbers)} numbers", got=repr(to)
            )
        return Vector(self.numbers, self.element_type, to.shape)

    def places(self, offsets: Sequence[int], sizes: Sequence[int]) -> list[int]:
        """Where the numbers of a part are in ``numbers``; of dimensions that are not named, all. TypeError for a part
        that reaches beyond the vector."""
        rest = self.shape[len(offsets) :]
        begins, extents = [*offsets, *[0] * len(rest)], [*sizes, *rest]
        ends = [begin + size for begin, size in zip(begins, extents)]
        if len(begins) != len(self.shape) or any(
            begin < 0 or end > extent for begin, end, extent in zip(begins, ends, self.shape)
        ):
            raise make_error(
                "LayoutMode",
                expected=f"a part of {self.type!r}",
                got=f"offsets {list(offsets)}, sizes {list(sizes)}",
            )
        steps = [prod(self.shape[axis + 1 :]) for axis in range(len(self.shape))]
        return [
            sum(map(operator.mul, coordinate, steps))
            for coordinate in product(*map(range, begins, ends))
        ]

    def __extract_mlir_values__(self) -> list[Any]:
        return list(self.numbers)

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> Vector:
        return Vector(values, self.type.element_type, self.type.shape)

    def bitcast(self, to: Any, **_: object) -> Vector:
        """Reinterpret the bits as a vector of a type, or of numbers of a class; the first has the lowest bits."""
        old = self.type.element_type.width
        if not isinstance(to, VectorType):
            to = VectorType.get([max(1, old * len(self.numbers) // to.width)], to)
        new = to.element_type.width
        if old * len(self.numbers) != new * to.size:
            raise make_error(
                "LayoutMode",
                expected=f"a vector type of as many bits as {self.type!r}",
                got=repr(to),
            )
        if old == new:
            numbers = [number.bitcast(to.element_type) for number in self.numbers]
            return Vector(numbers, to.element_type, to.shape)
        words = [_bits_of(number) for number in self.numbers]
        if new > old:
            ratio, wider = new // old, _unsigned(new)
            joined = []
            for first in range(0, len(words), ratio):
                word = words[first].to(wider)
                for place, higher in enumerate(words[first + 1 : first + ratio], 1):
                    word = word | (higher.to(wider) << (old * place))
                joined.append(word.to(wider))
        else:
            joined = [
                ((word >> (new * place)) & ((1 << new) - 1)).to(_unsigned(new))
                for word in words
                for place in range(old // new)
            ]
        dtype = to.element_type
        if dtype is _compiler.Int4:
            return Vector([word.to(dtype) for word in joined], dtype, to.shape)
        return Vector([word.bitcast(dtype) for word in joined], dtype, to.shape)


def _unsigned(width: int) -> type:
    """The class for the bits of numbers; those of fewer than 8 bits are its lowest ones."""
    return _compiler.dtype_by_name(f"Uint{max(width, 8)}")


def _bits_of(number: _compiler.Numeric) -> Any:
    if isinstance(number, _compiler.Int4):
        return number.to(_compiler.Uint8) & 15
    return number.bitcast(_unsigned(number.width))


def as_vector(value: object) -> Vector:
    """A Vector, a vector of primitives, or what ``load`` of a tensor gives as one."""
    if isinstance(value, Vector):
        return value
    if isinstance(value, primitives.Vector):
        return Vector(value.to_elements(), value.dtype, value.shape)
    if isinstance(value, _compiler.TensorExpr):
        memory = _compiler.make_rmem_tensor(
            _compiler.make_layout(value.shape, None), value.element_type
        )
        memory.store(value)
        return Vector([memory[index] for index in range(memory.size)], value.element_type)
    raise make_error("LayoutMode", expected="a vector", got=type(value).__name__)


def _constant(place: Any) -> int | None:
    """Return an index that is known while tracing as an int; None for one of the run."""
    if isinstance(place, int):
        return place
    try:
        return int(place)
    except TypeError:
        return None


def element_of(vector: Vector, place: object) -> Any:
    """Return the number at ``place``, which the run may decide; beyond the vector it is the last number."""
    constant = _constant(place)
    if constant is not None:
        return vector.numbers[constant]
    chosen = vector.numbers[-1]
    for index, number in enumerate(vector.numbers[:-1]):
        chosen = _compiler.select(place == index, number, chosen)
    return chosen


def with_element(vector: Vector, value: Any, place: object) -> Vector:
    """Return the vector with another number at ``place``, which the run may decide."""
    dtype = vector.type.element_type
    constant = _constant(place)
    numbers = list(vector.numbers)
    for index in range(len(numbers)) if constant is None else (constant,):
        numbers[index] = (
            value
            if constant is not None
            else _compiler.select(place == index, value, numbers[index])
        )
    return Vector(numbers, dtype, vector.type.shape)
