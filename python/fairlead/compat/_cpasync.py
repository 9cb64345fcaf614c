"""``cutlass.cute.nvgpu.cpasync``: Fairlead's."""

from __future__ import annotations

from fairlead._compiler import Tensor
from fairlead.compat._places import forwarding, taking_place
from fairlead.cute import group_modes
from fairlead.cute.nvgpu import cpasync

__all__ = [*cpasync.__all__, "group_bulk_copy_modes"]


@taking_place
def group_bulk_copy_modes(src: Tensor, dst: Tensor) -> tuple[Tensor, Tensor]:
    """Both tensors with all their modes in one, as a bulk copy of the whole takes them."""
    return group_modes(src, 0), group_modes(dst, 0)


__getattr__, __dir__ = forwarding(globals(), cpasync)
