"""What published programs name under ``cute.experimental``: ``iket``, events in kernels; ``jit``, ``kernel`` and
``compile``, which are those of ``cute``; and ``allocate``."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._compile import compile  # noqa: A004  the published name
from fairlead.cute._jit import jit
from fairlead.cute._kernels import kernel
from fairlead.cute._shared_memory import SmemAllocator
from fairlead.cute._types import Extents
from fairlead.cute._values import make_rmem_tensor
from fairlead.cute.experimental import iket
from fairlead.errors import make_error

__all__ = ["allocate", "compile", "iket", "jit", "kernel"]


def allocate(
    element_type: type[_compiler.Numeric],
    address_space: object,
    layout: _compiler.Layout | _compiler.ComposedLayout | Extents,
    alignment: int = 1,
) -> Any:
    """A tensor in a kernel's own memory; ``SmemAllocator.allocate_tensor`` and ``make_rmem_tensor`` make the same.

    Args:
        element_type: a numeric class.
        address_space: ``AddressSpace.smem``, of the running block, or ``AddressSpace.rmem``, of the thread.
        layout: known while tracing.
        alignment: of shared memory, in bytes: a power of two up to 1024.

    Raises ValueError for another address space.
    """
    if address_space == _compiler.AddressSpace.smem:
        return SmemAllocator().allocate_tensor(element_type, layout, alignment)
    if address_space == _compiler.AddressSpace.rmem:
        return make_rmem_tensor(layout, element_type)
    raise make_error(
        "ArgumentValue",
        function="allocate",
        expected="AddressSpace.smem or AddressSpace.rmem",
        got=str(address_space),
    )
