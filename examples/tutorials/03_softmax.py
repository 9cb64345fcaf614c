# %% [markdown]
# # 3. Softmax
#
# `exp(x - max(x)) / sum(exp(x - max(x)))` of each row, in one kernel that reads the matrix once. You will
#
# - share a helper function between kernels (`@cute.jit` functions are inlined where kernels call them),
# - keep values in registers (`cute.make_rmem_tensor`), and
# - use compile-time numbers (`cute.Constexpr`) and loops that are unrolled (`cute.range_constexpr`).

# %%
import numpy as np
from tutorial import Tutorial

from fairlead import cute

tutorial = Tutorial("03_softmax")
THREADS = 128
WARPS = THREADS // cute.arch.WARP_SIZE

# %% [markdown]
# ## A helper: one number for the whole block
#
# `combine` is a Python function that is part of the program: `lambda a, b: a + b`, or `max`. The helper reduces a warp,
# then the warps through shared memory, and gives every thread the result. The second barrier lets the memory be used
# again.


# %%
@cute.jit
def block_reduce(value, combine, scratch: cute.Tensor):
    value = cute.arch.warp_reduction(value, combine)
    if cute.arch.lane_idx() == 0:
        scratch[cute.arch.warp_idx()] = value
    cute.arch.sync_threads()
    result = scratch[0]
    for warp in cute.range_constexpr(1, WARPS):
        result = combine(result, scratch[warp])
    cute.arch.sync_threads()
    return result


# %% [markdown]
# ## The kernel
#
# Each thread keeps its part of the row in registers, so that the row is read once. Registers have no addresses: a
# register tensor has a static shape, and its indices are compile-time numbers. That is what `per_thread` is for, a
# `cute.Constexpr`: its value is part of the program. `cute.range_constexpr` runs while the kernel is compiled, so its
# body is there once for each `k`.


# %%
@cute.kernel
def softmax_kernel(x: cute.Tensor, y: cute.Tensor, per_thread: cute.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    scratch = cute.SmemAllocator().allocate_tensor(cute.Float32, WARPS)
    values = cute.make_rmem_tensor((per_thread,), cute.Float32)
    columns = x.shape[1]

    largest = cute.Float32(-cute.Float32.inf)
    for k in cute.range_constexpr(per_thread):
        values[k] = -cute.Float32.inf
        if k * THREADS + thread < columns:
            values[k] = x[row, k * THREADS + thread]
        largest = max(largest, values[k])
    largest = block_reduce(largest, lambda a, b: max(a, b), scratch)

    total = cute.Float32(0)
    for k in cute.range_constexpr(per_thread):
        values[k] = cute.math.exp(values[k] - largest)
        total += values[k]
    total = block_reduce(total, lambda a, b: a + b, scratch)

    for k in cute.range_constexpr(per_thread):
        if k * THREADS + thread < columns:
            y[row, k * THREADS + thread] = values[k] / total


@cute.jit
def softmax(x: cute.Tensor, y: cute.Tensor, per_thread: cute.Constexpr):
    softmax_kernel(x, y, per_thread).launch(grid=(x.shape[0], 1, 1), block=(THREADS, 1, 1))


# %% [markdown]
# ## Compile
#
# A `Constexpr` is given to `compile` and not to the call. Rows of up to `THREADS * per_thread` columns fit one
# compiled function; longer rows than a function for 8 elements a thread can hold need another one.

# %%
rows, columns = cute.sym_int(), cute.sym_int()
matrix = cute.runtime.make_fake_compact_tensor(cute.Float32, (rows, columns), stride_order=(1, 0))


def compile_for(width: int):
    return cute.compile(softmax, matrix, matrix, -(-width // THREADS), options=tutorial.target)


def reference(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


x = np.random.default_rng(0).standard_normal((50, 781)).astype(np.float32)
y = tutorial.array(np.empty_like(x))
compile_for(781)(tutorial.array(x), y)
np.testing.assert_allclose(tutorial.numpy(y), reference(x), rtol=1e-5, atol=1e-7)
print("softmax of 50 rows of 781 columns is right")

# %% [markdown]
# ## How fast is it?
#
# NumPy makes several passes over memory, the kernel one. The gain depends on where the time goes: on a GPU
# to memory, on a CPU mostly to the exponentials, which NumPy vectorizes well. Expect about NumPy's speed on a CPU.

# %%
widths = tutorial.sizes([256, 512, 1024, 2048], quick=[256])
ours, numpys = [], []
for width in widths:
    x = np.random.default_rng(0).standard_normal((64 if tutorial.quick else 2048, width))
    x = x.astype(np.float32)
    compiled, d, y = compile_for(width), tutorial.array(x), tutorial.array(np.empty_like(x))
    gigabytes = 2 * x.nbytes / 1e9
    ours.append(gigabytes / tutorial.microseconds(lambda: compiled(d, y)) * 1e6)
    numpys.append(gigabytes / tutorial.microseconds(lambda: reference(x)) * 1e6)
tutorial.plot(widths, {"fairlead": ours, "NumPy": numpys}, "columns", "GB/s")

# %% [markdown]
# **Try it**: compute in Float32 and store Float16, `y[row, i] = (values[k] / total).to(cute.Float16)`.
#
# Next: [a stencil](04_stencil.py), where a block shares what its threads read.
