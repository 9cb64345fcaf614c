"""A product of a warpgroup whose operands are described by words or lie in registers of PTX's fragments."""

import numpy as np

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float16, Float32, Int32, Int64, Uint32
from cutlass._mlir import ir
from cutlass._mlir.dialects import llvm, nvvm, vector
from cutlass.cutlass_dsl import T
from cutlass.experimental import primitives

#: Whether A is in registers, and whether B lies with N fastest.
FORMS = [(False, False), (True, False), (True, True)]
N, K = 64, 64
SUMS = N // 2  # of a thread


def by_words(sums, a, b, transposed, added):
    """One product, with the words that describe A and B."""
    of = llvm.StructType.get_literal([T.f32()] * SUMS)
    before = llvm.mlir_undef(of)
    for place, value in enumerate(sums):
        before = llvm.insertvalue(before, value, [place])
    return nvvm.wgmma_mma_async(
        of,
        before,
        a.ir_value(),
        b.ir_value(),
        ir.Attribute.parse(f"#nvvm.shape<m = 64, n = {N}, k = 16>"),
        type_a=nvvm.WGMMATypes.f16,
        type_b=nvvm.WGMMATypes.f16,
        type_d=nvvm.WGMMATypes.f32,
        scale_d=nvvm.WGMMAScaleOut.one if added else nvvm.WGMMAScaleOut.zero,
        scale_a=nvvm.WGMMAScaleIn.one,
        scale_b=nvvm.WGMMAScaleIn.one,
        layout_a=nvvm.MMALayout.row,
        layout_b=nvvm.MMALayout.row if transposed else nvvm.MMALayout.col,
    )


def by_text(sums, a, b, transposed, added):
    """One product by PTX, with A in registers."""
    kind = f"{nvvm.WGMMATypes.f16}"
    results = ",".join(f"${place}" for place in range(SUMS))
    words = ",".join(f"${2 * SUMS + place}" for place in range(4))
    return llvm.inline_asm(
        llvm.StructType.get_literal([T.f32()] * SUMS),
        [*sums, *a, b],
        f"wgmma.mma_async.sync.aligned.m64n{N}k16.f32.{kind}.{kind} "
        f"{{{results}}}, {{{words}}}, ${2 * SUMS + 4}, {int(added)}, 1, 1, {int(transposed)};",
        ",".join(["=f"] * SUMS + [str(place) for place in range(SUMS)] + ["r"] * 4 + ["l"]),
        has_side_effects=True,
        is_align_stack=False,
        asm_dialect=llvm.AsmDialect.AD_ATT,
    )


def registers_of(a, t, k):
    """Four words of a thread: pairs of neighbours along K."""
    pairs = []
    for place in range(4):
        row = 16 * (t // 32) + t % 32 // 4 + 8 * (place % 2)
        column = 16 * k + 2 * (t % 4) + 8 * (place // 2)
        pair = vector.from_elements(
            ir.VectorType.get([2], T.f16()), [a[row, column], a[row, column + 1]]
        )
        pairs.append(Int32(llvm.bitcast(T.i32(), pair)))
    return pairs


def multiply(words, a, t, in_registers, transposed):
    """The sums of a thread, over K in steps of 16; those of the first step begin with what is not added."""
    sums = [Float32(5.0)] * SUMS
    primitives.wgmma_fence_aligned()
    for k in range(K // 16):
        b = words[1] + (128 * k if transposed else 2 * k)
        issue = by_text if in_registers else by_words
        left = registers_of(a, t, k) if in_registers else words[0] + 2 * k
        after = issue(sums, left, b, transposed, added=k != 0)
        sums = [Float32(llvm.extractvalue(T.f32(), after, [place])) for place in range(SUMS)]
    primitives.wgmma_commit_group_sync_aligned()
    primitives.wgmma_wait_group_sync_aligned(0)
    return sums


def warpgroup_program(in_registers, transposed, cluster=None):
    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        memory = cutlass.utils.SmemAllocator()
        rows = cute.make_layout((64, 64), stride=(64, 1))
        tiles = [memory.allocate_tensor(Float16, rows, 1024) for _ in range(2)]
        for i in range(t, 64 * 64, 128):
            row, column = i // 64, i % 64
            swizzled = column ^ (row % 8 * 8)
            tiles[0][row, swizzled] = a[row, column]
            tiles[1][row, swizzled] = b[row, column]
        cute.arch.fence_view_async_shared()
        cute.arch.sync_threads()
        fixed = int(primitives.WgmmaSwizzle.SWIZZLE_128B) << 62 | 1024 // 16 << 32 | 1 << 16
        addresses = [Int64(tile.iterator.toint().to(Uint32)) for tile in tiles]
        words = [primitives.WgmmaSmemDesc(address >> 4 | fixed) for address in addresses]
        sums = multiply(words, a, t, in_registers, transposed)
        for place in cutlass.range_constexpr(SUMS):
            row = 16 * (t // 32) + t % 32 // 4 + 8 * (place // 2 % 2)
            c[row, 2 * (t % 4) + place % 2 + 8 * (place // 4)] = sums[place]

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        grid = (1, 1, 1) if cluster is None else cluster
        kernel(a, b, c).launch(grid=grid, block=(128, 1, 1), cluster=cluster)

    return host


def operands():
    """A, B and C."""
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-4, 5, (64, 64)).astype(np.float16) for _ in range(2))
    return a, b, np.zeros((64, 64), np.float32)


def expected(a, b, transposed):
    """What C holds then."""
    wide = [array.astype(np.float32) for array in (a, b)]
    return wide[0] @ (wide[1] if transposed else wide[1].T)
