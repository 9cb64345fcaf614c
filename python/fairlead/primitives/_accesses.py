"""Loads and stores through pointers: of scalars and vectors, under masks, with an order, through swizzles."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

from fairlead import _compiler
from fairlead.cute._assembly import inline_asm
from fairlead.cute._layout import recast_ptr
from fairlead.cute._target import current_target
from fairlead.cute._types import Choice, DType, Int
from fairlead.errors import make_error
from fairlead.primitives._vector import Vector, as_vector, number_as

__all__ = [
    "MemOrdering",
    "checked_count",
    "masked_gather",
    "masked_load",
    "masked_store",
    "read",
    "space_at",
    "swizzled",
    "write",
]


class MemOrdering(enum.Enum):
    """Order of an access among the accesses of other threads."""

    NOT_ATOMIC = "not_atomic"
    MONOTONIC = "monotonic"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"


_SCOPES = {
    None: "sys",
    "": "sys",
    "system": "sys",
    "sys": "sys",
    "device": "gpu",
    "gpu": "gpu",
    "cluster": "cluster",
    "block": "cta",
    "cta": "cta",
}
#: PTX's words for the spaces that instructions name; others are generic addresses.
_SPACES = {
    _compiler.AddressSpace.gmem: ".global",
    _compiler.AddressSpace.smem: ".shared",
    _compiler.AddressSpace.dsmem: ".shared::cluster",
}
_SHARED = (_compiler.AddressSpace.smem, _compiler.AddressSpace.dsmem)
_LETTERS = {8: "h", 16: "h", 32: "r", 64: "l"}


class HasElements(Protocol):
    """Elements that a vector can hold, as arrays of ``fairlead.primitives`` have them."""

    def _all_elements(self, function: str) -> Vector: ...


Mask: TypeAlias = Vector | HasElements | Sequence[Any]
"""A Boolean for each lane of a masked access."""


def space_at(pointer: _compiler.Pointer) -> Any:
    """Return the memory space of a ``cute.Pointer``; ``dsmem`` if it may point into another block of the cluster."""
    is_remote = getattr(pointer, "_in_cluster", False)
    return _compiler.AddressSpace.dsmem if is_remote else pointer.memspace


def _checked(what: str, value: object, words: Sequence[str]) -> str:
    word = str(getattr(value, "value", value))
    if word not in words:
        raise make_error("AtomicWord", what=what, expected=", ".join(words), got=repr(value))
    return word


def _prefix(volatile: bool, ordering: Choice, syncscope: object, allowed: Sequence[str]) -> str:
    """Return PTX's words for an access that others may see, such as ``.acquire.gpu``; empty for a plain one."""
    order = _checked("ordering", ordering, [order.value for order in MemOrdering])
    if order == "not_atomic":
        return ".volatile" if volatile else ""
    if order not in ("monotonic", *allowed):
        raise make_error(
            "AtomicWord",
            what="ordering",
            expected=", ".join(["not_atomic", "monotonic", *allowed]),
            got=order,
        )
    if syncscope not in _SCOPES:
        scopes = ", ".join(key for key in _SCOPES if key)
        raise make_error("AtomicWord", what="syncscope", expected=scopes, got=repr(syncscope))
    scope = _SCOPES[syncscope]
    target = current_target()
    if scope == "cluster" and target.capability and not target.has("clusters"):
        raise make_error(
            "AtomFamily",
            what="syncscope 'cluster'",
            archs="sm_90 and newer GPUs",
            target=str(target),
        )
    return f".{'relaxed' if order == 'monotonic' else order}.{scope}"


def _aligned(pointer: _compiler.Pointer, alignment: int | None) -> Any:
    if alignment is None:
        return pointer
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
        raise make_error(
            "ArgumentValue",
            function="an access",
            expected="a power of two as alignment, in bytes",
            got=repr(alignment),
        )
    return pointer.align(alignment) if alignment > pointer.alignment else pointer


def checked_count(count: Int) -> int:
    """Return the number of elements of a vector access. TypeError for a run-time number, ValueError below 1."""
    if isinstance(count, bool) or not isinstance(count, int):
        raise make_error(
            "ArgumentKind",
            function="a vector access",
            expected="a Python int as count",
            got=type(count).__name__,
        )
    if count < 1:
        raise make_error(
            "ArgumentValue",
            function="a vector access",
            expected="a positive count (`a[start:count]`, not `a[start:stop]`)",
            got=str(count),
        )
    return count


