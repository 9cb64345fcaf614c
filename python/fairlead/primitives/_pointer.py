"""Pointers of the layer of primitives: addresses with element access, vectors, masks and swizzles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead._compiler import AddressSpace
from fairlead.cute._assembly import inline_asm
from fairlead.cute._ir_types import PointerType
from fairlead.cute._keywords import methods_ignore_keywords
from fairlead.cute._target import current_target
from fairlead.cute._types import Choice, DType, Int
from fairlead.errors import make_error
from fairlead.primitives import _accesses
from fairlead.primitives._accesses import Mask, MemOrdering, space_at
from fairlead.primitives._memory_ops import load_ext, store_ext
from fairlead.primitives._operands import plain
from fairlead.primitives._vector import Vector

__all__ = ["AddressSpace", "Pointer", "inttoptr", "moved", "space_of"]

_SHARED = (AddressSpace.smem, AddressSpace.dsmem)
_Int8, _Int32, _Int64 = _compiler.Int8, _compiler.Int32, _compiler.Int64


def space_of(space: object, function: str) -> AddressSpace:
    """Return a memory space given as a member of AddressSpace, as its number or as its name. ValueError for others."""
    if isinstance(space, AddressSpace):
        return space
    if isinstance(space, str) and space in AddressSpace.__members__:
        return AddressSpace[space]
    if isinstance(space, int) and space in list(AddressSpace):
        return AddressSpace(space)
    names = ", ".join(f"{member.name} ({member.value})" for member in AddressSpace)
    raise make_error(
        "ArgumentValue", function=function, expected=f"a memory space: {names}", got=repr(space)
    )


def moved(pointer: _compiler.Pointer, elements: Int) -> _compiler.Pointer:
    """Return the ``cute.Pointer`` that lies a number of elements further.

    An address of tensor memory moves by a column for each byte of an element, as published programs expect: pointers
    to Int8 count columns.
    """
    further: _compiler.Pointer
    if pointer.memspace != AddressSpace.tmem:
        further = pointer + elements
        return further
    itemsize = max(pointer.dtype.width // 8, 1)
    steps: Any = elements * itemsize if itemsize > 1 else elements
    address = pointer.toint().to(_Int32) + (steps if isinstance(steps, int) else steps.to(_Int32))
    further = _compiler.pointer_from_int(
        pointer.dtype, address, _compiler.AddressSpace.tmem, itemsize
    )
    return further


@methods_ignore_keywords
class Pointer:
    """The address of elements of one type in a memory space. Arithmetic counts elements.

    Attributes:
        pointer: the ``cute.Pointer`` of the same address.
    """

    __slots__ = ("pointer",)

    def __init__(self, base: object, *, dtype: object = None, space: object = None) -> None:
        """Make a pointer to where ``base`` points.

        Args:
            base: a Pointer, an Array, a ``cute.Pointer`` or a ``cute.Tensor``.
            dtype: a numeric class to read the memory as; default the type of the elements of ``base``.
            space: a memory space to name the address in: see ``tospace``.

        Raises TypeError for another ``base``.
        """
        pointer = getattr(base, "pointer", base)
        if isinstance(pointer, _compiler.Tensor):
            pointer = pointer.iterator
        if not isinstance(pointer, _compiler.Pointer):
            raise make_error(
                "PointerExpected",
                what="Pointer",
                expected="a pointer or a tensor",
                got=type(base).__name__,
            )
        if dtype is not None:
            if not _compiler.is_dtype(dtype):
                raise make_error("DTypeExpected", got=repr(dtype))
            pointer = pointer._recast(dtype)
        self.pointer = plain(pointer)
        if space is not None and space_of(space, "Pointer") != self.space:
            self.pointer = self.tospace(space).pointer

    @classmethod
    def __fairlead_convert__(cls, value: object) -> Any:
        """Return the argument of a parameter that is annotated with this class."""
        return cls(value) if isinstance(value, _compiler.Pointer) else value

    @property
    def dtype(self) -> Any:
        """The numeric class of the elements."""
        return self.pointer.dtype

    value_type = dtype

    @property
    def space(self) -> AddressSpace:
        """The memory space."""
        space: AddressSpace = space_at(self.pointer)
        return space

    memspace = space

    @property
    def alignment(self) -> int:
        """Number of bytes that divides the address."""
        return self.pointer.alignment

    max_alignment = alignment

    @property
    def natural_alignment(self) -> int:
        """Bytes of an element."""
        number: int = max(self.dtype.width // 8, 1)
        return number

    @property
    def llvm_ptr(self) -> Any:
        """The ``cute.Pointer``, as the value that instructions take."""
        return self.pointer

    @property
    def mlir_type(self) -> Any:
        """The type of the address in the IR."""
        return PointerType(self.space.value)

    def to_llvm_ptr(self) -> Any:
        """Return the ``cute.Pointer``."""
        return self.pointer

    def ir_value(self) -> Any:
        """Return the ``cute.Pointer``."""
        return self.pointer

    def raw_ptr(self) -> Pointer:
        """Return the pointer itself."""
        return self

    def __add__(self, elements: object) -> Pointer:
        return Pointer(moved(self.pointer, _offset(elements)))

    __radd__ = __add__

    def __sub__(self, elements: object) -> Pointer:
        return Pointer(moved(self.pointer, -_offset(elements)))

    def __getitem__(self, index: object) -> Any:
        return (self + index).pointer.load()

    def __setitem__(self, index: object, value: object) -> None:
        _accesses.write((self + index).pointer, value)

    def __iter__(self) -> Any:
        raise TypeError("a Pointer has no end: write `for i in range(n)`, and x = pointer[i]")

    def __bool__(self) -> bool:
        raise make_error("DynamicBool", type="Pointer")

    def load(
        self,
        alignment: int | None = None,
        *,
        count: int | None = None,
        is_volatile: bool = False,
        is_invariant: bool = False,
        is_invariant_group: bool = False,
        ordering: Choice = MemOrdering.NOT_ATOMIC,
        syncscope: str | None = None,
    ) -> Any:
        """Return the element at the address, or a Vector of several.

        Args:
            alignment: bytes that divide the address. With the size of the vector, the load is one access.
            count: the number of elements, a Python int; default a scalar.
            is_volatile: the access happens as often as written.
            is_invariant, is_invariant_group: nothing writes the memory; hints.
            ordering: a member of MemOrdering or its word: "not_atomic", "monotonic", "acquire".
            syncscope: the threads that the order is for: "cta", "cluster", "gpu"; default all of the system.
        """
        return _accesses.read(
            self.pointer,
            count,
            alignment,
            volatile=is_volatile,
            ordering=ordering,
            syncscope=syncscope,
        )

    def store(
        self,
        value: object,
        *,
        alignment: int | None = None,
        is_volatile: bool = False,
        is_invariant_group: bool = False,
        ordering: Choice = MemOrdering.NOT_ATOMIC,
        syncscope: str | None = None,
    ) -> None:
        """Store a scalar, or the elements of a vector, converted to the type of the elements; see ``load``."""
        _accesses.write(
            self.pointer,
            value,
            alignment,
            volatile=is_volatile,
            ordering=ordering,
            syncscope=syncscope,
        )

    def masked_load(
        self, mask: Mask, pass_thru: object = None, *, alignment: int | None = None
    ) -> Vector:
        """Return as many elements as ``mask`` has lanes. Lanes that are off are not read, and have the value of
        ``pass_thru``, a scalar or a vector (default 0).
        """
        return _accesses.masked_load(self.pointer, mask, pass_thru, alignment)

    def masked_store(self, value: object, mask: Mask, *, alignment: int | None = None) -> None:
        """Store the elements of a vector whose lane of ``mask`` is true."""
        _accesses.masked_store(self.pointer, value, mask, alignment)

    def masked_gather(
        self,
        offsets: object,
        mask: Mask,
        pass_thru: object = None,
        *,
        alignment: int | None = None,
    ) -> Vector:
        """Return the elements that lie ``offsets``, a vector of integers, from here; see ``masked_load``."""
        return _accesses.masked_gather(self.pointer, offsets, mask, pass_thru, alignment)

    def nvvm_load_ext(
        self,
        *,
        count: int | None = None,
        cache_modifier: Choice | None = None,
        evict: Choice | None = None,
        scope: Choice | None = None,
    ) -> Any:
        """Return the element, or a Vector of several, with hints for caches; see ``primitives.load_ext``."""
        return load_ext(
            self.pointer, count=count, cache_modifier=cache_modifier, evict=evict, scope=scope
        )

    def nvvm_store_ext(
        self,
        value: object,
        *,
        cache_modifier: Choice | None = None,
        evict: Choice | None = None,
        scope: Choice | None = None,
    ) -> None:
        """Store a scalar or a vector with hints for caches; see ``primitives.store_ext``."""
        store_ext(value, self.pointer, cache_modifier=cache_modifier, evict=evict, scope=scope)

    def apply_swizzle(self, swizzle: _compiler.Swizzle) -> Pointer:
        """Return the pointer to where ``swizzle`` moves the address, which it counts in bytes from that of the memory
        space.
        """
        address = self.toint()
        moved = self.pointer._recast(_Int8) + (swizzle(address) - address)
        return Pointer(moved._recast(self.dtype))

    def load_swizzled(
        self, swizzle: _compiler.Swizzle, alignment: int | None = None, *, count: int | None = None
    ) -> Any:
        """Return the element, or a Vector of ``count``, whose addresses ``swizzle`` moves, each on its own."""
        return _accesses.read(_accesses.swizzled(self.pointer, swizzle), count, alignment)

    def store_swizzled(
        self, value: object, swizzle: _compiler.Swizzle, alignment: int | None = None
    ) -> None:
        """Store a scalar or the elements of a vector to where ``swizzle`` moves their addresses."""
        _accesses.write(_accesses.swizzled(self.pointer, swizzle), value, alignment)

    def tospace(self, space: object) -> Pointer:
        """Return the same memory as an address of another space: generic from a named space, or the reverse.

        Raises ValueError between two named spaces.
        """
        target = space_of(space, "tospace")
        if target == self.space:
            return self
        if AddressSpace.generic not in (target, self.space):
            raise ValueError(
                f"tospace does not allow casting from non-generic memory space {self.space.name} to another"
                f" non-generic memory space {target.name}: cast to generic first"
            )
        address = self.pointer.toint()
        named = self.space if target is AddressSpace.generic else target
        if named in (*_SHARED, AddressSpace.rmem) and current_target().capability:
            word = {AddressSpace.rmem: "local"}.get(named, "shared")
            to = "" if target is AddressSpace.generic else ".to"
            address = inline_asm(_Int64, [address], f"cvta{to}.{word}.u64 $0, $1;", "=l,l")
        return Pointer(_compiler.pointer_from_int(self.dtype, address, target, self.alignment))

    def toint(self, dtype: DType | None = None) -> Any:
        """Return the address as an integer: of 32 bits for shared memory, else of 64; or of the class ``dtype``."""
        address = self.pointer.toint()
        if self.space in _SHARED:
            address = address.to(_Int32)
        return address if dtype is None else address.to(dtype)

    def __repr__(self) -> str:
        return f"ptr<space={self.space.name}, dtype={self.dtype.__name__}>"

    def __extract_mlir_values__(self) -> list[Any]:
        return [self.pointer]

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> Pointer:
        return Pointer(values[0])

    def _static_part(self) -> Any:
        """Return the part of the structure that regions must keep."""
        return self.space, self.dtype


def _offset(elements: Any) -> Any:
    """Return a number of elements. Raises TypeError for anything but integers."""
    kind = type(elements)
    if kind is int or (isinstance(elements, _compiler.Numeric) and not kind.is_float):
        return elements
    raise make_error(
        "LayoutMode",
        expected="an integer as the number of elements that a pointer moves",
        got=kind.__name__,
    )


def inttoptr(value: Int | Pointer, mem_space: object, dtype: DType) -> Pointer:
    """Return the pointer whose address is an integer.

    Args:
        value: an integer, or a Pointer.
        mem_space: a memory space. For shared memory the integer has 32 bits, as ``Pointer.toint`` gives it.
        dtype: the numeric class of the elements.
    """
    space = space_of(mem_space, "inttoptr")
    if not _compiler.is_dtype(dtype):
        raise make_error("DTypeExpected", got=repr(dtype))
    itemsize = max(dtype.width // 8, 1)
    number: Any = value
    address = number.toint() if hasattr(number, "toint") else number
    if space in _SHARED and not isinstance(address, int) and not current_target().capability:
        # The address of the memory of the block with these low bits. Guards do not know which part of it this is.
        base = _compiler.allocate_shared(_Int8, 0, 1).toint()
        distance = address.to(_Int32) - base.to(_Int32)
        address = base + distance.to(_Int64)
    return Pointer(_compiler.pointer_from_int(dtype, address, space, itemsize))
