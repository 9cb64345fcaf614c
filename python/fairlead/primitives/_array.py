"""Arrays of the layer of primitives: typed views of memory with a shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from fairlead import _compiler
from fairlead.cute._keywords import methods_ignore_keywords
from fairlead.cute._print import printf
from fairlead.cute._shared_memory import SmemAllocator
from fairlead.cute._types import Choice, Coordinate, DType, Int
from fairlead.errors import make_error
from fairlead.primitives import _accesses
from fairlead.primitives._accesses import Mask, MemOrdering, checked_count, space_at
from fairlead.primitives._pointer import AddressSpace, Pointer, moved, space_of
from fairlead.primitives._vector import Vector, checked_shape, number_as

__all__ = ["Array", "GridConstant", "align", "make_array_view"]


class GridConstant:
    """The annotation of a kernel's parameter that is passed by value and may be addressed: ``GridConstant[T]``."""

    def __class_getitem__(cls, kind: Choice) -> Any:
        return Annotated[kind, cls]


class align(NamedTuple):
    """An alignment in bytes in the brackets of an Array: ``a[i:4, align(16)]``."""

    bytes: int


@methods_ignore_keywords
class Array:
    """A view of memory: a pointer with a shape and strides.

    One index counts elements of the memory, also of an array of several axes; as many indices as axes follow the
    strides. ``a[i:n]`` is the Vector of the ``n`` elements from ``i`` on: ``n`` is a count, not an end. ``a[i:]`` and
    ``a[:n]`` are views.

    Attributes:
        tensor: the ``cute.Tensor`` of the same memory.
    """

    __slots__ = ("_has_shape", "tensor")

    def __init__(
        self,
        base: object = None,
        shape: object = None,
        *,
        dtype: DType | None = None,
        space: object = None,
        alignment: int | None = None,
        addrspace: object = None,
    ) -> None:
        """Make an array of new memory, or a view of existing memory.

        Args:
            base: a numeric class for new memory (default `dtype`), else a pointer, an Array or a ``cute.Tensor``.
            shape: the extents, an int or a tuple; the last axis is contiguous. Those of new memory are Python ints.
            dtype: for a view, the numeric class to read the memory as.
            space: of new memory: ``rmem`` (default), the thread's registers, or ``smem``, the block's shared memory.
            alignment: of new shared memory in bytes, at least that of an element; of a view the known alignment.
            addrspace: another name of ``space``.

        Raises TypeError or ValueError for a shape of other extents, which the message names.
        """
        space = addrspace if space is None else space
        self._has_shape = shape is not None
        base = dtype if base is None else base
        if _compiler.is_dtype(base):
            self.tensor = _new_memory(base, shape, space, alignment)
            return
        source = getattr(base, "tensor", base)
        if isinstance(source, _compiler.Tensor) and shape is None and dtype is None:
            self.tensor, self._has_shape = source, True
            return
        pointer = Pointer(source, dtype=dtype, space=space).pointer
        if alignment is not None and alignment > pointer.alignment:
            pointer = pointer.align(alignment)
        self.tensor = _compiler.make_tensor(pointer, _row_major(shape))

    @classmethod
    def _of(cls, tensor: _compiler.Tensor, has_shape: bool = True) -> Array:
        array = object.__new__(cls)
        array.tensor, array._has_shape = tensor, has_shape
        return array

    @classmethod
    def __fairlead_convert__(cls, value: object) -> Any:
        """Return the argument of a parameter that is annotated with this class."""
        return make_array_view(value) if isinstance(value, _compiler.Tensor) else value

    @property
    def pointer(self) -> Any:
        """The ``cute.Pointer`` of the first element."""
        return self.tensor.iterator

    @property
    def shape(self) -> tuple[Any, ...] | None:
        """The extents: Python ints where known while tracing. None for a view that was made without a shape."""
        return tuple(self.tensor.shape) if self._has_shape else None

    @property
    def strides(self) -> tuple[Any, ...]:
        """The distance of neighbours along each axis, in elements."""
        return tuple(self.tensor.stride)

    @property
    def dtype(self) -> Any:
        """The numeric class of the elements."""
        return self.tensor.element_type

    element_type = dtype

    @property
    def space(self) -> AddressSpace:
        """The memory space."""
        space: AddressSpace = space_at(self.pointer)
        return space

    memspace = space

    @property
    def align(self) -> int:
        """Number of bytes that divides the address."""
        number: int = self.tensor.alignment
        return number

    alignment = align

    @property
    def size(self) -> Any:
        """The number of elements."""
        return self.tensor.size

    @property
    def llvm_ptr(self) -> Any:
        """The ``cute.Pointer`` of the first element."""
        return self.pointer

    def ir_value(self) -> Any:
        """Return the ``cute.Pointer`` of the first element."""
        return self.pointer

    def toint(self, dtype: DType | None = None) -> Any:
        """Return the address as an integer; see ``Pointer.toint``."""
        return Pointer(self.pointer).toint(dtype)

    def data_ptr(self, idx: object = 0) -> Pointer:
        """Return the pointer to an element."""
        return Pointer(self._place(idx))

    def subview(self, idx: object = 0) -> Array:
        """Return the array of the same shape and strides that begins at an element."""
        return self._at(self._place(idx))

    def tospace(self, space: object) -> Array:
        """Return the same memory as addresses of another space; see ``Pointer.tospace``."""
        return self._at(Pointer(self.pointer).tospace(space).pointer)

    def _at(self, pointer: _compiler.Pointer) -> Array:
        """Return the array of this shape at a ``cute.Pointer``."""
        return Array._of(_compiler.make_tensor(pointer, self.tensor.layout), self._has_shape)

    def _place(self, idx: object) -> Any:
        """Return the ``cute.Pointer`` of an element: one index counts elements, several follow the strides."""
        indices = idx if isinstance(idx, tuple) else (idx,)
        for entry in indices:
            if type(entry) is not int and not _is_integer(entry):
                raise make_error("IndexType", got=type(entry).__name__)
        rank = self.tensor.ndim
        if len(indices) == 1 and (rank > 1 or not self._has_shape):
            first: Any = indices[0]
            return moved(self.pointer, first)
        if len(indices) != rank:
            raise make_error(
                "ArgumentValue",
                function="an index of an Array",
                expected=f"one index, or {rank} for the shape {self._shape_text()}",
                got=f"{len(indices)} indices",
            )
        return _compiler.pointer_of(self.tensor, list(indices))

    def _shape_text(self) -> str:
        extents = [str(extent) if isinstance(extent, int) else "?" for extent in self.tensor.shape]
        return f"({', '.join(extents)}{',' * (len(extents) == 1)})"

    def __getitem__(self, key: object) -> Any:
        idx, bounds, alignment = _parsed(key)
        if bounds is None:
            return self._place(idx).load()
        if bounds.start is not None and bounds.stop is not None:
            return self.load(idx, checked_count(bounds.stop), alignment=alignment)
        if isinstance(idx, tuple):
            extent, step = self.tensor.shape[-1] - idx[-1], self.strides[-1]
            layout = _compiler.make_layout((extent,), (step,))
            return Array._of(_compiler.make_tensor(self._place(idx), layout))
        return self._view(idx, bounds.stop)

    def _view(self, start: Int, count: Int | None) -> Array:
        extent = self.size - start if count is None else count
        if isinstance(extent, int) and extent < 1:
            raise make_error(
                "ArgumentValue",
                function="a view of an Array",
                expected=f"1 to {self.size} elements of the shape {self._shape_text()}",
                got=str(extent),
            )
        layout = _compiler.make_layout((extent,), (1,))
        return Array._of(_compiler.make_tensor(self._flat_place(start), layout))

    def _flat_place(self, start: Int) -> Any:
        return self.pointer if start is None or start == 0 else self.pointer + start

    def __setitem__(self, key: object, value: object) -> None:
        idx, bounds, alignment = _parsed(key)
        if bounds is None:
            _accesses.write(self._place(idx), value)
            return
        if bounds.start is None and bounds.stop is None:
            idx, count = 0, self.size
        elif bounds.stop is None:
            count = self.size - idx
        else:
            count = bounds.stop
        self.store(value, 0 if idx is None else idx, checked_count(count), alignment=alignment)

    def __iter__(self) -> Any:
        raise TypeError("an Array is not iterated: write `for i in range(len(a))`, and x = a[i]")

    def __len__(self) -> int:
        extent = self.tensor.shape[0]
        if not isinstance(extent, int):
            raise make_error("DynamicNumber", type="extent", use="len()")
        return extent

    def __bool__(self) -> bool:
        raise make_error("DynamicBool", type="Array")

    def __add__(self, elements: object) -> Any:
        raise make_error(
            "ArgumentKind",
            function="+ and - of an Array",
            expected="`a.subview(i)` for the array from element i on, or `a.data_ptr(i)` for its address",
            got=f"`a + {type(elements).__name__}`",
        )

    __radd__ = __sub__ = __add__

    def load(
        self,
        idx: object = 0,
        vector_size: int | None = None,
        *,
        alignment: int | None = None,
        is_volatile: bool = False,
        is_nontemporal: bool = False,
        is_invariant: bool = False,
        is_invariant_group: bool = False,
        ordering: Choice = MemOrdering.NOT_ATOMIC,
        syncscope: str | None = None,
    ) -> Any:
        """Return an element, or with ``vector_size`` the Vector of so many neighbours from it on.

        ``is_nontemporal`` is a hint. The other arguments are those of ``Pointer.load``.
        """
        return _accesses.read(
            self._place(idx),
            vector_size,
            alignment,
            volatile=is_volatile,
            ordering=ordering,
            syncscope=syncscope,
        )

    def store(
        self,
        value: object,
        idx: object = 0,
        vector_size: int | None = None,
        *,
        alignment: int | None = None,
        is_volatile: bool = False,
        is_nontemporal: bool = False,
        is_invariant_group: bool = False,
        ordering: Choice = MemOrdering.NOT_ATOMIC,
        syncscope: str | None = None,
    ) -> None:
        """Store a scalar, or the elements of a vector, to an element and its neighbours.

        With ``vector_size`` a scalar is stored so often; a vector must have that many elements, else ValueError.
        """
        if vector_size is not None:
            value = _repeated(value, checked_count(vector_size), self.dtype)
        _accesses.write(
            self._place(idx),
            value,
            alignment,
            volatile=is_volatile,
            ordering=ordering,
            syncscope=syncscope,
        )

    def masked_load(
        self,
        idx: Coordinate,
        count: int,
        mask: Mask,
        default: object = None,
        *,
        alignment: int | None = None,
        is_volatile: bool = False,
        is_nontemporal: bool = False,
    ) -> Vector:
        """Return ``count`` elements from one on. Lanes whose ``mask`` is false are not read: they are ``default``.

        Args:
            idx: the first element.
            count: how many, a Python int.
            mask: ``count`` Booleans, as an Array or a Vector.
            default: a scalar or a vector; 0 if left out.
            alignment: bytes that divide the address of the first element.
            is_volatile: False; True is not supported yet.
            is_nontemporal: a hint.
        """
        _check_not_volatile("masked_load", is_volatile)
        return _accesses.masked_load(
            self._place(idx), mask, default, alignment, checked_count(count)
        )

    def masked_store(
        self,
        idx: Coordinate,
        value: object,
        mask: Mask,
        *,
        alignment: int | None = None,
        is_volatile: bool = False,
        is_nontemporal: bool = False,
    ) -> None:
        """Store the elements of a vector whose lane of ``mask`` is true; see ``masked_load``."""
        _check_not_volatile("masked_store", is_volatile)
        _accesses.masked_store(self._place(idx), value, mask, alignment)

    def _all_elements(self, function: str) -> Vector:
        """Return all elements, of a static number."""
        if not isinstance(self.size, int):
            raise make_error("DynamicNumber", use=function, type="shape of an Array")
        vector: Vector = _accesses.read(self.pointer, self.size)
        return vector

    def print_runtime(self, max_elements: int = 16) -> None:
        """Print the first elements in one line when the program runs: ``[1.000000, 2.000000, ...]``."""
        size = self.size if self._has_shape else max_elements
        if not isinstance(size, int):
            raise make_error("DynamicNumber", use="print_runtime()", type="shape of an Array")
        count = min(size, max_elements)
        rest = ", ..." if count < size else ""
        elements = [(self.pointer + place).load() for place in range(count)]
        printf("[" + ", ".join(["{}"] * count) + rest + "]", *elements)

    def __repr__(self) -> str:
        return (
            f"Array(dtype={self.dtype.__name__}, address_space={self.space.name}, shape={self._shape_text()},"
            f" alignment={self.align})"
        )

    def __extract_mlir_values__(self) -> list[Any]:
        return [self.tensor]

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> Array:
        return Array._of(values[0], self._has_shape)

    def _static_part(self) -> bool:
        """Return the part of the structure that is not the tensor's: regions must keep it."""
        return self._has_shape


