# %% [markdown]
# # 15. A matrix product for Blackwell
#
# On a Blackwell GPU, one thread has a product of tiles computed (`tcgen05`), for its own block or for a pair of blocks.
# The operands are in shared memory, and the sums in tensor memory. Everything runs beside the threads and is waited
# for: loads, products, reads of sums. This tutorial builds such a kernel in four steps:
#
# 1. one tile by one block;
# 2. a pipeline of loads, and warps with roles;
# 3. a pair of blocks that multiplies one tile together;
# 4. blocks that stay for several tiles.
#
# Each step runs on the CPU, which executes tensor memory and its instructions, and is compared with NumPy. After each
# step, the checker gets a typical mistake. **No Blackwell GPU has run these kernels**, and their times here say nothing
# about one.
#
# [From mma.sync to wgmma to tcgen05](../../docs/blackwell.md) describes tensor memory, with pictures, and has the first
# step in more detail.

# %%
import os
import time

import numpy as np
from tutorial import Tutorial

import fairlead
from fairlead import (
    Float16,
    Float32,
    Int32,
    Int64,
    cute,
    pictures,
    pipeline,
    range,
    range_constexpr,
    utils,
)
from fairlead.cute.nvgpu import OperandMajorMode, cpasync, tcgen05
from fairlead.utils import blackwell_helpers as sm100

tutorial = Tutorial("15_blackwell_gemm")

# %% [markdown]
# ## The host part
#
# It is the same for all steps: what multiplies (`mma`), how tiles of A and B lie in shared memory, and the tensor maps
# by which TMA loads them. A step says how many blocks multiply together (`group`), how many tiles of A and B fit in
# shared memory (`stages`), and has a kernel.


# %%
class Product:
    """C (M, N) = A (M, K) * B (N, K), in whole tiles."""

    group, cluster, stages = tcgen05.CtaGroup.ONE, (1, 1), 1
    threads = 128
    tile = 128, 64, 64  # M, N, K

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        k_major = OperandMajorMode.K
        mma = sm100.make_trivial_tiled_mma(
            Float16, k_major, k_major, Float32, self.group, self.tile[:2]
        )
        # The blocks of a cluster, as (block of a pair, M, N, K).
        blocks = cute.tiled_divide(cute.make_layout((*self.cluster, 1)), (mma.thr_id,))
        # Rows of 128 bytes, swizzled: ((rows, K of a product), 1, products, stages).
        a_staged = sm100.make_smem_layout_a(mma, self.tile, Float16, self.stages)
        b_staged = sm100.make_smem_layout_b(mma, self.tile, Float16, self.stages)
        load = cpasync.CopyBulkTensorTileG2SOp(self.group)
        a_atom, a_places = cute.nvgpu.make_tiled_tma_atom_A(
            load, a, cute.select(a_staged, mode=[0, 1, 2]), self.tile, mma, blocks.shape
        )
        b_atom, b_places = cute.nvgpu.make_tiled_tma_atom_B(
            load, b, cute.select(b_staged, mode=[0, 1, 2]), self.tile, mma, blocks.shape
        )
        self.kernel(mma, blocks, a_atom, a_places, b_atom, b_places, c, a_staged, b_staged).launch(
            grid=self.grid(c), block=self.threads, cluster=(*self.cluster, 1)
        )

    def grid(self, c):
        """A group of blocks for each tile of C."""
        return c.shape[0] // self.tile[0] * self.cluster[0], c.shape[1] // self.tile[1], 1

    def bytes(self):
        """Bytes of a tile of A and one of B, of all blocks that multiply together."""
        return (self.tile[0] + self.tile[1]) * self.tile[2] * 2

    def operands(self, mma, half, a_atom, a, b_atom, b, a_staged, b_staged):
        """Shared memory for A and B, and the tiles to load: (to A, from A, to B, from B)."""
        smem = utils.SmemAllocator()
        sa = smem.allocate_tensor(Float16, a_staged.outer, 1024, a_staged.inner)
        sb = smem.allocate_tensor(Float16, b_staged.outer, 1024, b_staged.inner)
        part, one = mma.get_slice(half), cute.make_layout(1)
        pa = part.partition_A(cute.local_tile(a, (self.tile[0], self.tile[2]), (None, None)))
        pb = part.partition_B(cute.local_tile(b, (self.tile[1], self.tile[2]), (None, None)))
        tiles_of_a = cpasync.tma_partition(
            a_atom, 0, one, cute.group_modes(sa, 0, 3), cute.group_modes(pa, 0, 3)
        )
        tiles_of_b = cpasync.tma_partition(
            b_atom, 0, one, cute.group_modes(sb, 0, 3), cute.group_modes(pb, 0, 3)
        )
        return sa, sb, (*tiles_of_a, *tiles_of_b)

    @cute.jit
    def store(self, mma, half, sums, c, thread):
        """Load the block's part of a tile of sums, each warp its 32 lanes, and store it to C."""
        flat = sums[(None, None), 0, 0]
        c = mma.get_slice(half).partition_C(c)[(None, None), 0, 0]
        repetition = tcgen05.Repetition(self.tile[1])
        copy = tcgen05.make_tmem_copy(
            cute.make_copy_atom(tcgen05.Ld32x32bOp(repetition), Float32), flat
        )
        mine = copy.get_slice(thread)
        target = mine.partition_D(c)
        values = cute.make_rmem_tensor(target.shape, Float32)
        cute.copy(copy, mine.partition_S(flat), values)
        cute.autovec_copy(values, target)


