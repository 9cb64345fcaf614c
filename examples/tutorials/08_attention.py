# %% [markdown]
# # 8. Attention
#
# `softmax(Q K^T / sqrt(d)) V`, for many heads, without the matrix `Q K^T` ever being in memory. That matrix has a row
# for each query and a column for each key, and makes attention expensive. You will
#
# - write an **online softmax**, which corrects its sums when it meets a larger score,
# - let the lanes of a warp take two roles: a key each, then two columns of the result each, and
# - exchange values between lanes by shuffles.

# %%
import numpy as np
from tutorial import Tutorial

from fairlead import cute

tutorial = Tutorial("08_attention")
WARPS = 4
KEYS = 32  # of a tile: one for each lane

# %% [markdown]
# ## The kernel
#
# A block has 4 warps, and each warp a query. The block goes through the keys in tiles of 32, which it keeps in shared
# memory together with their values. For each tile, a warp
#
# 1. computes 32 scores, lane `k` that of key `k`;
# 2. finds the new maximum, and scales its sums so far by `exp(old - new)`;
# 3. adds the values, weighted by `exp(score - new)`: the lanes now have columns of the result, and get the weight of
#    key `k` from lane `k` by `cute.arch.shuffle_sync`.
#
# `dim`, the size of a head, is a `Constexpr`: loops over it are unrolled, and registers are indexed by constants.


# %%
@cute.kernel
def attention_kernel(
    q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, out: cute.Tensor, dim: cute.Constexpr
):
    thread, _, _ = cute.arch.thread_idx()
    block, head, _ = cute.arch.block_idx()
    lane, warp = cute.arch.lane_idx(), cute.arch.warp_idx()
    queries, keys = q.shape[1], k.shape[1]
    query = block * WARPS + warp

    allocator = cute.SmemAllocator()
    # A row more than dim, so that the lanes' keys are in different banks.
    padded = cute.make_layout((KEYS, dim), stride=(dim + 1, 1))
    k_tile = allocator.allocate_tensor(cute.Float32, padded)
    v_tile = allocator.allocate_tensor(cute.Float32, padded)
    q_rows = allocator.allocate_tensor(
        cute.Float32, cute.make_layout((WARPS, dim), stride=(dim, 1))
    )
    for i in range(thread, WARPS * dim, WARPS * 32):
        row = block * WARPS + i // dim
        q_rows[i // dim, i % dim] = q[head, row, i % dim] if row < queries else 0.0

    largest = cute.Float32(-cute.Float32.inf)
    total = cute.Float32(0)
    columns = dim // 32
    sums = cute.make_rmem_tensor((columns,), cute.Float32)
    sums.fill(0.0)

    for tile in range(cute.ceil_div(keys, KEYS)):
        for i in range(thread, KEYS * dim, WARPS * 32):
            row, column = i // dim, i % dim
            inside = tile * KEYS + row < keys
            k_tile[row, column] = k[head, tile * KEYS + row, column] if inside else 0.0
            v_tile[row, column] = v[head, tile * KEYS + row, column] if inside else 0.0
        cute.arch.sync_threads()

        score = cute.Float32(0)
        for i in range(dim):
            score += q_rows[warp, i] * k_tile[lane, i]
        score = score * (dim**-0.5)
        if tile * KEYS + lane >= keys:
            score = -cute.Float32.inf

        new = max(largest, cute.arch.warp_reduction_max(score))
        weight = cute.math.exp(score - new)
        scale = cute.math.exp(largest - new)
        total = total * scale + cute.arch.warp_reduction_sum(weight)
        largest = new
        for c in cute.range_constexpr(columns):
            sums[c] = sums[c] * scale
        for key in range(KEYS):
            p = cute.arch.shuffle_sync(weight, key)
            for c in cute.range_constexpr(columns):
                sums[c] = sums[c] + p * v_tile[key, c * 32 + lane]
        cute.arch.sync_threads()

    if query < queries:
        for c in cute.range_constexpr(columns):
            out[head, query, c * 32 + lane] = sums[c] / total


@cute.jit
def attention(
    q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, out: cute.Tensor, dim: cute.Constexpr
):
    grid = (cute.ceil_div(q.shape[1], WARPS), q.shape[0], 1)
    attention_kernel(q, k, v, out, dim).launch(grid=grid, block=(WARPS * 32, 1, 1))


# %% [markdown]
# `if tile * KEYS + lane >= keys` changes `score`, a variable that existed before the branch. A variable that is first
# bound in a branch is not there after it.
#
# ## Compile and check


# %%
def compile_for(dim: int):
    heads, queries, keys = cute.sym_int(), cute.sym_int(), cute.sym_int()

    def tensor(rows):
        return cute.runtime.make_fake_compact_tensor(
            cute.Float32, (heads, rows, dim), stride_order=(2, 1, 0)
        )

    arguments = tensor(queries), tensor(keys), tensor(keys), tensor(queries)
    return cute.compile(attention, *arguments, dim, options=tutorial.target)


def reference(q, k, v):
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return weights / weights.sum(axis=2, keepdims=True) @ v


def inputs(heads, queries, keys, dim):
    generator = np.random.default_rng(0)
    shapes = (heads, queries, dim), (heads, keys, dim), (heads, keys, dim)
    return [generator.standard_normal(shape).astype(np.float32) for shape in shapes]


compiled = compile_for(64)
q, k, v = inputs(2, 35, 75, 64)
out = tutorial.array(np.empty_like(q))
compiled(*map(tutorial.array, (q, k, v)), out)
np.testing.assert_allclose(tutorial.numpy(out), reference(q, k, v), rtol=1e-4, atol=1e-5)
print("attention of 2 heads, 35 queries and 75 keys is right")

# %% [markdown]
# ## How fast is it?
#
# With n queries and n keys of size d, the two products take `4 n^2 d` operations. NumPy does them by a tuned library
# for matrices, but writes and reads the n x n matrix several times; the kernel stays within registers and shared
# memory. On a GPU the next step is to do both products on tensor cores, as in [tutorial 7](07_matmul.py).

# %%
lengths = tutorial.sizes([128, 256, 512, 1024], quick=[64])
ours, numpys = [], []
for n in lengths:
    q, k, v = inputs(4, n, n, 64)
    x, y, z, out = map(tutorial.array, (q, k, v, np.empty_like(q)))
    operations = 4 * 4 * n * n * 64 / 1e3
    ours.append(operations / tutorial.microseconds(lambda: compiled(x, y, z, out)))
    numpys.append(operations / tutorial.microseconds(lambda: reference(q, k, v)))
tutorial.plot(lengths, {"fairlead": ours, "NumPy": numpys}, "queries and keys", "GFLOP/s")

# %% [markdown]
# **Try it**: causal attention, where query i sees keys up to i. (`score` is `-inf` beyond; tiles beyond can be left
# out by a smaller bound of the loop.)
#
# Next: [a kernel in CUDA C++](09_cuda_cpp_kernel.py).
