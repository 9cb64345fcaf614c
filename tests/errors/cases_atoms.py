"""Atoms, tiled copies and products, tensor maps and mbarriers that are used wrongly."""

import kernels
from error_cases import case

from fairlead import (
    BFloat16,
    Float4E2M1FN,
    Float8E4M3B11FNUZ,
    Float8E4M3FN,
    Float16,
    Float32,
    Int16,
    Int32,
    Int64,
    _compiler,
    cute,
)
from fairlead.cute.nvgpu import (
    CopyUniversalOp,
    MemoryOrder,
    OperandMajorMode,
    cpasync,
    tcgen05,
    warp,
    warpgroup,
)
from fairlead.utils import SmemAllocator

HOPPER, BLACKWELL = "--target cuda:sm_90a", "--target cuda:sm_100a"
K, MN = OperandMajorMode.K, OperandMajorMode.MN
SMEM, RMEM = warpgroup.OperandSource.SMEM, warpgroup.OperandSource.RMEM
ONE = tcgen05.CtaGroup.ONE


def in_kernel(function, options="--target cpu"):
    kernels.in_kernel(function, options=options)


def registers(shape, dtype=Float16):
    return cute.make_rmem_tensor(shape, dtype)


def shared(shape=(8, 64), dtype=Float16):
    rows = cute.make_layout(shape, stride=(shape[1], 1))
    return SmemAllocator().allocate_tensor(dtype, rows, byte_alignment=128)


def mbarrier():
    return SmemAllocator().allocate_array(Int64, 1)


# --- MMAs


@case
def MmaUnknown():
    cute.make_mma_atom(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 32)))


@case
def MmaTypes():
    cute.make_mma_atom(
        tcgen05.MmaF16BF16Op(
            BFloat16, Float16, (128, 64, 16), ONE, tcgen05.OperandSource.SMEM, K, K
        )
    )


@case
def MmaShape():
    cute.make_mma_atom(warpgroup.MmaF16BF16Op(Float16, Float32, (64, 12, 16), SMEM, K, K))


@case
def MmaShapeRank():
    cute.make_mma_atom(warp.MmaF16BF16Op(Float16, Float32, (16, 8)))


@case
def MmaMajorMode():
    cute.make_mma_atom(
        warpgroup.MmaF8Op(Float8E4M3FN, Float8E4M3FN, Float32, (64, 64, 32), SMEM, K, MN)
    )


@case
def MmaMajorInRegisters():
    cute.make_mma_atom(warpgroup.MmaF16BF16Op(Float16, Float32, (64, 64, 16), RMEM, MN, K))


def tiled_product(*options):
    return cute.make_tiled_mma(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)), *options)


@case
def MmaOperandMemory():
    def device(a, b):
        sums = registers(((2, 2), 1, 1), Float32)
        other_type = registers(((2, 2, 2), 1, 1), Int16)
        cute.gemm(tiled_product(), sums, other_type, registers(((2, 2), 1, 1)), sums)

    in_kernel(device)


@case
def MmaFragmentSource():
    def device(a, b):
        in_tensor_memory().make_fragment_A(((128, 16), 1, 1))

    in_kernel(device, BLACKWELL)


@case
def MmaField():
    tiled_product().set("accum_c", True)


@case
def MmaAtomLayout():
    tiled_product(cute.make_layout((1, 1, 1, 1)))


@case
def MmaPermutation():
    tiled_product((1, 1, 1), (16, 8, 16, 2))


@case
def MmaPermutationSize():
    tiled_product((2, 2, 1), (32, 24, 16))