rng = np.random.default_rng(0)


def matrices(m, n, k):
    a, b = (rng.integers(-3, 4, (rows, k)).astype(np.float16) for rows in (m, n))
    return a, b, np.zeros((m, n), np.float32)


def run(program, m, n, k, options="--check all"):
    """Run a step on the CPU and compare it with NumPy."""
    a, b, c = matrices(m, n, k)
    arguments = [cute.runtime.from_dlpack(matrix, assumed_align=16) for matrix in (a, b, c)]
    compiled = cute.compile(program, *arguments, options=f"--target cpu {options}")
    start = time.perf_counter()
    compiled(*arguments)
    milliseconds = (time.perf_counter() - start) * 1e3
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)
    print(f"{type(program).__name__}, {m} x {n} x {k}: right")
    return milliseconds


def mistake(program, *shape, check="all"):
    """Run a program with a mistake, and return what the checker says."""
    try:
        run(program, *shape, options=f"--check {check}")
    except (fairlead.CheckError, RuntimeError) as error:
        print(error)
        return str(error)
    raise AssertionError("the checker has not found it")


# %% [markdown]
# ## 1. One tile by one block
#
# The kernel reserves columns of tensor memory, loads the two operands, multiplies them, stores the sums and frees the
# columns. Loads arrive at the mbarrier `loaded`, which counts their bytes; products at `multiplied`.


# %%
class OneTile(Product):
    waits = True

    @cute.kernel
    def kernel(self, mma, blocks, a_atom, a, b_atom, b, c, a_staged, b_staged):
        thread, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        smem = utils.SmemAllocator()
        place, loaded, multiplied = smem.allocate(Int32), smem.allocate(Int64), smem.allocate(Int64)
        sa, sb, (to_a, from_a, to_b, from_b) = self.operands(
            mma, 0, a_atom, a, b_atom, b, a_staged, b_staged
        )
        if thread == 0:
            cute.arch.mbarrier_init(loaded, 1)
            cute.arch.mbarrier_init(multiplied, 1)
        cute.arch.mbarrier_init_fence()
        memory = utils.TmemAllocator(place, barrier_for_retrieve=pipeline.NamedBarrier(1, 128))
        memory.allocate(self.tile[1])
        memory.wait_for_alloc()
        pointer = memory.retrieve_ptr(Float32)
        layout = mma.make_fragment_C(mma.partition_shape_C(self.tile[:2])).layout
        sums = cute.make_tensor(pointer, layout)
        if warp == 0:
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(loaded, self.bytes())
            cute.copy(a_atom, from_a[None, 0, 0], to_a[None, 0], tma_bar_ptr=loaded)
            cute.copy(b_atom, from_b[None, 0, 0], to_b[None, 0], tma_bar_ptr=loaded)
            cute.arch.mbarrier_wait(loaded, 0)
            fa, fb = mma.make_fragment_A(sa), mma.make_fragment_B(sb)
            mma.set(tcgen05.Field.ACCUMULATE, False)
            for k in range_constexpr(cute.size(fa, mode=[2])):
                cute.gemm(mma, sums, fa[None, None, k, 0], fb[None, None, k, 0], sums)
                mma.set(tcgen05.Field.ACCUMULATE, True)
            with cute.arch.elect_one():
                tcgen05.commit(multiplied)
        if cute.const_expr(self.waits):
            cute.arch.mbarrier_wait(multiplied, 0)
        self.store(mma, 0, sums, c, thread)
        memory.relinquish_alloc_permit()
        cute.arch.sync_threads()
        memory.free(pointer)


