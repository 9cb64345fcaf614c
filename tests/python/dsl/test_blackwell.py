"""Programs for compute capability 10.0: run on the CPU, compiled and assembled; no such device is here."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support.blackwell_programs import Epilogues, TileGemm, columns, copies, single_instructions
from support.blackwell_tensors import NUMPY, assemble, fake, product_on_the_cpu, wrapped

from fairlead import (
    BFloat16,
    Float8E4M3FN,
    Float8E5M2,
    Float16,
    Float32,
    Int8,
    Int32,
    Int64,
    TFloat32,
    checks,
    cute,
    pipeline,
    utils,
)
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05
from fairlead.utils import blackwell_helpers as sm100

K, MN = OperandMajorMode.K, OperandMajorMode.MN
ROWS, COLUMNS = utils.LayoutEnum.ROW_MAJOR, utils.LayoutEnum.COL_MAJOR
ONE, SMEM = tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM
PACK = tcgen05.Pack.PACK_16b_IN_32b


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


def compiled(program, dtype, leading=1, result=None, target="cuda:sm_100a"):
    return cute.compile(
        program,
        fake(dtype, leading),
        fake(dtype, leading),
        fake(result or dtype, 1),
        options=f"--target {target}",
    )


# The instruction's bits: 4-5 the accumulators' type (1 Float32, 2 Int32), 7-9 and
# 10-12 the operands', 15 and 16 which have K slowest, 17-22 N / 8, 24-28 M / 16.
@pytest.mark.parametrize("dtype, leading, result, tile_n, kind, word", [
    (Float16, 1, None, 128, "f16", 0x8200010),
    (Float16, 1, Float32, 256, "f16", 0x8400010),
    (BFloat16, 0, None, 128, "f16", 0x8218490),
    (TFloat32, 1, Float32, 64, "tf32", 0x8100910),
    (TFloat32, 0, Float32, 64, "tf32", 0x8118910),
    (Float8E4M3FN, 1, Float16, 128, "f8f6f4", 0x8200010),
    (Int8, 1, Int32, 128, "i8", 0x82004A0),
])  # fmt: skip
def test_product_assembles(dtype, leading, result, tile_n, kind, word, tmp_path):
    program = TileGemm(tile_n=tile_n, columns=max(tile_n, 32))
    text = compiled(program, dtype, leading, result).__ptx__
    assert f"tcgen05.mma.cta_group::1.kind::{kind} " in text
    assert re.search(rf"\b{word}\b", text), "the instruction's word"
    assert "cp.async.bulk.tensor.2d" in text and "tcgen05.ld.sync.aligned.32x32b.x32.b32" in text
    for each in ("alloc", "dealloc", "relinquish_alloc_permit", "commit"):
        assert f"tcgen05.{each}.cta_group::1." in text
    # Between the barrier and the loads, and between these and the next one.
    words = r"fence::after_thread_sync.*tcgen05.ld.*tcgen05.wait::ld.*fence::before_thread_sync"
    assert re.search(words, text, re.DOTALL)
    assemble(text, tmp_path)


def test_product_of_clusters_assembles(tmp_path):
    text = compiled(TileGemm(cluster=(2, 2)), Float16).__ptx__
    assert text.count(".multicast::cluster [") >= 2, "both operands are shared"
    assert ".shared::cluster.multicast::cluster.b64" in text, (
        "stages are freed in all blocks that share them"
    )
    assemble(text, tmp_path)


@pytest.mark.parametrize("leading, chunk", [(1, 1), (0, 512)])
def test_descriptors_of_rows_of_128_bytes(leading, chunk):
    """In units of 16 bytes: bits 16-29 are the step from a row's end to its next part (1 without a next part), 32-45
    the step from 8 rows to the next 8; bit 46 is the version, 61-63 the swizzle (2)."""
    text = compiled(TileGemm(), Float16, leading).__ptx__
    word = chunk << 16 | 64 << 32 | 1 << 46 | 2 << 61
    high, low = word >> 32 << 32, word & 0xFFFFFFFF
    assert str(word) in text or (str(high) in text and str(low) in text)


def test_single_instructions(tmp_path):
    out = cute.make_fake_compact_tensor(Float32, (128,), assumed_align=16)
    text = cute.compile(single_instructions, out, options="--target cuda:sm_100a").__ptx__
    for each in (
        "tcgen05.st.sync.aligned.32x32b.x64.b32",
        "tcgen05.wait::st.sync.aligned",
        "tcgen05.ld.sync.aligned.32x32b.x64.b32",
        "tcgen05.wait::ld.sync.aligned",
        "shared::cluster.multicast::cluster.b64",
    ):
        assert each in text
    assemble(text, tmp_path)


# --- on the CPU


@pytest.mark.parametrize("dtype, leading, result, tile_n, shape", [
    (Float16, 1, Float32, 128, (128, 128, 64)),
    (Float16, 1, Float16, 256, (256, 512, 192)),
    (Float16, 0, Float32, 64, (128, 192, 320)),
    (BFloat16, 0, Float32, 128, (128, 256, 128)),
    (BFloat16, 1, BFloat16, 32, (384, 96, 64)),
    (TFloat32, 1, Float32, 64, (128, 128, 96)),
    (TFloat32, 0, Float32, 64, (128, 128, 96)),
    (Float8E4M3FN, 1, Float16, 128, (128, 128, 256)),
    (Float8E5M2, 1, Float32, 64, (256, 64, 128)),
    (Int8, 1, Int32, 128, (256, 128, 384)),
])  # fmt: skip
def test_product_on_the_cpu(dtype, leading, result, tile_n, shape):
    program = TileGemm(tile_n=tile_n, columns=max(tile_n, 32), repetition=tcgen05.Repetition.x16)
    c, expected = product_on_the_cpu(program, dtype, result, shape, (leading, leading, 1))
    np.testing.assert_array_equal(c, expected)


def test_steps_of_8_columns():
    program = TileGemm(tile_n=24, columns=32, repetition=tcgen05.Repetition.x8)
    c, expected = product_on_the_cpu(program, BFloat16, Float32, (128, 48, 64))
    np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize(
    "options", ["", "--check all", "--schedule backward", "--schedule random:7"]
)
def test_product_of_clusters_on_the_cpu(options):
    c, expected = product_on_the_cpu(
        TileGemm(cluster=(2, 2)), Float16, Float32, (512, 512, 128), options=options
    )
    np.testing.assert_array_equal(c, expected)


def test_ordinary_numbers_are_rounded_once():
    """Sums of one instruction are exact but for one rounding to Float32."""
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal((128, 16)).astype(np.float16) for _ in range(2))
    c = np.zeros((128, 128), np.float32)
    whole = [np.zeros((128, 64), np.float16) for _ in range(2)]
    whole[0][:, :16], whole[1][:, :16] = a, b
    arguments = [wrapped(each, Float16) for each in whole] + [wrapped(c, Float32)]
    cute.compile(TileGemm(), *arguments, options="--target cpu")(*arguments)
    np.testing.assert_array_equal(
        c, (a.astype(np.float64) @ b.T.astype(np.float64)).astype(np.float32)
    )


@pytest.mark.parametrize("options", ["", "--check all"])
def test_single_instructions_on_the_cpu(options):
    out = np.zeros(128, np.float32)
    cute.compile(single_instructions, out, options=f"--target cpu {options}")(out)
    np.testing.assert_array_equal(out, 1.0)


def test_columns_begin_at_multiples_of_their_number():
    out = np.full(2, -1, np.int32)
    cute.compile(columns, out, 0, 0, 0, options="--target cpu")(out, 128, 64, 64)
    assert out.tolist() == [0, 128]


@pytest.mark.parametrize("numbers, message", [
    ((512, 32, 32), "asks for 32 columns of tensor memory, but of 512 0 are free"),
    ((256, 32, 64), "frees 64 columns of tensor memory at column 256, which it has not reserved so"),
    ((256, 32, 0), "ends without freeing 32 columns of tensor memory"),
])  # fmt: skip
def test_wrong_use_of_columns(numbers, message):
    out = np.zeros(2, np.int32)
    compiled_columns = cute.compile(columns, out, 0, 0, 0, options="--target cpu")
    with pytest.raises(RuntimeError, match=rf"Block \(0, 0, 0\) of `_columns` {message}"):
        compiled_columns(out, *numbers)
    compiled_columns(out, 64, 64, 64)  # the mistake leaves nothing behind


@pytest.mark.parametrize("first, lane, message", [
    (48, 0, "copies columns 48 to 79 of tensor memory, which it has not reserved"),
    (128, 0, "copies columns 128 to 159 of tensor memory, which it has not reserved"),
    (0, 32, "copies lane 32 of tensor memory by a warp that reaches lanes 0 to 31"),
])  # fmt: skip
def test_copies_of_what_a_warp_has_not(first, lane, message):
    copies(32, 0, 0)
    with pytest.raises(RuntimeError, match=rf"Block \(0, 0, 0\) of `_copies` {message}"):
        copies(first, lane, 0)
    copies(0, 0, 0)


def test_a_block_that_an_assertion_stops_keeps_no_columns():
    asserting = cute.compile(copies, 0, 0, 0, options="--target cpu --enable-assertions")
    for _ in range(10):
        with pytest.raises(AssertionError, match="stopped"):
            asserting(0, 0, 1)
    asserting(0, 0, 0)


def test_products_into_columns_that_are_not_reserved():
    with pytest.raises(RuntimeError, match="multiplies into columns 0 to 127 of tensor memory"):
        product_on_the_cpu(TileGemm(columns=64), Float16, Float32, (128, 128, 64))


def test_accumulators_that_nothing_wrote_are_found():
    """The first product must overwrite the accumulators: a sum with uninitialized memory has no value."""

    class Accumulates(TileGemm):
        accumulates = True

    with pytest.raises(checks.CheckError, match="init: memory that nothing has written to"):
        product_on_the_cpu(Accumulates(), Float16, Float32, (128, 128, 64), options="--check init")


@pytest.mark.parametrize("shape, dtype, order", [
    ((384, 256), Float32, "C"),
    ((200, 328), Float16, "C"),
    ((200, 328), Float32, "F"),
])  # fmt: skip
def test_epilogue_by_tma(shape, dtype, order):
    """Tiles end at the tensor's ends."""
    check_epilogue(Epilogues(by_tma=True), shape, dtype, order)