@case
def GemmShape():
    @cute.kernel
    def device(n: Int32):
        op = warpgroup.MmaF16BF16Op(Float16, Float32, (64, 64, 16), SMEM, K, K)
        product = cute.make_tiled_mma(op)
        rows = cute.make_layout((64, 64), stride=(64, 1))
        tile = SmemAllocator().allocate_tensor(
            Float16, rows, 1024, swizzle=cute.make_swizzle(3, 4, 3)
        )
        any_number = cute.make_tensor(tile.iterator, cute.make_layout((64 * n, 16), stride=(64, 1)))
        sums = registers(product.partition_shape_C((64, 64)), Float32)
        part = product.get_slice(0)
        left = product.make_fragment_A(part.partition_A(any_number))
        right = product.make_fragment_B(part.partition_B(any_number))
        cute.gemm(product, sums, left, right, sums)

    @cute.jit
    def host(n: Int32):
        device(n).launch(grid=1, block=128)

    cute.compile(host, Int32, options=HOPPER)


def in_tensor_memory():
    op = tcgen05.MmaF16BF16Op(
        Float16, Float32, (128, 256, 16), ONE, tcgen05.OperandSource.SMEM, K, K
    )
    return cute.make_tiled_mma(op)


@case
def TensorMemoryShape():
    def device(a, b):
        in_tensor_memory().make_fragment_C(((64, 256), 1, 1))

    in_kernel(device, BLACKWELL)


@case
def TensorMemoryFragment():
    def device(a, b):
        in_tensor_memory().make_fragment_C(((128, 256), 1, 3))

    in_kernel(device, BLACKWELL)


@case
def TensorMemoryColumns():
    def device(a, b):
        cute.arch.alloc_tmem(48, SmemAllocator().allocate_array(Int32, 1))

    in_kernel(device, BLACKWELL)


@case
def TensorMemoryPointer():
    def device(a, b):
        cute.arch.alloc_tmem(64, a.iterator)

    in_kernel(device, BLACKWELL)


@case
def PairsMixed():
    def device(a, b):
        place = SmemAllocator().allocate_array(Int32, 1)
        cute.arch.alloc_tmem(64, place, is_two_cta=True)
        cute.arch.relinquish_tmem_alloc_permit()

    in_kernel(device, BLACKWELL)


@case
def PairsInCluster():
    def device(a, b):
        cute.arch.alloc_tmem(64, SmemAllocator().allocate_array(Int32, 1), is_two_cta=True)

    in_kernel(device, BLACKWELL)


@case
def WaitGroups():
    def device(a, b):
        warpgroup.wait_group(8)

    in_kernel(device, HOPPER)


# --- copies


@case
def CopyAtomKind():
    def device(a, b):
        tile = shared()
        atom = cute.make_copy_atom(cpasync.CopyBulkTensorTileG2SOp(), Float16)
        cute.copy(atom, tile, tile)

    in_kernel(device, HOPPER)


@case
def CopyBits():
    cute.make_copy_atom(cpasync.CopyG2SOp(), Float16, num_bits_per_copy=16)


@case
def CopyElementWidth():
    cute.make_copy_atom(tcgen05.Ld32x32bOp(), Int64)


@case
def CopyMemory():
    def device(a, b):
        atom = cute.make_copy_atom(cpasync.CopyG2SOp(), Float32, num_bits_per_copy=32)
        cute.copy(atom, registers((1, 1), Float32), registers((1, 1), Float32))

    in_kernel(device)


@case
def CopyMatrices():
    cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 3), Float16)


@case
def CopyStaticShape():
    def device(a, b):
        cute.copy(cute.make_copy_atom(CopyUniversalOp(), Float32), a, b)

    in_kernel(device)


@case
def CopyWidths():
    def device(a, b):
        atom = cute.make_copy_atom(CopyUniversalOp(), Float16)
        cute.copy(atom, registers((1, 2)), registers((1, 2), Float32))

    in_kernel(device)


@case
def CopySizes():
    def device(a, b):
        cute.autovec_copy(registers(4), registers(8))

    in_kernel(device)


@case
def CopyOneInstruction():
    def device(a, b):
        atom = cute.make_copy_atom(CopyUniversalOp(), Float16, num_bits_per_copy=32)
        cute.copy_atom_call(atom, registers((2, 2)), registers((2, 2)))

    in_kernel(device)