run(OneTile(), 128, 64, 64)

# %% [markdown]
# Without the wait for `multiplied`, threads load sums that are still being computed. On a GPU the result is wrong now
# and then.


# %%
class LoadsTooEarly(OneTile):
    waits = False


message = mistake(LoadsTooEarly(), 128, 64, 64)
assert "race: columns 0 to 63 of tensor memory" in message

# %% [markdown]
# ## 2. A pipeline, and warps with roles
#
# K is longer now. Two stages of A and B fit in shared memory, so that loads of a stage run beside products of the other
# one. Each warp has one role: warps 0 to 3 store, warp 4 loads, warp 5 multiplies. Two pipelines connect them:
#
# | | a stage is full | a stage is empty |
# |---|---|---|
# | `loads`, `PipelineTmaUmma` | when its bytes have arrived | when its products are done (`consumer_release`) |
# | `summing`, `PipelineUmmaAsync` | when its products are done (`producer_commit`) | when 128 threads have loaded it |
#
# The methods `load` and `multiply` take and return the states of their sides: which stage is next, and its phase.

# %%
LOADING, MULTIPLYING = 4, 5
STORING_THREADS = 128
THREAD = pipeline.Agent.Thread
PRODUCER, CONSUMER = pipeline.PipelineUserType.Producer, pipeline.PipelineUserType.Consumer


class Pipelined(Product):
    threads, stages = 192, 2
    releases_early = False

    @cute.jit
    def load(self, loads, filled, atoms, tiles, place):
        """Load the tiles of A and B along K, for the tile of C at a place."""
        to_a, from_a, to_b, from_b = tiles
        for k in range(cute.size(from_a, mode=[2])):
            loads.producer_acquire(filled)
            barrier = loads.producer_get_barrier(filled)
            cute.copy(
                atoms[0], from_a[None, place[0], k], to_a[None, filled.index], tma_bar_ptr=barrier
            )
            cute.copy(
                atoms[1], from_b[None, place[1], k], to_b[None, filled.index], tma_bar_ptr=barrier
            )
            filled.advance()
        return filled

    @cute.jit
    def multiply(self, mma, loads, read, sums, fa, fb, tiles):
        """Multiply the tiles along K. The first product overwrites the sums."""
        mma.set(tcgen05.Field.ACCUMULATE, False)
        for _ in range(tiles):
            loads.consumer_wait(read)
            if cute.const_expr(self.releases_early):
                loads.consumer_release(read)
            for k in range_constexpr(cute.size(fa, mode=[2])):
                at = None, None, k, read.index
                cute.gemm(mma, sums, fa[at], fb[at], sums)
                mma.set(tcgen05.Field.ACCUMULATE, True)
            if cute.const_expr(not self.releases_early):
                loads.consumer_release(read)
            read.advance()
        return read

    @cute.kernel
    def kernel(self, mma, blocks, a_atom, a, b_atom, b, c, a_staged, b_staged):
        thread, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        m, n, _ = cute.arch.block_idx()
        sa, sb, tiles = self.operands(mma, 0, a_atom, a, b_atom, b, a_staged, b_staged)
        one = pipeline.CooperativeGroup(THREAD)
        loads = pipeline.PipelineTmaUmma.create(
            num_stages=self.stages, producer_group=one, consumer_group=one, tx_count=self.bytes()
        )
        summing = pipeline.PipelineUmmaAsync.create(
            num_stages=1,
            producer_group=one,
            consumer_group=pipeline.CooperativeGroup(THREAD, STORING_THREADS),
        )
        place = utils.SmemAllocator().allocate(Int32)
        memory = utils.TmemAllocator(
            place, barrier_for_retrieve=pipeline.NamedBarrier(1, self.threads)
        )
        memory.allocate(self.tile[1])
        memory.wait_for_alloc()
        pointer = memory.retrieve_ptr(Float32)
        layout = mma.make_fragment_C(mma.partition_shape_C(self.tile[:2])).layout
        sums = cute.make_tensor(pointer, layout)
        if warp == LOADING:
            filled = pipeline.make_pipeline_state(PRODUCER, self.stages)
            self.load(loads, filled, (a_atom, b_atom), tiles, (m, n))
        if warp == MULTIPLYING:
            read = pipeline.make_pipeline_state(CONSUMER, self.stages)
            summed = pipeline.make_pipeline_state(PRODUCER, 1)
            fa, fb = mma.make_fragment_A(sa), mma.make_fragment_B(sb)
            summing.producer_acquire(summed)
            self.multiply(mma, loads, read, sums, fa, fb, cute.size(tiles[1], mode=[2]))
            summing.producer_commit(summed)
        if warp < LOADING:
            stored = pipeline.make_pipeline_state(CONSUMER, 1)
            summing.consumer_wait(stored)
            self.store(mma, 0, sums, cute.local_tile(c, self.tile[:2], (m, n)), thread)
            summing.consumer_release(stored)
        memory.relinquish_alloc_permit()
        cute.arch.sync_threads()
        memory.free(pointer)


