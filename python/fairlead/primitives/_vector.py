"""Vectors of numbers in registers: element-wise arithmetic, slices, reductions, other types of the same bits."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Protocol, SupportsIndex

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.cute._keywords import methods_ignore_keywords
from fairlead.cute._types import DType, Extents, Int
from fairlead.errors import make_error

__all__ = ["Vector", "as_vector", "checked_shape", "number_as"]

Expression = _compiler.TensorExpr
_REDUCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "mul": operator.mul,
    "min": _compiler.min,
    "max": _compiler.max,
}


class _Elements(Protocol):
    """Numbers in a shape, the last axis fastest."""

    element_type: Any
    shape: Any

    def to_elements(self) -> Sequence[Any]: ...


def number_as(dtype: DType, value: Any) -> Any:
    """Return a number of Python or of the language as one of ``dtype``."""
    if isinstance(value, _compiler.Numeric):
        return value if type(value) is dtype else value.to(dtype)
    return dtype(value)


def checked_shape(shape: object, function: str) -> tuple[int, ...]:
    """Return a static shape as a tuple of positive ints. Raises TypeError for other shapes, naming the axis."""
    extents: tuple[Any, ...] = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    for axis, extent in enumerate(extents):
        if isinstance(extent, bool) or not isinstance(extent, int) or extent < 1:
            raise make_error(
                "ArgumentKind",
                function=function,
                expected=f"a positive Python int as extent of axis {axis}",
                got=f"{extent!r}" if isinstance(extent, int) else type(extent).__name__,
            )
    if not extents:
        raise make_error(
            "ArgumentKind", function=function, expected="a shape of at least one axis", got="()"
        )
    return extents


def _steps(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a compact row-major shape."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _flat(elements: Sequence[Any], dtype: DType) -> Any:
    return Expression(tuple(elements), (len(elements),), dtype)


def _elementwise(combine: Callable[[Any, Any], Any]) -> Callable[[Vector, Any], Vector]:
    """Return the method of an operator."""

    def apply(self: Vector, other: object) -> Vector:
        vector: Vector = self._combined(other, combine)
        return vector

    return apply


def _reflected(combine: Callable[[Any, Any], Any]) -> Callable[[Vector, Any], Vector]:
    """Return the method of an operator whose left operand is a scalar."""
    return _elementwise(lambda a, b: combine(b, a))


@methods_ignore_keywords
class Vector:
    """Numbers of one type in the running thread's registers. A vector is a value: it cannot be changed in place.

    Elements are in row-major order. Operators work element by element; a scalar operand is converted to the type of the
    elements and used with each of them.

    Attributes:
        shape: the extents, Python ints.
        dtype: the numeric class of the elements.
    """

    __slots__ = ("_values", "shape")
    #: The elements as a whole-tensor value of one mode.
    _values: Any
    shape: tuple[int, ...]

    def __init__(
        self, value: Vector | _compiler.TensorExpr | _Elements, *, dtype: DType | None = None
    ) -> None:
        """Make a vector of the elements of ``value``: a Vector, or a whole-tensor value, whose elements run in the
        order of its registers (mode 0 fastest), or an object with ``to_elements()``, ``element_type`` and ``shape``.
        ``dtype`` converts them.

        Raises TypeError for other values.
        """
        if isinstance(value, Vector):
            self._values, self.shape = value._values, value.shape
        elif isinstance(value, Expression):
            count = _compiler.make_layout(value.shape, None).size
            self._values, self.shape = value.reshape((count,)), (count,)
        elif callable(getattr(value, "to_elements", None)):
            self._values, self.shape = _flat(value.to_elements(), value.element_type), value.shape
        else:
            raise make_error(
                "ArgumentKind",
                function="Vector",
                expected="a vector or a whole-tensor value",
                got=type(value).__name__,
                help="`Vector.from_elements((a, b), dtype)` makes one of scalars",
            )
        if dtype is not None:
            self._values = self._values.to(dtype)

    def __getattr__(self, name: str) -> Any:
        member = state.dialect.members.get(name, {}).get(Vector)
        if member is None:
            raise AttributeError(f"'Vector' object has no attribute '{name}'", name=name, obj=self)
        return member(self)

    @classmethod
    def _of(cls, values: Sequence[Any], shape: tuple[int, ...]) -> Vector:
        vector = object.__new__(cls)
        vector._values, vector.shape = values, shape
        return vector

    @classmethod
    def from_elements(cls, elements: Sequence[Any], dtype: object = None) -> Vector:
        """Return a vector of one axis.

        Args:
            elements: scalars, of Python or of the language; they are converted to ``dtype``.
            dtype: a numeric class; default that of the first element.

        Raises TypeError without elements, or if the type of a Python scalar is not told.
        """
        if not isinstance(elements, (tuple, list)) or not elements:
            raise make_error(
                "ArgumentKind",
                function="Vector.from_elements",
                expected="a tuple or a list of one or more scalars",
                got=repr(elements) if elements in ((), []) else type(elements).__name__,
            )
        kind = type(elements[0]) if dtype is None else dtype
        if not _compiler.is_dtype(kind):
            raise make_error("DTypeExpected", got=repr(kind))
        numbers = [number_as(kind, element) for element in elements]
        return cls._of(_flat(numbers, kind), (len(numbers),))

    @property
    def dtype(self) -> Any:
        """The numeric class of the elements."""
        return self._values.dtype

    element_type = dtype

    def numel(self) -> int:
        """Return the number of elements."""
        return math.prod(self.shape)

    def to_elements(self) -> tuple[Any, ...]:
        """Return the elements as scalars, the last axis fastest."""
        return tuple(self._values[place] for place in range(self.numel()))

    def reshape(self, shape: int | Sequence[int]) -> Vector:
        """Return the same elements in another static shape. ValueError if it has another number of elements."""
        extents = checked_shape(shape, "Vector.reshape")
        if math.prod(extents) != self.numel():
            raise make_error(
                "ArgumentValue",
                function="Vector.reshape",
                expected=f"a shape of {self.numel()} elements",
                got=f"{extents} of {math.prod(extents)}",
            )
        return Vector._of(self._values, extents)

    def to(self, dtype: DType) -> Vector:
        """Return the elements converted to a numeric class."""
        return Vector._of(self._values.to(dtype), self.shape)

    def with_signedness(self, signed: bool) -> Vector:
        """Return integer elements with the same bits, read as signed or as unsigned numbers. TypeError for floats."""
        kind = self.dtype
        if not kind.is_integer or kind is _compiler.Boolean:
            raise make_error(
                "ArgumentKind",
                function="Vector.with_signedness",
                expected="integer elements",
                got=kind.__name__,
            )
        return self.bitcast(_compiler.dtype_by_name(f"{'Int' if signed else 'Uint'}{kind.width}"))

    def bitcast(self, dtype: DType) -> Vector:
        """Return the same bits as elements of another type; the first element has the lowest bits.

        The last axis becomes shorter or longer as ``dtype`` is wider or narrower. Raises ValueError if the bits of the
        last axis are no multiple of its width.
        """
        if not _compiler.is_dtype(dtype):
            raise make_error("DTypeExpected", got=repr(dtype))
        old, new = self.dtype.width, dtype.width
        if self.dtype is dtype:
            return self
        if old == new:
            return Vector._of(self._values.bitcast(dtype), self.shape)
        if self.shape[-1] * old % new:
            raise make_error(
                "ArgumentValue",
                function=f"Vector.bitcast to {dtype.__name__}",
                expected=f"a last axis of a multiple of {new} bits",
                got=f"axis {len(self.shape) - 1} of {self.shape[-1]} {self.dtype.__name__}",
            )
        words = [element.bitcast(_unsigned(old)) for element in self.to_elements()]
        parts = _joined(words, old, new) if new > old else _split(words, old, new)
        elements = [part.bitcast(dtype) for part in parts]
        return Vector._of(_flat(elements, dtype), (*self.shape[:-1], self.shape[-1] * old // new))

    def reduce(self, op: str = "add", *, dim: Extents | None = None, acc: object = None) -> Any:
        """Return all elements combined to a scalar, or those along some axes to a vector.

        Args:
            op: "add", "mul", "min" or "max". Sums begin with 0, or with ``acc``, and take element after element. The
                least or greatest of floats is NaN if one is.
            dim: an axis, or several in a list or a tuple; default all of them.
            acc: the first operand of each reduction: a scalar, or a vector of the result's shape.

        Raises ValueError for another ``op``, IndexError for an axis that the vector does not have.
        """
        op = str(getattr(op, "value", op))
        if op not in _REDUCTIONS:
            raise make_error(
                "ArgumentValue",
                function="Vector.reduce",
                expected=f"one of {', '.join(_REDUCTIONS)} as op",
                got=repr(op),
            )
        axes = _axes(dim, len(self.shape))
        remaining = [axis for axis in range(len(self.shape)) if axis not in axes]
        shape = tuple(self.shape[axis] for axis in remaining)
        groups: dict[tuple[int, ...], list[Any]] = {}
        coordinates = product(*map(range, self.shape))
        for coordinate, element in zip(coordinates, self.to_elements(), strict=True):
            groups.setdefault(tuple(coordinate[axis] for axis in remaining), []).append(element)
        starts = _starts(acc, shape, self.dtype)
        results = [
            _reduced(op, elements, start, self.dtype)
            for elements, start in zip(groups.values(), starts)
        ]
        return Vector._of(_flat(results, self.dtype), shape) if shape else results[0]

    def __getitem__(self, key: object) -> Any:
        """Return an element, or the vector that slices with static bounds select.

        Indices of an element may be run-time values. An int next to a slice keeps its axis, with extent 1.
        """
        keys: tuple[Any, ...] = key if isinstance(key, tuple) else (key,)
        rank = len(self.shape)
        if len(keys) > rank:
            raise make_error("CoordinateRank", got=str(len(keys)), expected=str(rank))
        if len(keys) == rank and not any(isinstance(entry, slice) for entry in keys):
            return self._element(keys)
        ranges = [
            self._range(axis, entry)
            for axis, entry in enumerate((*keys, *[slice(None)] * (rank - len(keys))))
        ]
        steps = _steps(self.shape)
        places = [
            sum(index * step for index, step in zip(coordinate, steps, strict=True))
            for coordinate in product(*ranges)
        ]
        elements = [self._values[place] for place in places]
        return Vector._of(_flat(elements, self.dtype), tuple(map(len, ranges)))

    def _element(self, keys: tuple[Any, ...]) -> Any:
        steps = _steps(self.shape)
        if all(_is_known(entry) for entry in keys):
            indices = [self._index(axis, int(entry)) for axis, entry in enumerate(keys)]
            return self._values[sum(map(operator.mul, indices, steps))]
        memory = _compiler.make_rmem_tensor(
            _compiler.make_layout((self.numel(),), None), self.dtype
        )
        memory.store(self._values)
        place: Any = 0
        for entry, step in zip(keys, steps, strict=True):
            place = place + entry * step
        return memory[place]

    def _index(self, axis: int, index: int) -> int:
        extent = self.shape[axis]
        if not -extent <= index < extent:
            raise _outside(self.shape, axis, index)
        return index % extent

    def _range(self, axis: int, entry: SupportsIndex | slice) -> range:
        if not isinstance(entry, slice):
            if not _is_known(entry):
                raise make_error(
                    "DynamicNumber", use="an index beside a slice of a Vector", type="integer"
                )
            index = self._index(axis, int(entry))
            return range(index, index + 1)
        bounds = entry.start, entry.stop, entry.step
        if not all(bound is None or _is_known(bound) for bound in bounds):
            raise make_error("DynamicNumber", use="a slice of a Vector", type="bound")
        indices = range(
            *slice(*(None if bound is None else int(bound) for bound in bounds)).indices(
                self.shape[axis]
            )
        )
        if not indices:
            raise _outside(self.shape, axis, f"slice {bounds[0]}:{bounds[1]}")
        return indices

    def __setitem__(self, key: object, value: object) -> None:
        raise TypeError(
            "a Vector cannot be changed in place: make another with Vector.from_elements, or store it to an Array"
        )

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if len(self.shape) == 1:
            return iter(self.to_elements())
        return iter([self[index].reshape(self.shape[1:]) for index in range(self.shape[0])])

    def __bool__(self) -> bool:
        raise make_error("DynamicBool", type="Vector")

    def __neg__(self) -> Vector:
        return Vector._of(-self._values, self.shape)

    def __pos__(self) -> Vector:
        return self

    def __abs__(self) -> Vector:
        return Vector._of(abs(self._values), self.shape)

    def __invert__(self) -> Vector:
        return Vector._of(~self._values, self.shape)

    __add__, __radd__ = _elementwise(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _elementwise(operator.sub), _reflected(operator.sub)
    __mul__, __rmul__ = _elementwise(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _elementwise(operator.truediv), _reflected(operator.truediv)
    __floordiv__, __rfloordiv__ = _elementwise(operator.floordiv), _reflected(operator.floordiv)
    __mod__, __rmod__ = _elementwise(operator.mod), _reflected(operator.mod)
    __and__, __rand__ = _elementwise(operator.and_), _reflected(operator.and_)
    __or__, __ror__ = _elementwise(operator.or_), _reflected(operator.or_)
    __xor__, __rxor__ = _elementwise(operator.xor), _reflected(operator.xor)
    __lshift__, __rlshift__ = _elementwise(operator.lshift), _reflected(operator.lshift)
    __rshift__, __rrshift__ = _elementwise(operator.rshift), _reflected(operator.rshift)
    __pow__, __rpow__ = _elementwise(operator.pow), _reflected(operator.pow)
    __eq__ = _elementwise(operator.eq)  # type: ignore[assignment]
    __ne__ = _elementwise(operator.ne)  # type: ignore[assignment]
    __lt__ = _elementwise(operator.lt)
    __le__ = _elementwise(operator.le)
    __gt__ = _elementwise(operator.gt)
    __ge__ = _elementwise(operator.ge)

    def __hash__(self) -> int:
        return id(self)

    def _combined(self, other: object, combine: Callable[[Any, Any], Any]) -> Any:
        """Return ``combine`` of the elements of both, ``other`` a scalar or a vector; NotImplemented otherwise."""
        if isinstance(other, Vector):
            if other.shape != self.shape:
                raise _unequal(self.shape, other.shape)
            return Vector._of(combine(self._values, other._values), self.shape)
        if isinstance(other, (bool, int, float, _compiler.Numeric)):
            return Vector._of(combine(self._values, number_as(self.dtype, other)), self.shape)
        return NotImplemented

    def __repr__(self) -> str:
        return f"Vector(dtype={self.dtype.__name__}, shape={self.shape})"

    def __extract_mlir_values__(self) -> list[Any]:
        return [self._values]

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> Vector:
        return Vector._of(values[0], self.shape)

    def _static_part(self) -> tuple[int, ...]:
        """Return the part of the structure that regions must keep."""
        return self.shape


def as_vector(value: Any, dtype: DType | None = None) -> Vector:
    """Return a Vector, a whole-tensor value, or a sequence of scalars as a Vector, converted to ``dtype`` if given."""
    vector = (
        Vector.from_elements(value, dtype)
        if isinstance(value, (tuple, list))
        else value
        if isinstance(value, Vector)
        else Vector(value)
    )
    return vector if dtype is None or vector.dtype is dtype else vector.to(dtype)


def _is_known(index: object) -> bool:
    return isinstance(index, int) or (isinstance(index, _compiler.Numeric) and index.is_static)


def _outside(shape: tuple[int, ...], axis: int, index: object) -> Exception:
    return make_error(
        "IndexBounds",
        got=str(index),
        extent=f"extent {shape[axis]} of axis {axis}",
        shape=str(shape),
        hint="",
    )


def _unequal(expected: tuple[int, ...], got: tuple[int, ...]) -> Exception:
    if len(expected) != len(got):
        problem = f"{len(got)} axes, of shape {got}"
    else:
        axis = next(axis for axis, pair in enumerate(zip(expected, got)) if pair[0] != pair[1])
        problem = f"extent {got[axis]} of axis {axis}, in the shape {got}"
    return make_error(
        "ArgumentValue",
        function="an operation of two vectors",
        expected=f"a second operand of the first one's shape {expected}",
        got=problem,
    )


def _axes(dim: object, rank: int) -> set[int]:
    if dim is None:
        return set(range(rank))
    axes = set()
    for axis in dim if isinstance(dim, (tuple, list)) else [dim]:
        if isinstance(axis, bool) or not isinstance(axis, int) or not -rank <= axis < rank:
            raise make_error(
                "ArgumentValue",
                function="Vector.reduce",
                expected=f"axes from 0 to {rank - 1} as dim",
                got=repr(axis),
            )
        axes.add(axis % rank)
    return axes


def _starts(acc: object, shape: tuple[int, ...], dtype: DType) -> list[Any]:
    if isinstance(acc, Vector):
        if acc.shape != shape:
            raise make_error(
                "ArgumentValue",
                function="Vector.reduce",
                expected=f"acc of the result's shape {shape}",
                got=str(acc.shape),
            )
        return list(acc.to(dtype).to_elements())
    return [None if acc is None else number_as(dtype, acc)] * math.prod(shape)


def _reduced(op: str, elements: list[Any], start: Int, dtype: DType) -> Any:
    combine = _REDUCTIONS[op]
    if op in ("min", "max"):
        # In pairs: chains are half as long as with one element after the other.
        while len(elements) > 1:
            pairs = [combine(*elements[i : i + 2]) for i in range(0, len(elements) - 1, 2)]
            elements = pairs + elements[2 * len(pairs) :]
        return elements[0] if start is None else combine(start, elements[0])
    result = dtype(0 if op == "add" else 1) if start is None else start
    for element in elements:
        result = combine(result, element)
    return result


def _unsigned(width: int) -> type:
    return _compiler.dtype_by_name(f"Uint{width}")


def _joined(words: list[Any], old: int, new: int) -> list[Any]:
    word_type, ratio = _unsigned(new), new // old
    joined = []
    for first in range(0, len(words), ratio):
        word = words[first].to(word_type)
        for place in range(1, ratio):
            word = word | (words[first + place].to(word_type) << (old * place))
        joined.append(word)
    return joined


def _split(words: list[Any], old: int, new: int) -> list[Any]:
    narrow = _unsigned(new)
    return [(word >> (new * place)).to(narrow) for word in words for place in range(old // new)]
