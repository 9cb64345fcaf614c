"""Wrong uses of atoms: errors name the tensors with their layouts, and the user's line. What is right compiles."""

import re

import pytest

import fairlead
from fairlead import BFloat16, Boolean, Float16, Float32, Float64, cute
from fairlead.cute.nvgpu import CopyUniversalOp, LoadCacheMode, cpasync, warp
from fairlead.utils import SmemAllocator

MMA = warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16))


def fake(dtype, shape, align=None, order=(1, 0)):
    return cute.runtime.make_fake_compact_tensor(
        dtype, shape, stride_order=order if len(shape) > 1 else None, assumed_align=align
    )


def compile_kernel(body, *tensors, target="cuda:sm_80"):
    kernel = cute.kernel(body)

    @cute.jit
    def host(tensors: list):
        kernel(*tensors).launch(grid=1, block=32)

    return cute.compile(host, list(tensors), options=f"--target {target}")


def copies_16_bytes(function):
    """Tell whether a kernel has an asynchronous copy of 16 bytes."""
    return re.search(r"cp\.async\.c[ag]\.shared\.global \[.+\], \[.+\], 16;", function.__ptx__)


def rejected(body, *tensors, words, kind=ValueError, target="cuda:sm_80"):
    """The error names each of `words`, and shows a line of this file."""
    with pytest.raises(kind) as caught:
        compile_kernel(body, *tensors, target=target)
    text = str(caught.value)
    assert isinstance(caught.value, fairlead.DSLError)
    for word in words:
        assert word in text, text
    assert re.search(r"test_atom_errors\.py:\d+: ", text), text


def my_thread(tiled):
    return tiled.get_slice(cute.arch.thread_idx()[0])


def rows_copy(op, bits=128):
    """Tiles of 8 rows of 4 accesses."""
    atom = cute.make_copy_atom(op, Float16, num_bits_per_copy=bits)
    threads = cute.make_layout((8, 4), stride=(4, 1))
    return cute.make_tiled_copy_tv(atom, threads, cute.make_layout((1, bits // 16)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: cute.make_mma_atom(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 32))),
            ["m16n8k16.f32.f16.f16", "but got m16n8k32.f32.f16.f16"],
        ),
        (
            lambda: cute.make_mma_atom(warp.MmaF16BF16Op(BFloat16, Float16, (16, 8, 16))),
            ["m16n8k16.f32.bf16.bf16", "but got m16n8k16.f16.bf16.bf16"],
        ),
        (
            lambda: cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 3), Float16),
            ["1, 2 or 4 matrices for ldmatrix", "but got 3"],
        ),
        (
            lambda: warp.LdMatrix8x16x8bOp(transpose=True),
            ["transpose=False of LdMatrix8x16x8bOp", "but got transpose=True"],
        ),
        (
            lambda: cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), Float64),
            ["ldmatrix", "but got Float64"],
        ),
        (
            lambda: cute.make_copy_atom(cpasync.CopyG2SOp(), Float16),
            ["num_bits_per_copy of 32, 64 or 128 for cp.async", "but got 16"],
        ),
        (
            lambda: rows_copy(cpasync.CopyG2SOp(LoadCacheMode.GLOBAL), 64),
            ["num_bits_per_copy of 128", "but got 64"],
        ),
        (
            lambda: cute.make_copy_atom(
                cpasync.CopyG2SOp(), Float16, num_bits_per_copy=128, l2_prefetch_size=128
            ),
            ["an L2PrefetchSize as l2_prefetch_size", "but got 128"],
        ),
        (
            lambda: cute.make_tiled_copy_tv(
                cute.make_copy_atom(CopyUniversalOp(), Float16, num_bits_per_copy=128),
                cute.make_layout((32, 1)),
                cute.make_layout((1, 4)),
            ),
            ["multiples of the 8 of the atom", "but got (32,4):(1,32)"],
        ),
        (
            lambda: cute.make_tiled_copy_tv(
                cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), Float16),
                cute.make_layout((16, 1)),
                cute.make_layout((1, 8)),
            ),
            ["threads in multiples of the 32 of the atom", "but got (16,8):(1,16)"],
        ),
        (
            lambda: cute.make_tiled_mma(MMA, (2, 2, 1), (32, 24, 16)),
            ["size along N", "a multiple of the atoms' 16", "but got 24"],
        ),
    ],
)
def test_atoms_that_do_not_exist(make, words):
    with pytest.raises(TypeError) as caught:
        make()
    for word in ["expected ", *words]:
        assert word in str(caught.value)