@case
def TiledCopyShape():
    cute.make_tiled_copy_tv(
        cute.make_copy_atom(CopyUniversalOp(), Float16, num_bits_per_copy=128),
        cute.make_layout((32, 1)),
        cute.make_layout((1, 4)),
    )


@case
def TiledCopyValues():
    atom = cute.make_copy_atom(CopyUniversalOp(), Float32, num_bits_per_copy=32 * 8)
    cute.make_tiled_copy_C_atom(atom, tiled_product())


# --- copies whose accesses have an order


def ordered(order, type=Float32, op=None, bits=0):
    return cute.make_copy_atom(
        op or CopyUniversalOp(), type, num_bits_per_copy=bits, memory_order=order
    )


def ordered_copy(order, of_sides):
    """Compiles a kernel that copies an element; ``of_sides`` gives the source and the destination."""

    def device(a, b):
        memory = cute.make_tensor(a.iterator, cute.make_layout(1))
        cute.copy(ordered(order), *of_sides(memory))

    in_kernel(device)


@case
def OrderOfAtom():
    ordered(MemoryOrder.ACQUIRE, op=cpasync.CopyG2SOp(), bits=128)


@case
def OrderOfBoth():
    ordered(MemoryOrder.ACQ_REL)


@case
def OrderElements():
    ordered(MemoryOrder.RELAXED, Float4E2M1FN)


@case
def OrderSides():
    ordered_copy(MemoryOrder.RELAXED, lambda memory: (memory, memory))


@case
def OrderTypes():
    ordered_copy(
        MemoryOrder.RELAXED,
        lambda memory: (
            cute.make_tensor(
                cute.recast_ptr(memory.iterator, dtype=Float4E2M1FN), cute.make_layout(8)
            ),
            registers(8, Float4E2M1FN),
        ),
    )


@case
def OrderDirection():
    ordered_copy(MemoryOrder.RELEASE, lambda memory: (memory, registers(1, Float32)))


@case
def OrderMemory():
    ordered_copy(MemoryOrder.MMIO, lambda memory: (shared((1, 1), Float32), registers(1, Float32)))


# --- bulk copies and boxes of tensors


def bulk_copy(op, source, destination, **options):
    def device(a, b):
        memory = {"smem": shared((1, 64), Float32), "gmem": a}
        cute.copy(
            cute.make_copy_atom(op(), Float32),
            *(memory[name] if isinstance(name, str) else name() for name in (source, destination)),
            **{name: make() for name, make in options.items()},
        )

    row = kernels.vector(n=64, assumed_align=16)
    kernels.in_kernel(device, row, row, options=HOPPER)


def box(destination="smem", coordinates=None, op=cpasync.CopyBulkTensorTileG2SOp, **options):
    """Compiles a kernel that copies a box of (8, 64) elements."""

    @cute.kernel
    def device(atom: cute.CopyAtom, tensor: cute.Tensor, a: cute.Tensor):
        tile = shared()
        source, _ = cpasync.tma_partition(
            atom,
            0,
            cute.make_layout(1),
            cute.group_modes(tile, 0, 2),
            cute.group_modes(cute.local_tile(tensor, (8, 64), (0, 0)), 0, 2),
        )
        del source
        part = cute.group_modes(cute.local_tile(tensor, (8, 64), (0, 0)), 0, 2)
        if cute.const_expr(coordinates is not None):
            part = coordinates(tensor, a)
        target = cute.group_modes(tile, 0, 2)
        if cute.const_expr(destination != "smem"):
            target = destination(a)
        cute.copy(atom, part, target, **{name: make() for name, make in options.items()})

    @cute.jit
    def host(a: cute.Tensor):
        rows = cute.make_layout((8, 64), stride=(64, 1))
        atom, tensor = cpasync.make_tiled_tma_atom(op(), a, rows, (8, 64))
        device(atom, tensor, a).launch(grid=1, block=32)

    cute.compile(host, matrix(), options=HOPPER)


@case
def BulkBarrier():
    box()