def _row(pointer: _compiler.Pointer, count: int) -> Any:
    return _compiler.make_tensor(pointer, _compiler.make_layout((count,), None))


def read(
    pointer: _compiler.Pointer,
    count: int | None = None,
    alignment: int | None = None,
    *,
    volatile: bool = False,
    ordering: Choice = MemOrdering.NOT_ATOMIC,
    syncscope: Choice | None = None,
) -> Any:
    """Return the element at a ``cute.Pointer``, or with ``count`` a Vector of so many from there on."""
    pointer = _aligned(pointer, alignment)
    words = _prefix(volatile, ordering, syncscope, ["acquire"])
    if words:
        places = [pointer] if count is None else [pointer + i for i in range(checked_count(count))]
        elements = [_ordered_load(place, words) for place in places]
        return elements[0] if count is None else Vector.from_elements(elements, pointer.dtype)
    if count is None:
        return pointer.load()
    return Vector(_row(pointer, checked_count(count)).load())


def write(
    pointer: _compiler.Pointer,
    value: object,
    alignment: int | None = None,
    *,
    volatile: bool = False,
    ordering: Choice = MemOrdering.NOT_ATOMIC,
    syncscope: Choice | None = None,
) -> None:
    """Store a scalar, or the elements of a vector or of a sequence, from a ``cute.Pointer`` on, converted to its
    type."""
    pointer = _aligned(pointer, alignment)
    words = _prefix(volatile, ordering, syncscope, ["release"])
    dtype = pointer.dtype
    if isinstance(value, (Vector, _compiler.TensorExpr, tuple, list)):
        vector = as_vector(value, dtype)
        if not words:
            count = vector.numel()
            _row(pointer, count).store(vector.reshape((count,))._values)
            return
        for place, element in enumerate(vector.to_elements()):
            _ordered_store(pointer + place, element, words)
    elif words:
        _ordered_store(pointer, number_as(dtype, value), words)
    else:
        pointer.store(number_as(dtype, value))


def _word(pointer: _compiler.Pointer, words: str) -> tuple[Any, str, str]:
    """Return the class of the word that an instruction moves, the instruction's suffix, and the word's constraint."""
    width = max(pointer.dtype.width, 8)
    word = _compiler.dtype_by_name(f"Uint{max(width, 16)}")
    return word, f"{words}{_SPACES.get(space_at(pointer), '')}.b{width}", _LETTERS[width]


def _is_on_gpu() -> bool:
    return bool(current_target().capability)


def _address_letter(pointer: _compiler.Pointer) -> str:
    """Return the constraint of an address: those of shared memory have 32 bits."""
    return "r" if pointer.memspace in _SHARED else "l"


def _ordered_load(pointer: _compiler.Pointer, words: str) -> Any:
    dtype = pointer.dtype
    if dtype.width < 32 and not _is_on_gpu():
        return pointer.load()
    word, suffix, letter = _word(pointer, words)
    bits = inline_asm(
        word,
        [pointer],
        f"ld{suffix} $0, [$1];",
        f"={letter},{_address_letter(pointer)}",
        has_side_effects=True,
    )
    return _from_bits(bits, dtype)


def _ordered_store(pointer: _compiler.Pointer, value: _compiler.Numeric, words: str) -> None:
    dtype = pointer.dtype
    if dtype.width < 32 and not _is_on_gpu():
        pointer.store(value)
        return
    word, suffix, letter = _word(pointer, words)
    inline_asm(
        None,
        [pointer, _to_bits(value, word)],
        f"st{suffix} [$0], $1;",
        f"{_address_letter(pointer)},{letter}",
        has_side_effects=True,
    )


def _from_bits(word: _compiler.Numeric, dtype: DType) -> Any:
    if dtype is _compiler.Boolean:
        return (word & 0xFF) != 0
    narrow = word.to(_compiler.dtype_by_name(f"Uint{max(dtype.width, 8)}"))
    return narrow if type(narrow) is dtype else narrow.bitcast(dtype)


def _to_bits(value: _compiler.Numeric, word: DType) -> Any:
    if isinstance(value, _compiler.Boolean):
        return value.to(word)
    bits = _compiler.dtype_by_name(f"Uint{max(type(value).width, 8)}")
    return (value if type(value) is bits else value.bitcast(bits)).to(word)


