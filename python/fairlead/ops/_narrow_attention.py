"""Attention of floats of 8 bits by warpgroups, for GPUs of compute capability 9.0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairlead import _compiler, cute
from fairlead._compiler import Float8E4M3FN, Float32, Int32, Int64, Uint32
from fairlead.cute._assembly import inline_asm
from fairlead.cute._types import Number
from fairlead.cute.nvgpu import OperandMajorMode
from fairlead.ops._hopper_attention import HopperAttention
from fairlead.ops._softmax import OnlineSoftmax, Window, by_rows, of_four_lanes, result_and_extras

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute.typing import Int

__all__ = ["LONGEST_VALUE", "PADDING", "NarrowAttention", "narrow_tiles"]

#: The keys of transposed values are a multiple of it.
PADDING = 32
#: Powers are at most 2 ** _LIFT: the greatest float of 8 bits is 448. By _HEADROOM powers of two may a row's greatest
#: score exceed its base: sums need scaling only if a base grows, which is rare after the first tiles.
_LIFT, _HEADROOM = 8, 4
#: Tiles of keys whose products the tensor cores add. They add products of 8 bits with about 14 bits: small products are
#: lost beside a great sum.
_INTERVAL = 2
#: Threads of a block that transposes, and keys that it has.
_THREADS, _KEYS_OF_BLOCK = 128, 64
#: Elements of a head of values: registers have no room for the sums of more.
LONGEST_VALUE = 128
#: Two floats to the lower and two to the upper half of a word.
_TO_WORD = """{
.reg .b16 low, high;
cvt.rn.satfinite.e4m3x2.f32 low, $2, $1;
cvt.rn.satfinite.e4m3x2.f32 high, $4, $3;
mov.b32 $0, {low, high};
}"""


def narrow_tiles(value_dim: int) -> tuple[int, bool]:
    """Return how many keys a tile of NarrowAttention has, and whether warpgroups take turns."""
    return (160, True) if value_dim <= 64 else (128, False)


class _Softmax(OnlineSoftmax):
    """``exp(factor * scale * x)``, where the factor is known at run time. NaN for negative factors."""

    lift = _LIFT - _HEADROOM

    def __init__(self, scale: float, softcap: float, factor: Any) -> None:
        super().__init__(scale, softcap)
        factor = cute.where(factor >= 0, factor, Float32(math.nan))
        if self.inner_scale is not None:
            self.inner_scale = factor * self.inner_scale
        else:
            # Not 0, which would change infinities.
            scaled = factor * self.scale
            self.scale = cute.where(scaled < 1e-30, Float32(1e-30), scaled)

    def update(
        self, scores: Tensor, greatest: Tensor, total: Tensor, shifts: Tensor | None = None
    ) -> list[Any]:
        """See the base class; ``shifts`` is None, as there are no slopes."""
        rows, factors, count = by_rows(scores), [], cute.size(scores) // 2
        for row in range(2):
            chains = [rows[row, i] for i in range(4)]
            for i in range(4, count):
                chains[i % 4] = cute.arch.fmax(chains[i % 4], rows[row, i])
            best = cute.arch.fmax(
                cute.arch.fmax(chains[0], chains[1]), cute.arch.fmax(chains[2], chains[3])
            )
            best = of_four_lanes(best, cute.arch.fmax)
            grows = best > greatest[row] + _HEADROOM / self.scale
            best = cute.where(grows, best, greatest[row])
            base = cute.where(best == -Float32.inf, Float32(0), best) * self.scale
            factor = cute.math.exp2(greatest[row] * self.scale - base, fastmath=True)
            factor = cute.where(grows, factor, Float32(1.0))
            powers = cute.math.exp2(
                rows[row, None].load() * self.scale - (base - self.lift), fastmath=True
            )
            total[row] = total[row] * factor + powers.reduce(cute.ReductionOp.ADD, 0.0, 0)
            rows[row, None].store(powers)
            greatest[row] = best
            factors.append(factor)
        return factors


def _transposed(rows: Sequence[Any]) -> list[Any]:
    """Return the columns of 4 x 4 bytes whose rows are words."""
    prmt = cute.arch.prmt
    pairs = [
        [prmt(rows[i], rows[i + 1], selector) for selector in (0x5140, 0x7362)] for i in (0, 2)
    ]
    return [
        prmt(pairs[0][half], pairs[1][half], selector)
        for half in range(2)
        for selector in (0x5410, 0x7632)
    ]


class _TransposedValues:
    """Copies V (batch, heads, keys, head_dim) to (batch, heads, head_dim, keys rounded up to PADDING).

    Tensor cores read operands of 8 bits along the depth, here the keys. Of each 16 keys, 4 q + 2 h + e is the place of
    key 8 h + 2 q + e: lane q of four has the scores of the keys 2 q and 2 q + 1 of each 8, and an operand in registers
    has four neighbours in each lane.
    """

    def __init__(self, head_dim: int) -> None:
        self.head_dim = head_dim

    @cute.jit
    def __call__(self, v: Tensor, out: Tensor) -> None:
        batch, heads, _, padded = out.shape
        self.kernel(v, out).launch(
            grid=(cute.ceil_div(padded, _KEYS_OF_BLOCK), heads, batch), block=(_THREADS, 1, 1)
        )

    @cute.kernel
    def kernel(self, v: Tensor, out: Tensor) -> None:
        thread, _, _ = cute.arch.thread_idx()
        block, head, batch = cute.arch.block_idx()
        # Each warp reads and writes whole sectors of 32 bytes: four rows of 32 columns, eight columns of 64 keys.
        lane, warp = thread % 32, thread // 32
        first = block * _KEYS_OF_BLOCK + lane // 8 * 16
        for step in cute.range_constexpr(-(-self.head_dim // _THREADS)):
            column = step * _THREADS + warp * 32 + lane % 8 * 4
            if (column < self.head_dim) & (first < out.shape[3]):
                self.copy(v, out, (batch, head, first, column))

    @cute.jit
    def copy(self, v: Tensor, out: Tensor, place: Sequence[Any]) -> None:
        """Transpose 16 keys of four columns; there are zeros behind the last key."""
        batch, head, first, column = place
        words = cute.make_rmem_tensor(16, Uint32)
        of_head = Int64(batch) * v.stride[0] + Int64(head) * v.stride[1] + column
        for i in cute.range_constexpr(16):
            is_key = first + i < v.shape[2]
            # All loads are begun before the first one has arrived: none is in a branch.
            key = cute.where(is_key, first + i, Int32(0))
            offset = cute.assume(of_head + Int64(key) * v.stride[2], divby=4)
            source = cute.recast_ptr(v.iterator + offset, dtype=Uint32)
            words[i] = cute.where(is_key, source[0], Uint32(0))
        columns = cute.make_rmem_tensor((4, 4), Uint32)
        for i in cute.range_constexpr(4):
            quad = _transposed([words[2 * i + distance] for distance in (0, 1, 8, 9)])
            for j in cute.range_constexpr(4):
                columns[i, j] = quad[j]
        row = (Int64(batch) * out.shape[1] + head) * out.shape[2] + column
        for j in cute.range_constexpr(4):
            offset = cute.assume((row + j) * out.shape[3] + first, divby=16)
            target = cute.recast_ptr(out.iterator + offset, dtype=Uint32)
            cute.autovec_copy(columns[None, j], cute.make_tensor(target, cute.make_layout(4)))


class NarrowAttention(HopperAttention):
    """softmax(scale * Q K^T) V of Float8E4M3FN; the result is of another type.

    A first kernel copies V so that keys are contiguous, in the order in which a thread has their scores.
    Probabilities are rounded to Float8E4M3FN. The products of a few tiles of keys are added to sums of Float32.
    """

    def __init__(
        self, head_dim: int, group: int, causal: bool | Window, scale: float, has_scales: Sequence[bool], blocks: int,
        keys: int, in_turn: bool = False, stages: int = 2, softcap: float = 0.0,
        value_dim: int | None = None, with_sinks: bool = False,
    ) -> None:  # fmt: skip
        """``has_scales``: which of the scales of Q, K and V are arguments; the others are 1. ``keys``: of a tile, a
        multiple of 32."""
        super().__init__(
            Float8E4M3FN, head_dim, group, causal, scale, blocks, keys, in_turn, stages=stages, softcap=softcap,
            value_dim=value_dim, with_sinks=with_sinks,
        )  # fmt: skip
        self.scale, self.softcap, self.has_scales = scale, softcap, tuple(has_scales)
        self.value_major = OperandMajorMode.K
        # The result's elements are wider than those of the queries.
        self.result_replaces_queries = False
        self.transposed = _TransposedValues(self.value_dim)

    @cute.jit
    def __call__(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, *others: cute.Tensor
    ) -> None:
        """``others``: the scales that are given, of one element or of one for each head; the sinks (heads), if any; the
        result; the logarithms of the sums of powers (batch, heads, queries), if they are stored; the memory of the
        transposed values."""
        count, space = sum(self.has_scales), others[-1]
        scales = others[:count]
        out, extras = result_and_extras(others[count:-1], self.with_sinks)
        self.transposed(v, space)
        batch, heads, columns, padded = space.shape
        layout = cute.make_layout(
            (batch, heads, padded, columns),
            stride=(heads * columns * padded, columns * padded, 1, padded),
        )
        values = cute.make_tensor(space.iterator, layout)
        tiles = cute.ceil_div(q.shape[2], self.queries)
        planned = self.plan(q, k, values, out)
        total = tiles * q.shape[1] * q.shape[0]
        self.launch(planned, None, total, extras, scales)

    def probabilities(self) -> Any:
        """Return the fragment of the probabilities of a tile: 32 columns for each instruction."""
        return cute.make_rmem_tensor(((4, 2, 2), 1, self.keys // 32), self.dtype)

    def store_probabilities(self, scores: Tensor, operand: Tensor) -> None:
        """Convert scores to floats of 8 bits. A word has two neighbours of 8 columns and two of the next 8. It is made
        by an instruction that stays where it is, before the fence."""
        words = cute.make_tensor(
            cute.recast_ptr(operand.iterator, dtype=Int32),
            cute.make_layout(cute.size(scores) // 4),
        )
        for i in range(cute.size(scores) // 4):
            first = i // 2 * 8 + i % 2 * 2
            four = [scores[first + distance] for distance in (0, 1, 4, 5)]
            words[i] = inline_asm(Int32, four, _TO_WORD, "=r,f,f,f,f", has_side_effects=True)

    def factors(self, scales: Sequence[Any], head: Int) -> tuple[Any, Any]:
        """Return the factor of the scores of a head of queries and the factor of its result, from the scales."""
        remaining, numbers = list(scales), []
        for is_given, place in zip(
            self.has_scales, (head, head // self.group, head // self.group), strict=True
        ):
            if not is_given:
                numbers.append(Float32(1.0))
                continue
            scale = remaining.pop(0)
            numbers.append(scale[_compiler.min(place, Int32(scale.shape[0]) - 1)])
        return numbers[0] * numbers[1], numbers[2]

    def softmax_with(self, factor: Any) -> OnlineSoftmax:
        return _Softmax(self.scale, self.softcap, factor)

    def products_for(self, sums: Tensor) -> Any:
        return cute.make_fragment_like(sums)

    def add_products(self, sums: Tensor, products: Tensor) -> None:
        sums.store(sums.load() + products.load())

    def continues(self, number: Number) -> Any:
        return number % _INTERVAL != 0

    def prepare_products(self, sums: Tensor, products: Tensor, number: Number) -> None:
        self.add_interval(sums, products, number)

    def scale_sums(self, sums: Tensor, products: Tensor, factors: Sequence[Any]) -> None:
        self.scale_grown(sums, products, factors)

    @cute.jit
    def add_interval(self, sums: Tensor, products: Tensor, number: Number) -> None:
        """Add the products of an interval that is over. Scores are computed at the same time."""
        if (number % _INTERVAL == 0) & (number > 0):
            self.add_products(sums, products)

    @cute.jit
    def scale_grown(self, sums: Tensor, products: Tensor, factors: Sequence[Any]) -> None:
        """Multiply both by the factors of their rows if one of a warp's bases has grown."""
        if cute.arch.vote_any_sync((factors[0] != 1.0) | (factors[1] != 1.0)):
            for part in (sums, products):
                rows = by_rows(part)
                for row in cute.range_constexpr(2):
                    rows[row, None].store(rows[row, None].load() * factors[row])