@case
def BulkMask():
    box(op=cpasync.CopyBulkTensorTileG2SMulticastOp, tma_bar_ptr=mbarrier)


@case
def BulkBlock():
    bulk_copy(cpasync.CopyBulkS2SOp, "smem", "smem", mbar_ptr=mbarrier)


@case
def BulkShape():
    def device(a, b):
        cute.copy(cute.make_copy_atom(cpasync.CopyBulkG2SOp(), Float32), a, b, mbar_ptr=mbarrier())

    in_kernel(device, HOPPER)


@case
def BulkSize():
    bulk_copy(cpasync.CopyBulkG2SOp, "smem", "gmem", mbar_ptr=mbarrier)


@case
def BoxRank():
    def of_one_mode(tensor, a):
        return cute.group_modes(cute.make_identity_tensor((512,)), 0, 1)

    box(coordinates=of_one_mode, tma_bar_ptr=mbarrier)


@case
def BoxMemory():
    box(destination=lambda a: cute.group_modes(cute.local_tile(a, (8, 64), (0, 0)), 0, 2))


@case
def BoxCoordinates():
    box(coordinates=lambda tensor, a: cute.group_modes(cute.local_tile(a, (8, 64), (0, 0)), 0, 2))


@case
def BoxSize():
    def half(tensor, a):
        return cute.group_modes(cute.local_tile(tensor, (4, 64), (0, 0)), 0, 2)

    box(coordinates=half, tma_bar_ptr=mbarrier)


def partition(tile, blocks):
    @cute.jit
    def host(a: cute.Tensor):
        rows = cute.make_layout((8, 64), stride=(64, 1))
        atom, tensor = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileG2SOp(), a, rows, (8, 64)
        )
        device(atom, tensor).launch(grid=1, block=32)

    @cute.kernel
    def device(atom: cute.CopyAtom, tensor: cute.Tensor):
        part = cute.group_modes(cute.local_tile(tensor, (8, 64), (0, 0)), 0, 2)
        cpasync.tma_partition(
            atom, 0, cute.make_layout(blocks), cute.group_modes(shared(tile), 0, 2), part
        )

    cute.compile(host, matrix(), options=HOPPER)


@case
def BoxTile():
    partition((4, 64), 1)


@case
def BoxBlocks():
    partition((8, 64), 3)


# --- tensor maps


def matrix(dtype=Float16, shape=None, stride=None, assumed_align=16):
    shape = shape or (cute.sym_int(), cute.sym_int())
    if stride is not None:
        return cute.make_fake_tensor(dtype, shape, stride=stride, assumed_align=assumed_align)
    return cute.make_fake_compact_tensor(
        dtype, shape, stride_order=(1, 0), assumed_align=assumed_align
    )


def tensor_map(
    argument=None,
    tile=(8, 64),
    layout=None,
    tensor=lambda a: a,
    swizzle=None,
    tiler=None,
    **options,
):
    """Makes the tensor map of a matrix, for boxes of the shape ``tile``."""

    @cute.jit
    def host(a: cute.Tensor):
        rows = layout() if layout else cute.make_layout(tile, stride=(tile[1], 1))
        if cute.const_expr(swizzle is not None):
            rows = cute.make_composed_layout(cute.make_swizzle(*swizzle), 0, rows)
        op = cpasync.CopyBulkTensorTileG2SOp()
        cpasync.make_tiled_tma_atom(op, tensor(a), rows, tiler or tile, **options)

    cute.compile(host, argument or matrix(), options=HOPPER)


@case
def TensorMapTensor():
    tensor_map(tensor=lambda a: cute.make_identity_tensor((64, 64)))


@case
def TensorMapAddress():
    tensor_map(tensor=lambda a: cute.make_tensor(a.iterator + 1, a.layout))


@case
def TensorMapInternalType():
    tensor_map(internal_type=Float8E4M3FN)


@case
def TensorMapElementType():
    tensor_map(matrix(Float8E4M3B11FNUZ))