run(Pipelined(), 256, 128, 320)

# %% [markdown]
# `consumer_release` does not say that the stage is empty now. It has the products so far arrive at the barrier when
# they are done. If it stands before the products that read the stage, the next load overwrites their operands.


# %%
class ReleasesEarly(Pipelined):
    releases_early = True


message = mistake(ReleasesEarly(), 128, 64, 320)
assert "race: shared memory" in message

# %% [markdown]
# ## 3. A pair of blocks
#
# Two neighbouring blocks of a cluster multiply one tile of 256 rows. Each loads 128 rows of A and half of the rows of
# B, so that a tile needs less shared memory and fewer loads per product. One thread of the even block issues the
# products, which read the shared memory of both blocks and write the tensor memory of both:
#
# ```text
#                      even block                         odd block
# shared memory   A rows   0-127, B rows  0-31      A rows 128-255, B rows 32-63
# tensor memory   C rows   0-127, columns 0-63      C rows 128-255, columns 0-63
# ```
#
# In the picture, a cell stands for 32 rows and 16 columns of the tile of C. T is the block (0 is the even one), and V
# counts 32 lanes of 16 columns of its tensor memory: V0 to V3 are columns 0 to 15.

# %%
picture = pictures.thread_values(
    cute.make_layout((2, (4, 4)), stride=(4, (1, 8))), (8, 4), thread=0
)
print(picture)
if tutorial.plots:
    os.makedirs(tutorial.plots, exist_ok=True)
    picture.save(f"{tutorial.plots}/15_pair_of_blocks.svg")

# %% [markdown]
# What changes in the kernel:
#
# - `half` is the block in its pair, and each block takes its parts of A, B and C.
# - The pipelines get the blocks of the cluster. The even block's barrier of a stage counts the bytes of both blocks,
#   and the threads of both empty the sums.
# - Only the even block multiplies.
# - Blocks reserve and free columns together, and no block ends before the other one has arrived at its barriers:
#   `producer_tail`, and the mbarrier `freeing`.


