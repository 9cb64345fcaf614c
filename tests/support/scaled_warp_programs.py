"""Products of warps with block scaling, for compute capability 12.0, of operands in global memory."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from fairlead import (
    Float4E2M1FN,
    Float6E2M3FN,
    Float6E3M2FN,
    Float8E4M3FN,
    Float8E5M2,
    Float8E8M0FNU,
    Float32,
    Int8,
    Uint8,
    cute,
    utils,
)
from fairlead.cute.nvgpu import CopyUniversalOp, warp
from fairlead.utils import blackwell_helpers as helpers

NUMPY = {
    Float4E2M1FN: ml_dtypes.float4_e2m1fn,
    Float6E2M3FN: ml_dtypes.float6_e2m3fn,
    Float6E3M2FN: ml_dtypes.float6_e3m2fn,
    Float8E4M3FN: ml_dtypes.float8_e4m3fn,
    Float8E5M2: ml_dtypes.float8_e5m2,
    Float8E8M0FNU: ml_dtypes.float8_e8m0fnu,
}
NARROW = (Float4E2M1FN, Float6E2M3FN, Float6E3M2FN, Float8E4M3FN, Float8E5M2)
#: The instruction, the types of A and B, the type of scale factors, and elements that share one.
PRODUCTS = {
    "mxf4": (warp.MmaMXF4Op, (Float4E2M1FN,), Float8E8M0FNU, 32),
    "mxf4nvf4": (warp.MmaMXF4NVF4Op, (Float4E2M1FN,), Float8E4M3FN, 16),
    **{
        f"mxf8 {dtype.__name__}": (warp.MmaMXF8Op, (dtype,), Float8E8M0FNU, 32)
        for dtype in NARROW[3:]
    },
    **{
        f"mxf8f6f4 {a.__name__} {b.__name__}": (warp.MmaMXF8F6F4Op, (a, b), Float8E8M0FNU, 32)
        for a in NARROW
        for b in NARROW
    },
}
SHAPE = (128, 64, 128)


class ScaledWarpGemm:
    """C (M, N) = C + A (M, K) * B (N, K) by 2 x 2 warps."""

    def __init__(self, name):
        self.name = name
        make, self.dtypes, self.sf_dtype, self.vector = PRODUCTS[name]
        self.op = lambda: make(*self.dtypes, Float32, self.sf_dtype)
        self.packed = name.startswith("mxf4")
        self.registers = [
            dtype if self.packed or dtype.width == 8 else Int8 for dtype in self.dtypes
        ] * (3 - len(self.dtypes))

    def matrix(self, memory, dtype, rows):
        pointer = cute.recast_ptr(memory.iterator, dtype=dtype)
        return cute.make_tensor(pointer, cute.make_layout((rows, SHAPE[2]), stride=(SHAPE[2], 1)))

    def scales(self, memory, rows):
        factors = SHAPE[2] // self.vector
        layout = cute.make_layout((rows, (self.vector, factors)), stride=(factors, (0, 1)))
        return cute.make_tensor(cute.recast_ptr(memory.iterator, dtype=self.sf_dtype), layout)

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, sfa: cute.Tensor, sfb: cute.Tensor, c: cute.Tensor):  # fmt: skip
        self.kernel(a, b, sfa, sfb, c).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor, sfa: cute.Tensor, sfb: cute.Tensor, c: cute.Tensor):  # fmt: skip
        tid, _, _ = cute.arch.thread_idx()
        permutation = helpers.get_permutation_mnk(SHAPE, self.vector, not self.packed)
        mma = cute.make_tiled_mma(self.op(), (2, 2, 1), permutation_mnk=permutation)
        mine = mma.get_slice(tid)
        fa, fb = self.fragments(a, b, mma, tid)
        sfa, sfb = self.scales(sfa, SHAPE[0]), self.scales(sfb, SHAPE[1])
        fsfa = helpers.partition_fragment_SFA(sfa, mine, tid)
        fsfb = helpers.partition_fragment_SFB(sfb, mine, tid)
        self.load(fsfa, sfa, helpers.get_layoutSFA_TV(mma), mma.permutation_mnk[0], mma, tid)
        self.load(fsfb, sfb, helpers.get_layoutSFB_TV(mma), mma.permutation_mnk[1], mma, tid)
        c = cute.make_tensor(c.iterator, cute.make_layout(SHAPE[:2], stride=(SHAPE[1], 1)))
        target = mine.partition_C(c)
        sums = cute.make_rmem_tensor(target.shape, Float32)
        cute.autovec_copy(target, sums)
        cute.gemm(mma, sums, [fa, fsfa], [fb, fsfb], sums)
        cute.autovec_copy(sums, target)

    def fragments(self, a, b, mma, tid):
        mine = mma.get_slice(tid)
        left = mine.partition_A(self.matrix(a, self.registers[0], SHAPE[0]))
        right = mine.partition_B(self.matrix(b, self.registers[1], SHAPE[1]))
        fa, fb = mma.make_fragment_A(left), mma.make_fragment_B(right)
        cute.autovec_copy(left, fa)
        cute.autovec_copy(right, fb)
        return fa, fb

    def load(self, fragment, memory, layout, rows, mma, tid):
        atom = cute.make_copy_atom(CopyUniversalOp(), self.sf_dtype)
        tile = (cute.size(rows), cute.size(mma.permutation_mnk[2]))
        copy = cute.make_tiled_copy(atom, layout, tile)
        source = copy.get_slice(tid).partition_S(memory)
        cute.copy(copy, cute.filter_zeros(source), cute.filter_zeros(copy.retile(fragment)))


class StagedWarpGemm(ScaledWarpGemm):
    """The same of packed operands that lie swizzled in shared memory, from which ldmatrix loads them."""

    def fragments(self, a, b, mma, tid):
        left, right = self.staged(a, SHAPE[0], tid), self.staged(b, SHAPE[1], tid)
        cute.arch.sync_threads()
        mine = mma.get_slice(tid)
        fa = mma.make_fragment_A(mine.partition_A(left))
        fb = mma.make_fragment_B(mine.partition_B(right))
        atom = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(num_matrices=4), Float4E2M1FN)
        self.load_matrices(cute.make_tiled_copy_A(atom, mma), left, fa, tid)
        self.load_matrices(cute.make_tiled_copy_B(atom, mma), right, fb, tid)
        return fa, fb

    def staged(self, memory, rows, tid):
        layout = cute.make_layout((rows, SHAPE[2]), stride=(SHAPE[2], 1))
        tensor = utils.SmemAllocator().allocate_tensor(
            Float4E2M1FN, layout, byte_alignment=128, swizzle=cute.make_swizzle(1, 4, 3)
        )
        row_bytes = SHAPE[2] // 2
        matrix = cute.make_layout((rows, row_bytes), stride=(row_bytes, 1))
        source = cute.make_tensor(cute.recast_ptr(memory.iterator, dtype=Uint8), matrix)
        target = cute.recast_tensor(tensor, Uint8)
        threads_per_row = 128 // rows
        columns = row_bytes // threads_per_row
        row, first = tid // threads_per_row, tid % threads_per_row * columns
        for column in range(columns):
            target[row, first + column] = source[row, first + column]
        return tensor

    def load_matrices(self, copy, memory, fragment, tid):
        mine = copy.get_slice(tid)
        cute.copy(copy, mine.partition_S(memory), mine.retile(fragment))


def operands(name):
    """Return the operands of a product of small numbers and C, as tensors and arrays, and the result, which is exact in
    any order of sums."""
    _, dtypes, sf_dtype, vector = PRODUCTS[name]
    m, n, k = SHAPE
    rng = np.random.default_rng(len(name))
    arguments, products = [], []
    for rows, dtype in zip((m, n), (*dtypes, dtypes[-1]), strict=False):
        values = rng.integers(-2, 3, (rows, k)).astype(np.float32)
        factors = 2.0 ** rng.integers(-1, 2, (rows, k // vector)).astype(np.float32)
        codes = values.astype(NUMPY[dtype]).view(np.uint8)
        if name.startswith("mxf4"):
            codes = codes[:, ::2] | codes[:, 1::2] << 4
        elif dtype is Float4E2M1FN:
            codes = codes << 2
        arguments.append((codes, factors.astype(NUMPY[sf_dtype]).view(np.uint8)))
        products.append(values * np.repeat(factors, vector, 1))
    c = rng.integers(-5, 6, (m, n)).astype(np.float32)
    expected = c + products[0] @ products[1].T
    arrays = [arguments[0][0], arguments[1][0], arguments[0][1], arguments[1][1], c]
    aligned = [np.ascontiguousarray(array) for array in arrays]
    tensors = [cute.runtime.from_dlpack(array, assumed_align=16) for array in aligned]
    return tensors, aligned, expected