@pytest.mark.parametrize("shape", [(256, 256), (200, 320)])
@pytest.mark.parametrize("dtype, order", [(Float16, "C"), (Float32, "F")])
def test_epilogue_from_registers(shape, dtype, order):
    """Elements outside of the tensor are not stored: those of the second half would overwrite the first."""
    check_epilogue(Epilogues(by_tma=False), shape, dtype, order)


@pytest.mark.parametrize("options", ["", "--check all"])
def test_epilogue_of_accumulators_that_share_columns(options):
    check_epilogue(Epilogues(by_tma=False, overlapping=True), (200, 256), Float16, "C", options)


def test_epilogue_under_checks():
    check_epilogue(Epilogues(by_tma=True), (200, 128), Float16, "C", "--check all")


def check_epilogue(program, shape, dtype, order, options=""):
    c = np.zeros(shape, NUMPY[dtype], order=order)
    argument = wrapped(c, dtype)
    cute.compile(program, argument, options=f"--target cpu {options}")(argument)
    rows, columns = np.indices(shape)
    expected = (64 * (rows % 128) + columns % 64).astype(NUMPY[dtype])
    np.testing.assert_array_equal(c, expected + expected)


@pytest.mark.parametrize(
    "program", [Epilogues(by_tma=True), Epilogues(by_tma=False, overlapping=True)]
)
def test_epilogue_assembles(program, tmp_path):
    text = cute.compile(program, fake(Float16, 1), options="--target cuda:sm_100a").__ptx__
    store = "cp.async.bulk.tensor.2d.global.shared::cta" if program.by_tma else "st.global"
    assert store in text
    assemble(text, tmp_path)


