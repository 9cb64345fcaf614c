"""Features that libraries of products and attention use beyond programs' helpers: parts of swizzled
tensors put together again, reductions from shared memory, tiles for clusters, parameters that hold descriptors."""

import dataclasses
import enum
from typing import NamedTuple

import cutlass
import cutlass.cute as cute
import torch
from cutlass import Float16, Float32, Int32, Int64
from cutlass.cute.nvgpu import cpasync, warp
from cutlass.cute.runtime import from_dlpack
from cutlass.experimental import primitives
from cutlass.utils import LayoutEnum, SmemAllocator, block_copy, hopper_helpers

# --- parts of swizzled tensors


@cute.kernel
def device_store(out: cute.Tensor, mma: cute.TiledMma, staged: cute.ComposedLayout):
    thread, _, _ = cute.arch.thread_idx()
    memory = SmemAllocator()
    one, other = (
        memory.allocate_tensor(Float16, staged.outer, 1024, swizzle=staged.inner) for _ in range(2)
    )
    places = mma.get_slice(thread).partition_C(cute.make_identity_tensor((64, 64)))
    sums = cute.make_rmem_tensor(mma.partition_shape_C((64, 64)), Float16)
    for i in cutlass.range_constexpr(cute.size(sums)):
        row, column = places[i]
        sums[i] = (row % 32 * 64 + column).to(Float16)
    atom = cute.make_copy_atom(warp.StMatrix8x8x16bOp(False, 4), Float16)
    mine = cute.make_tiled_copy_C(atom, mma).get_slice(thread)
    cute.copy(mine, mine.retile(sums), mine.partition_D(one)[None, None, None, 0])

    # With the swizzle in the layout, of elements, and applied to the first address by hand.
    swizzle = other.iterator.type.swizzle_type
    bits, base, shift = swizzle.num_bits, swizzle.num_base, swizzle.num_shift
    of_bytes = cute.make_composed_layout(
        cute.make_swizzle(bits, base, shift), 0, cute.recast_layout(8, 16, other.layout)
    )
    plain = cute.make_tensor(
        cute.recast_ptr(other.iterator, dtype=Float16), cute.recast_layout(16, 8, of_bytes)
    )
    assert plain.iterator.type.swizzle_type.num_bits == 0
    first = mine.partition_D(other).iterator
    address = first.toint()
    address = address ^ ((address & (((1 << bits) - 1) << (base + shift))) >> shift)
    pointer = cute.make_ptr(Float16, address, first.memspace, assumed_align=first.alignment)
    part = cute.make_tensor(pointer, mine.partition_D(plain).layout)
    cute.copy(mine, mine.retile(sums), part[None, None, None, 0])
    cute.arch.sync_threads()
    for i in cutlass.range(32):
        row, column = i * 2 + thread // 64, thread % 64
        out[0, row, column] = one[row, column, 0]
        out[1, row, column] = other[row, column, 0]


@cute.jit
def store(out: cute.Tensor):
    mma = hopper_helpers.make_trivial_tiled_mma(
        Float16, Float16, cute.nvgpu.OperandMajorMode.K, cute.nvgpu.OperandMajorMode.K, Float32,
        (1, 1, 1), tiler_mn=(64, 64),
    )  # fmt: skip
    staged = hopper_helpers.make_smem_layout_a(LayoutEnum.ROW_MAJOR, (64, 64, 64), Float16, 1)
    device_store(out, mma, staged).launch(grid=(1, 1, 1), block=(128, 1, 1))


def check_parts():
    out = torch.full((2, 64, 64), -1.0, device="cuda", dtype=torch.float16)
    store(from_dlpack(out, assumed_align=16))
    wanted = torch.arange(32 * 64, device="cuda").reshape(32, 64).repeat(2, 1).half()
    assert torch.equal(out[0], wanted) and torch.equal(out[1], wanted)


# --- registers beyond the last one: nothing is stored for them


@cute.kernel
def device_rows(out: cute.Tensor):
    values = cute.make_rmem_tensor((2,), Float32)
    for i in cutlass.range_constexpr(2):
        values[i] = Float32(i + 1)
    for i in cutlass.range(8, unroll_full=True):
        if i < out.shape[0] + 6:
            out[i % 2] = values[i]


@cute.jit
def rows(out: cute.Tensor):
    device_rows(out).launch(grid=(1, 1, 1), block=(1, 1, 1))


def check_registers():
    out = torch.zeros(2, device="cuda")
    rows(from_dlpack(out).mark_layout_dynamic())
    assert out.tolist() == [1.0, 2.0]


# --- tuples of numbers and pointers, for which calls return Python's own; counters that go on at 0


class Order(enum.Enum):
    ROWS = 0
    COLUMNS = 1


class Options(NamedTuple):
    count: Int32
    order: cutlass.Constexpr[Order] = Order.ROWS
    last: Int32 = Int32(8)
    counter: cute.Pointer | None = None

    def parts(self):
        return [part for part in self if part is not None and not isinstance(part, Order)]

    def __c_pointers__(self):
        from cutlass.base_dsl.typing import get_c_pointers

        return [pointer for part in self.parts() for pointer in get_c_pointers(part)]

    def __get_mlir_types__(self):
        from cutlass.base_dsl.typing import get_mlir_types

        return [each for part in self.parts() for each in get_mlir_types(part)]

    def __extract_mlir_values__(self):
        return [each for part in self.parts() for each in cutlass.extract_mlir_values(part)]

    def __new_from_mlir_values__(self, values):
        values = iter(values)
        return Options(*(
            part if part is None or isinstance(part, Order) else next(values) for part in self
        ))  # fmt: skip


