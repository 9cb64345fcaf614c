"""Tiles of attention by the tensor cores of warps: products, and the softmax between them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from fairlead import cute, pipeline
from fairlead._compiler import Boolean, Float32, Int32
from fairlead.cute.nvgpu import LoadCacheMode, cpasync, warp
from fairlead.ops._softmax import OnlineSoftmax, Window, by_rows

if TYPE_CHECKING:
    from fairlead._compiler import Numeric, Tensor, TiledCopy, TiledMma
    from fairlead.cute.typing import Int

__all__ = ["WarpTiles"]

range_constexpr = cute.range_constexpr


class WarpTiles:
    """The work of a block with a tile of queries and a tile of keys; ``load_tile`` defines their source.

    Tiles come by ``cp.async``: V's while the scores are computed, the next of K while the sums are. Scores,
    probabilities and sums stay in registers. A row keeps its base of powers and its sum over all tiles; if the base
    grows, in steps of at least 2 ** 8, the sum is scaled.
    """

    #: Starts copying a tile of K or V: of the tiles, from a source to shared memory, by the tile's number; the last
    #: parameters say that the tile may end beyond the last key, and how many columns there are.
    load_tile: Any

    def __init__(
        self, head_dim: int, group: int, causal: bool | Window, scale: float, m_block: int = 128,
        n_block: int = 64, num_threads: int = 128, one_loop: bool = False, softcap: float = 0.0,
        value_dim: int | None = None, with_sinks: bool = False, with_slopes: bool = False,
    ) -> None:  # fmt: skip
        """``m_block`` is a multiple of num_threads / 2, ``n_block`` one of 16, ``head_dim`` one of 8. ``one_loop``: all
        tiles of keys go through code that masks, which makes a third of the code or less. ``value_dim``: elements of a
        head of values, up to head_dim, which is the default."""
        self.head_dim, self.group, self.window = head_dim, group, Window.of(causal)
        self.value_dim = value_dim or head_dim
        self.padded = -(-head_dim // 32) * 32
        self.m_block, self.n_block, self.num_threads = m_block, n_block, num_threads
        self.one_loop = one_loop or self.window.left is not None
        self.barrier = pipeline.NamedBarrier(barrier_id=1, num_threads=num_threads)
        self.softmax = OnlineSoftmax(scale, softcap)
        self.with_sinks, self.with_slopes = with_sinks, with_slopes

    def parts(self, dtype: type[Numeric]) -> SimpleNamespace:
        """Return the parts of a launch: layouts of the tiles in shared memory and their struct ``storage``; ``load``,
        the copy of chunks of 16 bytes by ``threads``; and ``tiled_mma``."""
        # Rows of 64 (or 32) elements, with chunks of 16 bytes swizzled so that 8 rows of ldmatrix are in 8 banks.
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
        load = cute.make_copy_atom(
            cpasync.CopyG2SOp(cache_mode=LoadCacheMode.GLOBAL), dtype, num_bits_per_copy=128
        )
        warps = self.num_threads // 32
        return SimpleNamespace(
            sQ_layout=sQ_layout,
            sKV_layout=sKV_layout,
            storage=SharedStorage,
            threads=threads,
            load=cute.make_tiled_copy_tv(load, threads, cute.make_layout((1, 8))),
            tiled_mma=cute.make_tiled_mma(
                warp.MmaF16BF16Op(dtype, Float32, (16, 8, 16)),
                (warps, 1, 1),
                permutation_mnk=(warps * 16, 16, 16),
            ),
        )

    def products_of(
        self, tiled_mma: TiledMma, tidx: Int, sQ: Tensor, sK: Tensor, sV: Tensor
    ) -> SimpleNamespace:
        """The thread's fragments of both products, how they are read from shared memory, and the sums of V's rows."""
        # The memory of V with the head's dimension as rows.
        sVt = cute.composition(
            sV, cute.make_layout((self.padded, self.n_block), stride=(self.n_block, 1))
        )
        thr_mma = tiled_mma.get_slice(tidx)
        acc_O = cute.make_rmem_tensor(
            thr_mma.partition_shape_C((self.m_block, self.padded)), Float32
        )
        acc_O.fill(0.0)
        copy_matrices = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), sQ.element_type)
        copy_transposed = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(True, 4), sQ.element_type)
        copy_Q = cute.make_tiled_copy_A(copy_matrices, tiled_mma)
        copy_K = cute.make_tiled_copy_B(copy_matrices, tiled_mma)
        copy_V = cute.make_tiled_copy_B(copy_transposed, tiled_mma)
        tSrQ = thr_mma.make_fragment_A(thr_mma.partition_A(sQ))
        tSrK = thr_mma.make_fragment_B(thr_mma.partition_B(sK))
        tOrVt = thr_mma.make_fragment_B(thr_mma.partition_B(sVt))
        return SimpleNamespace(
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

    def empty_sums(self, acc_O: Tensor) -> SimpleNamespace:
        """The bases of the powers of the thread's rows, and their sums, before the first tile."""
        rows = acc_O.shape[0][1] * acc_O.shape[1]
        base, row_sum = (cute.make_rmem_tensor(rows, Float32) for _ in range(2))
        base.fill(-Float32.inf)
        row_sum.fill(0.0)
        return SimpleNamespace(base=base, row_sum=row_sum)

    @cute.jit
    def copy_row(
        self, copy: TiledCopy, source: Tensor, target: Tensor, places: Tensor, columns: cute.Constexpr[int]
    ) -> None:  # fmt: skip
        """Copy the part of a row within so many columns."""
        if cute.const_expr(self.padded == columns):
            cute.copy(copy, source, target)
        else:
            chunks = cute.size(source, mode=[1])
            inside = cute.make_rmem_tensor((1, chunks), Boolean)
            for k in range_constexpr(chunks):
                inside[0, k] = places[0, k][1] < columns
            cute.copy(copy, source, target, pred=inside)

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
        self.load_tile(
            tiles, tiles.tVgV, tiles.tVsV, n_tile, first or self.one_loop, self.value_dim
        )
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
        if n_tile > tiles.first:
            self.load_tile(tiles, tiles.tKgK, tiles.tKsK, n_tile - 1, False, self.head_dim)
            cute.arch.cp_async_commit_group()
        self.rescale(products, softmax, acc_S, n_tile, first, masks)

        # O += P V: the registers of S are operand A.
        rP = cute.make_fragment_like(acc_S, p.tSrQ.element_type)
        rP.store(acc_S.load().to(p.tSrQ.element_type))
        tOrP = self.as_left_operand(rP)
        cute.copy(p.copy_V, p.tOsVt[None, None, 0], p.tOrVt_view[None, None, 0])
        steps = cute.size(tOrP, mode=[2])
        for k in range_constexpr(steps):
            if cute.const_expr(k + 1 < steps):
                cute.copy(p.copy_V, p.tOsVt[None, None, k + 1], p.tOrVt_view[None, None, k + 1])
            cute.gemm(p.mma, p.acc_O, tOrP[None, None, k], p.tOrVt[None, None, k], p.acc_O)

    def as_left_operand(self, fragment: Tensor) -> Any:
        """The registers of an accumulator as those of a product's left operand, 16 columns at a time."""
        pairs = cute.logical_divide(fragment.layout, (None, None, 2))
        layout = cute.make_layout(
            ((pairs.shape[0], pairs.shape[2][0]), pairs.shape[1], pairs.shape[2][1]),
            stride=((pairs.stride[0], pairs.stride[2][0]), pairs.stride[1], pairs.stride[2][1]),
        )
        return cute.make_tensor(fragment.iterator, layout)

    def mask(
        self, products: SimpleNamespace, softmax: SimpleNamespace, acc_S: Tensor, n_tile: Int32
    ) -> None:
        """Scores of keys that are not there, or not seen, become -inf."""
        places = self.places(products)
        self.softmax.mask(acc_S, places, softmax.limits, n_tile * self.n_block, self.window)

    def places(self, products: SimpleNamespace) -> Any:
        """Return the row and the key in the tile of each of the thread's scores, by rows."""
        places = cute.make_identity_tensor((self.m_block, self.n_block))
        return by_rows(products.thr_mma.partition_C(places))

    def lower(
        self, products: SimpleNamespace, softmax: SimpleNamespace, acc_S: Tensor, n_tile: Int32
    ) -> None:
        """Lower scores by the distances of their keys."""
        places = self.places(products)
        rows = range(cute.size(places, mode=[0]))
        origin = softmax.limits[1] - n_tile * self.n_block
        row_places = [origin + places[row, 0][0] for row in rows]
        self.softmax.lower(acc_S, places, row_places, [softmax.slope for _ in rows])

    @cute.jit
    def rescale(
        self,
        products: SimpleNamespace,
        softmax: SimpleNamespace,
        acc_S: cute.Tensor,
        n_tile: Int32,
        first: cute.Constexpr[bool],
        masks: cute.Constexpr[bool],
    ) -> None:
        """Turn scores into probabilities, and scale the earlier sums."""
        self.softmax.turn(acc_S)
        if cute.const_expr(self.with_slopes):
            self.lower(products, softmax, acc_S, n_tile)
        if cute.const_expr(masks):
            self.mask(products, softmax, acc_S, n_tile)
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
