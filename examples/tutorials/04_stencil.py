# %% [markdown]
# # 4. Stencil
#
# One step of the heat equation on a grid: every inner point becomes the mean of its four neighbours. You will
#
# - use two-dimensional blocks and grids,
# - load a tile with its border (the *halo*) into shared memory, and
# - compare it with the plain version, which reads global memory five times.

# %%
import numpy as np
from tutorial import Tutorial

from fairlead import cute

tutorial = Tutorial("04_stencil")
TILE = 32

# %% [markdown]
# ## The plain kernel
#
# A thread for each point. `1 <= i < h - 1` is one condition of two comparisons, as in Python. Points of the border keep
# their values.


# %%
@cute.kernel
def plain_kernel(u: cute.Tensor, v: cute.Tensor):
    tx, ty, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    i, j = by * 8 + ty, bx * TILE + tx
    height, width = u.shape
    if i < height and j < width:
        v[i, j] = u[i, j]
        if 1 <= i < height - 1 and 1 <= j < width - 1:
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@cute.jit
def plain(u: cute.Tensor, v: cute.Tensor):
    grid = (cute.ceil_div(u.shape[1], TILE), cute.ceil_div(u.shape[0], 8), 1)
    plain_kernel(u, v).launch(grid=grid, block=(TILE, 8, 1))


# %% [markdown]
# ## The tiled kernel
#
# A block computes 32 x 32 points and loads 34 x 34: its 256 threads go through these with a stride. Tensors in shared
# memory are indexed like others; their layout is static. `cute.make_layout((34, 34), stride=(34, 1))` says that rows
# are contiguous.

# %%
HALO = TILE + 2
THREADS = 256


@cute.kernel
def tiled_kernel(u: cute.Tensor, v: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    tile = cute.SmemAllocator().allocate_tensor(
        cute.Float32, cute.make_layout((HALO, HALO), stride=(HALO, 1))
    )
    height, width = u.shape
    top, left = by * TILE - 1, bx * TILE - 1
    for k in range(thread, HALO * HALO, THREADS):
        i, j = top + k // HALO, left + k % HALO
        inside = 0 <= i < height and 0 <= j < width
        tile[k // HALO, k % HALO] = u[i, j] if inside else 0.0
    cute.arch.sync_threads()
    for k in range(thread, TILE * TILE, THREADS):
        r, c = k // TILE + 1, k % TILE + 1
        i, j = top + r, left + c
        if i < height and j < width:
            x = tile[r, c]
            if 1 <= i < height - 1 and 1 <= j < width - 1:
                x = 0.25 * (tile[r - 1, c] + tile[r + 1, c] + tile[r, c - 1] + tile[r, c + 1])
            v[i, j] = x


@cute.jit
def tiled(u: cute.Tensor, v: cute.Tensor):
    grid = (cute.ceil_div(u.shape[1], TILE), cute.ceil_div(u.shape[0], TILE), 1)
    tiled_kernel(u, v).launch(grid=grid, block=(THREADS, 1, 1))


# %% [markdown]
# `u[i, j] if inside else 0.0` reads memory only where `inside` holds. It is a branch of the program, not a select.
#
# ## Compile and check

# %%
height, width = cute.sym_int(), cute.sym_int()
matrix = cute.runtime.make_fake_compact_tensor(cute.Float32, (height, width), stride_order=(1, 0))
versions = {
    name: cute.compile(function, matrix, matrix, options=tutorial.target)
    for name, function in (("plain", plain), ("tiled", tiled))
}


def reference(u: np.ndarray) -> np.ndarray:
    v = u.copy()
    v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return v


u = np.random.default_rng(0).random((75, 101), np.float32)
for name, step in versions.items():
    v = tutorial.array(np.empty_like(u))
    step(tutorial.array(u), v)
    np.testing.assert_allclose(tutorial.numpy(v), reference(u), rtol=1e-6)
    print(f"{name} is right")

# %% [markdown]
# ## How fast is it?
#
# On a GPU the tiled kernel saves reads of the L1 cache; on a CPU the plain one usually wins: there shared memory is
# memory like other memory, and the plain loop vectorizes. Measure before you tile.

# %%
sides = tutorial.sizes([256, 512, 1024, 2048], quick=[128])
figures = {**{name: [] for name in versions}, "NumPy": []}
for side in sides:
    u = np.random.default_rng(0).random((side, side), np.float32)
    x, v = tutorial.array(u), tutorial.array(np.empty_like(u))
    for name, step in versions.items():
        figures[name].append(2 * u.nbytes / 1e3 / tutorial.microseconds(lambda: step(x, v)))
    figures["NumPy"].append(2 * u.nbytes / 1e3 / tutorial.microseconds(lambda: reference(u)))
tutorial.plot(sides, figures, "side of the grid", "GB/s")

# %% [markdown]
# Next: [layouts](05_layouts.py), the objects behind `make_layout`.
