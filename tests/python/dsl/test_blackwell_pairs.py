"""Products of pairs of blocks (``CtaGroup.TWO``): run on the CPU, compiled and assembled; no such device is here."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from support.blackwell_pairs import PairGemm
from support.blackwell_tensors import assemble, fake, product_on_the_cpu
from support.thinned import crossed, thinned

from fairlead import (
    BFloat16,
    CheckError,
    Float8E4M3FN,
    Float8E5M2,
    Float16,
    Float32,
    Int8,
    Int32,
    TFloat32,
    Uint8,
    cute,
    pipeline,
    utils,
)
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05
from fairlead.utils import blackwell_helpers as sm100

K, MN = OperandMajorMode.K, OperandMajorMode.MN
TWO, SMEM = tcgen05.CtaGroup.TWO, tcgen05.OperandSource.SMEM


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


def check(program, dtype, result, shape, leading=(1, 1, 1), options=""):
    c, expected = product_on_the_cpu(program, dtype, result, shape, leading, options)
    np.testing.assert_array_equal(c, expected)


# --- on the CPU


@pytest.mark.parametrize("dtype, result, sums", [
    (Float16, Float16, Float32),
    (Float16, Float16, Float16),
    (BFloat16, BFloat16, Float32),
    (TFloat32, Float32, Float32),
    (Float8E4M3FN, Float16, Float32),
    (Float8E4M3FN, Float16, Float16),
    (Float8E5M2, Float32, Float32),
    (Int8, Int32, Int32),
    (Uint8, Int32, Int32),
])  # fmt: skip
def test_types(dtype, result, sums):
    depth = 3 * 1024 // dtype.width
    check(PairGemm(256, 64, sums=sums), dtype, result, (256, 64, depth))


@pytest.mark.parametrize("m, n, cluster, shape", [
    (256, 256, (2, 1), (512, 512, 128)),
    (256, 32, (2, 2), (256, 64, 192)),
    (128, 64, (2, 1), (256, 128, 64)),
    (128, 256, (2, 2), (128, 512, 256)),
    (256, 64, (4, 1), (1024, 64, 128)),
    (256, 96, (4, 2), (512, 192, 64)),
    (256, 64, (2, 1), (200, 328, 88)),  # tiles end at the tensors' ends
    (128, 128, (4, 1), (72, 136, 200)),
])  # fmt: skip
def test_shapes_and_clusters(m, n, cluster, shape):
    check(PairGemm(m, n, cluster), Float16, Float32, shape)


@pytest.mark.parametrize("types, leading", crossed(
    [(Float16, Float16), (BFloat16, Float32), (TFloat32, Float32), (Float8E4M3FN, Float16), (Int8, Int32)],
    [(0, 1, 1), (1, 0, 1), (0, 0, 0)],
))  # fmt: skip
def test_majors(types, leading):
    dtype, result = types
    check(PairGemm(256, 128), dtype, result, (256, 128, 256), leading)


@pytest.mark.parametrize("pair, cluster", [(True, (2, 1)), (False, (1, 1))])
def test_one_product_of_several_steps(pair, cluster):
    """The first of its steps along K overwrites the accumulators, the others add."""
    program = PairGemm(128, 64, cluster, pair=pair, whole_steps=True)
    check(program, Float16, Float32, (128, 64, 256))


@pytest.mark.parametrize("m, leading, result", thinned(
    itertools.product([128, 256], [0, 1], [Float16, Float32, Float8E4M3FN]),
    [(128, 0, Float16), (128, 1, Float32), (256, 0, Float32), (256, 1, Float8E4M3FN), (256, 0, Float16)],
))  # fmt: skip
def test_epilogues(m, result, leading):
    check(PairGemm(m, 128), Float16, result, (m, 128, 8), (1, 1, leading))


@pytest.mark.parametrize(
    "options", ["--schedule backward", "--schedule random:3", "--schedule random:8"]
)
def test_schedules(options):
    check(PairGemm(256, 32, (4, 2)), Float16, Float32, (512, 64, 320), options=options)


@pytest.mark.parametrize("m, n, dtype, result, sums, leading", [
    (64, 64, Float16, Float16, Float32, (1, 1, 1)),
    (64, 64, Float16, Float16, Float32, (1, 1, 0)),
    (64, 128, Float16, Float32, Float32, (1, 0, 1)),
    (64, 64, Float16, Float16, Float16, (1, 1, 1)),
    (64, 64, Float16, Float8E4M3FN, Float32, (1, 1, 1)),
    (128, 64, Float16, Float16, Float16, (0, 1, 0)),
    (128, 64, Float8E5M2, Float16, Float32, (0, 0, 1)),
    (128, 32, Uint8, Int32, Int32, (0, 0, 1)),
])  # fmt: skip
def test_one_block(m, n, dtype, result, sums, leading):
    """The program without pairs: 64 rows, sums of 16 bits, MN-major bytes."""
    program = PairGemm(m, n, (1, 1), pair=False, sums=sums)
    check(program, dtype, result, (2 * m, 2 * n, 128), leading)


# --- assembled


# The word: bits 4-5 the accumulators' type, 7-9 and 10-12 the operands', 15 and 16 which have K slowest, 17-22 N / 8,
# 24-28 M / 16 of both blocks.
@pytest.mark.parametrize("program, dtype, leading, result, kind, word", [
    (PairGemm(256, 256), Float16, 1, Float16, "f16", 0x10400010),
    (PairGemm(256, 256), BFloat16, 0, BFloat16, "f16", 0x10418490),
    (PairGemm(128, 128), Float16, 1, Float16, "f16", 0x08200010),
    (PairGemm(256, 128, sums=Float16), Float16, 1, Float16, "f16", 0x10200000),
    (PairGemm(256, 64), TFloat32, 1, Float32, "tf32", 0x10100910),
    (PairGemm(256, 128), Float8E4M3FN, 0, Float16, "f8f6f4", 0x10218010),
    (PairGemm(256, 128), Int8, 1, Int32, "i8", 0x102004A0),
])  # fmt: skip
def test_assembles(program, dtype, leading, result, kind, word, tmp_path):
    matrices = fake(dtype, leading), fake(dtype, leading), fake(result, 1)
    text = cute.compile(program, *matrices, options="--target cuda:sm_100a").__ptx__
    assert f"tcgen05.mma.cta_group::2.kind::{kind} " in text
    assert re.search(rf"\b{word}\b", text), "the instruction's word"
    assert "cta_group::1" not in text
    for name in ("alloc", "dealloc", "relinquish_alloc_permit", "commit"):
        assert f"tcgen05.{name}.cta_group::2." in text
    load = r"and\.b32 even, %r\d+, 0xFEFFFFFF; .*cp\.async\.bulk\.tensor\.2d\S*\.cta_group::2 .*\[even\]"
    assert len(re.findall(load, text)) >= 2, "both operands count at the even block's barrier"
    assemble(text, tmp_path)


def test_clusters_assemble(tmp_path):
    matrices = [fake(Float16, 1) for _ in range(3)]
    options = "--target cuda:sm_100a"
    text = cute.compile(PairGemm(256, 128, (4, 2)), *matrices, options=options).__ptx__
    assert text.count(".multicast::cluster.cta_group::2 [") >= 2, "both operands are shared"
    assemble(text, tmp_path)


# --- layouts


def test_layouts():
    """The parts of each block, and accumulators of 256 and of 128 rows of a pair."""
    seen = []

    @cute.jit
    def host():
        for m in (256, 128):
            mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, TWO, (m, 256))
            tile = (m, 256, 64)
            staged = [
                make(mma, tile, Float16, 2)
                for make in (sm100.make_smem_layout_a, sm100.make_smem_layout_b)
            ]
            sums = mma.make_fragment_C((*mma.partition_shape_C((m, 256)), 2))
            seen.append([str(mma.thr_id), *(str(each.outer) for each in staged), str(sums.layout)])

    cute.compile(host, options="--target cuda:sm_100a")
    b = "((128,16),1,4,2):((64,1),0,16,8192)"
    assert seen == [
        ["2:1", b, b, "((128,256),1,1,2):((65536,1),0,0,256)"],
        [
            "2:1",
            "((64,16),1,4,2):((64,1),0,16,4096)",
            b,
            "((64,(128,2)),1,1,2):((65536,(1,4194304)),0,0,128)",
        ],
    ]


@pytest.mark.parametrize("sums, stages, expected", [
    (Float32, 1, "(((16,4),64),1,1,1):(((65536,2097152),1),0,0,0)"),
    (Float32, 2, "(((16,4),64),1,1,2):(((65536,2097152),1),0,0,1048576)"),
    (Float16, 4, "(((16,4),64),1,1,(2,2)):(((131072,4194304),2),0,0,(2097152,128))"),
])  # fmt: skip
def test_accumulators_of_64_rows(sums, stages, expected):
    """They take 16 lanes of each warp's 32; the second accumulator takes the other 16."""
    seen = []

    @cute.jit
    def host():
        one = tcgen05.CtaGroup.ONE
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, sums, one, (64, 64))
        seen.append(str(mma.make_fragment_C((*mma.partition_shape_C((64, 64)), stages)).layout))

    cute.compile(host, options="--target cuda:sm_100a")
    assert seen == [expected]


