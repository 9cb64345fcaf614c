"""Programs for compute capability 10.0: compiled and assembled, as no such device is here."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from blackwell_programs import TileGemm, single_instructions

from fairlead import (
    BFloat16,
    Float8E4M3FN,
    Float16,
    Float32,
    Int8,
    Int32,
    TFloat32,
    cute,
    pipeline,
    utils,
)
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05
from fairlead.utils import blackwell_helpers as sm100

PTXAS = "/usr/local/cuda/bin/ptxas"
K, MN = OperandMajorMode.K, OperandMajorMode.MN
ONE, SMEM = tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


def fake(dtype, leading):
    extents = tuple(cute.sym_int(divisibility=128) for _ in range(2))
    order = (0, 1) if leading == 0 else (1, 0)
    return cute.make_fake_compact_tensor(dtype, extents, stride_order=order, assumed_align=16)


def compiled(program, dtype, leading=1, result=None, target="cuda:sm_100a"):
    return cute.compile(
        program,
        fake(dtype, leading),
        fake(dtype, leading),
        fake(result or dtype, 1),
        options=f"--target {target}",
    )


def assemble(text, folder):
    if not Path(PTXAS).exists():
        pytest.skip("no ptxas here")
    path = folder / "kernel.ptx"
    path.write_text(text)
    run = subprocess.run(
        [PTXAS, "-arch=sm_100a", "-v", path, "-o", folder / "kernel.cubin"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "0 bytes spill stores" in run.stderr, run.stderr


# The instruction's bits: bit 3 saturation of integers, 4-5 the accumulators' type (1 Float32, 2 Int32), 7-9 and
# 10-12 the operands', 15 and 16 which have K slowest, 17-22 N / 8, 24-28 M / 16.
@pytest.mark.parametrize("dtype, leading, result, tile_n, kind, word", [
    (Float16, 1, None, 128, "f16", 0x8200010),
    (Float16, 1, Float32, 256, "f16", 0x8400010),
    (BFloat16, 0, None, 128, "f16", 0x8218490),
    (TFloat32, 1, Float32, 64, "tf32", 0x8100910),
    (Float8E4M3FN, 1, Float16, 128, "f8f6f4", 0x8200010),
    (Int8, 1, Int32, 128, "i8", 0x82004A8),
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
    """In units of 16 bytes: bits 16-29 from one row's end to the next part of it (1 if there is none), 32-45 from 8
    rows to the next; 46 the version, 61-63 the swizzle (2)."""
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
        "(32,(32,32)):(0,(1,32))",
        "(32,32):(32,1)",
        "128",
    ]


# --- refused programs


@pytest.mark.parametrize("target", ["cuda:sm_90a", "cuda:sm_100", "cuda:sm_120a"])
def test_needs_the_architecture(target):
    with pytest.raises(Exception, match="exists only on sm_100a"):
        compiled(TileGemm(), Float16, target=target)


def test_has_no_form_for_the_cpu():
    with pytest.raises(Exception, match=r"only GPUs run tcgen05.alloc, with --target cuda:sm_100a"):
        compiled(TileGemm(), Float16, target="cpu")


def test_operands_are_no_registers():
    """make_fragment_A of a shape alone would make some, which no instruction reads."""

    def program():
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, (128, 128))
        mma.make_fragment_A(mma.partition_shape_A((128, 64)))

    with pytest.raises(Exception, match="a partition of a tensor in shared memory"):
        traced(program)


@pytest.mark.parametrize("make, message", [
    (lambda: tcgen05.MmaF16BF16Op(Float16, Float32, (64, 64, 16), ONE, SMEM, K, K), r"\(128, N, 16\) as the shape"),
    (lambda: tcgen05.MmaF16BF16Op(Float16, Float32, (128, 24, 16), ONE, SMEM, K, K), "in steps of 16"),
    (lambda: tcgen05.MmaF16BF16Op(Float16, Float16, (128, 64, 16), ONE, SMEM, K, K), "with Float32 accumulators"),
    (lambda: tcgen05.MmaF16BF16Op(Float32, Float32, (128, 64, 16), ONE, SMEM, K, K), "as ab_dtype"),
    (lambda: tcgen05.MmaI8Op(Int8, (128, 48, 32), ONE, SMEM, K, K), r"in steps of 32 \(or 16\)"),
    (lambda: tcgen05.MmaTF32Op((128, 64, 8), ONE, SMEM, MN, K), "K-major operands"),
    (lambda: tcgen05.MmaTF32Op((128, 64, 8), tcgen05.CtaGroup.TWO, SMEM, K, K), "CtaGroup.ONE as cta_group"),
    (lambda: tcgen05.MmaTF32Op((128, 64, 8), ONE, tcgen05.OperandSource.TMEM, K, K), "OperandSource.SMEM as a_src"),
    (lambda: tcgen05.MmaF8F6F4Op(Int8, Int8, Int32, (128, 64, 32), ONE, SMEM, K, K), "as a_dtype"),
    (lambda: tcgen05.Ld32x32bOp(32), "a Repetition"),
    (lambda: cute.make_copy_atom(tcgen05.Ld32x32bOp(), Float16), "elements of 32 bits"),
    (lambda: tcgen05.make_tmem_copy(None, None), "for make_tmem_copy"),
    (lambda: tcgen05.commit(None, cta_group=tcgen05.CtaGroup.TWO), "CtaGroup.ONE for commit"),
])  # fmt: skip
def test_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_names_that_the_page_says_are_not_there():
    """The page docs/language-layouts.md is right about Blackwell: its missing names are missing, the others exist."""
    page = (Path(__file__).parents[3] / "docs/language-layouts.md").read_text()
    section = page.partition("### Blackwell\n")[2].partition("\n### ")[0]
    table, _, missing = " ".join(section.split()).partition("Names that are not there:")
    assert missing
    places = {"tcgen05": tcgen05, "cute": cute, "pipeline": pipeline, "utils": utils}

    def found(name):
        at = places[name.split(".")[0]]
        for part in name.split(".")[1:]:
            at = getattr(at, part, None)
        return at is not None

    dotted = r"`((?:tcgen05|cute|pipeline|utils)\.[\w.]+)[`(]"
    names = re.findall(dotted, missing)
    assert len(names) == 14 and [name for name in names if found(name)] == []
    names = [name for name in re.findall(dotted, table) if name != "utils.sm100"]
    assert len(names) >= 10 and [name for name in names if not found(name)] == []