def test_an_atom_above_the_architecture():
    def body(a):
        tile = SmemAllocator().allocate_tensor(Float16, cute.make_layout((16, 16)), 128)
        atom = cute.make_copy_atom(warp.StMatrix8x8x16bOp(True, 4), Float16)
        registers = cute.make_rmem_tensor(((8, 1), 1), Float16)
        registers.fill(0.0)
        cute.copy(
            atom,
            registers,
            cute.make_tensor(tile.iterator, cute.make_layout(((8, 1), 1))),
        )

    rejected(
        body,
        fake(Float16, (16, 16)),
        words=["stmatrix transposed x4", "compute capability 9.0", "cute.copy("],
    )
    function = compile_kernel(body, fake(Float16, (16, 16)), target="ptx:compute_90")
    assert "stmatrix.sync.aligned.m8n8.x4.trans" in function.__ptx__


def product(a, b, c):
    mma = cute.make_tiled_mma(MMA)
    mine = my_thread(mma)
    tCgA, tCgB, tCgC = mine.partition_A(a), mine.partition_B(b), mine.partition_C(c)
    tCrA, tCrB = mma.make_fragment_A(tCgA), mma.make_fragment_B(tCgB)
    tCrC = mma.make_fragment_C(tCgC)
    cute.autovec_copy(tCgA, tCrA)
    cute.autovec_copy(tCgB, tCrB)
    tCrC.fill(0)
    cute.gemm(mma, tCrC, tCrA, tCrB, tCrC)
    cute.autovec_copy(tCrC, tCgC)


@pytest.mark.parametrize(
    ("m", "n", "k", "words"),
    [
        (20, 8, 16, ["(20,16):(16,1)", "M, has 20 elements", "16", "mine.partition_A(a)"]),
        (16, 12, 16, ["(12,16):(16,1)", "N, has 12 elements", "8", "mine.partition_B(b)"]),
        (16, 8, 24, ["(16,24):(24,1)", "K, has 24 elements", "16", "mine.partition_A(a)"]),
    ],
)
def test_tiles_that_a_tiled_mma_does_not_divide(m, n, k, words):
    tensors = fake(Float16, (m, k)), fake(Float16, (n, k)), fake(Float32, (m, n))
    rejected(product, *tensors, words=["TiledMma(m16n8k16", "cannot cover", *words])


def test_coordinates_may_go_further():
    """Predicates are made of them."""

    def body(a):
        part = my_thread(cute.make_tiled_mma(MMA)).partition_A(cute.make_identity_tensor((20, 24)))
        assert cute.size(part, mode=[1]) == 2 and cute.size(part, mode=[2]) == 2

    compile_kernel(body, fake(Float16, (16, 16)))


def test_fragments_that_do_not_fit_each_other():
    def other_k(a, b):
        mma = cute.make_tiled_mma(MMA)
        sums = cute.make_rmem_tensor(((2, 2), 1, 1), Float32)
        mine = my_thread(mma)
        tCrA = mma.make_fragment_A(mine.partition_A(a))
        tCrB = mma.make_fragment_B(mine.partition_B(b))
        cute.gemm(mma, sums, tCrA, tCrB, sums)

    tensors = fake(Float16, (16, 16)), fake(Float16, (8, 32))
    rejected(
        other_k,
        *tensors,
        words=["m16n8k16", "D tensor<", "((2,2,2),1,1)", "((2,2),1,2)", "cute.gemm(mma, sums"],
    )

    def other_mma(a, b):
        mma = cute.make_tiled_mma(MMA)
        short = cute.make_tiled_mma(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 8)))
        tCrA = mma.make_fragment_A(my_thread(mma).partition_A(a))
        tCrB = mma.make_fragment_B(my_thread(mma).partition_B(b))
        sums = cute.make_rmem_tensor(((2, 2), 1, 1), Float32)
        cute.gemm(short, sums, tCrA, tCrB, sums)

    tensors = fake(Float16, (16, 16)), fake(Float16, (8, 16))
    rejected(other_mma, *tensors, words=["m16n8k8", "4, 2 and 4 values V", "((2,2,2),1,1)"])

    def other_type(a, b):
        mma = cute.make_tiled_mma(MMA)
        sums = cute.make_rmem_tensor(((2, 2), 1, 1), Float32)
        tCrA = cute.make_rmem_tensor(((2, 2, 2), 1, 1), BFloat16)
        cute.gemm(mma, sums, tCrA, cute.make_rmem_tensor(((2, 2), 1, 1), Float16), sums)

    words = ["registers of Float16 as A of the MMA atom m16n8k16", "ptr<bf16, rmem"]
    rejected(other_type, *tensors, words=words, kind=TypeError)