# --- refused


def launched(kernel, cluster, target="cpu"):
    @cute.jit
    def host():
        kernel().launch(grid=(4, 2, 1), block=(32, 1, 1), cluster=cluster)

    return cute.compile(host, options=f"--target {target}")


@cute.kernel
def reserves():
    place = utils.SmemAllocator().allocate(Int32)
    cute.arch.alloc_tmem(64, place, is_two_cta=True)
    cute.arch.relinquish_tmem_alloc_permit(is_two_cta=True)
    memory = cute.arch.retrieve_tmem_ptr(Float32, 16, place)
    cute.arch.dealloc_tmem(memory, 64, is_two_cta=True)


@cute.kernel
def mixes():
    place = utils.SmemAllocator().allocate(Int32)
    cute.arch.alloc_tmem(64, place, is_two_cta=True)
    cute.arch.relinquish_tmem_alloc_permit()


@pytest.mark.parametrize("target", ["cpu", "cuda:sm_100a"])
@pytest.mark.parametrize("cluster", [(1, 1, 1), None])
def test_needs_an_even_cluster(cluster, target):
    message = (
        r"a cluster of an even number of blocks when launching `reserves`, whose tcgen05.alloc"
    )
    with pytest.raises(ValueError, match=message):
        launched(reserves, cluster, target)


