"""Programs with asynchronous copies and products: right, or with the mistake named by ``bug``."""

from __future__ import annotations

from fairlead import Float32, Int64, cute, range, utils
from fairlead.utils import hopper_helpers as sm90


@cute.kernel
def stored_twice_kernel(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    words = cute.SmemAllocator().allocate_tensor(Float32, 128, 16)
    t, _, _ = cute.arch.thread_idx()
    store = cute.make_copy_atom(
        cute.nvgpu.cpasync.CopyBulkS2GOp(), Float32, num_bits_per_copy=128 * 32
    )
    for i in range(2):
        if cute.const_expr(bug != "tail") or t < 100:
            words[t] = a[t] + i.to(Float32)
        if cute.const_expr(bug != "fence"):
            cute.arch.fence_view_async_shared()
        if cute.const_expr(bug != "barrier"):
            cute.arch.sync_threads()
        if t < 32:
            cute.copy(store, words, out[None, i])
            cute.arch.cp_async_bulk_commit_group()
            if cute.const_expr(bug != "wait"):
                cute.arch.cp_async_bulk_wait_group(0, read=True)
        cute.arch.sync_threads()


@cute.jit
def stored_twice(a: cute.Tensor, out: cute.Tensor, bug: cute.Constexpr):
    """out[:, i] = a + i, by bulk copies from shared memory that is written again."""
    out = cute.make_tensor(out.iterator, cute.make_layout((128, 2)))
    stored_twice_kernel(a, out, bug).launch(grid=1, block=128)


@cute.jit
def product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, bug: cute.Constexpr):
    """c (64, 64) = a (64, 64) * b (64, 64) of Float16 by one warpgroup; tiles come by TMA."""
    K = cute.nvgpu.OperandMajorMode.K
    mma = sm90.make_trivial_tiled_mma(
        a.element_type, b.element_type, K, K, Float32, (1, 1, 1), (64, 64)
    )
    row = utils.LayoutEnum.ROW_MAJOR
    staged = (
        sm90.make_smem_layout_a(row, (64, 64, 64), a.element_type, 1),
        sm90.make_smem_layout_b(row, (64, 64, 64), b.element_type, 1),
    )
    (a_atom, a_coords), (b_atom, b_coords) = (
        cute.nvgpu.cpasync.make_tiled_tma_atom(
            cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(),
            tensor,
            cute.slice_(layout, (None, None, 0)),
            (64, 64),
        )
        for tensor, layout in zip((a, b), staged, strict=True)
    )
    product_kernel(a_atom, a_coords, b_atom, b_coords, c, mma, staged[0], staged[1], bug).launch(
        grid=1, block=128
    )


