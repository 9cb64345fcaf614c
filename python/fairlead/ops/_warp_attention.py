"""Attention by the tensor cores of warps (``mma.sync``), for compute capability 8.0 and up and for the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fairlead import cute, utils
from fairlead._compiler import Int32
from fairlead.cute.nvgpu import CopyUniversalOp
from fairlead.ops._sequences import rows_of, sequence_of
from fairlead.ops._softmax import Extras, by_rows, result_and_extras
from fairlead.ops._warp_tiles import WarpTiles

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute.typing import Int

__all__ = ["WarpAttention"]

range_constexpr = cute.range_constexpr


class WarpAttention(WarpTiles):
    """softmax(scale * Q K^T) V of Q (batch, heads, queries, head_dim), K (batch, heads / group, keys, head_dim) and V
    (batch, heads / group, keys, value_dim). Columns of a tile of V behind value_dim are multiplied and not stored.

    A block owns a tile of queries and goes through the keys from the last tile to the first.
    """

    @cute.jit
    def __call__(
        self,
        mQ: cute.Tensor,
        mK: cute.Tensor,
        mV: cute.Tensor,
        *others: cute.Tensor,
    ) -> None:
        """``others``: the sinks (heads), if any; the slopes, if any; the result; the logarithms of the sums of powers
        (batch, heads, queries), if they are stored."""
        mO, extras = result_and_extras(others, self.with_sinks, self.with_slopes)
        blocks = cute.ceil_div(mQ.shape[2], self.m_block)
        self.launch((mQ, mK, mV, mO), None, blocks, extras)

    def launch(self, tensors: Sequence[Any], offsets: Any, blocks: Int, extras: Extras) -> None:
        """``offsets``: of sequences of different lengths in Q and in K, whose batch is 1 then; ``blocks``: for the
        queries of a head."""
        mQ = tensors[0]
        dtype = mQ.element_type
        parts = self.parts(dtype)
        store = cute.make_copy_atom(CopyUniversalOp(), dtype, num_bits_per_copy=128)
        arguments = (
            *tensors,
            parts.sQ_layout,
            parts.sKV_layout,
            parts.load,
            cute.make_tiled_copy_tv(store, parts.threads, cute.make_layout((1, 8))),
            parts.tiled_mma,
            parts.storage,
            extras,
        )
        kernel = (
            self.kernel(*arguments) if offsets is None else self.of_sequences(*offsets, *arguments)
        )
        kernel.launch(
            grid=(blocks, mQ.shape[1], mQ.shape[0]),
            block=(self.num_threads, 1, 1),
            smem=parts.storage.size_in_bytes(),
        )

    @cute.kernel
    def kernel(
        self,
        mQ: cute.Tensor,
        mK: cute.Tensor,
        mV: cute.Tensor,
        mO: cute.Tensor,
        sQ_layout: cute.ComposedLayout,
        sKV_layout: cute.ComposedLayout,
        load: cute.TiledCopy,
        store: cute.TiledCopy,
        tiled_mma: cute.TiledMma,
        SharedStorage: cute.Constexpr,
        extras: Extras,
    ) -> None:
        block, head, batch = cute.arch.block_idx()
        blocks, _, _ = cute.arch.grid_dim()
        # Blocks with many tiles start first.
        m_index = blocks - 1 - block if self.window.right is not None else block
        self.attend(
            (m_index, head, batch), mQ, mK, mV, mO, sQ_layout, sKV_layout, load, store, tiled_mma,
            SharedStorage, extras, 0, mQ.shape[2],
        )  # fmt: skip

    @cute.kernel
    def of_sequences(
        self,
        q_ends: cute.Tensor,
        k_ends: cute.Tensor,
        mQ: cute.Tensor,
        mK: cute.Tensor,
        mV: cute.Tensor,
        mO: cute.Tensor,
        sQ_layout: cute.ComposedLayout,
        sKV_layout: cute.ComposedLayout,
        load: cute.TiledCopy,
        store: cute.TiledCopy,
        tiled_mma: cute.TiledMma,
        SharedStorage: cute.Constexpr,
        extras: Extras,
    ) -> None:
        block, head, _ = cute.arch.block_idx()
        sequence, end = Int32(-1), Int32(0)
        while (end <= block) & (sequence + 2 < q_ends.shape[0]):
            sequence = sequence + 1
            _, count = rows_of(q_ends, sequence, mQ.shape[2])
            end = end + cute.ceil_div(count, self.m_block)
        if block < end:
            parts = sequence_of((mQ, mK, mV, mO), q_ends, k_ends, sequence)
            self.attend(
                (end - 1 - block, head, 0), *parts, sQ_layout, sKV_layout, load, store, tiled_mma,
                SharedStorage, extras, *rows_of(q_ends, sequence, mQ.shape[2]),
            )  # fmt: skip

    @cute.jit
    def attend(
        self,
        place: Any,
        mQ: cute.Tensor,
        mK: cute.Tensor,
        mV: cute.Tensor,
        mO: cute.Tensor,
        sQ_layout: cute.ComposedLayout,
        sKV_layout: cute.ComposedLayout,
        load: cute.TiledCopy,
        store: cute.TiledCopy,
        tiled_mma: cute.TiledMma,
        SharedStorage: cute.Constexpr,
        extras: Extras,
        first_query: Any,
        count: Any,
    ) -> None:
        """The tile of queries at ``place``, (tile, head, batch); ``first_query``: the row of its first one in the
        logarithms."""
        m_index, head, batch = place
        tidx, _, _ = cute.arch.thread_idx()
        queries, keys = Int32(mQ.shape[2]), Int32(mK.shape[2])
        # The place of the first query among the keys.
        first_place = m_index * self.m_block + keys - queries
        visible_keys = self.window.end(first_place + (self.m_block - 1), keys)
        first_tile = self.window.begin(first_place) // self.n_block
        # If no tile has a visible key, the first one is masked.
        n_tiles = max(cute.ceil_div(visible_keys, self.n_block), first_tile + 1)

        other = head // self.group
        gQ = cute.local_tile(mQ[batch, head, None, None], (self.m_block, self.padded), (m_index, 0))
        gK = cute.local_tile(mK[batch, other, None, None], (self.n_block, self.padded), (None, 0))
        gV = cute.local_tile(mV[batch, other, None, None], (self.n_block, self.padded), (None, 0))
        storage = utils.SmemAllocator().allocate(SharedStorage)
        sQ = storage.q.get_tensor(sQ_layout)
        sK = storage.k.get_tensor(sKV_layout)
        sV = storage.v.get_tensor(sKV_layout)

        mine = load.get_slice(tidx)
        cQ = cute.local_tile(
            cute.make_identity_tensor((queries, self.padded)),
            (self.m_block, self.padded),
            (m_index, 0),
        )
        cKV = cute.make_identity_tensor((self.n_block, self.padded))
        tQcQ, tKVcKV = mine.partition_S(cQ), mine.partition_S(cKV)
        tiles = SimpleNamespace(
            copy=load,
            tKgK=mine.partition_S(gK),
            tKsK=mine.partition_D(sK),
            tVgV=mine.partition_S(gV),
            tVsV=mine.partition_D(sV),
            places=tKVcKV,
            keys=keys,
            first=first_tile,
        )

        products = self.products_of(tiled_mma, tidx, sQ, sK, sV)
        acc_O = products.acc_O
        softmax = self.empty_sums(acc_O)
        softmax.limits, softmax.slope = (keys, first_place), extras.slope(batch, head)

        # Queries and the last tile of keys, which may end within the tile.
        tQgQ, tQsQ = mine.partition_S(gQ), mine.partition_D(sQ)
        for m in range_constexpr(cute.size(tQsQ, mode=[1])):
            if tQcQ[0, m, 0][0] < queries:
                self.copy_row(
                    load, tQgQ[None, m, None], tQsQ[None, m, None], tQcQ[None, m, None], self.head_dim
                )  # fmt: skip
            else:
                tQsQ[None, m, None].fill(0)
        n_tile = n_tiles - 1
        self.load_tile(tiles, tiles.tKgK, tiles.tKsK, n_tile, True, self.head_dim)
        cute.arch.cp_async_commit_group()

        # Tiles that the end of the keys or the diagonal goes through, then the others.
        masked = 0 if self.one_loop else 1
        if cute.const_expr(self.window.right is not None and not self.one_loop):
            masked = -(-self.m_block // self.n_block) + 1
        for step in range_constexpr(masked):
            if n_tile - step >= 0:
                self.one_tile(tiles, products, softmax, n_tile - step, step == 0, True)
        for tile in range(n_tile - masked, first_tile - 1, -1):
            self.one_tile(tiles, products, softmax, tile, False, self.one_loop)

        sink = extras.sink(head)
        self.softmax.finish(by_rows(acc_O), softmax.row_sum, softmax.base, sink=sink)
        if cute.const_expr(extras.logs is not None):
            row_places = cute.make_identity_tensor((self.m_block, self.padded))
            row_places = by_rows(products.thr_mma.partition_C(row_places))
            self.softmax.store_logs(
                extras.logs[batch, head, None], row_places, first_query + m_index * self.m_block,
                first_query + count, softmax.base, softmax.row_sum, sink,
            )  # fmt: skip
        # Through the memory of Q, whose rows a warp reads and writes alone, to stores of 16 bytes.
        rO = cute.make_fragment_like(acc_O, mO.element_type)
        rO.store(acc_O.load().to(mO.element_type))
        sO = cute.make_tensor(sQ.iterator, sQ_layout)
        copy_O = cute.make_tiled_copy_C(
            cute.make_copy_atom(CopyUniversalOp(), mO.element_type), tiled_mma
        )
        cute.copy(copy_O, copy_O.retile(rO), copy_O.get_slice(tidx).partition_D(sO))
        gO = cute.local_tile(mO[batch, head, None, None], (self.m_block, self.padded), (m_index, 0))
        mine_O = store.get_slice(tidx)
        tOsO, tOgO = mine_O.partition_S(sO), mine_O.partition_D(gO)
        tOrO = cute.make_fragment_like(tOgO)
        self.barrier.arrive_and_wait()
        cute.copy(store, tOsO, tOrO)
        for m in range_constexpr(cute.size(tOrO, mode=[1])):
            if tQcQ[0, m, 0][0] < queries:
                self.copy_row(
                    store, tOrO[None, m, None], tOgO[None, m, None], tQcQ[None, m, None], self.value_dim
                )  # fmt: skip

    @cute.jit
    def load_tile(
        self, tiles: Any, source: Tensor, target: Tensor, n_tile: Int32, ends: cute.Constexpr[bool],
        columns: cute.Constexpr[int],
    ) -> None:  # fmt: skip
        """Starts copying a tile of K or V; rows beyond the last key are 0 (a probability of 0 times them is 0)."""
        part = source[None, None, None, n_tile]
        for n in range_constexpr(cute.size(target, mode=[1])):
            if cute.const_expr(ends):
                if n_tile * self.n_block + tiles.places[0, n, 0][0] < tiles.keys:
                    self.copy_row(
                        tiles.copy,
                        part[None, n, None],
                        target[None, n, None],
                        tiles.places[None, n, None],
                        columns,
                    )
                else:
                    target[None, n, None].fill(0)
            else:
                self.copy_row(
                    tiles.copy,
                    part[None, n, None],
                    target[None, n, None],
                    tiles.places[None, n, None],
                    columns,
                )