def _check_not_volatile(function: str, is_volatile: bool) -> None:
    if is_volatile:
        raise make_error(
            "ArgumentValue", function=function, expected="is_volatile=False", got="True"
        )


def make_array_view(
    tensor: _compiler.Tensor, *, dtype: DType | None = None, bounds_check: bool = False
) -> Array:
    """Return the Array over the memory of a ``cute.Tensor``, with its shape and strides.

    Args:
        tensor: a tensor whose shape is not nested.
        dtype: a numeric class of the same width to read the elements as.
        bounds_check: accepted, without effect: ``--check bounds`` checks all accesses.

    Raises TypeError for other values, ValueError for a nested shape, whose axis the message names.
    """
    if not isinstance(tensor, _compiler.Tensor) or isinstance(tensor, _compiler.CoordTensor):
        raise make_error(
            "ArgumentKind",
            function="make_array_view",
            expected="a cute.Tensor",
            got=type(tensor).__name__,
        )
    shape, strides = tensor.shape, tensor.stride
    if not isinstance(shape, tuple):
        shape, strides = (shape,), (strides,)
    for axis, extent in enumerate(shape):
        if isinstance(extent, tuple):
            raise make_error(
                "ArgumentValue",
                function="an Array over a tensor",
                expected="a shape of integers",
                got=f"the nested extent {extent} of axis {axis}",
                help="`cute.flatten(tensor)` has an axis for each of them",
            )
    if not shape:
        shape, strides = (1,), (1,)
    pointer = tensor.iterator
    if dtype is not None:
        if not _compiler.is_dtype(dtype):
            raise make_error("DTypeExpected", got=repr(dtype))
        if dtype.width != tensor.element_type.width:
            raise make_error(
                "ArgumentValue",
                function="make_array_view",
                expected=f"a type of {tensor.element_type.width} bits as dtype",
                got=dtype.__name__,
            )
        pointer = pointer._recast(dtype)
    return Array._of(_compiler.make_tensor(pointer, _compiler.make_layout(shape, strides)))


