# %% [markdown]
# # 7. Matrix product: naive, tiled, tensor cores
#
# `C = A B^T` for A (M, K) and B (N, K), both with contiguous rows, which is the form that tensor cores like. Three
# kernels, which all run on the CPU and on a GPU:
#
# 1. **naive**: one thread computes one element, and reads everything from global memory,
# 2. **tiled**: a block computes a tile of C from tiles of A and B in shared memory,
# 3. **tensor cores**: a warp computes 16 x 8 elements with one instruction, an *MMA atom*.

# %%
import numpy as np
from tutorial import Tutorial

from fairlead import cute
from fairlead.cute.nvgpu import CopyUniversalOp, warp

tutorial = Tutorial("07_matmul")

# %% [markdown]
# ## 1. Naive
#
# Each element of A is read N times and each of B M times. The product is added up in Float32 for all types of A
# and B.


# %%
@cute.kernel
def naive_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    tx, ty, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    i, j = by * 16 + ty, bx * 16 + tx
    if cute.elem_less((i, j), c.shape):
        total = cute.Float32(0)
        for k in range(a.shape[1]):
            total += a[i, k].to(cute.Float32) * b[j, k].to(cute.Float32)
        c[i, j] = total


@cute.jit
def naive(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    grid = (cute.ceil_div(c.shape[1], 16), cute.ceil_div(c.shape[0], 16), 1)
    naive_kernel(a, b, c).launch(grid=grid, block=(16, 16, 1))


# %% [markdown]
# ## 2. Tiled
#
# A block of 256 threads computes 64 x 64 elements of C. It goes through K in steps of 16: the block copies a tile of A
# and one of B to shared memory, waits, and every thread adds to its 4 x 4 elements, which it keeps in registers. A tile
# of A is read N / 64 times now.
#
# The tiles are padded by one column (`stride=(17, 1)`), which spreads columns over the banks: the simplest swizzle.

# %%
TILE, STEP = 64, 16


@cute.kernel
def tiled_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    allocator = cute.SmemAllocator()
    padded = cute.make_layout((TILE, STEP), stride=(STEP + 1, 1))
    a_tile = allocator.allocate_tensor(cute.Float32, padded)
    b_tile = allocator.allocate_tensor(cute.Float32, padded)
    row, column = thread // 16 * 4, thread % 16 * 4
    sums = cute.make_rmem_tensor((4, 4), cute.Float32)
    sums.fill(0.0)

    for step in range(cute.ceil_div(a.shape[1], STEP)):
        load(a, a_tile, by, step, thread)
        load(b, b_tile, bx, step, thread)
        cute.arch.sync_threads()
        for k in range(STEP):
            for i in cute.range_constexpr(4):
                for j in cute.range_constexpr(4):
                    sums[i, j] += a_tile[row + i, k] * b_tile[column + j, k]
        cute.arch.sync_threads()

    for i in cute.range_constexpr(4):
        for j in cute.range_constexpr(4):
            place = (by * TILE + row + i, bx * TILE + column + j)
            if cute.elem_less(place, c.shape):
                c[place] = sums[i, j]


@cute.jit
def load(matrix, tile, block, step, thread):
    """The block's tile of a matrix; zeros beyond its edges."""
    for k in cute.range_constexpr(TILE * STEP // 256):
        i, j = thread // STEP + 16 * k, thread % STEP
        place = (block * TILE + i, step * STEP + j)
        x = matrix[place].to(cute.Float32) if cute.elem_less(place, matrix.shape) else 0.0
        tile[i, j] = x


@cute.jit
def tiled(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    grid = (cute.ceil_div(c.shape[1], TILE), cute.ceil_div(c.shape[0], TILE), 1)
    tiled_kernel(a, b, c).launch(grid=grid, block=(256, 1, 1))


# %% [markdown]
# The two barriers: the first, so that no thread reads a tile before it is there; the second, so that no thread
# overwrites a tile that others still read.
#
# ## 3. Tensor cores
#
# An **MMA atom** is one instruction of a warp: `MmaF16BF16Op(Float16, Float32, (16, 8, 16))` multiplies 16 x 16 by
# 16 x 8 elements of Float16 and adds in Float32. A **tiled MMA** repeats it: here 2 x 2 atoms, so 4 warps, cover
# 32 x 32 x 16.
#
# The atom knows the elements of each thread. `mma.get_slice(thread)` partitions tiles accordingly; fragments are the
# registers for that; `cute.gemm` multiplies fragments. You never compute an index.
#
# To keep it short, this kernel takes sizes that are multiples of its tile of 64 x 64 x 32, and says so in the
# stand-ins: `divisibility=64`. A call with other sizes is an error.

# %%
BLOCK_K = 32


@cute.kernel
def mma_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma):
    thread, _, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    allocator = cute.SmemAllocator()
    # Rows of 32 Float16 are 64 bytes: this swizzle spreads 16-byte pieces of 8 rows over all banks.
    rows = cute.make_layout((TILE, BLOCK_K), stride=(BLOCK_K, 1))
    swizzle = cute.make_swizzle(2, 4, 3)
    a_tile = allocator.allocate_tensor(cute.Float16, rows, 128, swizzle=swizzle)
    b_tile = allocator.allocate_tensor(cute.Float16, rows, 128, swizzle=swizzle)
    # (64, 32, K / 32): all the tiles of this block, one after the other.
    a_block = cute.local_tile(a, (TILE, BLOCK_K), (by, None))
    b_block = cute.local_tile(b, (TILE, BLOCK_K), (bx, None))
    c_block = cute.local_tile(c, (TILE, TILE), (by, bx))

    # 128 threads copy a tile: 32 x 4 threads with 8 Float16, 16 bytes, in a row each.
    copy_16_bytes = cute.make_copy_atom(CopyUniversalOp(), cute.Float16, num_bits_per_copy=128)
    copy = cute.make_tiled_copy_tv(
        copy_16_bytes, cute.make_layout((32, 4), stride=(4, 1)), cute.make_layout((1, 8))
    ).get_slice(thread)
    a_from, a_to = copy.partition_S(a_block), copy.partition_D(a_tile)
    b_from, b_to = copy.partition_S(b_block), copy.partition_D(b_tile)

    # ldmatrix moves 8 x 8 pieces from shared memory to where the MMA wants them.
    pieces = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), cute.Float16)
    copy_a, copy_b = cute.make_tiled_copy_A(pieces, mma), cute.make_tiled_copy_B(pieces, mma)
    mine = mma.get_slice(thread)
    a_part = mine.make_fragment_A(mine.partition_A(a_tile))
    b_part = mine.make_fragment_B(mine.partition_B(b_tile))
    sums = mine.make_fragment_C(mine.partition_C(c_block))
    sums.fill(0.0)

    for tile in range(cute.size(a_block, mode=[2])):
        cute.copy(copy_16_bytes, a_from[None, None, None, tile], a_to)
        cute.copy(copy_16_bytes, b_from[None, None, None, tile], b_to)
        cute.arch.sync_threads()
        cute.copy(copy_a, copy_a.get_slice(thread).partition_S(a_tile), copy_a.retile(a_part))
        cute.copy(copy_b, copy_b.get_slice(thread).partition_S(b_tile), copy_b.retile(b_part))
        cute.gemm(mma, sums, a_part, b_part, sums)
        cute.arch.sync_threads()
    cute.autovec_copy(sums, mine.partition_C(c_block))