# --- layouts


def traced(program):
    found = []

    @cute.jit
    def host():
        found.extend(program())

    cute.compile(host, options="--target cuda:sm_100a")
    return found


@pytest.mark.parametrize("dtype, major, layout", [
    (Float16, K, "((128,16),1,4,3):((64,1),0,16,8192)"),
    (Float16, MN, "(((64,2),16),1,4,3):(((1,4096),64),0,1024,8192)"),
    (TFloat32, K, "((128,8),1,4,3):((32,1),0,8,4096)"),
    (Float8E4M3FN, K, "((128,32),1,4,3):((128,1),0,32,16384)"),
    (Int8, K, "((128,32),1,4,3):((128,1),0,32,16384)"),
])  # fmt: skip
def test_operands_in_shared_memory(dtype, major, layout):
    def program():
        sums = Int32 if dtype is Int8 else Float32
        mma = sm100.make_trivial_tiled_mma(dtype, major, major, sums, ONE, (128, 128))
        tile = (128, 128, 1024 // dtype.width)
        a = sm100.make_smem_layout_a(mma, tile, dtype, 3)
        b = sm100.make_smem_layout_b(mma, tile, dtype, 3)
        return [str(a.inner), str(a.outer), str(b.outer)]

    assert traced(program) == ["S<3,4,3>", layout, layout]


def test_tiles_of_several_products():
    """M of two instructions, and K of two rows: ((M, K), 2, 8, stages)."""

    def program():
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, (128, 64))
        a = sm100.make_smem_layout_a(mma, (256, 64, 128), Float16, 2)
        sums = mma.make_fragment_C((*mma.partition_shape_C((256, 128)), 2))
        return [str(a.outer), str(sums.layout)]

    assert traced(program) == [
        "((128,16),2,(4,2),2):((64,1),8192,(16,16384),32768)",
        "((128,64),2,2,2):((65536,1),64,128,256)",
    ]


