"""Comparing values by what they are made of: containers by elements, objects by fields, variables by where they are
bound.
"""

from __future__ import annotations

from typing import Any

from fairlead._core import Object, get_global_func
from fairlead.ffi._objects import register_object
from fairlead.ffi.access_path import AccessPath

__all__ = [
    "StructuralKey",
    "get_first_structural_mismatch",
    "structural_equal",
    "structural_hash",
]


def structural_equal(
    lhs: Any, rhs: Any, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> bool:
    """Whether two values are made of the same.

    Args:
        map_free_vars: variables that nothing binds may stand for one another.
        skip_tensor_content: tensors of the same shape and dtype are equal.
    """
    equal = get_global_func("ffi.StructuralEqual")
    return bool(equal(lhs, rhs, map_free_vars, skip_tensor_content))


def structural_hash(
    value: Any, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> int:
    """A hash of 64 bits that values share which structural_equal finds equal with the same options."""
    number: int = get_global_func("ffi.StructuralHash")(value, map_free_vars, skip_tensor_content)
    return number & 0xFFFF_FFFF_FFFF_FFFF


def get_first_structural_mismatch(
    lhs: Any, rhs: Any, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> tuple[AccessPath, AccessPath] | None:
    """The ways to the first parts of two values that differ; None where structural_equal holds."""
    find = get_global_func("ffi.GetFirstStructuralMismatch")
    found = find(lhs, rhs, map_free_vars, skip_tensor_content)
    return None if found is None else (found[0], found[1])


@register_object("ffi.StructuralKey")
class StructuralKey(Object):
    """A value as a key: equal and hashed by what it is made of, here and in maps of the ABI."""

    __slots__ = ()

    key: Any
    hash_i64: int

    def __init__(self, key: Any) -> None:
        self.__init_handle_by_constructor__(get_global_func("ffi.StructuralKey"), key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StructuralKey):
            return False
        return self.same_as(other) or bool(get_global_func("ffi.StructuralKeyEqual")(self, other))

    def __hash__(self) -> int:
        return hash(self.hash_i64)

    def __repr__(self) -> str:
        return f"ffi.StructuralKey(key={self.key!r}, hash_i64={self.hash_i64})"