@case
def TensorMapShared():
    @cute.jit
    def host(a: cute.Tensor, n: Int32):
        rows = cute.make_layout((8, n), stride=(n, 1))
        cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), a, rows, (8, 64))

    cute.compile(host, matrix(), Int32, options=HOPPER)


@case
def TensorMapSwizzle():
    tensor_map(swizzle=(3, 3, 3))


@case
def TensorMapMulticast():
    tensor_map(num_multicast=0)


@case
def TensorMapTile():
    tensor_map(tiler=(8, 64, 1))


@case
def TensorMapSharedSize():
    tensor_map(tiler=(8, 32))


@case
def TensorMapContiguous():
    tensor_map(matrix(shape=(64, 64), stride=(64, 2)))


@case
def TensorMapDimensions():
    shape = (8, 8, 8, 8, 8, 8)
    tensor_map(
        cute.make_fake_compact_tensor(
            Float16, shape, stride_order=(5, 4, 3, 2, 1, 0), assumed_align=16
        ),
        layout=lambda: cute.make_layout(8),
        tiler=(1, 1, 1, 1, 1, 8),
    )


@case
def TensorMapStrides():
    tensor_map(matrix(shape=(64, 60)))


@case
def TensorMapShare():
    tensor_map(num_multicast=3)


@case
def TensorMapBox():
    tensor_map(tile=(8, 300))


@case
def TensorMapRow():
    tensor_map(tile=(8, 4))


@case
def TensorMapSwizzledRow():
    tensor_map(swizzle=(1, 4, 3))


def edit(change):
    @cute.kernel
    def device(atom: cute.CopyAtom, a: cute.Tensor):
        change(atom, a)

    @cute.jit
    def host(a: cute.Tensor):
        rows = cute.make_layout((8, 64), stride=(64, 1))
        atom, _ = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), a, rows, (8, 64))
        device(atom, a).launch(grid=1, block=32)

    cute.compile(host, matrix(), options=HOPPER)


@case
def TensorMapMemory():
    edit(lambda atom, a: cpasync.copy_tensormap(atom, registers(16, Int64).iterator))


@case
def TensorMapUpdate():
    def change(atom, a):
        row = cute.make_tensor(a.iterator, cute.make_layout(64))
        cpasync.update_tma_descriptor(atom, row, a.iterator)

    edit(change)


# --- mbarriers, fences and registers


@case
def MbarrierAddress():
    def device(a, b):
        cute.arch.mbarrier_init(registers(1, Int64).iterator, 1)

    in_kernel(device, HOPPER)


@case
def LaunchResponse():
    def device(a, b):
        cute.arch.issue_clc_query(mbarrier(), a.iterator)

    in_kernel(device, BLACKWELL)


@case
def RemoteStoreAddress():
    def device(a, b):
        cute.arch.store_async_dsmem(a.iterator, Int32(1), mbarrier(), 0)

    in_kernel(device, HOPPER)


@case
def RemoteStoreWidth():
    def device(a, b):
        place = SmemAllocator().allocate_array(Int16, 1)
        cute.arch.store_async_dsmem(place, Int16(1), mbarrier(), 0)

    in_kernel(device, HOPPER)


@case
def FenceProxy():
    def device(a, b):
        cute.arch.fence_proxy("generic")

    in_kernel(device, HOPPER)


@case
def RegisterCount():
    def device(a, b):
        cute.arch.setmaxregister_decrease(42)

    in_kernel(device, HOPPER)


# --- what only the C++ API can ask for


class Instruction(CopyUniversalOp):
    """An operation with an instruction of the compiler."""

    def __init__(self, *options, **named):
        super().__init__()
        self.positional, self.named = options, named

    def _copy_op(self):
        return _compiler.CopyOp(*self.positional, **self.named)


@case
def CopyPrefetch():
    cute.make_copy_atom(Instruction("cp.async", 0, prefetched=32), Float32)


@case
def CopyColumns():
    cute.make_copy_atom(Instruction("tcgen05.ld", 0, matrices=3), Float32)