@cute.kernel
def device_count(out: cute.Tensor, options: Options):
    thread, _, _ = cute.arch.thread_idx()
    found = primitives.atomicrmw(primitives.AtomicOp.INC, options.counter, options.last)
    if thread < options.count:
        out[thread] = found


@cute.jit
def count(out: cute.Tensor, options: Options):
    assert options.order is Order.COLUMNS
    device_count(out, options).launch(grid=(1, 1, 1), block=(32, 1, 1))


def check_tuples():
    counter = torch.zeros(1, device="cuda", dtype=torch.int32)
    fake = cute.runtime.make_fake_compact_tensor(Int32, (32,))
    pointer = cute.runtime.make_ptr(Int32, 0, cute.AddressSpace.gmem, assumed_align=4)
    example = Options(Int32(1), Order.COLUMNS, Int32(8), pointer)
    compiled = cute.compile(count, fake, example, options="--enable-tvm-ffi")
    out = torch.full((32,), -1, device="cuda", dtype=torch.int32)
    compiled(out, Options(Int32(20), None, 4, counter.data_ptr()))
    assert set(out[:20].tolist()) <= set(range(5)) and set(out[20:].tolist()) == {-1}
    assert counter.item() == 32 % 5


# --- reductions from shared memory


@cute.kernel
def device_add(out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    part = SmemAllocator().allocate_tensor(Float32, cute.make_layout(64), 128)
    part[thread] = (thread * (block + 1)).to(Float32)
    cute.arch.fence_view_async_shared()
    cute.arch.sync_threads()
    if thread == 0:
        primitives.cp_reduce_async_bulk_global_shared_cta(
            out.iterator.to_llvm_ptr(), part.iterator.to_llvm_ptr(), 256,
            op=primitives.CpReduceOp.ADD, type=primitives.CpReduceType.F32,
        )  # fmt: skip
        cute.arch.cp_async_bulk_commit_group()
        cute.arch.cp_async_bulk_wait_group(0)


@cute.jit
def add(out: cute.Tensor):
    device_add(out).launch(grid=(5, 1, 1), block=(64, 1, 1))


def check_reductions():
    out = torch.ones(64, device="cuda")
    add(from_dlpack(out, assumed_align=16))
    assert torch.equal(out, 1 + 15 * torch.arange(64, device="cuda").float())


# --- tiles for the blocks of a cluster, by a descriptor in an object


@dataclasses.dataclass
class Load:
    atom: cute.CopyAtom
    source: cute.Tensor

    def __extract_mlir_values__(self):
        parts = [cutlass.extract_mlir_values(each) for each in (self.atom, self.source)]
        self.counts = [len(part) for part in parts]
        return [each for part in parts for each in part]

    def __new_from_mlir_values__(self, values):
        first = self.counts[0]
        return Load(
            cutlass.new_from_mlir_values(self.atom, values[:first]),
            cutlass.new_from_mlir_values(self.source, values[first:]),
        )


@cute.kernel
def device_load(load: Load, out: cute.Tensor, in_parts: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    memory = SmemAllocator()
    tile = memory.allocate_tensor(Float32, cute.make_layout((16, 32), stride=(32, 1)), 128)
    barrier = memory.allocate_array(Int64)
    if thread == 0:
        cute.arch.mbarrier_init(barrier, 1)
    cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    if thread == 0:
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, 16 * 32 * 4)
        source = cute.local_tile(load.source, (16, 32), (block // 2, 0))
        block_copy(
            load.atom, source, tile, tma_bar_ptr=barrier,
            tma_multicast={"cluster_shape": (2, 1), "multicast_dim": "N"},
        )  # fmt: skip
    cute.arch.mbarrier_wait(barrier, 0)
    for row in cutlass.range(16):
        out[block, row, thread] = tile[row, thread]
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


@cute.jit
def load_tiles(source: cute.Tensor, out: cute.Tensor, in_parts: cutlass.Constexpr):
    op = cpasync.CopyBulkTensorTileG2SOp()
    if cutlass.const_expr(in_parts):
        op = cpasync.CopyBulkTensorTileG2SMulticastOp()
    layout = cute.make_layout((16, 32), stride=(32, 1))
    shared_by = 2 if in_parts else 1
    atom, places = cpasync.make_tiled_tma_atom(op, source, layout, (16, 32), shared_by)
    device_load(Load(atom, places), out, in_parts).launch(
        grid=(4, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1)
    )


def check_tiles():
    source = torch.randn(32, 32, device="cuda")
    for in_parts in (False, True):
        out = torch.zeros(4, 16, 32, device="cuda")
        load_tiles(from_dlpack(source, assumed_align=16), from_dlpack(out), in_parts)
        for block in range(4):
            assert torch.equal(out[block], source[block // 2 * 16 :][:16]), (in_parts, block)


if __name__ == "__main__":
    for check in (check_parts, check_registers, check_tuples, check_reductions, check_tiles):
        check()
    print("PASS")
