"""Programs whose threads work together, with their results from NumPy: for the CPU's tests and the GPU's.

Each takes input arrays and one output. All arithmetic is exact or in a fixed order, so results are equal to the bit.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead import cute, range_constexpr
from fairlead.utils import SmemAllocator

PROGRAMS: dict[str, "Program"] = {}


@dataclass
class Program:
    function: Any
    make: Any  # rng -> inputs
    expect: Any  # inputs -> output


def program(make, expect):
    def register(function):
        PROGRAMS[function.__name__] = Program(function, make, expect)
        return function

    return register


def floats(*shape):
    return lambda rng: (rng.integers(-100, 100, shape).astype(np.float32),)


def ints(*shape, dtype=np.int32):
    return lambda rng: (rng.integers(0, 1 << 20, shape).astype(dtype),)


@cute.kernel
def device_reverse(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    tile = SmemAllocator().allocate_tensor(cute.Float32, 96, 16)
    tile[t] = a[x * 96 + t]
    cute.arch.sync_threads()
    b[x * 96 + t] = tile[95 - t]


@program(floats(7 * 96), lambda a: a.reshape(-1, 96)[:, ::-1].reshape(-1))
@cute.jit
def reverse(a: cute.Tensor, b: cute.Tensor):
    device_reverse(a, b).launch(grid=[a.shape[0] // 96, 1, 1], block=[96, 1, 1])


@cute.kernel
def device_tree_sum(a: cute.Tensor, b: cute.Tensor):
    """A tree in shared memory: a barrier in a run-time loop, next to a branch."""
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    tile = SmemAllocator().allocate_tensor(cute.Float32, 128)
    tile[t] = a[x * 128 + t]
    cute.arch.sync_threads()
    step = cute.Int32(64)
    while step > 0:
        if t < step:
            tile[t] = tile[t] + tile[t + step]
        cute.arch.sync_threads()
        step = step // 2
    if t == 0:
        b[x] = tile[0]


@program(floats(5 * 128), lambda a: a.reshape(-1, 128).sum(axis=1, dtype=np.float32))
@cute.jit
def tree_sum(a: cute.Tensor, b: cute.Tensor):
    device_tree_sum(a, b).launch(grid=[a.shape[0] // 128, 1, 1], block=[128, 1, 1])


@cute.kernel
def device_early_exit(a: cute.Tensor, b: cute.Tensor):
    """Threads that have ended are not waited for."""
    t, _, _ = cute.arch.thread_idx()
    tile = SmemAllocator().allocate_tensor(cute.Float32, 64)
    if t < 40:
        tile[t] = a[t]
        cute.arch.sync_threads()
        b[t] = tile[39 - t] * 2.0


@program(floats(40), lambda a: a[::-1] * 2)
@cute.jit
def early_exit(a: cute.Tensor, b: cute.Tensor):
    device_early_exit(a, b).launch(grid=[1, 1, 1], block=[64, 1, 1])


@cute.kernel
def device_two_groups(a: cute.Tensor, b: cute.Tensor):
    """Two halves of a block, each at its own barrier a different number of times."""
    t, _, _ = cute.arch.thread_idx()
    tile = SmemAllocator().allocate_tensor(cute.Float32, 128)
    tile[t] = a[t]
    cute.arch.sync_threads()
    if t < 64:
        for _ in range(3):
            value = tile[(t + 1) % 64]
            cute.arch.barrier(barrier_id=1, number_of_threads=64)
            tile[t] = value
            cute.arch.barrier(barrier_id=1, number_of_threads=64)
    else:
        value = tile[64 + (t + 7) % 64]
        cute.arch.barrier(barrier_id=2, number_of_threads=64)
        tile[t] = value
    cute.arch.sync_threads()
    b[t] = tile[127 - t]


def expect_two_groups(a):
    tile = np.concatenate([np.roll(a[:64], -3), a[64:][(np.arange(64) + 64 + 7) % 64]])
    return tile[::-1]


@program(floats(128), expect_two_groups)
@cute.jit
def two_groups(a: cute.Tensor, b: cute.Tensor):
    device_two_groups(a, b).launch(grid=[1, 1, 1], block=[128, 1, 1])


@cute.kernel
def device_shuffles(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    v = a[t]
    b[0, t] = cute.arch.shuffle_sync(v, 5)
    b[1, t] = cute.arch.shuffle_sync(v, (t * 7 + 3) % 32)
    b[2, t] = cute.arch.shuffle_sync_up(v, 3)
    b[3, t] = cute.arch.shuffle_sync_down(v, 4)
    b[4, t] = cute.arch.shuffle_sync_bfly(v, 9)
    # Groups of 8 lanes: bits 8 to 12 hold 32 - 8.
    b[5, t] = cute.arch.shuffle_sync(v, 2, mask_and_clamp=(24 << 8) | 31)
    b[6, t] = cute.arch.shuffle_sync_up(v, 2, mask_and_clamp=24 << 8)
    b[7, t] = cute.arch.shuffle_sync_down(v, 2, mask_and_clamp=(24 << 8) | 31)
    b[8, t] = cute.arch.warp_reduction_sum(v, threads_in_group=4)
    b[9, t] = cute.arch.warp_reduction_max(v)
    b[10, t] = cute.arch.make_warp_uniform(v)


def expect_shuffles(a):
    warps = a.reshape(-1, 32)
    lanes = np.arange(32)
    group = lanes // 8 * 8
    rows = [
        warps[:, [5] * 32],
        warps[:, (lanes * 7 + 3) % 32],
        warps[:, np.where(lanes < 3, lanes, lanes - 3)],
        warps[:, np.where(lanes + 4 > 31, lanes, lanes + 4)],
        warps[:, lanes ^ 9],
        warps[:, group + 2],
        warps[:, np.where(lanes - 2 < group, lanes, lanes - 2)],
        warps[:, np.where(lanes + 2 > group + 7, lanes, lanes + 2)],
        warps.reshape(-1, 8, 4).sum(axis=2).repeat(4, axis=1),
        warps.max(axis=1, keepdims=True).repeat(32, axis=1),
        warps[:, [0] * 32],
    ]
    return np.stack([row.reshape(-1) for row in rows]).astype(a.dtype)


@program(floats(96), expect_shuffles)
@cute.jit
def shuffle_float32(a: cute.Tensor, b: cute.Tensor):
    device_shuffles(a, b).launch(grid=[1, 1, 1], block=[96, 1, 1])


@program(ints(64, dtype=np.int64), expect_shuffles)
@cute.jit
def shuffle_int64(a: cute.Tensor, b: cute.Tensor):
    device_shuffles(a, b).launch(grid=[1, 1, 1], block=[64, 1, 1])


@cute.kernel
def device_extremes(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b[0, t] = cute.arch.warp_redux_sync(a[t], "fmin")
    b[1, t] = cute.arch.warp_redux_sync(a[t], "fmax")
    b[2, t] = cute.arch.warp_redux_sync(a[t], "fmax", nan=True)


def floats_with_nan(rng):
    """Numbers of three warps: the second has a NaN, and the third has no number."""
    a = rng.standard_normal(96).astype(np.float32)
    a[40] = np.nan
    a[64:] = np.nan
    return (a,)


def expect_extremes(a):
    warps = a.reshape(-1, 32)
    extremes = [np.fmin.reduce(warps, 1), np.fmax.reduce(warps, 1), warps.max(1)]
    return np.repeat(np.stack(extremes), 32, axis=1)


@program(floats_with_nan, expect_extremes)
@cute.jit
def extremes(a: cute.Tensor, b: cute.Tensor):
    device_extremes(a, b).launch(grid=[1, 1, 1], block=[96, 1, 1])


@cute.kernel
def device_transposed(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b[0, t] = cute.arch.movmatrix(a[t])
    b[1, t] = cute.arch.movmatrix(cute.arch.movmatrix(a[t]))


def expect_transposed(a):
    """A matrix of 8 x 8 halves in the words of each warp."""
    matrices = a.view(np.uint16).reshape(-1, 8, 8)
    columns = np.ascontiguousarray(matrices.transpose(0, 2, 1)).reshape(-1).view(a.dtype)
    return np.stack([columns, a])


@program(lambda rng: (rng.integers(0, 1 << 32, 96, dtype=np.uint32),), expect_transposed)
@cute.jit
def transposed_uint32(a: cute.Tensor, b: cute.Tensor):
    device_transposed(a, b).launch(grid=[1, 1, 1], block=[96, 1, 1])


@program(lambda rng: (rng.integers(-(1 << 31), 1 << 30, 64, dtype=np.int32),), expect_transposed)
@cute.jit
def transposed_int32(a: cute.Tensor, b: cute.Tensor):
    device_transposed(a, b).launch(grid=[1, 1, 1], block=[64, 1, 1])


@cute.kernel
def device_divergent(a: cute.Tensor, b: cute.Tensor):
    """Collectives of parts of a warp, on different paths and in loops of different length."""
    t, _, _ = cute.arch.thread_idx()
    lane = cute.arch.lane_idx()
    result = cute.Int32(0)
    if lane < 8:
        result = cute.arch.shuffle_sync_bfly(a[t], 1, mask=0xFF)
        result = result + cute.arch.shuffle_sync_bfly(result, 2, mask=0xFF)
    elif lane < 16:
        if cute.arch.vote_any_sync(a[t] % 2 == 0, mask=0xFF00):
            result = cute.Int32(1000)
    else:
        for i in range(lane - 13):
            result = result + i
    cute.arch.sync_warp()
    ballot = cute.arch.vote_ballot_sync(a[t] % 3 == 0)
    all_same = cute.arch.vote_uni_sync(a[t] >= 0)
    if all_same:
        result = result + 7
    if cute.arch.vote_all_sync(a[t] > 5):
        result = result + 100000
    b[0, t] = result
    b[1, t] = ballot.to(cute.Int32)


def expect_divergent(a):
    lanes = np.arange(32)
    results, ballots = [], []
    for warp in a.reshape(-1, 32):
        first = warp[lanes[:8] ^ 1]
        first = first + first[lanes[:8] ^ 2]
        second = np.full(8, 1000 if (warp[8:16] % 2 == 0).any() else 0)
        third = [sum(range(lane - 13)) for lane in lanes[16:]]
        result = np.concatenate([first, second, third])
        result = result + 7 + (100000 if (warp > 5).all() else 0)
        results.append(result)
        ballot = int(((warp % 3 == 0).astype(np.uint64) << lanes.astype(np.uint64)).sum())
        ballots.append(np.full(32, np.uint32(ballot).astype(np.int32)))
    return np.stack([np.concatenate(results), np.concatenate(ballots)]).astype(np.int32)


@program(ints(128), expect_divergent)
@cute.jit
def divergent(a: cute.Tensor, b: cute.Tensor):
    device_divergent(a, b).launch(grid=[1, 1, 1], block=[128, 1, 1])


@cute.kernel
def device_scan(a: cute.Tensor, b: cute.Tensor):
    """Inclusive prefix sums of a block: shuffles in a warp, shared memory between warps."""
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    lane, warp = cute.arch.lane_idx(), cute.arch.warp_idx()
    totals = SmemAllocator().allocate_tensor(cute.Int32, 8)
    value = a[x * 256 + t]
    step = cute.Int32(1)
    while step < 32:
        below = cute.arch.shuffle_sync_up(value, step)
        if lane >= step:
            value = value + below
        step = step * 2
    if lane == 31:
        totals[warp] = value
    cute.arch.sync_threads()
    for w in range(warp):
        value = value + totals[w]
    b[x * 256 + t] = value


@program(ints(3 * 256), lambda a: a.reshape(-1, 256).cumsum(axis=1, dtype=np.int32).reshape(-1))
@cute.jit
def scan(a: cute.Tensor, b: cute.Tensor):
    device_scan(a, b).launch(grid=[a.shape[0] // 256, 1, 1], block=[256, 1, 1])


@cute.kernel
def device_histogram(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    bins = SmemAllocator().allocate_tensor(cute.Int32, 64)
    if t < 64:
        bins[t] = 0
    cute.arch.sync_threads()
    cute.arch.atomic_add(bins.iterator + a[x * 128 + t] % 64, 1, scope="cta")
    cute.arch.sync_threads()
    if t < 64:
        cute.arch.atomic_add(b.iterator + t, bins[t])


@program(ints(40 * 128), lambda a: np.bincount(a % 64, minlength=64).astype(np.int32))
@cute.jit
def histogram(a: cute.Tensor, b: cute.Tensor):
    device_histogram(a, b).launch(grid=[a.shape[0] // 128, 1, 1], block=[128, 1, 1])


@cute.kernel
def device_atomics(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    v = a[x * 64 + t]
    cute.arch.atomic_max(b.iterator, v)
    cute.arch.atomic_min(b.iterator + 1, -v)
    cute.arch.atomic_or(b.iterator + 2, v)
    cute.arch.atomic_xor(b.iterator + 3, v)
    cute.arch.atomic_and(b.iterator + 4, -1 - v)
    # A sum by compare and exchange.
    seen, old = cute.Int32(-1), cute.Int32(0)
    while seen != old:
        old = cute.arch.atomic_or(b.iterator + 5, cute.Int32(0))  # a plain read would race
        seen = cute.arch.atomic_cas(b.iterator + 5, cmp=old, val=old + v)


@program(
    ints(20 * 64),
    lambda a: np.array(
        [
            a.max(),
            -a.max(),
            np.bitwise_or.reduce(a),
            np.bitwise_xor.reduce(a),
            0,
            a.sum(dtype=np.int32),
        ],
        np.int32,
    ),
)
@cute.jit
def atomics(a: cute.Tensor, b: cute.Tensor):
    device_atomics(a, b).launch(grid=[a.shape[0] // 64, 1, 1], block=[64, 1, 1])


@cute.kernel
def device_float_atomics(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    v = a[x * 64 + t]
    cute.arch.atomic_add(b.iterator, v)
    cute.arch.atomic_fmax(b.iterator + 1, v)
    cute.arch.atomic_fmin(b.iterator + 2, v)


@program(floats(20 * 64), lambda a: np.array([a.sum(), a.max(), a.min()], np.float32))
@cute.jit
def float_atomics(a: cute.Tensor, b: cute.Tensor):
    device_float_atomics(a, b).launch(grid=[a.shape[0] // 64, 1, 1], block=[64, 1, 1])


@cute.kernel
def device_matmul(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    """Tiles of 16 by 16 through shared memory; sizes that are no multiples of the tile."""
    tx, ty, _ = cute.arch.thread_idx()
    bx, by, _ = cute.arch.block_idx()
    row, column = by * 16 + ty, bx * 16 + tx
    smem = SmemAllocator()
    left = smem.allocate_tensor(cute.Float32, cute.make_layout((16, 16), stride=(17, 1)))
    right = smem.allocate_tensor(cute.Float32, (16, 16))
    total = cute.Float32(0.0)
    for tile in range(cute.ceil_div(a.shape[1], 16)):
        left[ty, tx] = cute.Float32(0.0)
        right[ty, tx] = cute.Float32(0.0)
        if row < a.shape[0]:
            if tile * 16 + tx < a.shape[1]:
                left[ty, tx] = a[row, tile * 16 + tx]
        if column < b.shape[1]:
            if tile * 16 + ty < b.shape[0]:
                right[ty, tx] = b[tile * 16 + ty, column]
        cute.arch.sync_threads()
        for k in range_constexpr(16):
            total = total + left[ty, k] * right[k, tx]
        cute.arch.sync_threads()
    if row < c.shape[0]:
        if column < c.shape[1]:
            c[row, column] = total


@program(
    lambda rng: (
        rng.integers(-8, 8, (37, 50)).astype(np.float32),
        rng.integers(-8, 8, (50, 21)).astype(np.float32),
    ),
    lambda a, b: a @ b,
)
@cute.jit
def matmul(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    grid = [cute.ceil_div(c.shape[1], 16), cute.ceil_div(c.shape[0], 16), 1]
    device_matmul(a, b, c).launch(grid=grid, block=[16, 16, 1])


def case(name, seed=0):
    """(function, inputs, an output to fill, the expected output); outputs of sums start at 0."""
    chosen = PROGRAMS[name]
    inputs = chosen.make(np.random.default_rng(seed))
    expected = np.asarray(chosen.expect(*inputs))
    return chosen.function, inputs, np.zeros_like(expected), np.ascontiguousarray(expected)
