"""Short vectors of numbers as values of the IR: tuples of the language's own numbers, with a type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.errors import make_error

__all__ = ["Vector", "VectorType", "as_vector", "element_of", "with_element"]


class VectorType:
    """The type of ``shape[0]`` numbers of a numeric class."""

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
        """A vector of one dimension; ValueError for more."""
        if len(shape) != 1 or not isinstance(shape[0], int) or shape[0] <= 0:
            raise ValueError(f"expected a vector of one dimension of known size, but got {shape!r}")
        return cls(([shape[0]], element_type))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VectorType)
            and list(self.shape) == list(other.shape)
            and self.element_type is other.element_type
        )

    def __hash__(self) -> int:
        return hash((self.shape[0], self.element_type))

    def __repr__(self) -> str:
        return f"vector<{self.shape[0]}x{self.element_type.__name__}>"

    def __str__(self) -> str:
        return self._text or repr(self)


class Vector:
    """Numbers of one class."""

    def __init__(self, numbers: Sequence[Any], element_type: type[_compiler.Numeric]) -> None:
        self.numbers = tuple(numbers)
        self.type = VectorType.get([len(self.numbers)], element_type)

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

    def __getitem__(self, place: object) -> Any:
        return element_of(self, place)

    def __len__(self) -> int:
        return len(self.numbers)

    def __extract_mlir_values__(self) -> list[Any]:
        return list(self.numbers)

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> Vector:
        return Vector(values, self.type.element_type)

    def bitcast(self, to: Any, **_: object) -> Vector:
        """Reinterpret the bits as a vector of a type, or of numbers of a class; the first has the lowest bits."""
        old = self.type.element_type.width
        if not isinstance(to, VectorType):
            to = VectorType.get([max(1, old * len(self.numbers) // to.width)], to)
        new = to.element_type.width
        if old * len(self.numbers) != new * to.shape[0]:
            raise make_error(
                "LayoutMode",
                expected=f"a vector type of as many bits as {self.type!r}",
                got=repr(to),
            )
        if old == new:
            return Vector(
                [number.bitcast(to.element_type) for number in self.numbers], to.element_type
            )
        words = [number.bitcast(_unsigned(old)) for number in self.numbers]
        if new > old:
            ratio, wider = new // old, _unsigned(new)
            joined = []
            for first in range(0, len(words), ratio):
                word = words[first].to(wider)
                for place, higher in enumerate(words[first + 1 : first + ratio], 1):
                    word = word | (higher.to(wider) << (old * place))
                joined.append(word)
        else:
            joined = [
                (word >> (new * place)).to(_unsigned(new))
                for word in words
                for place in range(old // new)
            ]
        return Vector([word.bitcast(to.element_type) for word in joined], to.element_type)


def _unsigned(width: int) -> type:
    return _compiler.dtype_by_name(f"Uint{width}")


def as_vector(value: object) -> Vector:
    """A Vector, or what ``load`` of a tensor gives as one."""
    if isinstance(value, Vector):
        return value
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
    return Vector(numbers, dtype)