def _is_integer(value: object) -> bool:
    return isinstance(value, _compiler.Numeric) and not type(value).is_float


def _parsed(key: object) -> tuple[Any, slice | None, int | None]:
    """Return the index, the slice that it begins (None for an element), and the alignment of a key in brackets."""
    entries = list(key) if isinstance(key, tuple) and not isinstance(key, align) else [key]
    alignment = None
    if isinstance(entries[-1], align):
        alignment, entries = entries[-1].bytes, entries[:-1]
    slices = [entry for entry in entries if isinstance(entry, slice)]
    if not slices:
        return (tuple(entries) if len(entries) > 1 else entries[0]), None, alignment
    if len(slices) > 1 or entries[-1] is not slices[0]:
        raise make_error(
            "LayoutMode",
            expected="one slice `start:count` as the last index of an Array",
            got=f"{len(slices)} slices" if len(slices) > 1 else "a slice before an index",
        )
    start = slices[0].start
    if len(entries) == 1:
        return start, slices[0], alignment
    first = (*entries[:-1], 0 if start is None else start)
    return first, slice(first[-1], slices[0].stop), alignment


def _repeated(value: object, count: int, dtype: DType) -> Any:
    """Return ``count`` elements: those of a vector or a sequence, or a scalar so often."""
    if isinstance(value, Array):
        value = value._all_elements("storing an Array")
    if not isinstance(value, (Vector, _compiler.TensorExpr, tuple, list)):
        return [number_as(dtype, value)] * count
    got = len(value) if isinstance(value, (tuple, list)) else Vector(value).numel()
    if got != count:
        raise make_error(
            "ArgumentValue",
            function="a store to an Array",
            expected=f"{count} elements",
            got=f"{got}",
        )
    return value