@cute.kernel
def product_kernel(
    a_atom: cute.CopyAtom, a: cute.Tensor, b_atom: cute.CopyAtom, b: cute.Tensor, c: cute.Tensor,
    mma: cute.TiledMma, a_staged: cute.ComposedLayout, b_staged: cute.ComposedLayout,
    bug: cute.Constexpr,
):  # fmt: skip
    memory = utils.SmemAllocator()
    tiles = []
    for atom, staged in ((a_atom, a_staged), (b_atom, b_staged)):
        pointer = memory.allocate_array(atom.value_type, cute.cosize(staged), byte_alignment=1024)
        tiles.append(cute.make_tensor(cute.recast_ptr(pointer, staged.inner), staged.outer))
    sa, sb = tiles
    barrier = memory.allocate(Int64)
    tid, _, _ = cute.arch.thread_idx()
    if tid == 0:
        cute.arch.mbarrier_init(barrier, 1)
    cute.arch.mbarrier_init_fence()
    if cute.const_expr(bug != "init barrier"):
        cute.arch.sync_threads()
    if tid < 32:
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(
                barrier, (64 if cute.const_expr(bug == "one tile") else 128) * 64 * 2
            )
        for atom, shared, tensor in ((a_atom, sa, a), (b_atom, sb, b)):
            if cute.const_expr(bug != "one tile" or atom is a_atom):
                to, origin = cute.nvgpu.cpasync.tma_partition(
                    atom,
                    0,
                    cute.make_layout(1),
                    cute.group_modes(shared, 0, 2),
                    cute.group_modes(cute.local_tile(tensor, (64, 64), (0, 0)), 0, 2),
                )
                cute.copy(atom, origin, to[None, 0], tma_bar_ptr=barrier)
    if tid > 127:  # nobody
        sb[0, 0, 0] = sb.element_type(0)
    part = mma.get_slice(tid)
    ra = mma.make_fragment_A(part.partition_A(sa))
    rb = mma.make_fragment_B(part.partition_B(sb))
    sums = mma.make_fragment_C(mma.partition_shape_C((64, 64)))
    if cute.const_expr(bug != "arrival"):
        cute.arch.mbarrier_wait(barrier, 0)
    if cute.const_expr(bug in ("overwritten", "unfenced")):
        cute.arch.sync_threads()
        sb[tid % 64, tid // 64, 0] = sb[tid % 64, tid // 64, 0] + sb.element_type(0)
        if cute.const_expr(bug != "unfenced"):
            cute.arch.fence_view_async_shared()
        cute.arch.sync_threads()
    if cute.const_expr(bug == "divergent"):
        first = c[tid % 64, 0]
        cute.arch.sync_threads()
    mma.set(cute.nvgpu.warpgroup.Field.ACCUMULATE, False)
    if cute.const_expr(bug != "registers fence"):
        cute.nvgpu.warpgroup.fence()
    for step in range(cute.size(ra, mode=[2]), unroll_full=True):
        cute.gemm(mma, sums, ra[None, None, step, 0], rb[None, None, step, 0], sums)
        mma.set(cute.nvgpu.warpgroup.Field.ACCUMULATE, True)
    if cute.const_expr(bug == "divergent"):
        if first > 40.0:
            cute.nvgpu.warpgroup.commit_group()
    else:
        cute.nvgpu.warpgroup.commit_group()
    if cute.const_expr(bug == "overwritten"):
        sb[tid % 64, 0, 0] = sb.element_type(0)
    cute.nvgpu.warpgroup.wait_group(1 if cute.const_expr(bug == "wait") else 0)
    cute.basic_copy(sums, part.partition_C(cute.local_tile(c, (64, 64), (0, 0))))


@cute.kernel
def arrivals_kernel(a: cute.Tensor, bug: cute.Constexpr):
    """Warp 0 writes for warp 1 and tells it so by an mbarrier."""
    t, _, _ = cute.arch.thread_idx()
    memory = cute.SmemAllocator()
    s = memory.allocate_tensor(Float32, 32)
    full = memory.allocate_array(Int64, 1)
    if cute.const_expr(bug != "none"):
        if (t % 32 if cute.const_expr(bug == "warps") else t) == 0:
            cute.arch.mbarrier_init(full, 31 if cute.const_expr(bug == "count") else 32)
    cute.arch.sync_threads()
    if t < 32:
        s[t] = a[t]
        if cute.const_expr(bug != "lane") or t > 0:
            cute.arch.mbarrier_arrive(full)
    else:
        cute.arch.mbarrier_wait(full, 1 if cute.const_expr(bug == "parity") else 0)
        a[t] = s[63 - t]


@cute.jit
def arrivals(a: cute.Tensor, bug: cute.Constexpr):
    arrivals_kernel(a, bug).launch(grid=1, block=64)


@cute.kernel
def barriers_kernel(a: cute.Tensor, bug: cute.Constexpr):
    """Warps 0 and 1 hand values to warps 2 and 3 by a barrier with a number."""
    t, _, _ = cute.arch.thread_idx()
    s = cute.SmemAllocator().allocate_tensor(Float32, 64)
    if t < 64:
        s[t] = a[t]
        cute.arch.barrier(
            barrier_id=1,
            number_of_threads=96 if cute.const_expr(bug == "few") else 128,
        )
    else:
        if cute.const_expr(bug == "unequal"):
            cute.arch.barrier(barrier_id=1, number_of_threads=96)
        elif cute.const_expr(bug == "few"):
            cute.arch.barrier(barrier_id=1, number_of_threads=96)
        elif cute.const_expr(bug == "missing"):
            if t < 96:
                cute.arch.barrier(barrier_id=1, number_of_threads=128)
        else:
            cute.arch.barrier(barrier_id=1, number_of_threads=128)
        a[t] = s[127 - t]


@cute.jit
def barriers(a: cute.Tensor, bug: cute.Constexpr):
    barriers_kernel(a, bug).launch(grid=1, block=128)


@cute.kernel
def lanes_kernel(a: cute.Tensor, n: cute.Int32, bug: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    if cute.const_expr(bug == "ended"):
        if t < n:
            a[t] = cute.arch.shuffle_sync_down(a[t], 1)
    elif cute.const_expr(bug == "mask"):
        if t < n:
            a[t] = cute.arch.shuffle_sync(a[t], 31, mask=0xFFFF)
    elif cute.const_expr(bug == "meeting"):
        if t < n:
            cute.arch.sync_threads()
    elif cute.const_expr(bug == "branches"):
        if t < n:
            a[t] = cute.arch.shuffle_sync(a[t], 0)
        else:
            cute.arch.sync_warp()
    else:
        value = cute.arch.shuffle_sync_down(a[t], 1)
        if t < n:
            a[t] = value


@cute.jit
def lanes(a: cute.Tensor, n: cute.Int32, bug: cute.Constexpr):
    lanes_kernel(a, n, bug).launch(grid=1, block=64)