def _mask_lanes(mask: Mask, count: int | None, function: str) -> list[Any]:
    """Return the Booleans of a mask: a Vector, an Array or a sequence."""
    if isinstance(mask, Sequence):
        lanes = [number_as(_compiler.Boolean, lane) for lane in mask]
    else:
        vector = mask if isinstance(mask, Vector) else mask._all_elements(function)
        lanes = [number_as(_compiler.Boolean, lane) for lane in vector.to_elements()]
    if count is not None and len(lanes) != count:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"a mask with a lane for each of the {count} elements",
            got=f"{len(lanes)} lanes",
        )
    return lanes


def _is_always(lanes: Sequence[Any]) -> bool:
    return all(lane.is_static and bool(lane) for lane in lanes)


def _defaults(pass_thru: object, count: int, dtype: DType, function: str) -> list[Any]:
    if pass_thru is None:
        return [dtype(0)] * count
    if not isinstance(pass_thru, (Vector, _compiler.TensorExpr, tuple, list)):
        return [number_as(dtype, pass_thru)] * count
    elements = as_vector(pass_thru, dtype).to_elements()
    if len(elements) != count:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"a value for each of the {count} lanes",
            got=f"{len(elements)} values",
        )
    return list(elements)


def _gathered(
    places: Sequence[Any], lanes: Sequence[Any], defaults: Sequence[Any]
) -> Sequence[Any]:
    """Return the elements at pointers; of lanes that are off the default, without an access."""

    def lane_value(place: _compiler.Pointer, lane: _compiler.Boolean, default: object) -> Any:
        if lane.is_static:
            return place.load() if bool(lane) else default
        return _compiler.conditional(lane, lambda: [place.load()], lambda: [default])[0]

    return list(map(lane_value, places, lanes, defaults))


def masked_load(
    pointer: _compiler.Pointer,
    mask: Mask,
    pass_thru: object = None,
    alignment: int | None = None,
    count: int | None = None,
) -> Vector:
    """Return the elements from a ``cute.Pointer`` on whose lane of ``mask`` is true; others are ``pass_thru`` (0)."""
    lanes = _mask_lanes(mask, count, "masked_load")
    if _is_always(lanes):
        vector: Vector = read(pointer, len(lanes), alignment)
        return vector
    defaults = _defaults(pass_thru, len(lanes), pointer.dtype, "masked_load")
    places = [_aligned(pointer, alignment) + place for place in range(len(lanes))]
    return Vector.from_elements(_gathered(places, lanes, defaults), pointer.dtype)


def masked_gather(
    pointer: _compiler.Pointer,
    offsets: object,
    mask: Mask,
    pass_thru: object = None,
    alignment: int | None = None,
) -> Vector:
    """Return the elements at offsets from a ``cute.Pointer``, like masked_load."""
    indices = as_vector(offsets).to_elements()
    lanes = _mask_lanes(mask, len(indices), "masked_gather")
    defaults = _defaults(pass_thru, len(lanes), pointer.dtype, "masked_gather")
    places = [_aligned(pointer + index, alignment) for index in indices]
    return Vector.from_elements(_gathered(places, lanes, defaults), pointer.dtype)


def masked_store(
    pointer: _compiler.Pointer, value: object, mask: Mask, alignment: int | None = None
) -> None:
    """Store the elements of a vector whose lane of ``mask`` is true."""
    vector = as_vector(value, pointer.dtype)
    lanes = _mask_lanes(mask, vector.numel(), "masked_store")
    if _is_always(lanes):
        write(pointer, vector, alignment)
        return
    pointer = _aligned(pointer, alignment)
    for place, (element, lane) in enumerate(zip(vector.to_elements(), lanes, strict=True)):
        _store_if(lane, pointer + place, element)


def _store_if(
    lane: _compiler.Boolean, place: _compiler.Pointer, element: _compiler.Numeric
) -> None:
    if lane.is_static:
        if bool(lane):
            place.store(element)
        return

    def store() -> list[Any]:
        place.store(element)
        return []

    _compiler.if_else(lane, [], [], store, list)


def swizzled(pointer: _compiler.Pointer, swizzle: _compiler.Swizzle | None) -> Any:
    """Return a ``cute.Pointer`` whose accesses go to where ``swizzle`` moves the byte addresses."""
    return recast_ptr(pointer, swizzle)
