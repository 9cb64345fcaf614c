# %% [markdown]
# # 2. Reduction with shared memory
#
# The sum of each row of a matrix. Threads of a block work together, so you will meet
#
# - warp reductions (`cute.arch.warp_reduction_sum`),
# - shared memory (`cute.SmemAllocator`),
# - barriers (`cute.arch.sync_threads`), and
# - run-time loops, whose variables keep their type.
#
# [row_sums.cpp](../cpp/row_sums.cpp) is this kernel in C++.

# %%
import numpy as np
from tutorial import Tutorial

from fairlead import cute

tutorial = Tutorial("02_reduction")
THREADS = 256
WARPS = THREADS // cute.arch.WARP_SIZE

# %% [markdown]
# ## The kernel
#
# One block per row, in three steps:
#
# 1. each thread adds every 256th element of the row,
# 2. each warp adds the sums of its 32 threads, without memory: all lanes get the sum,
# 3. one thread of each warp writes that to shared memory; after a barrier, the first thread adds the 8 sums.
#
# `total = cute.Float32(0)` makes a run-time number. A plain `total = 0` would begin as an integer, and a variable of a
# run-time loop keeps the type that it begins with.


# %%
@cute.kernel
def row_sums_kernel(a: cute.Tensor, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    sums = cute.SmemAllocator().allocate_tensor(cute.Float32, WARPS)  # one for the block

    total = cute.Float32(0)
    for column in range(thread, a.shape[1], THREADS):
        total += a[row, column]
    total = cute.arch.warp_reduction_sum(total)

    if cute.arch.lane_idx() == 0:
        sums[cute.arch.warp_idx()] = total
    cute.arch.sync_threads()
    if thread == 0:
        total = cute.Float32(0)
        for warp in range(WARPS):
            total += sums[warp]
        out[row] = total


@cute.jit
def row_sums(a: cute.Tensor, out: cute.Tensor):
    row_sums_kernel(a, out).launch(grid=(a.shape[0], 1, 1), block=(THREADS, 1, 1))


# %% [markdown]
# Without the barrier, thread 0 could read sums that other warps have not written yet. A barrier must be reached by all
# threads of the block: do not put one under a condition that only some threads meet.
#
# ## Compile and check
#
# NumPy's matrices are row-major: the last dimension is the contiguous one. A stand-in is column-major unless
# `stride_order=(1, 0)` says otherwise.

# %%
rows, columns = cute.sym_int(), cute.sym_int()
matrix = cute.runtime.make_fake_compact_tensor(cute.Float32, (rows, columns), stride_order=(1, 0))
vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (rows,))
compiled = cute.compile(row_sums, matrix, vector, options=tutorial.target)
print(compiled.signature)

a = np.random.default_rng(0).random((37, 1000), np.float32)
out = tutorial.array(np.empty(37, np.float32))
compiled(tutorial.array(a), out)
np.testing.assert_allclose(tutorial.numpy(out), a.sum(axis=1), rtol=1e-5)
print("the sums of 37 rows are right")

# %% [markdown]
# The last digits may differ from NumPy's: floating-point sums depend on the order, and this order is another one.
# Two runs of the kernel give the same bits, on the CPU as on a GPU.
#
# ## How fast is it?
#
# Every element is read once, so bytes per second count again. On the CPU the threads of a block are a loop that is
# cut at the barrier; expect about what `np.sum` reaches, and more where several cores take part.

# %%
widths = tutorial.sizes([2**i for i in range(8, 16)], quick=[2**8, 2**10])
ours, numpys = [], []
for width in widths:
    height = max(1, (1 << (18 if tutorial.quick else 24)) // width)
    a = np.random.default_rng(0).random((height, width), np.float32)
    out = np.empty(height, np.float32)
    x, y = tutorial.array(a), tutorial.array(out)
    gigabytes = a.nbytes / 1e9
    ours.append(gigabytes / tutorial.microseconds(lambda: compiled(x, y)) * 1e6)
    numpys.append(gigabytes / tutorial.microseconds(lambda: a.sum(axis=1, out=out)) * 1e6)
tutorial.plot(widths, {"fairlead": ours, "np.sum": numpys}, "columns", "GB/s")

# %% [markdown]
# **Try it**: find the largest element of each row (`cute.arch.warp_reduction_max`, and `max(total, x)`).
#
# Next: [softmax](03_softmax.py), which needs two such reductions in one kernel.
