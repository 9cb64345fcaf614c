"""Attention by the tensor cores of warps (``mma.sync``), for compute capability 8.0 and up and for the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fairlead import cute, pipeline, utils
from fairlead._compiler import Boolean, Float32, Int32
from fairlead.cute.nvgpu import CopyUniversalOp, LoadCacheMode, cpasync, warp
from fairlead.ops._sequences import rows_of, sequence_of
from fairlead.ops._softmax import OnlineSoftmax, by_rows

if TYPE_CHECKING:
    from fairlead._compiler import Tensor, TiledCopy
    from fairlead.cute.typing import Int

__all__ = ["WarpAttention"]

range_constexpr = cute.range_constexpr


class WarpAttention:
    """softmax(scale * Q K^T) V of Q (batch, heads, queries, head_dim), K and V (batch, heads / group, keys, head_dim).

    A block owns a tile of queries and goes through the keys from the last tile to the first. Tiles come by
    ``cp.async``: V's while the scores are computed, the next of K while the sums are. Scores, probabilities and sums
    stay in registers; a row's base of powers and sum are kept while tiles go by, and what was summed is scaled when a
    base grows, in steps of at least 2 ** 8.
    """

    def __init__(
        self, head_dim: int, group: int, causal: bool, scale: float, m_block: int = 128, n_block: int = 64,
        num_threads: int = 128, one_loop: bool = False,
    ) -> None:  # fmt: skip
        """``m_block`` is a multiple of num_threads / 2, ``n_block`` one of 16, ``head_dim`` one of 8. ``one_loop``: all
        tiles of keys go through code that masks, which makes a third of the code or less."""
        self.head_dim, self.group, self.causal = head_dim, group, causal
        self.padded = -(-head_dim // 32) * 32
        self.m_block, self.n_block, self.num_threads = m_block, n_block, num_threads
        self.one_loop = one_loop
        self.barrier = pipeline.NamedBarrier(barrier_id=1, num_threads=num_threads)
        self.softmax = OnlineSoftmax(scale)

    @cute.jit
    def __call__(
        self,
        mQ: cute.Tensor,
        mK: cute.Tensor,
        mV: cute.Tensor,
        mO: cute.Tensor,
    ) -> None:
        blocks = cute.ceil_div(mQ.shape[2], self.m_block)
        self.launch((mQ, mK, mV, mO), None, blocks)

    def launch(self, tensors: Sequence[Any], offsets: Any, blocks: Int) -> None:
        """``offsets``: of sequences of different lengths in Q and in K, whose batch is 1 then; ``blocks``: for the
        queries of a head."""
        mQ = tensors[0]
        dtype = mQ.element_type
        # Rows of 64 (or 32) elements, with chunks of 16 bytes exchanged so that 8 rows of ldmatrix lie in 8 banks.
        width = 64 if self.padded % 64 == 0 else 32
        atom = cute.make_composed_layout(
            cute.make_swizzle(3 if width == 64 else 2, 3, 3),
            0,
            cute.make_layout((8, width), stride=(width, 1)),
        )
        sQ_layout = cute.tile_to_shape(atom, (self.m_block, self.padded), (0, 1))
        sKV_layout = cute.tile_to_shape(atom, (self.n_block, self.padded), (0, 1))

        @cute.struct
        class SharedStorage:
            q: cute.struct.Align[cute.struct.MemRange[dtype, cute.cosize(sQ_layout)], 1024]  # type: ignore
            k: cute.struct.Align[cute.struct.MemRange[dtype, cute.cosize(sKV_layout)], 1024]  # type: ignore
            v: cute.struct.Align[cute.struct.MemRange[dtype, cute.cosize(sKV_layout)], 1024]  # type: ignore

        threads = cute.make_layout(
            (self.num_threads // (width // 8), width // 8), stride=(width // 8, 1)
        )
        values = cute.make_layout((1, 8))
        load = cute.make_copy_atom(
            cpasync.CopyG2SOp(cache_mode=LoadCacheMode.GLOBAL), dtype, num_bits_per_copy=128
        )
        store = cute.make_copy_atom(CopyUniversalOp(), dtype, num_bits_per_copy=128)
        warps = self.num_threads // 32
        tiled_mma = cute.make_tiled_mma(
            warp.MmaF16BF16Op(dtype, Float32, (16, 8, 16)),
            (warps, 1, 1),
            permutation_mnk=(warps * 16, 16, 16),
        )
        given = (
            *tensors,
            sQ_layout,
            sKV_layout,
            cute.make_tiled_copy_tv(load, threads, values),
            cute.make_tiled_copy_tv(store, threads, values),
            tiled_mma,
            SharedStorage,
        )
        kernel = self.kernel(*given) if offsets is None else self.of_sequences(*offsets, *given)
        kernel.launch(
            grid=(blocks, mQ.shape[1], mQ.shape[0]),
            block=(self.num_threads, 1, 1),
            smem=SharedStorage.size_in_bytes(),  # type: ignore[attr-defined]
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
    ) -> None:
        block, head, batch = cute.arch.block_idx()
        blocks, _, _ = cute.arch.grid_dim()
        # Blocks with many tiles start first.
        m_index = blocks - 1 - block if self.causal else block
        self.attend(
            (m_index, head, batch), mQ, mK, mV, mO, sQ_layout, sKV_layout, load, store, tiled_mma,
            SharedStorage,
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
                SharedStorage,
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
    ) -> None:
        """The tile of queries at ``place``, (tile, head, batch)."""
        m_index, head, batch = place
        tidx, _, _ = cute.arch.thread_idx()
        queries, keys = Int32(mQ.shape[2]), Int32(mK.shape[2])
        # The last key that the first query sees, for causal attention.
        first_key = m_index * self.m_block + keys - queries
        seen = keys
        if cute.const_expr(self.causal):
            seen = min(keys, first_key + self.m_block)
        # Of tiles without a key that is seen, the first one is masked.
        n_tiles = max(cute.ceil_div(seen, self.n_block), 1)

        other = head // self.group
        gQ = cute.local_tile(mQ[batch, head, None, None], (self.m_block, self.padded), (m_index, 0))
        gK = cute.local_tile(mK[batch, other, None, None], (self.n_block, self.padded), (None, 0))
        gV = cute.local_tile(mV[batch, other, None, None], (self.n_block, self.padded), (None, 0))
        storage = utils.SmemAllocator().allocate(SharedStorage)
        sQ = storage.q.get_tensor(sQ_layout)
        sK = storage.k.get_tensor(sKV_layout)
        sV = storage.v.get_tensor(sKV_layout)
        # The same memory with the head's dimension as rows.
        sVt = cute.composition(
            sV, cute.make_layout((self.padded, self.n_block), stride=(self.n_block, 1))
        )

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
        )

        thr_mma = tiled_mma.get_slice(tidx)
        acc_O = cute.make_rmem_tensor(
            thr_mma.partition_shape_C((self.m_block, self.padded)), Float32
        )
        acc_O.fill(0.0)
        copy_matrices = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), mQ.element_type)
        copy_transposed = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(True, 4), mQ.element_type)
        copy_Q = cute.make_tiled_copy_A(copy_matrices, tiled_mma)
        copy_K = cute.make_tiled_copy_B(copy_matrices, tiled_mma)
        copy_V = cute.make_tiled_copy_B(copy_transposed, tiled_mma)
        tSrQ = thr_mma.make_fragment_A(thr_mma.partition_A(sQ))
        tSrK = thr_mma.make_fragment_B(thr_mma.partition_B(sK))
        tOrVt = thr_mma.make_fragment_B(thr_mma.partition_B(sVt))
        products = SimpleNamespace(
            mma=tiled_mma,
            thr_mma=thr_mma,
            tSrQ=tSrQ,
            tSrK=tSrK,
            tOrVt=tOrVt,
            copy_Q=copy_Q,
            copy_K=copy_K,
            copy_V=copy_V,
            tSsQ=copy_Q.get_slice(tidx).partition_S(sQ),
            tSsK=copy_K.get_slice(tidx).partition_S(sK),
            tOsVt=copy_V.get_slice(tidx).partition_S(sVt),
            tSrQ_view=copy_Q.retile(tSrQ),
            tSrK_view=copy_K.retile(tSrK),
            tOrVt_view=copy_V.retile(tOrVt),
            acc_O=acc_O,
        )
        rows = acc_O.shape[0][1] * acc_O.shape[1]
        softmax = SimpleNamespace(
            base=cute.make_rmem_tensor(rows, Float32),
            row_sum=cute.make_rmem_tensor(rows, Float32),
            limits=(keys, first_key),
        )
        softmax.base.fill(-Float32.inf)
        softmax.row_sum.fill(0.0)

        # Queries and the last tile of keys, which may end within the tile.
        tQgQ, tQsQ = mine.partition_S(gQ), mine.partition_D(sQ)
        for m in range_constexpr(cute.size(tQsQ, mode=[1])):
            if tQcQ[0, m, 0][0] < queries:
                self.copy_row(load, tQgQ[None, m, None], tQsQ[None, m, None], tQcQ[None, m, None])
            else:
                tQsQ[None, m, None].fill(0)
        n_tile = n_tiles - 1
        self.load_tile(tiles, tiles.tKgK, tiles.tKsK, n_tile, True)
        cute.arch.cp_async_commit_group()

        # Tiles that the end of the keys or the diagonal goes through, then the others.
        masked = 0 if self.one_loop else 1
        if cute.const_expr(self.causal and not self.one_loop):
            masked = -(-self.m_block // self.n_block) + 1
        for step in range_constexpr(masked):
            if n_tile - step >= 0:
                self.one_tile(tiles, products, softmax, n_tile - step, step == 0, True)
        for tile in range(n_tile - masked, -1, -1):
            self.one_tile(tiles, products, softmax, tile, False, self.one_loop)

        self.softmax.finish(by_rows(acc_O), softmax.row_sum)
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
                self.copy_row(store, tOrO[None, m, None], tOgO[None, m, None], tQcQ[None, m, None])

    @cute.jit
    def copy_row(self, copy: TiledCopy, source: Tensor, target: Tensor, places: Any) -> None:
        """What lies within the head's dimension."""
        if cute.const_expr(self.padded == self.head_dim):
            cute.copy(copy, source, target)
        else:
            chunks = cute.size(source, mode=[1])
            inside = cute.make_rmem_tensor((1, chunks), Boolean)
            for k in range_constexpr(chunks):
                inside[0, k] = places[0, k][1] < self.head_dim
            cute.copy(copy, source, target, pred=inside)

    @cute.jit
    def load_tile(
        self, tiles: Any, source: Tensor, target: Tensor, n_tile: Int32, ends: cute.Constexpr[bool]
    ) -> None:
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
                    )
                else:
                    target[None, n, None].fill(0)
            else:
                self.copy_row(
                    tiles.copy,
                    part[None, n, None],
                    target[None, n, None],
                    tiles.places[None, n, None],
                )

    @cute.jit
    def one_tile(
        self,
        tiles: SimpleNamespace,
        products: SimpleNamespace,
        softmax: SimpleNamespace,
        n_tile: Int32,
        first: cute.Constexpr[bool],
        masks: cute.Constexpr[bool],
    ) -> None:
        """Scores of a tile of keys, their share of rows' maxima and sums, and their products with V."""
        acc_S = cute.make_rmem_tensor(
            products.thr_mma.partition_shape_C((self.m_block, self.n_block)), Float32
        )
        acc_S.fill(0.0)
        cute.arch.cp_async_wait_group(0)
        self.barrier.arrive_and_wait()
        self.load_tile(tiles, tiles.tVgV, tiles.tVsV, n_tile, first or self.one_loop)
        cute.arch.cp_async_commit_group()

        # S = Q K^T; fragments of the next step are read while a step is multiplied.
        p = products
        cute.copy(p.copy_Q, p.tSsQ[None, None, 0], p.tSrQ_view[None, None, 0])
        cute.copy(p.copy_K, p.tSsK[None, None, 0], p.tSrK_view[None, None, 0])
        steps = cute.size(p.tSsQ, mode=[2])
        for k in range_constexpr(steps):
            if cute.const_expr(k + 1 < steps):
                cute.copy(p.copy_Q, p.tSsQ[None, None, k + 1], p.tSrQ_view[None, None, k + 1])
                cute.copy(p.copy_K, p.tSsK[None, None, k + 1], p.tSrK_view[None, None, k + 1])
            cute.gemm(p.mma, acc_S, p.tSrQ[None, None, k], p.tSrK[None, None, k], acc_S)

        cute.arch.cp_async_wait_group(0)
        self.barrier.arrive_and_wait()
        if n_tile > 0:
            self.load_tile(tiles, tiles.tKgK, tiles.tKsK, n_tile - 1, False)
            cute.arch.cp_async_commit_group()
        self.rescale(products, softmax, acc_S, n_tile, first, masks)

        # O += P V: the registers of S hold what the lanes need as A.
        rP = cute.make_fragment_like(acc_S, p.tSrQ.element_type)
        rP.store(acc_S.load().to(p.tSrQ.element_type))
        pairs = cute.logical_divide(rP.layout, (None, None, 2))
        tOrP = cute.make_tensor(
            rP.iterator,
            cute.make_layout(
                ((pairs.shape[0], pairs.shape[2][0]), pairs.shape[1], pairs.shape[2][1]),
                stride=((pairs.stride[0], pairs.stride[2][0]), pairs.stride[1], pairs.stride[2][1]),
            ),
        )
        cute.copy(p.copy_V, p.tOsVt[None, None, 0], p.tOrVt_view[None, None, 0])
        steps = cute.size(tOrP, mode=[2])
        for k in range_constexpr(steps):
            if cute.const_expr(k + 1 < steps):
                cute.copy(p.copy_V, p.tOsVt[None, None, k + 1], p.tOrVt_view[None, None, k + 1])
            cute.gemm(p.mma, p.acc_O, tOrP[None, None, k], p.tOrVt[None, None, k], p.acc_O)

    @cute.jit
    def rescale(
        self,
        products: Any,
        softmax: Any,
        acc_S: cute.Tensor,
        n_tile: Int32,
        first: cute.Constexpr[bool],
        masks: cute.Constexpr[bool],
    ) -> None:
        """Scores become probabilities; what was summed before is scaled."""
        self.softmax.turn(acc_S)
        if cute.const_expr(masks):
            places = cute.make_identity_tensor((self.m_block, self.n_block))
            places = by_rows(products.thr_mma.partition_C(places))
            self.softmax.mask(acc_S, places, softmax.limits, n_tile * self.n_block, self.causal)
        before = cute.make_fragment_like(softmax.base)
        before.store(softmax.base.load())
        grown = self.softmax.grow(acc_S, softmax.base)
        # The powers come before the branch: products with V follow them at once behind it.
        added = cute.make_fragment_like(softmax.base)
        added.fill(0.0)
        self.softmax.powers(acc_S, softmax.base, added)
        if cute.const_expr(not first):
            sums = by_rows(products.acc_O)
            if cute.arch.vote_any_sync(grown):
                for r in range_constexpr(cute.size(before)):
                    factor = self.softmax.factor(before[r], softmax.base[r])
                    softmax.row_sum[r] = softmax.row_sum[r] * factor
                    sums[r, None].store(sums[r, None].load() * factor)
        softmax.row_sum.store(softmax.row_sum.load() + added.load())
