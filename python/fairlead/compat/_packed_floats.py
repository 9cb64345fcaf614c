"""``cutlass.Float4E2M1FNx2`` and the like: narrow floats that share bytes. For tensor maps of sm_100a, which are not
supported yet: the classes only have names and widths.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from fairlead import _compiler

__all__ = ["install"]

#: Name, the class of one element, and the number of elements that share bytes.
_PACKED = (
    ("Float4E2M1FNx2", "Float4E2M1FN", 2),
    ("Float6E2M3FNx4", "Float6E2M3FN", 4),
    ("Float6E3M2FNx4", "Float6E3M2FN", 4),
)


class _PackedFloats:
    """A class of narrow floats that share bytes. There are no values of it."""

    element_type: Any
    elements: int
    width: int

    def __init__(self, *_: object) -> None:
        raise NotImplementedError(f"values of {type(self).__name__} are not supported yet")


def install(cutlass: ModuleType) -> None:
    """Give the module ``cutlass`` the names."""
    for name, element, count in _PACKED:
        cls = getattr(_compiler, element)
        members = {"element_type": cls, "elements": count, "width": cls.width * count}
        setattr(cutlass, name, type(name, (_PackedFloats,), members))