def test_tiles_smaller_than_a_product():
    """Stages of all that the product reads: a tile of 64 rows has 128, and one of 8 columns of K has 16."""

    def program():
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, (128, 256))
        layouts = [
            sm100.make_smem_layout_a(mma, (64, 128, 64), Float16, 2),
            sm100.make_smem_layout_b(mma, (128, 64, 64), Float16, 2),
            sm100.make_smem_layout_a(mma, (128, 256, 8), Float16, 2),
        ]
        with pytest.raises(TypeError, match="whole products, M a multiple of 128"):
            sm100.make_smem_layout_a(mma, (192, 256, 64), Float16, 2)
        return [str(layout.outer) for layout in layouts]

    assert traced(program) == [
        "((128,16),1,4,2):((64,1),0,16,8192)",
        "((256,16),1,4,2):((64,1),0,16,16384)",
        "((128,16),1,1,2):((16,1),0,0,2048)",
    ]


def test_stages_of_tile_to_mma_shape_are_one_mode():
    def program():
        atom = sm100.make_smem_layout_atom(tcgen05.SmemLayoutAtomKind.MN_SW128_32B, TFloat32)
        staged = tcgen05.tile_to_mma_shape(atom, ((128, 8), 1, 2, 2), order=(2, 1, 3))
        return [str(atom.outer), str(staged.outer)]

    assert traced(program) == ["(32,8):(1,32)", "(((32,4),8),1,2,2):(((1,512),32),0,256,2048)"]


def test_layouts():
    """Layouts of operands as the product divides them, of accumulators, of a thread's copies from tensor memory."""

    def program():
        mma = cute.make_tiled_mma(
            tcgen05.MmaF16BF16Op(Float16, Float32, (128, 128, 16), ONE, SMEM, K, K)
        )
        staged = sm100.make_smem_layout_a(mma, (128, 128, 64), Float16, 3)
        shape = mma.partition_shape_C((128, 128))
        sums = mma.make_fragment_C(shape)
        several = mma.make_fragment_C((*shape, 2))
        atom = cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x32), Float32)
        part = cute.zipped_divide(sums, ((128, 32),))
        copy = tcgen05.make_tmem_copy(atom, part[None, 0])
        return [
            str(each)
            for each in (
                staged.inner, staged.outer, sums.layout, several.layout, mma.thr_id,
                atom.layout_src_tv, atom.layout_dst_tv, copy.size,
            )
        ]  # fmt: skip

    assert traced(program) == [
        "S<3,4,3>",
        "((128,16),1,4,3):((64,1),0,16,8192)",
        "((128,128),1,1):((65536,1),0,0)",
        "((128,128),1,1,2):((65536,1),0,0,128)",
        "1:0",
        "(32,1024):(0,1)",
        "(32,32):(32,1)",
        "128",
    ]


