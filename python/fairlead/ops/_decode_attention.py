"""Attention of few queries to many keys, as when a model writes text: the keys of a sequence are split among blocks."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fairlead import cute, utils
from fairlead._compiler import Float32, Int32, Int64
from fairlead.ops._softmax import Extras, Window, by_rows, of_four_lanes, result_and_extras
from fairlead.ops._warp_tiles import WarpTiles

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute.typing import Int

__all__ = ["DecodeAttention"]

range_constexpr = cute.range_constexpr


class DecodeAttention(WarpTiles):
    """softmax(scale * Q K^T) V of Q (batch, heads, queries, head_dim), where few queries see many keys.

    The queries of all heads that share keys are rows of one tile, so keys are read once. A block goes through its share
    of a sequence's keys, and leaves its sums and their logarithm in a workspace; ``combine`` adds the shares up. With
    ``paged``, K and V are (pages, kv_heads, page_size, head_dim), and a table says which pages a sequence has.
    """

    def __init__(
        self, head_dim: int, group: int, causal: bool | Window, scale: float, m_block: int, n_block: int,
        with_lengths: bool, paged: bool, softcap: float = 0.0, with_sinks: bool = False, warps: int = 4,
        since_90: bool = False, with_slopes: bool = False,
    ) -> None:  # fmt: skip
        """``m_block`` is 16, 32 or 64: a warp has 16 rows. ``n_block``: keys of a tile, a multiple of 16. ``warps``:
        that add up the shares of a row; ``since_90``: for compute capability 9.0 and later."""
        super().__init__(
            head_dim,
            group,
            causal,
            scale,
            m_block,
            n_block,
            2 * m_block,
            True,
            softcap,
            with_sinks=with_sinks,
            with_slopes=with_slopes,
        )
        self.with_lengths, self.paged = with_lengths, paged
        self.warps, self.since_90 = warps, since_90

    @cute.jit
    def __call__(self, *tensors: cute.Tensor) -> None:
        """Launch the kernels. ``tensors``: Q, K, V; the lengths of sequences and the table of pages, if used; the
        sinks (heads), if any; the slopes, if any; the result; the logarithms of the sums of powers (batch, heads,
        queries), if they are stored; and the workspace, a row of ``heads * queries * batch * (head_dim + 1)`` numbers
        for each share of the keys."""
        mQ, mK, mV = tensors[:3]
        space, first = tensors[-1], 3 + self.with_lengths + self.paged
        mO, extras = result_and_extras(tensors[first:-1], self.with_sinks, self.with_slopes)
        lengths = tensors[3] if self.with_lengths else None
        table = tensors[3 + self.with_lengths] if self.paged else None
        parts = self.parts(mQ.element_type)
        kv_heads = mK.shape[1]
        tiles = cute.ceil_div(mQ.shape[2] * self.group, self.m_block)
        self.shares(
            mQ, mK, mV, lengths, table, space, parts.sQ_layout, parts.sKV_layout, parts.load, parts.tiled_mma,
            parts.storage, extras.slopes,
        ).launch(
            grid=(space.shape[0] * tiles, kv_heads, mQ.shape[0]),
            block=(self.num_threads, 1, 1),
            smem=parts.storage.size_in_bytes(),
        )  # fmt: skip
        rows = mO.shape[0] * mO.shape[1] * mO.shape[2]
        self.combine(mO, extras, space).launch(
            grid=(rows, 1, 1), block=(32 * self.warps, 1, 1), use_pdl=self.since_90
        )

    @cute.kernel
    def shares(
        self,
        mQ: cute.Tensor,
        mK: cute.Tensor,
        mV: cute.Tensor,
        lengths: Any,
        table: Any,
        space: cute.Tensor,
        sQ_layout: cute.ComposedLayout,
        sKV_layout: cute.ComposedLayout,
        load: cute.TiledCopy,
        tiled_mma: cute.TiledMma,
        SharedStorage: cute.Constexpr,
        slopes: Any,
    ) -> None:
        """A share of the keys for a tile of rows, which are (head of the group, query)."""
        if cute.const_expr(self.since_90):
            # The blocks that add up the shares are launched now, and wait.
            cute.arch.griddepcontrol_launch_dependents()
        block, kv_head, batch = cute.arch.block_idx()
        tidx, _, _ = cute.arch.thread_idx()
        queries = Int32(mQ.shape[2])
        rows = queries * self.group
        m_tiles = cute.ceil_div(rows, self.m_block)
        share, m_index = block // m_tiles, block % m_tiles
        keys = Int32(mK.shape[2])
        if cute.const_expr(self.paged):
            keys = keys * Int32(table.shape[1])
        if cute.const_expr(self.with_lengths):
            keys = min(max(lengths[batch], Int32(0)), keys)
        n_tiles = cute.ceil_div(keys, self.n_block)
        begin_tile = self.window.begin(keys - queries) // self.n_block
        tiles_per_share = cute.ceil_div(max(n_tiles - begin_tile, 0), Int32(space.shape[0]))
        first_tile = begin_tile + share * tiles_per_share
        end_tile = min(first_tile + tiles_per_share, n_tiles)

        storage = utils.SmemAllocator().allocate(SharedStorage)
        sQ = storage.q.get_tensor(sQ_layout)
        sK = storage.k.get_tensor(sKV_layout)
        sV = storage.v.get_tensor(sKV_layout)
        mine = load.get_slice(tidx)
        places = mine.partition_S(cute.make_identity_tensor((self.n_block, self.padded)))
        tiles = SimpleNamespace(
            copy=load,
            tKgK=mK,
            tKsK=mine.partition_D(sK),
            tVgV=mV,
            tVsV=mine.partition_D(sV),
            places=places,
            keys=keys,
            first=first_tile,
            table=table,
            where=(batch, kv_head),
        )
        products = self.products_of(tiled_mma, tidx, sQ, sK, sV)
        softmax = self.empty_sums(products.acc_O)
        # The keys that row 0 sees; row r is query r % queries of its head.
        softmax.limits = (keys, keys - queries, queries, m_index * self.m_block)
        if cute.const_expr(self.with_slopes):
            of_row = by_rows(
                products.thr_mma.partition_C(
                    cute.make_identity_tensor((self.m_block, self.n_block))
                )
            )
            softmax.slopes = cute.make_rmem_tensor(cute.size(of_row, mode=[0]), Float32)
            for r in range_constexpr(cute.size(of_row, mode=[0])):
                # Rows beyond the last one are that one, and are not stored.
                row = min(m_index * self.m_block + of_row[r, 0][0], rows - 1)
                head = kv_head * self.group + row // queries
                softmax.slopes[r] = Extras(slopes=slopes).slope(batch, head)

        if first_tile < end_tile:
            q_places = mine.partition_S(cute.make_identity_tensor((self.m_block, self.padded)))
            tQsQ = mine.partition_D(sQ)
            for m in range_constexpr(cute.size(tQsQ, mode=[1])):
                row = m_index * self.m_block + q_places[0, m, 0][0]
                if row < rows:
                    head = kv_head * self.group + row // queries
                    offset = self.offset(mQ, (batch, head, row % queries), q_places[0, m, 0][1])
                    source = self.chunks(mQ, offset, tQsQ[None, m, None])
                    self.copy_row(
                        load, source, tQsQ[None, m, None], q_places[None, m, None], self.head_dim
                    )
                else:
                    tQsQ[None, m, None].fill(0)
            self.load_tile(tiles, tiles.tKgK, tiles.tKsK, end_tile - 1, True, self.head_dim)
            cute.arch.cp_async_commit_group()
            for tile in range(end_tile - 1, first_tile - 1, -1):
                self.one_tile(tiles, products, softmax, tile, False, True)
        self.leave(products, softmax, space, (share, batch, kv_head, m_index), (rows, queries))

    def offset(self, tensor: Tensor, place: Sequence[Int], column: Int) -> Any:
        """Return the offset in memory of ``column`` of the row at ``place``, in elements; a multiple of 8."""
        steps = tensor.stride[:3]
        sum_of = Int64(column)
        for index, step in zip(place, steps, strict=True):
            sum_of = sum_of + Int64(index) * step
        return cute.assume(sum_of, divby=8)

    def chunks(self, tensor: Tensor, offset: Int, like: Tensor) -> Any:
        """The thread's chunks of 16 bytes of a row that begins at ``offset``, as ``like`` has them."""
        count = cute.size(like, mode=[1])
        step = 64 if self.padded % 64 == 0 else 32
        layout = cute.make_layout(((8, 1), count), stride=((1, 0), step))
        return cute.make_tensor(tensor.iterator + offset, layout)

    @cute.jit
    def load_tile(
        self,
        tiles: SimpleNamespace,
        source: Tensor,
        target: Tensor,
        n_tile: Int32,
        ends: cute.Constexpr[bool],
        columns: cute.Constexpr[int],
    ) -> None:
        """Starts copying a tile of K or V; rows beyond the last key are 0."""
        batch, kv_head = tiles.where
        for n in range_constexpr(cute.size(target, mode=[1])):
            key = n_tile * self.n_block + tiles.places[0, n, 0][0]
            if key < tiles.keys:
                place = (batch, kv_head, key)
                if cute.const_expr(self.paged):
                    size = Int32(source.shape[2])
                    place = (tiles.table[batch, key // size], kv_head, key % size)
                offset = self.offset(source, place, tiles.places[0, n, 0][1])
                part = self.chunks(source, offset, target[None, n, None])
                self.copy_row(
                    tiles.copy, part, target[None, n, None], tiles.places[None, n, None], columns
                )
            else:
                target[None, n, None].fill(0)

    def lower(
        self, products: SimpleNamespace, softmax: SimpleNamespace, acc_S: Tensor, n_tile: Int32
    ) -> None:
        """Lower scores by the distances of their keys."""
        places = self.places(products)
        rows = range(cute.size(places, mode=[0]))
        _, first_seen, queries, first_row = softmax.limits
        origin = first_seen - n_tile * self.n_block
        row_places = [origin + (first_row + places[row, 0][0]) % queries for row in rows]
        self.softmax.lower(acc_S, places, row_places, [softmax.slopes[row] for row in rows])

    def mask(
        self, products: SimpleNamespace, softmax: SimpleNamespace, acc_S: Tensor, n_tile: Int32
    ) -> None:
        """Scores of keys that are not there, or not seen, become -inf."""
        rows = by_rows(acc_S)
        places = self.places(products)
        keys, first_seen, queries, first_row = softmax.limits
        first = n_tile * self.n_block
        for row in range(cute.size(rows, mode=[0])):
            place = first_seen + (first_row + places[row, 0][0]) % queries
            limit = self.window.end(place, keys) - first
            least = self.window.begin(place) - first
            for column in range(cute.size(rows, mode=[1])):
                is_seen = places[row, column][1] < limit
                if self.window.left is not None:
                    is_seen = is_seen & (places[row, column][1] >= least)
                rows[row, column] = cute.where(is_seen, rows[row, column], -Float32.inf)

    @cute.jit
    def leave(
        self,
        products: SimpleNamespace,
        softmax: SimpleNamespace,
        space: cute.Tensor,
        share: Any,
        extents: Any,
    ) -> None:
        """Write the share's sums of V's rows, divided by the sums of powers, and the logarithms of the latter."""
        number, batch, kv_head, m_index = share
        rows, queries = extents
        sums = by_rows(products.acc_O)
        places = cute.make_identity_tensor((self.m_block, self.padded))
        places = by_rows(products.thr_mma.partition_C(places))
        numbers = Int32(cute.arch.grid_dim()[2]) * Int32(cute.arch.grid_dim()[1]) * rows
        start = space.iterator + Int64(number) * space.stride[0]
        for r in range_constexpr(cute.size(sums, mode=[0])):
            total = of_four_lanes(softmax.row_sum[r], lambda a, b: a + b)
            factor = cute.where(total == 0, Float32(0), 1.0 / total)
            row = m_index * self.m_block + places[r, 0][0]
            # Rows of the result: (batch, head, query), and the heads of a group lie side by side.
            result_row = Int32(batch * cute.arch.grid_dim()[1] + kv_head) * rows + row
            target = cute.make_tensor(
                start + Int64(result_row) * self.head_dim, cute.make_layout(self.head_dim)
            )
            if row < rows:
                for c in range_constexpr(cute.size(sums, mode=[1])):
                    column = places[r, c][1]
                    if column < self.head_dim:
                        target[column] = sums[r, c] * factor
                if places[r, 0][1] == 0:
                    logs = cute.make_tensor(
                        start + Int64(numbers) * self.head_dim + result_row, cute.make_layout(1)
                    )
                    base = softmax.base[r] * self.softmax.scale
                    log = base + cute.math.log2(total, fastmath=True)
                    logs[0] = cute.where(total == 0, -Float32.inf, log)

    @cute.kernel
    def combine(self, mO: cute.Tensor, extras: Extras, space: cute.Tensor) -> None:
        """A block adds up the shares of a row, each times 2 ** (its logarithm - the greatest one); a warp those whose
        number is its own modulo the warps."""
        if cute.const_expr(self.since_90):
            cute.arch.griddepcontrol_wait()
        row, _, _ = cute.arch.block_idx()
        tidx, _, _ = cute.arch.thread_idx()
        warp_number, lane = tidx // 32, tidx % 32
        rows = Int32(mO.shape[0] * mO.shape[1] * mO.shape[2])
        shares = Int32(space.shape[0])
        columns = -(-self.head_dim // 32)
        parts = cute.make_tensor(
            space.iterator + Int64(row) * self.head_dim,
            cute.make_layout((shares, self.head_dim), stride=(space.stride[0], 1)),
        )
        logs = cute.make_tensor(
            space.iterator + Int64(rows) * self.head_dim + row,
            cute.make_layout(shares, stride=space.stride[0]),
        )
        sums = cute.make_rmem_tensor(columns, Float32)
        sums.fill(0.0)
        best = -Float32.inf
        for share in range(lane, shares, 32):
            best = cute.arch.fmax(best, logs[share])
        best = cute.arch.warp_reduction(best, cute.arch.fmax)
        # Rows that see no key have no share with one.
        base = cute.where(best > -Float32.inf, best, Float32(0))
        total = Float32(0)
        for share in cute.range(warp_number, shares, self.warps, unroll=4):
            weight = cute.math.exp2(logs[share] - base, fastmath=True)
            total = total + weight
            for i in range_constexpr(columns):
                column = 32 * i + lane
                if column < self.head_dim:
                    # The sums of a share without keys mean nothing.
                    part = cute.where(weight == 0, Float32(0), parts[share, column])
                    sums[i] = sums[i] + weight * part

        allocator = utils.SmemAllocator()
        shared = allocator.allocate_tensor(Float32, cute.make_layout((self.padded, self.warps)), 16)
        totals = allocator.allocate_tensor(Float32, cute.make_layout(self.warps), 16)
        for i in range_constexpr(columns):
            shared[32 * i + lane, warp_number] = sums[i]
        if lane == 0:
            totals[warp_number] = total
        cute.arch.sync_threads()
        total = totals[0]
        for other in range_constexpr(1, self.warps):
            total = total + totals[other]
        sink = extras.sink(row // Int32(mO.shape[2]) % Int32(mO.shape[1]))
        total = self.softmax.with_sink(total, base, sink)
        if cute.const_expr(extras.logs is not None):
            if tidx == 0:
                flat = cute.make_tensor(extras.logs.iterator + row, cute.make_layout(1))
                flat[0] = self.softmax.logarithm(total, base, sink)
        factor = cute.where(total == 0, Float32(0), 1.0 / total)
        target = cute.make_tensor(
            mO.iterator + Int64(row) * self.head_dim, cute.make_layout(self.head_dim)
        )
        for column in range(tidx, self.head_dim, 32 * self.warps):
            value = shared[column, 0]
            for other in range_constexpr(1, self.warps):
                value = value + shared[column, other]
            target[column] = (value * factor).to(mO.element_type)