def through(tiled):
    def body(a, b):
        mine = my_thread(tiled())
        cute.copy(tiled(), mine.partition_S(a), mine.partition_D(b))

    return body


PLAIN = through(lambda: rows_copy(CopyUniversalOp()))


def test_partitions_that_differ():
    words = ["a copy of 8 Float16", "((8,1),2,1)", "((8,1),1,1)", "cute.copy(tiled()"]
    rejected(PLAIN, fake(Float16, (16, 32)), fake(Float16, (8, 32)), words=words)
    words = ["((8,1),2,3)", "((8,1),3,2)"]
    rejected(PLAIN, fake(Float16, (16, 96)), fake(Float16, (24, 64)), words=words)
    words = ["as many bits", "ptr<f32, gmem>", "ptr<f16, gmem>"]
    rejected(PLAIN, fake(Float32, (8, 32)), fake(Float16, (8, 32)), words=words, kind=TypeError)
    words = ["the tile (8,32) has 2", "has 1 modes", "(256):(1)"]
    rejected(PLAIN, fake(Float16, (256,)), fake(Float16, (256,)), words=words)


def test_modes_that_are_divided_further_are_the_same():
    def body(a, b):
        atom = cute.make_copy_atom(CopyUniversalOp(), Float32)
        cute.copy(
            atom,
            cute.make_tensor(a.iterator, cute.make_layout((1, (2, 3), 4))),
            cute.make_tensor(b.iterator, cute.make_layout((1, 6, 4))),
        )
        cute.copy(
            atom,
            cute.make_tensor(a.iterator, cute.make_layout((1, 24, 1))),
            cute.make_tensor(b.iterator, cute.make_layout((1, 1, 2, 12))),
        )

    ptx = compile_kernel(body, fake(Float32, (24,)), fake(Float32, (24,))).__ptx__
    assert ptx.count("ld.global.b32") == ptx.count("st.global.b32") == 2 * 24


@pytest.mark.parametrize(
    ("shape", "dtype"), [((1, 3, 2), Boolean), ((1, 2, 2), Boolean), ((1, 2, 3), Float32)]
)
def test_predicates_of_another_shape_or_type(shape, dtype):
    def body(a, b):
        tiled = rows_copy(CopyUniversalOp())
        mine = my_thread(tiled)
        flags = cute.make_rmem_tensor(shape, dtype)
        cute.copy(tiled, mine.partition_S(a), mine.partition_D(b), pred=flags)

    tensors = fake(Float16, (16, 96)), fake(Float16, (16, 96))
    words = ["Booleans, one for each of the 6 instructions", "((8,1),2,3)", "but got tensor<ptr<"]
    rejected(body, *tensors, words=words)


@pytest.mark.parametrize("shape", [(1, 2, 3), ((8, 1), 2, 3), (6,), (1, 6, 1)])
def test_predicates_that_fit(shape):
    def body(a, b):
        tiled = rows_copy(CopyUniversalOp())
        mine = my_thread(tiled)
        flags = cute.make_rmem_tensor(shape, Boolean)
        flags.fill(True)
        cute.copy(tiled, mine.partition_S(a), mine.partition_D(b), pred=flags)

    ptx = compile_kernel(body, fake(Float16, (16, 96)), fake(Float16, (16, 96))).__ptx__
    assert ptx.count("ld.global.b16") == ptx.count("st.global.b16") == 6 * 8


def test_predicates_of_single_elements():
    def body(a, b):
        cute.basic_copy_if(cute.make_rmem_tensor((7,), Boolean), a, b)

    words = ["each of the 8 elements", "(8):(1)", "(7):(1)"]
    rejected(body, fake(Float32, (8,)), fake(Float32, (8,)), words=words)
    rejected(
        body, fake(Float32, (8,)), fake(Float32, (9,)), words=["partitions", "(8):(1)", "(9):(1)"]
    )


def to_shared(alignment=16, offset=0, pitch=32):
    def body(a):
        memory = SmemAllocator().allocate_tensor(Float16, cute.make_layout(512), alignment)
        rows = cute.make_layout((8, 32), stride=(pitch, 1))
        shared = cute.make_tensor(memory.iterator + offset, rows)
        tiled = rows_copy(cpasync.CopyG2SOp())
        mine = my_thread(tiled)
        cute.copy(tiled, mine.partition_S(a), mine.partition_D(shared))

    return body


