"""Products of small results and great depth: products of parts of the depth, which another kernel adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairlead import cute
from fairlead._compiler import Float32, Int64
from fairlead.ops._epilogue import Epilogue
from fairlead.ops._hopper_gemm import HopperGemm
from fairlead.ops._tiles import Tiles

if TYPE_CHECKING:
    from fairlead._compiler import Tensor

__all__ = ["DividedGemm"]


_THREADS = 128
_EACH = 4  # neighbours of a row that a thread adds


class DividedGemm:
    """C (M, N, 1) = A (M, K, 1) * B (N, K, 1) as ``tiles.parts`` products of as many parts of K, which are whole tiles
    of it, the last one perhaps of fewer. Their sums go to memory (parts * M, N) of float32, which follows C; a second
    kernel adds them and does what the epilogue does."""

    def __init__(self, epilogue: Epilogue, tiles: Tiles, blocks: int) -> None:
        self.epilogue, self.parts = epilogue, tiles.parts
        self.inner = HopperGemm(Epilogue(1.0, None, False, 0.0), tiles, blocks)

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, *others: cute.Tensor) -> None:
        *operands, c, space = others
        m, n = c.shape[0], c.shape[1]
        sums = cute.make_tensor(
            space.iterator, cute.make_layout((m, n, self.parts), stride=(n, 1, Int64(m) * n))
        )
        self.inner(a, b, sums)
        threads = m * (n // _EACH)
        self.add(sums, tuple(operands), c).launch(
            grid=(cute.ceil_div(threads, _THREADS), 1, 1), block=(_THREADS, 1, 1), use_pdl=True
        )

    @cute.kernel
    def add(self, sums: Tensor, others: Sequence[Any], c: Tensor) -> None:
        thread, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        place, along = block * _THREADS + thread, c.shape[1] // _EACH
        m, n = place // along, place % along * _EACH
        cute.arch.griddepcontrol_wait()
        if m < c.shape[0]:
            total = cute.make_rmem_tensor(_EACH, Float32)
            total.fill(0.0)
            four = cute.make_rmem_tensor(_EACH, Float32)
            begin = cute.assume(Int64(m) * c.shape[1] + n, divby=_EACH)
            row = cute.make_layout(_EACH)
            for part in cute.range_constexpr(self.parts):
                step = cute.assume(part * sums.stride[2], divby=_EACH)
                cute.autovec_copy(cute.make_tensor(sums.iterator + begin + step, row), four)
                for j in cute.range_constexpr(_EACH):
                    total[j] += four[j]
            result = cute.make_rmem_tensor(_EACH, c.element_type)
            for j in cute.range_constexpr(_EACH):
                value = self.epilogue.apply(total[j], others, m, n + j, 0)
                result[j] = value.to(c.element_type)
            cute.autovec_copy(result, cute.make_tensor(c.iterator + begin, row))