# %%
class Pair(Pipelined):
    group, cluster = tcgen05.CtaGroup.TWO, (2, 1)
    tile = 256, 64, 64
    expected = 1.0  # of the bytes

    @cute.kernel
    def kernel(self, mma, blocks, a_atom, a, b_atom, b, c, a_staged, b_staged):
        thread, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        x, n, _ = cute.arch.block_idx()
        half, m = x % 2, x // 2
        sa, sb, tiles = self.operands(mma, half, a_atom, a, b_atom, b, a_staged, b_staged)
        one = pipeline.CooperativeGroup(THREAD)
        loads = pipeline.PipelineTmaUmma.create(
            num_stages=self.stages,
            producer_group=one,
            consumer_group=one,
            tx_count=int(self.bytes() * self.expected),
            cta_layout_vmnk=blocks,
        )
        summing = pipeline.PipelineUmmaAsync.create(
            num_stages=1,
            producer_group=one,
            consumer_group=pipeline.CooperativeGroup(THREAD, 2 * STORING_THREADS),
            cta_layout_vmnk=blocks,
        )
        smem = utils.SmemAllocator()
        place, freeing = smem.allocate(Int32), smem.allocate(Int64)
        memory = utils.TmemAllocator(
            place,
            barrier_for_retrieve=pipeline.NamedBarrier(1, self.threads),
            is_two_cta=True,
            two_cta_tmem_dealloc_mbar_ptr=freeing,
        )
        memory.allocate(self.tile[1])
        memory.wait_for_alloc()
        pointer = memory.retrieve_ptr(Float32)
        layout = mma.make_fragment_C(mma.partition_shape_C(self.tile[:2])).layout
        sums = cute.make_tensor(pointer, layout)
        if warp == LOADING:
            filled = pipeline.make_pipeline_state(PRODUCER, self.stages)
            filled = self.load(loads, filled, (a_atom, b_atom), tiles, (m, n))
            loads.producer_tail(filled)
        if warp == MULTIPLYING:
            if half == 0:
                read = pipeline.make_pipeline_state(CONSUMER, self.stages)
                summed = pipeline.make_pipeline_state(PRODUCER, 1)
                fa, fb = mma.make_fragment_A(sa), mma.make_fragment_B(sb)
                summing.producer_acquire(summed)
                self.multiply(mma, loads, read, sums, fa, fb, cute.size(tiles[1], mode=[2]))
                summing.producer_commit(summed)
                summed.advance()
                summing.producer_tail(summed)
        if warp < LOADING:
            stored = pipeline.make_pipeline_state(CONSUMER, 1)
            summing.consumer_wait(stored)
            self.store(mma, half, sums, cute.local_tile(c, self.tile[:2], (m, n)), thread)
            summing.consumer_release(stored)
        memory.relinquish_alloc_permit()
        cute.arch.sync_threads()
        memory.free(pointer)


run(Pair(), 512, 128, 320)

# %% [markdown]
# A typical mistake: the even block expects its own bytes alone. `--check schedule` finds it without running the kernel:
# [tutorial 14](14_check_a_pipeline.py).


# %%
class HalfOfTheBytes(Pair):
    expected = 0.5


message = mistake(HalfOfTheBytes(), 256, 64, 320, check="schedule")
assert "expects 20480 bytes, but 40960 come" in message

# %% [markdown]
# ## 4. Blocks that stay
#
# A block that starts has to reserve tensor memory, make barriers, and wait for its first tiles. So the grid has as many
# pairs as run at a time (here: two), and each pair works on every second tile of C. The sums have two stages: while
# four warps store a tile, the next one is multiplied. The states of the pipelines go on from tile to tile. A picture of
# what each warp does at a time: [A pair of blocks](../../docs/blackwell.md#a-pair-of-blocks).


