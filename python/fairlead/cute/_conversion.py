"""The program behind ``testing.convert``."""

from __future__ import annotations

import math
from typing import Any

from fairlead import _compiler, cute
from fairlead.cute._target import current_target

__all__ = ["convert"]

_THREADS = 128


def _leading_mode(tensor: Any, together: int) -> int | None:
    """Return the contiguous mode of a tensor, whose extent is whole bytes of ``together`` elements; None if there is no
    such mode, or if each element has bytes of its own."""
    if together == 1:
        return None
    for mode, (extent, step) in enumerate(zip(tensor.shape, tensor.stride, strict=True)):
        if isinstance(step, int) and step == 1:
            return None if isinstance(extent, int) and extent % together else mode
    return None


@cute.jit
def convert(src: cute.Tensor, dst: cute.Tensor) -> None:
    together = 8 // math.gcd(dst.element_type.width, 8)
    leading = _leading_mode(dst, together)
    if cute.const_expr(leading is None or not current_target().capability):
        dst.store(src.load().to(dst.element_type))
    else:
        # Threads of a GPU write whole bytes.
        tiler = tuple(together if mode == leading else 1 for mode in range(len(dst.stride)))
        count = cute.size(cute.ceil_div(dst.shape, tiler))
        _by_bytes(src, dst, tiler, together, count).launch(
            grid=cute.ceil_div(count, _THREADS), block=_THREADS
        )


@cute.kernel
def _by_bytes(
    src: cute.Tensor,
    dst: cute.Tensor,
    tiler: cute.Constexpr,
    together: cute.Constexpr,
    count: _compiler.Int32,
) -> None:
    """Each thread writes the bytes of the elements that share them."""
    number = cute.arch.block_idx()[0] * _THREADS + cute.arch.thread_idx()[0]
    if number < count:
        values = cute.zipped_divide(src, tiler)[None, number].load().to(dst.element_type)
        tiles = cute.idx2crd(number, cute.ceil_div(dst.shape, tiler))
        first = tuple(place * step for place, step in zip(tiles, tiler, strict=True))
        begin = cute.assume(cute.crd2idx(first, dst.layout), divby=together)
        target = cute.make_tensor(dst.iterator + begin, cute.make_layout(together))
        target.store(values.reshape(together))