@pytest.mark.parametrize("cluster", [(2, 1, 1), (1, 2, 1)])
def test_even_clusters(cluster):
    launched(reserves, cluster)()
    text = launched(reserves, cluster, "cuda:sm_100a").__ptx__
    assert "tcgen05.alloc.cta_group::2" in text


def test_the_address_goes_to_a_member_of_a_struct():
    @cute.struct
    class Storage:
        place: Int32

    @cute.kernel
    def device():
        storage = utils.SmemAllocator().allocate(Storage)
        cute.arch.alloc_tmem(64, storage.place)
        memory = cute.arch.retrieve_tmem_ptr(Float32, 16, storage.place)
        cute.arch.dealloc_tmem(memory, 64)

    launched(device, None)()
    assert "tcgen05.alloc" in launched(device, None, "cuda:sm_100a").__ptx__


@pytest.mark.parametrize("target", ["cpu", "cuda:sm_100a"])
def test_one_group_for_a_kernel(target):
    message = "CtaGroup.ONE for tcgen05.relinquish_alloc_permit and CtaGroup.TWO for tcgen05.alloc"
    with pytest.raises(ValueError, match=message):
        launched(mixes, (2, 1, 1), target)


@pytest.mark.parametrize("target", ["cuda:sm_90a", "cuda:sm_120a"])
def test_needs_the_architecture(target):
    with pytest.raises(Exception, match="is supported only for sm_100a"):
        launched(reserves, (2, 1, 1), target)


@pytest.mark.parametrize("make, message", [
    (lambda: tcgen05.MmaF16BF16Op(Float16, Float32, (64, 64, 16), TWO, SMEM, K, K), r"\(128 or 256, N, 16\)"),
    (lambda: tcgen05.MmaF16BF16Op(Float16, Float32, (256, 24, 16), TWO, SMEM, K, K), "in steps of 16"),
    (lambda: tcgen05.MmaF16BF16Op(Float16, Float32, (256, 272, 16), TWO, SMEM, K, K), "N up to 256"),
    (lambda: tcgen05.MmaI8Op(Int8, (256, 48, 32), TWO, SMEM, K, K), "in steps of 32"),
    (lambda: tcgen05.MmaF8F6F4Op(Float8E5M2, Float8E5M2, Float32, (256, 48, 32), TWO, SMEM, K, MN), "in steps of 32"),
])  # fmt: skip
def test_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_checks(stages):
    """Stages are filled again when the products of the even block have read both blocks' memory."""
    program = PairGemm(256, 32, (4, 2), stages)
    check(program, Float16, Float32, (512, 64, 256), options="--check all")


def test_checks_find_a_missing_wait(monkeypatch):
    """Without waits for empty stages, copies fill the memory that others have just filled."""
    monkeypatch.setattr(pipeline.PipelineAsync, "producer_acquire", lambda *_: None)
    with pytest.raises(CheckError, match="race") as error:
        check(PairGemm(256, 32, (2, 1), 2), Float16, Float32, (256, 32, 256), options="--check all")
    assert "race" in {each.kind for each in error.value.findings}
