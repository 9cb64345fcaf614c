"""Attention for processors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairlead import cute
from fairlead._compiler import Float32, Int32
from fairlead.ops._cpu_tiles import COLUMNS, ROWS, add_product, pack
from fairlead.ops._softmax import Extras, OnlineSoftmax, Window, result_and_extras

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute.typing import Int

__all__ = ["CpuAttention"]

_KEYS = 192  # that are packed at a time
_PANELS = 2  # of queries of a thread


class CpuAttention:
    """softmax(scale * Q K^T) V of Q (batch, heads, queries, head_dim), K (batch, heads / group, keys, head_dim) and V
    (batch, heads / group, keys, value_dim).

    A thread of the pool owns panels of ``COLUMNS`` queries, which are the lanes of its vectors, and goes through their
    keys. Transposed, both products are of tiles in registers: scores (keys, queries) and sums (value_dim, queries).
    """

    def __init__(
        self, head_dim: int, group: int, window: Window, scale: float, *, value_dim: int, softcap: float,
        with_sinks: bool, with_slopes: bool = False,
    ) -> None:  # fmt: skip
        self.head_dim, self.value_dim, self.group, self.window = head_dim, value_dim, group, window
        self.softmax = OnlineSoftmax(scale, softcap)
        self.with_sinks, self.with_slopes = with_sinks, with_slopes

    @cute.jit
    def __call__(
        self, mQ: cute.Tensor, mK: cute.Tensor, mV: cute.Tensor, *others: cute.Tensor
    ) -> None:  # fmt: skip
        """``others``: the sinks (heads), if any; the slopes, if any; the result; the logarithms of the sums of powers
        (batch, heads, queries), if they are stored."""
        mO, extras = result_and_extras(others, self.with_sinks, self.with_slopes)
        grid = (cute.ceil_div(mQ.shape[2], COLUMNS * _PANELS), mQ.shape[1], mQ.shape[0])
        self.kernel(mQ, mK, mV, mO, extras).launch(grid=grid, block=(1, 1, 1))

    @cute.kernel
    def kernel(self, mQ: Tensor, mK: Tensor, mV: Tensor, mO: Tensor, extras: Extras) -> None:
        block, head, batch = cute.arch.block_idx()
        memory = cute.SmemAllocator()
        of_q, of_k, of_v, scores, sums, greatest, total = (
            memory.allocate_tensor(Float32, cute.make_layout(shape), 64)
            for shape in (
                (COLUMNS, self.head_dim, _PANELS),
                (ROWS, self.head_dim, _KEYS // ROWS),
                (ROWS, _KEYS, self.value_dim // ROWS),
                (COLUMNS, _KEYS),
                (COLUMNS, self.value_dim, _PANELS),
                (COLUMNS, _PANELS),
                (COLUMNS, _PANELS),
            )
        )
        queries, keys = Int32(mQ.shape[2]), Int32(mK.shape[2])
        first = block * (COLUMNS * _PANELS)
        ahead = keys - queries  # of query 0 among the keys
        panels = cute.math.min(_PANELS, cute.ceil_div(queries - first, COLUMNS))
        k, v = mK[batch, head // self.group, None, None], mV[batch, head // self.group, None, None]
        columns_of_v = cute.make_tensor(v.iterator, cute.select(v.layout, [1, 0]))
        pack(mQ[batch, head, None, None], of_q, 1, first, 0, panels, self.head_dim)
        greatest.fill(-Float32.inf)
        total.fill(0.0)
        sums.fill(0.0)
        end = self.window.end(first + ahead + (COLUMNS * _PANELS - 1), keys)
        for key in cute.range(self.window.begin(first + ahead), end, _KEYS):
            key_count = cute.math.min(end - key, _KEYS)
            pack(k, of_k, 1, key, 0, cute.ceil_div(key_count, ROWS), self.head_dim)
            pack(columns_of_v, of_v, 0, 0, key, self.value_dim // ROWS, key_count)
            for panel in cute.range(panels):
                place = first + ahead + panel * COLUMNS
                if (key < self.window.end(place + (COLUMNS - 1), keys)) & (
                    key + key_count > self.window.begin(place)
                ):
                    for part in cute.range(cute.ceil_div(key_count, ROWS)):
                        add_product(
                            of_k[None, None, part], of_q[None, None, panel], _rows(scores, part), True, self.head_dim
                        )  # fmt: skip
                    for number in cute.range(key_count):
                        self.softmax.turn(scores[None, number])
                    if cute.const_expr(self.with_slopes):
                        factor = self.softmax.per_key(extras.slope(batch, head))
                        self.lower(scores, place - key, key_count, factor)
                    self.mask(scores, place, key, keys, key_count)
                    of_panel = sums[None, None, panel]
                    self.weigh(
                        scores, of_panel, greatest[None, panel], total[None, panel], key_count
                    )
                    for part in cute.range(self.value_dim // ROWS):
                        add_product(
                            of_v[None, None, part], scores, _rows(of_panel, part), False, key_count
                        )
        for i in cute.range(cute.math.min(queries - first, COLUMNS * _PANELS)):
            lane = i % COLUMNS, i // COLUMNS
            sink, start = extras.sink(head), self.softmax.start(greatest[lane])
            sum_ = self.softmax.with_sink(total[lane], start, sink)
            factor = cute.where(sum_ == 0, Float32(0), 1.0 / sum_)
            for column in cute.range(self.value_dim):
                done = sums[lane[0], column, lane[1]] * factor
                mO[batch, head, first + i, column] = done.to(mO.element_type)
            if cute.const_expr(extras.logs is not None):
                natural = self.softmax.logarithm(sum_, start, sink)
                extras.logs[batch, head, first + i] = natural

    @cute.jit
    def lower(self, scores: Tensor, place: Int, key_count: Int, factor: Any) -> None:
        """Lower scores by the distances of their keys; ``place``: of the first query, from the first key on."""
        for number in cute.range(key_count):
            for lane in cute.range(COLUMNS):
                apart = cute.math.abs(Float32(place + lane - number))
                scores[lane, number] = cute.math.fma(-factor, apart, scores[lane, number])

    @cute.jit
    def mask(self, scores: Tensor, place: Int, key: Int, keys: Int, key_count: Int) -> None:
        """Make scores of keys that are not there, or not seen, -inf."""
        window = self.window
        is_cut = key + key_count > window.end(place, keys)
        if cute.const_expr(window.left is not None):
            is_cut = is_cut | (key < window.begin(place + (COLUMNS - 1)))
        if is_cut:
            for number in cute.range(key_count):
                for lane in cute.range(COLUMNS):
                    is_seen = key + number < window.end(place + lane, keys)
                    if cute.const_expr(window.left is not None):
                        is_seen = is_seen & (key + number >= window.begin(place + lane))
                    scores[lane, number] = cute.where(is_seen, scores[lane, number], -Float32.inf)

    @cute.jit
    def weigh(
        self, scores: Tensor, sums: Tensor, greatest: Tensor, total: Tensor, key_count: Int
    ) -> None:  # fmt: skip
        """Make scores powers of their distance to the query's greatest one so far, and scale the sums so far."""
        scale = self.softmax.scale
        best = cute.make_rmem_tensor(COLUMNS, Float32)
        added = cute.make_rmem_tensor(COLUMNS, Float32)
        best.store(greatest.load())
        for key in cute.range(key_count):
            best.store(cute.arch.fmax(best.load(), scores[None, key].load()))
        base = cute.where(best.load() == -Float32.inf, cute.zeros_like(best), best.load()) * scale
        factor = cute.math.exp2(greatest.load() * scale - base, fastmath=True)
        greatest.store(best.load())
        added.store(total.load() * factor)
        for key in cute.range(key_count):
            powers = cute.math.exp2(scores[None, key].load() * scale - base, fastmath=True)
            scores[None, key].store(powers)
            added.store(added.load() + powers)
        total.store(added.load())
        for column in cute.range(self.value_dim):
            sums[None, column].store(sums[None, column].load() * factor)


def _rows(tensor: Tensor, panel: Int) -> Any:
    """Return ``ROWS`` neighbours of the second mode."""
    return cute.local_tile(tensor, (COLUMNS, ROWS), (0, panel))
