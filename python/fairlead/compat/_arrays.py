"""Pointers, arrays and vectors of ``fairlead.primitives`` by their names in ``cutlass``, and members that published
programs call on Fairlead's own pointers and swizzles."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from fairlead import _NUMERIC, _compiler, primitives
from fairlead.primitives import vector

__all__ = ["install"]

_NAMES = (
    "Array GridConstant MemOrdering Pointer Vector align inttoptr make_array_view vector".split()
)
#: Bits, base and shift of a swizzle of byte addresses.
_SWIZZLES = {"none": (0, 0, 0), "s32b": (1, 4, 3), "s64b": (2, 4, 3), "s128b": (3, 4, 3)}


def _named_swizzle(name: Any) -> _compiler.Swizzle:
    """Return the swizzle of a name, or of an enum's member of that name. ValueError for another."""
    word = str(getattr(name, "name", name)).lower()
    if word not in _SWIZZLES:
        raise ValueError(f"Unsupported swizzle name {name!r}. Supported: {list(_SWIZZLES)}.")
    return _compiler.Swizzle(*_SWIZZLES[word])


def install(cutlass: ModuleType) -> None:
    """Give the module ``cutlass`` the names, and the compiler's classes the members."""
    for name in _NAMES:
        setattr(cutlass, name, getattr(primitives, name))
    cutlass.print_nd_vector = vector.print_nd_vector  # type: ignore[attr-defined]
    for name in _compiler.__dict__:
        if _compiler.is_dtype(getattr(_compiler, name)):
            numeric: Any = getattr(_compiler, name)
            numeric.bytes = max(numeric.width // 8, 1)
    pointer: Any = _compiler.Pointer
    pointer.to_llvm_ptr = pointer.ir_value = lambda self, **_: self
    pointer.raw_ptr = lambda self, **_: primitives.Pointer(self)
    _compiler.Swizzle.from_name = staticmethod(_named_swizzle)  # type: ignore[attr-defined]
    for name in _NUMERIC:
        kind = getattr(_compiler, name)
        if hasattr(kind, "width"):
            kind.bytes = -(-kind.width // 8)
