"""Products of floats of 4, 6 and 8 bits in tensor memory, of bytes that threads write to shared memory, on the CPU."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from fairlead import (
    Float4E2M1FN,
    Float6E2M3FN,
    Float6E3M2FN,
    Float8E4M3FN,
    Float8E5M2,
    Float16,
    Float32,
    Int8,
    Int32,
    Int64,
    Uint8,
    const_expr,
    cute,
    pipeline,
    range,
    utils,
)
from fairlead.cute.nvgpu import OperandMajorMode, cpasync, tcgen05
from fairlead.utils import blackwell_helpers as sm100

NUMPY = {
    Float4E2M1FN: ml_dtypes.float4_e2m1fn,
    Float6E2M3FN: ml_dtypes.float6_e2m3fn,
    Float6E3M2FN: ml_dtypes.float6_e3m2fn,
    Float8E4M3FN: ml_dtypes.float8_e4m3fn,
    Float8E5M2: ml_dtypes.float8_e5m2,
}
M, N, K = 128, 64, 128


class BytesGemm:
    """C (M, N) = A (M, K) * B (N, K) of operands whose bytes are those of shared memory; it is added to `initial`."""

    def __init__(self, dtypes, sums, initial=None):
        self.dtypes, self.sums, self.initial = dtypes, sums, initial

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        self.kernel(a, b, c).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        tid, _, _ = cute.arch.thread_idx()
        warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        k_major = OperandMajorMode.K
        mma = sm100.make_trivial_tiled_mma(
            *self.dtypes, k_major, k_major, self.sums, tcgen05.CtaGroup.ONE, (M, N)
        )
        smem = utils.SmemAllocator()
        operands = []
        for make, memory, rows in (
            (sm100.make_smem_layout_a, a, M),
            (sm100.make_smem_layout_b, b, N),
        ):
            layout = make(mma, (M, N, K), Int8, 1)
            tile = smem.allocate_tensor(Int8, layout.outer, 1024, layout.inner)
            if tid < rows:
                for k in range(K):
                    tile[(tid, k % 32), 0, k // 32, 0] = memory[tid, k]
            operands.append(tile)
        place = smem.allocate(Int32)
        barrier = smem.allocate_array(Int64, 1)
        tmem = utils.TmemAllocator(place, barrier_for_retrieve=pipeline.NamedBarrier(1, 128))
        tmem.allocate(64)
        if tid == 0:
            cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_threads()
        tmem.wait_for_alloc()
        memory = tmem.retrieve_ptr(self.sums)
        sums = mma.make_fragment_C(mma.partition_shape_C((M, N)))
        sums = cute.make_tensor(memory, sums.layout)
        mma.set(tcgen05.Field.ACCUMULATE, self.initial is not None)
        if const_expr(self.initial is not None):
            self.store(sums, tid)
        if warp == 0:
            left, right = mma.make_fragment_A(operands[0]), mma.make_fragment_B(operands[1])
            cute.gemm(mma, sums, left[None, None, None, 0], right[None, None, None, 0], sums)
            with cute.arch.elect_one():
                tcgen05.commit(barrier)
        cute.arch.mbarrier_wait(barrier, 0)
        half = self.sums.width == 16
        pack = (tcgen05.Pack.PACK_16b_IN_32b,) if half else ()
        atom = cute.make_copy_atom(
            tcgen05.Ld32x32bOp(tcgen05.Repetition.x32 if half else tcgen05.Repetition.x64, *pack),
            self.sums,
        )
        copy = tcgen05.make_tmem_copy(atom, sums[(None, None), 0, 0])
        mine = copy.get_slice(tid)
        target = mine.partition_D(c)
        values = cute.make_rmem_tensor(target.shape, self.sums)
        cute.copy(copy, mine.partition_S(sums[(None, None), 0, 0]), values)
        cute.autovec_copy(values, target)
        tmem.relinquish_alloc_permit()
        cute.arch.sync_threads()
        tmem.free(memory)

    def store(self, sums, tid):
        """All accumulators become the initial number."""
        atom = cute.make_copy_atom(tcgen05.St32x32bOp(tcgen05.Repetition.x64), self.sums)
        copy = tcgen05.make_tmem_copy(atom, sums[(None, None), 0, 0])
        target = copy.get_slice(tid).partition_D(sums[(None, None), 0, 0])
        values = cute.make_rmem_tensor((64, 1, 1), self.sums)
        values.fill(self.initial)
        cute.copy(copy, values, target)
        cute.arch.fence_view_async_tmem_store()
        cute.arch.sync_threads()


def in_shared_memory(values, dtype):
    """Return the bytes of rows: 16 elements begin at each 16 bytes, packed from the lowest bits on."""
    codes = values.astype(NUMPY[dtype]).view(np.uint8).reshape(-1, 16, 1)
    bits = np.unpackbits(codes, axis=-1, count=dtype.width, bitorder="little")
    packed = np.packbits(bits.reshape(len(bits), -1), axis=-1, bitorder="little")
    units = np.zeros((len(bits), 16), np.uint8)
    units[:, : packed.shape[1]] = packed
    return units.reshape(values.shape).view(np.int8)


@pytest.mark.parametrize("sums", [Float32, Float16])
@pytest.mark.parametrize("dtypes", [
    (Float4E2M1FN, Float8E4M3FN),
    (Float6E2M3FN, Float6E3M2FN),
    (Float8E5M2, Float4E2M1FN),
    (Float6E3M2FN, Float8E5M2),
])  # fmt: skip
def test_product_on_the_cpu(dtypes, sums):
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-2, 3, (rows, K)).astype(np.float32) for rows in (M, N))
    c = np.zeros((M, N), np.float16 if sums is Float16 else np.float32)
    arrays = [in_shared_memory(a, dtypes[0]), in_shared_memory(b, dtypes[1]), c]
    tensors = [cute.runtime.from_dlpack(array, assumed_align=16) for array in arrays]
    cute.compile(BytesGemm(dtypes, sums), *tensors, options="--target cpu")(*tensors)
    np.testing.assert_array_equal(c, (a @ b.T).astype(c.dtype))


def test_integers_wrap_around():
    """Sums of integers beyond 32 bits lose the upper ones."""
    rng = np.random.default_rng(4)
    a, b = (rng.integers(0, 128, (rows, K)).astype(np.int8) for rows in (M, N))
    c = np.zeros((M, N), np.int32)
    tensors = [cute.runtime.from_dlpack(array, assumed_align=16) for array in (a, b, c)]
    program = BytesGemm((Int8, Int8), Int32, 2**31 - 1)
    cute.compile(program, *tensors, options="--target cpu")(*tensors)
    expected = a.astype(np.int64) @ b.T.astype(np.int64) + 2**31 - 1
    np.testing.assert_array_equal(c, expected.astype(np.int32))


# --- tensor maps of padded elements


class PaddedRows:
    """Loads a box of 8 x 128 elements of 4 bits from a column of a tensor of rows, padded to bytes."""

    def __init__(self, op=cpasync.CopyBulkTensorTileG2SOp):
        self.op = op

    @cute.jit
    def __call__(self, memory: cute.Tensor, columns: Int32, stride: Int32, first: Int32):
        pointer = cute.recast_ptr(memory.iterator, dtype=Float4E2M1FN)
        rows = cute.make_tensor(pointer, cute.make_layout((8, columns), stride=(stride, 1)))
        box = cute.make_layout((8, 128), stride=(128, 1))
        atom, places = cpasync.make_tiled_tma_atom(
            self.op(), rows, box, (8, 128), internal_type=Int8
        )
        self.kernel(atom, places, first).launch(grid=1, block=32)

    @cute.kernel
    def kernel(self, atom: cute.CopyAtom, places: cute.Tensor, first: Int32):
        smem = utils.SmemAllocator()
        barrier = smem.allocate(Int64)
        target = smem.allocate_tensor(Int8, cute.make_layout((8, 128), stride=(128, 1)), 128)
        if cute.arch.thread_idx()[0] == 0:
            cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        source = cute.local_tile(cute.domain_offset((0, first), places), (8, 128), (0, 0))
        to, of = cpasync.tma_partition(
            atom, 0, cute.make_layout(1), cute.group_modes(target, 0, 2), cute.group_modes(source, 0, 2)
        )  # fmt: skip
        with cute.arch.elect_one():
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 512)
        cute.copy(atom, of, to, tma_bar_ptr=barrier)
        cute.arch.mbarrier_wait(barrier, 0)


def test_padded_rows_of_4_bits():
    memory = np.zeros(4096 + 32, np.uint8)
    begin = -memory.ctypes.data % 32
    function = cute.compile(
        PaddedRows(), cute.runtime.make_fake_compact_tensor(Uint8, (cute.sym_int(),)), Int32(0), Int32(0), Int32(0),
        options="--target cpu",
    )  # fmt: skip
    function(memory[begin:], 256, 512, 128)
    for given, message in (
        ((begin + 16, 256, 512, 0), "expected an address that is a multiple of 32, but got 0x"),
        ((begin, 256, 288, 0), "strides in multiples of 32 bytes, below 2\\^40, but got 144 bytes"),
        ((begin, 192, 512, 0), "extent of dimension 0 in multiples of 128 for padded elements, but got 192"),
        ((begin, 256, 512, 64), "loads padded elements from coordinate 64 of dimension 0"),
    ):  # fmt: skip
        with pytest.raises((ValueError, RuntimeError), match=message):
            function(memory[given[0] :], *given[1:])
    with pytest.raises(TypeError, match=r"Float4E2M1FN in bytes \(Int8\), which maps only load"):
        cute.compile(
            PaddedRows(cpasync.CopyBulkTensorTileS2GOp), memory, Int32(256), Int32(512), Int32(0),
            options="--target cpu",
        )  # fmt: skip
