# %% [markdown]
# # 6. A tiled copy: matrix transpose
#
# A transpose moves every element once, so it should be as fast as a copy. It is not if threads write with a stride.
# You will
#
# - describe a copy by a **copy atom** (the instruction) and a **tiled copy** (who copies what),
# - partition tensors with it, and predicate the edges, and
# - go through shared memory that is swizzled.
#
# The C++ DSL does the same in [transpose.cpp](../cpp/transpose.cpp).

# %%
import numpy as np
from tutorial import Tutorial

from fairlead import cute
from fairlead.cute.nvgpu import CopyUniversalOp

tutorial = Tutorial("06_tiled_copy")
TILE = 32
THREADS = 256

# %% [markdown]
# ## The plain version
#
# A thread for each element. Reads are contiguous over threads (`j` runs fastest), writes are not.


# %%
@cute.kernel
def plain_kernel(a: cute.Tensor, b: cute.Tensor):
    tx, ty, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    i, j = by * 8 + ty, bx * 32 + tx
    if cute.elem_less((i, j), a.shape):
        b[j, i] = a[i, j]


@cute.jit
def plain(a: cute.Tensor, b: cute.Tensor):
    grid = (cute.ceil_div(a.shape[1], 32), cute.ceil_div(a.shape[0], 8), 1)
    plain_kernel(a, b).launch(grid=grid, block=(32, 8, 1))


# %% [markdown]
# ## The tiled version
#
# The tiled copy says: 8 x 32 threads, each with 4 x 1 values, copy a tile of 32 x 32. `copy.get_slice(thread)` is one
# thread's part of it; `partition_S` applies that to a source and `partition_D` to a destination. The results have the
# modes (values of the instruction, instructions, ...), which you do not have to know: `cute.copy` walks them.
#
# `cute.make_identity_tensor(shape)` is a tensor whose elements are their own coordinates. Tiled and partitioned like
# the data, it tells which of a thread's elements lie inside the matrix.


# %%
@cute.kernel
def tiled_kernel(a: cute.Tensor, b: cute.Tensor, copy: cute.TiledCopy, atom: cute.CopyAtom):
    thread, _, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    shared = cute.SmemAllocator().allocate_tensor(
        cute.Float32,
        cute.make_composed_layout(
            cute.make_swizzle(5, 0, 5), 0, cute.make_layout((TILE, TILE), stride=(TILE, 1))
        ),
    )
    mine = copy.get_slice(thread)

    # In: a tile of a, row by row.
    source = mine.partition_S(cute.local_tile(a, (TILE, TILE), (by, bx)))
    places = mine.partition_S(
        cute.local_tile(cute.make_identity_tensor(a.shape), (TILE, TILE), (by, bx))
    )
    cute.copy(atom, source, mine.partition_D(shared), pred=inside(places, a.shape))
    cute.arch.sync_threads()

    # Out: the same tile, read by columns, is a row-major tile of b.
    transposed = cute.make_tensor(
        shared.iterator,
        cute.make_composed_layout(
            cute.make_swizzle(5, 0, 5), 0, cute.make_layout((TILE, TILE), stride=(1, TILE))
        ),
    )
    target = mine.partition_D(cute.local_tile(b, (TILE, TILE), (bx, by)))
    places = mine.partition_D(
        cute.local_tile(cute.make_identity_tensor(b.shape), (TILE, TILE), (bx, by))
    )
    cute.copy(atom, mine.partition_S(transposed), target, pred=inside(places, b.shape))


@cute.jit
def inside(places, shape):
    """True for each of a thread's elements that is inside the matrix."""
    result = cute.make_rmem_tensor(cute.make_layout(places.shape), cute.Boolean)
    for i in cute.range_constexpr(cute.size(places)):
        result[i] = cute.elem_less(places[i], shape)
    return result


@cute.jit
def tiled(a: cute.Tensor, b: cute.Tensor):
    atom = cute.make_copy_atom(CopyUniversalOp(), cute.Float32)
    copy = cute.make_tiled_copy_tv(
        atom, cute.make_layout((8, 32), stride=(32, 1)), cute.make_layout((4, 1))
    )
    grid = (cute.ceil_div(a.shape[1], TILE), cute.ceil_div(a.shape[0], TILE), 1)
    tiled_kernel(a, b, copy, atom).launch(grid=grid, block=(THREADS, 1, 1))


# %% [markdown]
# The two views of shared memory use one swizzle, so they agree on where an element is, and neither has bank conflicts
# (tutorial 5 has the picture).
#
# ## Compile and check

# %%
rows, columns = cute.sym_int(), cute.sym_int()
a = cute.runtime.make_fake_compact_tensor(cute.Float32, (rows, columns), stride_order=(1, 0))
b = cute.runtime.make_fake_compact_tensor(cute.Float32, (columns, rows), stride_order=(1, 0))
versions = {
    name: cute.compile(function, a, b, options=tutorial.target)
    for name, function in (("plain", plain), ("tiled", tiled))
}
x = np.random.default_rng(0).random((70, 45), np.float32)
for name, transpose in versions.items():
    y = tutorial.array(np.zeros((45, 70), np.float32))
    transpose(tutorial.array(x), y)
    np.testing.assert_array_equal(tutorial.numpy(y), x.T)
    print(f"{name} is right")

# %% [markdown]
# ## How fast is it?
#
# On a GPU, the plain version's writes touch a line of 128 bytes for each element, and the tiled version's a line for
# 32 elements: that is what its detour pays for. On a CPU there is little to win: caches are larger, the plain loop
# vectorizes, and shared memory is memory like other memory. Measure on the machine that you write for.

# %%
sides = tutorial.sizes([256, 512, 1024, 2048], quick=[128])
figures = {**{name: [] for name in versions}, "NumPy": []}
for side in sides:
    x = np.random.default_rng(0).random((side, side), np.float32)
    y = np.empty_like(x)
    d, e = tutorial.array(x), tutorial.array(y)
    for name, transpose in versions.items():
        figures[name].append(2 * x.nbytes / 1e3 / tutorial.microseconds(lambda: transpose(d, e)))
    copy = tutorial.microseconds(lambda: np.copyto(y, x.T))
    figures["NumPy"].append(2 * x.nbytes / 1e3 / copy)
tutorial.plot(sides, figures, "side of the matrix", "GB/s")

# %% [markdown]
# Next: [a matrix product](07_matmul.py), where tiles are used more than once.