@pytest.mark.parametrize(
    ("body", "align", "order", "words"),
    [
        (to_shared(4), 16, (1, 0), ["multiple of 4", "destination", "smem", "byte_alignment=16"]),
        (to_shared(offset=4), 16, (1, 0), ["multiple of 8", "destination", "smem"]),
        (to_shared(pitch=36), 16, (1, 0), ["multiple of 8", "destination", "strides"]),
        (to_shared(pitch=33), 16, (1, 0), ["multiple of 2", "destination", "strides"]),
        (to_shared(2), 16, (1, 0), ["multiple of 2", "destination", "byte_alignment=16"]),
        (to_shared(), 16, (0, 1), ["only 1 of these 8 elements", "source", "gmem"]),
    ],
)
def test_misaligned_asynchronous_copies(body, align, order, words):
    rejected(
        body,
        fake(Float16, (8, 32), align, order),
        words=[
            "cp.async of 8 Float16 moves 16 contiguous bytes",
            "((8,1),1,1)",
            "cute.copy(tiled",
            *words,
        ],
    )


def matrix_rows(alignment=16, offset=0, stride=(16, 1)):
    def body(a):
        memory = SmemAllocator().allocate_tensor(Float16, cute.make_layout(1024), alignment)
        memory.fill(0.0)
        layout = cute.make_layout((16, 16), stride=stride)
        shared = cute.make_tensor(memory.iterator + offset, layout)
        mma = cute.make_tiled_mma(MMA)
        atom = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), Float16)
        tiled = cute.make_tiled_copy_A(atom, mma)
        fragment = mma.make_fragment_A(mma.get_slice(0).partition_A(shared))
        cute.copy(tiled, my_thread(tiled).partition_S(shared), tiled.retile(fragment))

    return body


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (matrix_rows(4), ["multiple of 4", "byte_alignment=16"]),
        (matrix_rows(offset=4), ["multiple of 8"]),
        (matrix_rows(stride=(20, 1)), ["multiple of 8", "strides and beginnings of its parts"]),
        (matrix_rows(stride=(17, 1)), ["multiple of 2", "strides and beginnings of its parts"]),
        (matrix_rows(stride=(1, 16)), ["only 1 of these 8 elements"]),
        (matrix_rows(stride=(32, 2)), ["only 1 of these 8 elements"]),
    ],
)
def test_rows_of_matrices_that_are_misaligned_or_too_narrow(body, words):
    rejected(
        body,
        fake(Float16, (16, 16)),
        words=["ldmatrix x4 of 8 Float16 moves 16 contiguous bytes", "source", "smem", *words],
    )


def test_what_is_aligned_compiles():
    for body, align in ((to_shared(), 16), (to_shared(128, offset=64, pitch=40), 32)):
        assert copies_16_bytes(compile_kernel(body, fake(Float16, (8, 32), align)))
    for body in (matrix_rows(), matrix_rows(128, offset=8, stride=(24, 1))):
        assert "ldmatrix" in compile_kernel(body, fake(Float16, (16, 16))).__ptx__


def test_rows_of_arguments_may_be_aligned():
    """The divisors of run-time strides are not known."""

    def body(a):
        shared = SmemAllocator().allocate_tensor(
            Float16, cute.make_layout((64, 32), stride=(32, 1)), 16
        )
        tiled = rows_copy(cpasync.CopyG2SOp())
        mine = my_thread(tiled)
        cute.copy(tiled, mine.partition_S(a), mine.partition_D(shared))

    for stride in (cute.sym_int64(), cute.sym_int64(divisibility=2)):
        tensor = cute.runtime.make_fake_tensor(Float16, (64, 32), (stride, 1))
        assert copies_16_bytes(compile_kernel(body, tensor))


def test_offsets_of_run_time_in_a_swizzled_layout():
    def body(a):
        rows = cute.make_layout((8, 32), stride=(32, 1))
        layout = cute.make_composed_layout(cute.make_swizzle(2, 3, 3), 0, rows)
        shared = SmemAllocator().allocate_tensor(Float16, layout, 128)
        tiled = rows_copy(cpasync.CopyG2SOp())
        mine = my_thread(tiled)
        cute.copy(tiled, mine.partition_S(a), mine.partition_D(shared))

    assert copies_16_bytes(compile_kernel(body, fake(Float16, (8, 32), 16)))