@pytest.mark.parametrize("tile, pair, layout, dtype, added, expected", [
    ((128, 128, 64), False, ROWS, Float16, None, "(128:1,32:1)"),
    ((128, 96), False, ROWS, Float32, None, "(128:1,32:1)"),
    ((128, 48), False, ROWS, Float32, None, "(128:1,48:1)"),
    ((64, 256), False, ROWS, Float16, None, "(64:1,64:1)"),
    ((64, 256), True, ROWS, Float16, None, "(64:1,(32,2):(1,128))"),
    ((128, 128), False, COLUMNS, Float8E4M3FN, None, "(128:1,32:1)"),
    ((128, 128), False, ROWS, Float32, (ROWS, Float32), "(128:1,16:1)"),
    ((128, 128), False, ROWS, Float32, (ROWS, Float16), "(128:1,16:1)"),
    ((128, 256), False, ROWS, Float16, (ROWS, Float16), "(128:1,64:1)"),
    ((128, 256), False, ROWS, Float8E4M3FN, (ROWS, Float16), "(128:1,64:1)"),
    ((128, 256), False, ROWS, Float8E4M3FN, (ROWS, Float8E4M3FN), "(128:1,64:1)"),
])  # fmt: skip
def test_tile_of_the_epilogue(tile, pair, layout, dtype, added, expected):
    def program():
        more = {"layout_c": added[0], "elem_ty_c": added[1]} if added else {}
        rows, columns = sm100.compute_epilogue_tile_shape(tile, pair, layout, dtype, **more)
        return [f"({rows},{columns})"]

    assert traced(program) == [expected]


def test_columns_of_accumulators():
    def program():
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, (128, 96))
        shape = mma.partition_shape_C((128, 96))
        one, four = (mma.make_fragment_C((*shape, stages)) for stages in (1, 4))
        return [
            utils.get_num_tmem_alloc_cols(one),
            utils.get_num_tmem_alloc_cols(one, rounding=False),
            utils.get_num_tmem_alloc_cols(four),
            utils.get_num_tmem_alloc_cols([one, one]),
        ]

    assert traced(program) == [128, 96, 512, 256]


def test_too_many_columns_of_accumulators():
    def program():
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, (128, 256))
        sums = mma.make_fragment_C((*mma.partition_shape_C((128, 256)), 2))
        return [utils.get_num_tmem_alloc_cols([sums, sums])]

    with pytest.raises(TypeError, match="for get_num_tmem_alloc_cols, but got 1024"):
        traced(program)


@pytest.mark.parametrize("columns, count", [(32, 32), (48, 16), (128, 128), (24, 8)])
def test_load_of_the_epilogue(columns, count):
    """The load takes the largest power of two of columns that divides their number."""

    def program():
        tile = (cute.make_layout(128), cute.make_layout(columns))
        atom = sm100.get_tmem_load_op((128, 128), ROWS, Float16, Float32, tile, False)
        return [atom.op.repeat.value]

    assert traced(program) == [count]


@pytest.mark.parametrize("major, dtype, shape, layout", [
    (K, Float16, (128, 64), "((8,16),(64,1),(1,2)):((64,512),(1,0),(0,8192))"),
    (MN, Float16, (128, 64), "((64,2),(8,8),(1,2)):((1,4096),(64,512),(0,8192))"),
])  # fmt: skip
def test_operand_without_an_mma(major, dtype, shape, layout):
    made = sm100.make_smem_layout(major, shape, dtype, 2)
    assert (str(made.inner), str(made.outer)) == ("S<3,4,3>", layout)


# --- refused programs