# %%
class Persistent(Pair):
    pairs, sum_stages = 2, 2
    acquires = True

    def grid(self, c):
        return self.cluster[0], self.pairs, 1

    @cute.kernel
    def kernel(self, mma, blocks, a_atom, a, b_atom, b, c, a_staged, b_staged):
        thread, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        half, first, _ = cute.arch.block_idx()
        sa, sb, tiles = self.operands(mma, half, a_atom, a, b_atom, b, a_staged, b_staged)
        one = pipeline.CooperativeGroup(THREAD)
        loads = pipeline.PipelineTmaUmma.create(
            num_stages=self.stages,
            producer_group=one,
            consumer_group=one,
            tx_count=self.bytes(),
            cta_layout_vmnk=blocks,
        )
        summing = pipeline.PipelineUmmaAsync.create(
            num_stages=self.sum_stages,
            producer_group=one,
            consumer_group=pipeline.CooperativeGroup(THREAD, 2 * STORING_THREADS),
            cta_layout_vmnk=blocks,
        )
        smem = utils.SmemAllocator()
        place, freeing = smem.allocate(Int32), smem.allocate(Int64)
        memory = utils.TmemAllocator(
            place,
            barrier_for_retrieve=pipeline.NamedBarrier(1, self.threads),
            is_two_cta=True,
            two_cta_tmem_dealloc_mbar_ptr=freeing,
        )
        memory.allocate(self.tile[1] * self.sum_stages)
        memory.wait_for_alloc()
        pointer = memory.retrieve_ptr(Float32)
        shape = (*mma.partition_shape_C(self.tile[:2]), self.sum_stages)
        sums = cute.make_tensor(pointer, mma.make_fragment_C(shape).layout)
        rows, columns = c.shape[0] // self.tile[0], c.shape[1] // self.tile[1]
        if warp == LOADING:
            filled = pipeline.make_pipeline_state(PRODUCER, self.stages)
            for number in range(first, rows * columns, self.pairs):
                place_of_tile = (number % rows, number // rows)
                filled = self.load(loads, filled, (a_atom, b_atom), tiles, place_of_tile)
            loads.producer_tail(filled)
        if warp == MULTIPLYING:
            if half == 0:
                read = pipeline.make_pipeline_state(CONSUMER, self.stages)
                summed = pipeline.make_pipeline_state(PRODUCER, self.sum_stages)
                fa, fb = mma.make_fragment_A(sa), mma.make_fragment_B(sb)
                for _ in range(first, rows * columns, self.pairs):
                    if cute.const_expr(self.acquires):
                        summing.producer_acquire(summed)
                    tile = sums[None, None, None, summed.index]
                    depth = cute.size(tiles[1], mode=[2])
                    read = self.multiply(mma, loads, read, tile, fa, fb, depth)
                    summing.producer_commit(summed)
                    summed.advance()
                summing.producer_tail(summed)
        if warp < LOADING:
            stored = pipeline.make_pipeline_state(CONSUMER, self.sum_stages)
            for number in range(first, rows * columns, self.pairs):
                summing.consumer_wait(stored)
                tile = sums[None, None, None, stored.index]
                to = cute.local_tile(c, self.tile[:2], (number % rows, number // rows))
                self.store(mma, half, tile, to, thread)
                summing.consumer_release(stored)
                stored.advance()
        memory.relinquish_alloc_permit()
        cute.arch.sync_threads()
        memory.free(pointer)


run(Persistent(), 768, 192, 320)  # nine tiles: five for one pair, four for the other

# %% [markdown]
# If the warp that multiplies does not wait for an empty stage of sums (`producer_acquire`), it overwrites sums of the
# tile before the last one, perhaps before they are stored. With one or two tiles for each pair this goes well, since
# each has a stage of its own.


# %%
class Overwrites(Persistent):
    acquires = False


message = mistake(Overwrites(), 768, 192, 320)
assert "of tensor memory" in message

# %% [markdown]
# ## For a GPU
#
# The same program is compiled for `sm_100a`. ptxas assembles the code, and that is all that is known about it on a GPU.

# %%
arguments = [
    cute.runtime.from_dlpack(matrix, assumed_align=16) for matrix in matrices(768, 192, 320)
]
ptx = cute.compile(Persistent(), *arguments, options="--target cuda:sm_100a,cpu").__ptx__
for instruction in ("tcgen05.mma.cta_group::2", "tcgen05.commit.cta_group::2", "tcgen05.ld"):
    assert instruction in ptx
    print(f"{instruction}: {ptx.count(instruction)}")

# %% [markdown]
# ## What does a run cost?
#
# These are times of the CPU that executes the kernels, for tests and debugging.

# %%
sizes = tutorial.sizes([1, 2, 4, 8], quick=[1])
figures = {"without a check": [], "--check all": []}
for tiles in sizes:
    for name, options in zip(figures, ("", "--check all"), strict=True):
        figures[name].append(run(Persistent(), 512 * tiles, 256, 320, options))
tutorial.plot(sizes, figures, "rows / 512", "milliseconds")

# %% [markdown]
# ## Further steps
#
# - Matrices of any size: TMA fills tiles with zeros beyond the ends of A and B. A store through shared memory by TMA
#   leaves out elements beyond the ends of C: [blackwell_gemm.h](../cpp/blackwell_gemm.h), this kernel in C++.
# - Clusters of several pairs, in which TMA loads a tile once for all of them: `CopyBulkTensorTileG2SMulticastOp`, in
#   [blackwell_pairs.py](../../tests/support/blackwell_pairs.py).
# - Tiles handed out at run time: `utils.ClcDynamicPersistentTileScheduler`.
# - Narrow floats with scale factors: [Blackwell](../../docs/language-layouts.md#blackwell).