def _row_major(shape: object) -> Any:
    """Return the layout of a shape, static or not, whose last axis is contiguous."""
    if shape is None:
        return _compiler.make_layout((1,), (1,))
    extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    for axis, extent in enumerate(extents):
        if (type(extent) is not int or extent < 1) and not _is_integer(extent):
            raise make_error(
                "ArgumentKind",
                function="Array",
                expected=f"a positive integer as extent of axis {axis}",
                got=f"{extent!r}" if isinstance(extent, int) else type(extent).__name__,
            )
    strides: list[Any] = [1]
    for extent in extents[:0:-1]:
        strides.insert(0, strides[0] * extent)
    return _compiler.make_layout(extents, tuple(strides))


def _new_memory(dtype: DType, shape: object, space: object, alignment: int | None) -> Any:
    extents = checked_shape(() if shape is None else shape, f"Array({dtype.__name__})")
    layout = _row_major(extents)
    memory_space = AddressSpace.rmem if space is None else space_of(space, "Array")
    if memory_space is AddressSpace.rmem:
        return _compiler.make_rmem_tensor(layout, dtype)
    if memory_space is not AddressSpace.smem:
        raise make_error(
            "ArgumentValue",
            function="Array",
            expected="rmem or smem as the space of new memory",
            got=memory_space.name,
        )
    least = max(dtype.width // 8, 1)
    pointer = SmemAllocator().allocate_array(dtype, math.prod(extents), max(alignment or 4, least))
    return _compiler.make_tensor(pointer, layout)
