"""Pointers, arrays and vectors of ``fairlead.primitives`` by their names in ``cutlass``, and swizzles by name."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from fairlead import _compiler, primitives
from fairlead.compat._places import taking_place
from fairlead.primitives import vector

__all__ = ["Swizzle", "apply_swizzle", "install"]

_NAMES = (
    "Array GridConstant MemOrdering Pointer Vector align inttoptr make_array_view vector".split()
)
#: Bits, base and shift of a swizzle of byte addresses.
_SWIZZLES = {"none": (0, 0, 0), "s32b": (1, 4, 3), "s64b": (2, 4, 3), "s128b": (3, 4, 3)}


def _named_swizzle(name: str) -> _compiler.Swizzle:
    """Return the swizzle of a name, or of an enum's member of that name. ValueError for another."""
    word = str(getattr(name, "name", name)).lower()
    if word not in _SWIZZLES:
        raise ValueError(f"Unsupported swizzle name {name!r}. Supported: {list(_SWIZZLES)}.")
    return _compiler.Swizzle(*_SWIZZLES[word])


class _Swizzles(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _compiler.Swizzle)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return _compiler.Swizzle(*args, **kwargs)


class Swizzle(metaclass=_Swizzles):
    """Swizzles of indices, also by their names."""

    from_name = staticmethod(_named_swizzle)


def apply_swizzle(
    pointer: primitives.Pointer, swizzle: Any, *, loc: object = None, ip: object = None
) -> Any:
    """Return the pointer to where a swizzle of shared memory puts its byte."""
    return pointer.apply_swizzle(swizzle)


def install(cutlass: ModuleType) -> None:
    """Give the module ``cutlass`` the names."""
    cutlass.apply_swizzle = apply_swizzle  # type: ignore[attr-defined]
    for name in _NAMES:
        setattr(cutlass, name, taking_place(getattr(primitives, name)))
    for name in ("all_", "any_", "full", "full_like", "print_nd_vector"):
        setattr(cutlass, name, taking_place(getattr(vector, name)))