@cute.jit
def tensor_cores(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    op = warp.MmaF16BF16Op(cute.Float16, cute.Float32, (16, 8, 16))
    mma = cute.make_tiled_mma(op, (2, 2, 1), permutation_mnk=(32, 32, 16))
    grid = (cute.size(c, mode=[1]) // TILE, cute.size(c, mode=[0]) // TILE, 1)
    mma_kernel(a, b, c, mma).launch(grid=grid, block=(mma.size, 1, 1))


# %% [markdown]
# ## Compile and check


# %%
def matrix(dtype, rows, columns, **options):
    return cute.runtime.make_fake_compact_tensor(
        dtype, (rows, columns), stride_order=(1, 0), **options
    )


def compile_any(function):
    m, n, k = cute.sym_int(), cute.sym_int(), cute.sym_int()
    arguments = matrix(cute.Float16, m, k), matrix(cute.Float16, n, k), matrix(cute.Float32, m, n)
    return cute.compile(function, *arguments, options=tutorial.target)


def compile_aligned(function):
    m, n, k = (cute.sym_int(divisibility=extent) for extent in (TILE, TILE, BLOCK_K))
    aligned = dict(assumed_align=16)
    arguments = (
        matrix(cute.Float16, m, k, **aligned),
        matrix(cute.Float16, n, k, **aligned),
        matrix(cute.Float32, m, n, **aligned),
    )
    return cute.compile(function, *arguments, options=tutorial.target)


versions = {
    "naive": compile_any(naive),
    "tiled": compile_any(tiled),
    "tensor cores": compile_aligned(tensor_cores),
}


def matrices(m, n, k):
    generator = np.random.default_rng(0)
    a = generator.standard_normal((m, k)).astype(np.float16)
    b = generator.standard_normal((n, k)).astype(np.float16)
    return a, b, np.zeros((m, n), np.float32)


for name, multiply in versions.items():
    a, b, c = matrices(128, 64, 96) if name == "tensor cores" else matrices(75, 101, 30)
    out = tutorial.array(c)
    multiply(tutorial.array(a), tutorial.array(b), out)
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_allclose(tutorial.numpy(out), expected, rtol=1e-3, atol=1e-3)
    print(f"{name} is right")

# %% [markdown]
# ## How fast is it?
#
# A product of side n takes `2 n^3` operations. Each version reads less memory for each of them than the one before. On
# the CPU, tensor cores are imitated by loops over the tile: right, and far from the speed of NumPy's library for
# matrices, which was tuned for the processor. `--device cuda` shows their purpose.

# %%
sides = tutorial.sizes([128, 256, 512], quick=[64])
figures = {**{name: [] for name in versions}, "NumPy": []}
for side in sides:
    a, b, c = matrices(side, side, side)
    x, y, z = map(tutorial.array, (a, b, c))
    for name, multiply in versions.items():
        figures[name].append(2 * side**3 / 1e3 / tutorial.microseconds(lambda: multiply(x, y, z)))
    a, b = a.astype(np.float32), b.astype(np.float32)
    figures["NumPy"].append(
        2 * side**3 / 1e3 / tutorial.microseconds(lambda: np.matmul(a, b.T, out=c))
    )
tutorial.plot(sides, figures, "side of the matrices", "GFLOP/s")

# %% [markdown]
# **Where to go on**: two stages of shared memory filled by `cp.async`
# (`cute.nvgpu.cpasync.CopyG2SOp`), so that copies and products overlap; predicated edges as in tutorial 6.
#
# Next: [attention](08_attention.py), two products with a softmax in between.
