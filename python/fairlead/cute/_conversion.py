"""The program behind ``testing.convert``."""

from __future__ import annotations

from fairlead import cute

__all__ = ["convert"]


@cute.jit
def convert(src: cute.Tensor, dst: cute.Tensor) -> None:
    dst.store(src.load().to(dst.element_type))