@pytest.mark.parametrize("target", ["cuda:sm_90a", "cuda:sm_100", "cuda:sm_120a"])
def test_needs_the_architecture(target):
    with pytest.raises(Exception, match="is supported only for sm_100a"):
        compiled(TileGemm(), Float16, target=target)


def test_operands_are_no_registers():
    """make_fragment_A of a shape alone would make some, which no instruction reads."""

    def program():
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, (128, 128))
        mma.make_fragment_A(mma.partition_shape_A((128, 64)))

    with pytest.raises(Exception, match="a partition of a tensor in shared memory"):
        traced(program)


@pytest.mark.parametrize("make, message", [
    (lambda: tcgen05.MmaF16BF16Op(Float16, Float32, (256, 64, 16), ONE, SMEM, K, K), r"\(64 or 128, N, 16\)"),
    (lambda: tcgen05.MmaF16BF16Op(Float16, Float32, (128, 20, 16), ONE, SMEM, K, K), "in steps of 8"),
    (lambda: tcgen05.MmaF16BF16Op(BFloat16, Float16, (128, 64, 16), ONE, SMEM, K, K), "with Float32 accumulators"),
    (lambda: tcgen05.MmaF16BF16Op(Float32, Float32, (128, 64, 16), ONE, SMEM, K, K), "as ab_dtype"),
    (lambda: tcgen05.MmaI8Op(Int8, (128, 40, 32), ONE, SMEM, K, K), r"in steps of 16 \(8 up to 32\)"),
    (lambda: tcgen05.MmaTF32Op((128, 64, 8), 2, SMEM, K, K), "CtaGroup.ONE or .TWO as cta_group"),
    (lambda: tcgen05.MmaTF32Op((128, 64, 8), ONE, K, K, K), "OperandSource.SMEM or .TMEM as a_src"),
    (lambda: tcgen05.MmaF8F6F4Op(Int8, Int8, Int32, (128, 64, 32), ONE, SMEM, K, K), "as a_dtype"),
    (lambda: sm100.make_smem_layout("k", (128, 64), Float16, 1), "as leading_mode of make_smem_layout"),
    (lambda: sm100.get_tmem_load_op((32, 64), ROWS, Float16, Float32, (32, 64), False), "a tile of 64 or 128 rows"),
    (lambda: tcgen05.Ld32x32bOp(32), "a member of Repetition"),
    (lambda: tcgen05.Ld32x32bOp(tcgen05.Repetition.x1, tcgen05.Unpack.NONE), "a member of Pack"),
    (lambda: cute.make_copy_atom(tcgen05.Ld32x32bOp(), Int64), "elements of 8, 16 or 32 bits"),
    (lambda: cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition.x1, PACK), Float32), "elements of 16 bits"),
    (lambda: cute.make_copy_atom(tcgen05.Ld16x256bOp(tcgen05.Repetition.x64), Float32), "a power of two up to 32"),
    (lambda: tcgen05.make_tmem_copy(None, None), "for make_tmem_copy"),
    (lambda: tcgen05.commit(None, cta_group=2), "a CtaGroup for commit"),
])  # fmt: skip
def test_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_names_that_the_page_says_are_not_there():
    """The page docs/language-layouts.md is right about Blackwell: its missing names are missing, the others exist."""
    page = (Path(__file__).parents[3] / "docs/language-layouts.md").read_text()
    section = page.partition("### Blackwell\n")[2].partition("\n### ")[0]
    table, _, missing = " ".join(section.split()).partition("Missing names:")
    assert missing
    places = {"tcgen05": tcgen05, "cute": cute, "pipeline": pipeline, "utils": utils}

    def found(name):
        at = places[name.split(".")[0]]
        for part in name.split(".")[1:]:
            at = getattr(at, part, None)
        return at is not None

    dotted = r"`((?:tcgen05|cute|pipeline|utils)\.[\w.]+)[`(]"
    names = re.findall(dotted, missing)
    assert len(names) == 2 and [name for name in names if found(name)] == []
    names = [name for name in re.findall(dotted, table) if name != "utils.sm100"]
    assert len(names) >= 10 and [name for name in names if not found(name)] == []
