"""Products with block scaling of compute capability 10.0, on the CPU and as PTX that assembles."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from support.assemblers import ASSEMBLERS, assembled
from support.scaled_programs import ScaledGemm

from fairlead import (
    Float4E2M1FN,
    Float6E2M3FN,
    Float6E3M2FN,
    Float8E4M3FN,
    Float8E5M2,
    Float8E8M0FNU,
    Float16,
    Float32,
    cute,
)
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05
from fairlead.utils import blackwell_helpers as sm100
from fairlead.utils import blockscaled_layout as scaled

PTXAS = "/usr/local/cuda/bin/ptxas"
K, MN = OperandMajorMode.K, OperandMajorMode.MN
ONE, SMEM = tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM
FOUR, EIGHT = (Float4E2M1FN, Float4E2M1FN), (Float8E4M3FN, Float8E4M3FN)
NUMPY = {
    Float4E2M1FN: ml_dtypes.float4_e2m1fn,
    Float6E2M3FN: ml_dtypes.float6_e2m3fn,
    Float6E3M2FN: ml_dtypes.float6_e3m2fn,
    Float8E4M3FN: ml_dtypes.float8_e4m3fn,
    Float8E5M2: ml_dtypes.float8_e5m2,
    Float8E8M0FNU: ml_dtypes.float8_e8m0fnu,
}


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


def packed(values, dtype):
    """Return the bytes of the elements, the lowest bits first, at a multiple of 32 bytes, as tensor maps need them."""
    codes = values.astype(NUMPY[dtype]).view(np.uint8)
    bits = np.unpackbits(codes[..., None], axis=-1, count=dtype.width, bitorder="little")
    unaligned = np.packbits(bits.reshape(-1), bitorder="little")
    room = np.empty(unaligned.size + 32, np.uint8)
    begin = -room.ctypes.data % 32
    room[begin : begin + unaligned.size] = unaligned
    return room[begin : begin + unaligned.size]


def in_chunks(factors, dtype):
    """Return the bytes of scale factors (rows, K) in chunks of 128 rows and four factors."""
    rows = -(-factors.shape[0] // 128) * 128
    whole = np.ones((rows, factors.shape[1]), np.float32)
    whole[: factors.shape[0]] = factors
    chunks = whole.astype(NUMPY[dtype]).view(np.uint8).reshape(rows // 128, 4, 32, -1, 4)
    return np.ascontiguousarray(chunks.transpose(0, 3, 2, 1, 4)).reshape(-1)


def operands(shape, dtypes, sf_dtype, vector):
    """Return the operands of a product of small numbers, and the result, which is exact in any order."""
    m, n, k = shape
    rng = np.random.default_rng(m + n + k + vector)
    values = [rng.integers(-2, 3, (rows, k)).astype(np.float32) for rows in (m, n)]
    factors = [
        2.0 ** rng.integers(-1, 2, (rows, k // vector)).astype(np.float32) for rows in (m, n)
    ]
    left, right = (
        value * np.repeat(factor, vector, 1) for value, factor in zip(values, factors, strict=True)
    )
    arguments = [packed(value, dtype) for value, dtype in zip(values, dtypes, strict=True)]
    arguments += [in_chunks(factor, sf_dtype) for factor in factors]
    c = np.zeros((m, n), np.float32)
    aligned = [cute.runtime.from_dlpack(each, assumed_align=16) for each in (*arguments, c)]
    return aligned, c, left @ right.T


def product_on_the_cpu(program, options=""):
    arguments, c, expected = operands(
        program.shape, program.dtypes, program.sf_dtype, program.vector
    )
    cute.compile(program, *arguments, options=f"--target cpu {options}")(*arguments)
    return c, expected


PROGRAMS = [
    ((128, 128, 256), 128, EIGHT, Float8E8M0FNU, 32),
    ((256, 128, 256), 128, (Float8E5M2, Float8E4M3FN), Float8E8M0FNU, 32),
    ((128, 256, 256), 256, FOUR, Float8E8M0FNU, 32),
    ((128, 256, 512), 128, FOUR, Float8E4M3FN, 16),
    ((128, 128, 256), 128, FOUR, Float8E8M0FNU, 16),
    ((128, 128, 256), 128, (Float4E2M1FN, Float8E4M3FN), Float8E8M0FNU, 32),
    ((128, 128, 128), 128, (Float6E2M3FN, Float6E3M2FN), Float8E8M0FNU, 32),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_product_on_the_cpu(program):
    c, expected = product_on_the_cpu(ScaledGemm(*program))
    np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize("options", ["", "--check all", "--schedule random:7"])
def test_scale_factors_with_the_operands(options):
    program = ScaledGemm(*PROGRAMS[3])
    program.together = True
    c, expected = product_on_the_cpu(program, options)
    np.testing.assert_array_equal(c, expected)


def test_sums_over_scale_factors():
    """The last four columns of sums are those of the scale factors of A."""
    program = ScaledGemm(*PROGRAMS[3])
    program.overlap = 4
    with pytest.raises(RuntimeError, match="need columns of their own") as error:
        product_on_the_cpu(program, "--check race")
    assert "columns 0 to 127 of tensor memory" in str(error.value)
    assert re.search(r"scale factors +scaled_programs\.py", str(error.value)), str(error.value)


# The instruction's bits: 7-9 and 10-12 the operands' types, 17-22 N / 8, 23 whether scale factors are exponents,
# 27-28 M / 128. The bytes of the first scale factors are added when the kernel runs.
@pytest.mark.parametrize("program, kind, word", [
    (PROGRAMS[0], "mxf8f6f4.block_scale.scale_vec::1X", 0x08A00000),
    (PROGRAMS[2], "mxf4.block_scale.scale_vec::2X", 0x08C00480),
    (PROGRAMS[3], "mxf4nvf4.block_scale.scale_vec::4X", 0x08200480),
    (PROGRAMS[5], "mxf8f6f4.block_scale.scale_vec::1X", 0x08A00280),
])  # fmt: skip
def test_product_assembles(program, kind, word, tmp_path):
    gemm = ScaledGemm(*program)
    arguments, _, _ = operands(gemm.shape, gemm.dtypes, gemm.sf_dtype, gemm.vector)
    text = cute.compile(gemm, *arguments, options="--target cuda:sm_100a").__ptx__
    assert f"tcgen05.mma.cta_group::1.kind::{kind} [" in text
    assert "tcgen05.cp.cta_group::1.32x128b.warpx4 [" in text
    assert re.search(rf"\b{word}\b", text), "the instruction's word"
    if not Path(PTXAS).exists():
        pytest.skip("no ptxas here")
    path = tmp_path / "kernel.ptx"
    path.write_text(text)
    run = subprocess.run(
        [PTXAS, "-arch=sm_100a", path, "-o", tmp_path / "kernel.cubin"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("assembler", ASSEMBLERS)
@pytest.mark.parametrize("arch", ["sm_100f", "sm_103f", "sm_110f"])
@pytest.mark.parametrize("program, kind", [
    (PROGRAMS[0], "mxf8f6f4.block_scale.block32"),
    (PROGRAMS[2], "mxf4.block_scale.block32"),
    (PROGRAMS[3], "mxf4nvf4.block_scale.block16"),
])  # fmt: skip
def test_product_of_a_family_assembles(program, kind, arch, assembler, tmp_path):
    """PTX for families says how many elements share a scale factor."""
    gemm = ScaledGemm(*program)
    arguments, _, _ = operands(gemm.shape, gemm.dtypes, gemm.sf_dtype, gemm.vector)
    text = cute.compile(gemm, *arguments, options=f"--target cuda:{arch}").__ptx__
    assert f"tcgen05.mma.cta_group::1.kind::{kind} [" in text
    assembled(text, arch, tmp_path, assembler)


# --- layouts


def tiled(dtypes, sf_dtype, vector, tile_n=128):
    return sm100.make_blockscaled_trivial_tiled_mma(
        *dtypes, K, K, sf_dtype, vector, ONE, (128, tile_n)
    )


def in_kernel(make):
    """Return what `make` returns inside a kernel for the architecture."""
    results = []

    @cute.kernel
    def kernel():
        results.append(make())

    @cute.jit
    def host():
        kernel().launch(grid=(1, 1, 1), block=(128, 1, 1))

    cute.compile(host, options="--target cuda:sm_100a")
    return results[0]


def test_chunks_of_scale_factors():
    layout = scaled.BlockScaledBasicChunk(16).layout
    assert str(layout) == "((32,4),(16,4)):((16,4),(0,1))"
    exchanged = scaled.BlockScaledBasicChunk(32, cute.nvgpu.OperandMajorMode.MN).layout
    assert str(exchanged) == "((32,4),(32,4)):((0,1),(16,4))"
    whole = scaled.tile_atom_to_shape_SF((256, 128, 2), 16)
    rows, factors = 200, 5
    chunk = 512 * (rows // 128 * 2 + factors // 4)
    place = chunk + 16 * (rows % 32) + 4 * (rows % 128 // 32) + factors % 4
    assert cute.crd2idx((rows, 16 * factors, 0), whole) == place
    assert cute.crd2idx((rows, 16 * factors, 1), whole) == place + 2048


# Lane, column and byte of scale factors: those of the published description of tensor memory.
@pytest.mark.parametrize("row, factor, copy, place", [
    (33, 1, 0, (1, 1, 1)),
    (127, 3, 0, (31, 3, 3)),
    (5, 2, 2, (69, 0, 2)),
])  # fmt: skip
def test_places_in_tensor_memory(row, factor, copy, place):
    def layout():
        mma, tile = tiled(FOUR, Float8E4M3FN, 16), (128, 128, 64)
        shared = scaled.make_smem_layout_sfa(mma, tile, 16, 1)
        return scaled.make_tmem_layout_sfa(mma, tile, 16, cute.select(shared, mode=[0, 1, 2]))

    at = cute.crd2idx((((row, copy), 16 * factor), 0, 0), in_kernel(layout))
    lane, column, byte = place
    assert at == (lane << 18) + 4 * column + byte


def test_layouts_of_tiles():
    def layouts():
        mma, tile = tiled(EIGHT, Float8E8M0FNU, 32, 192), (128, 192, 256)
        shared = scaled.make_smem_layout_sfb(mma, tile, 32, 3)
        stage = cute.select(shared, mode=[0, 1, 2])
        return shared, scaled.make_tmem_layout_sfb(mma, tile, 32, stage)

    shared, memory = in_kernel(layouts)
    assert str(shared) == ("((((32,4),2),(32,1)),1,(4,2),3):((((16,4),512),(0,1)),0,(1,1024),2048)")
    assert str(memory) == "((((32,8),4),(32,1)),1,(4,2)):((((262144,4),8388608),(0,1)),0,(1,32))"


@pytest.mark.parametrize("shape, factors", [
    ((((32, 4), 1), (16, 1)), 1),
    (((8, 4, 4), (16, 4)), 4),
    ((((32, 4), 2), (32, 2)), 2),
    (((32, 4, 2), (32, 4)), 4),
])  # fmt: skip
@pytest.mark.parametrize("steps", [12, (4, 3)])
def test_places_in_tensor_memory_of_other_tiles(shape, factors, steps):
    """Products fill the four bytes of a word before they go on, whatever the modes of rows and steps are."""

    def layout():
        mma = tiled(FOUR, Float8E4M3FN, 16)
        return scaled.make_tmem_layout_sfa(
            mma, (128, 128, 64), 16, cute.make_layout((shape, 1, steps))
        )

    memory = in_kernel(layout)
    rows, vector = cute.size(shape[0]), shape[1][0]
    for row in (0, 45, rows - 1):
        for factor in range(12 * factors):
            step, rest = divmod(factor, factors)
            at = cute.crd2idx((((row, 1), vector * rest), 0, step), memory)
            column, byte = row // 32 + rows // 32 * (factor // 4), factor % 4
            assert at == (row % 32 + 32 << 18) + 4 * column + byte


# --- wrong use


@pytest.mark.parametrize("make, message", [
    (lambda: tcgen05.MmaMXF4NVF4Op(Float16, (128, 64, 64), ONE, SMEM), "Float8E4M3FN or Float8E8M0FNU for each 16"),
    (lambda: tcgen05.MmaMXF4Op((64, 64, 64), ONE, SMEM), r"\(128, N, 64 or 96\) as the shape"),
    (lambda: tcgen05.MmaMXF4Op((128, 64, 32), ONE, SMEM), r"\(128, N, 64 or 96\) as the shape"),
    (lambda: tcgen05.MmaMXF4Op((128, 264, 64), ONE, SMEM), "N up to 256"),
    (lambda: tcgen05.MmaMXF4Op((128, 64, 64), ONE, tcgen05.OperandSource.TMEM), "OperandSource.SMEM as a_src"),
    (lambda: tcgen05.MmaMXF8F6F4Op(Float16, (128, 64), ONE, SMEM, K, K), "floats of 4, 6 or 8 bits"),
    (lambda: tcgen05.MmaMXF8F6F4Op(Float8E4M3FN, (128, 64), ONE, SMEM, K, "k"), "as b_major_mode"),
    (lambda: tiled(EIGHT, Float8E4M3FN, 32), "Float8E8M0FNU for each 32 elements"),
    (lambda: tiled(EIGHT, Float8E8M0FNU, 16), "Float8E8M0FNU for each 32 elements"),
    (lambda: scaled.tile_atom_to_shape_SF((128, 128), 8), "16 or 32 as sf_vec_size"),
    (lambda: scaled.BlockScaledBasicChunk(16, "k"), "as major_mode of BlockScaledBasicChunk"),
    (lambda: cute.make_copy_atom(tcgen05.Cp4x32x128bOp(), Float16), "elements of 8 bits"),
    (lambda: tcgen05.make_s2t_copy(None, None), "an atom of Cp4x32x128bOp for make_s2t_copy"),
    (lambda: tcgen05.get_s2t_smem_desc_tensor(None, None), "for get_s2t_smem_desc_tensor"),
])  # fmt: skip
def test_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_scale_factors_of_two_products_along_m():
    def layout():
        mma, tile = tiled(EIGHT, Float8E8M0FNU, 32), (256, 128, 256)
        shared = scaled.make_smem_layout_sfa(mma, tile, 32, 2)
        stage = cute.select(shared, mode=[0, 1, 2])
        return str(shared), str(scaled.make_tmem_layout_sfa(mma, tile, 32, stage))

    assert in_kernel(layout) == (
        "((((32,4),1),(32,1)),2,(4,2),2):((((16,4),512),(0,1)),1024,(1,512),2048)",
        "((((32,4),4),(32,1)),2,(4,2)):((((262144,4),8388608),(0,1)),32,(1,16))",
    )


def test_scale_factors_of_half_a_chunk():
    def layout():
        return scaled.make_smem_layout_sfa(tiled(EIGHT, Float8E8M0FNU, 32), (128, 128, 64), 32, 1)

    with pytest.raises(TypeError, match="K in multiples of 128"):
        in_kernel(layout)


def test_scale_factors_must_be_set():
    program = ScaledGemm(*PROGRAMS[0])
    program.sets_b = False
    arguments, _, _ = operands(program.shape, program.dtypes, program.sf_dtype, program.vector)
    with pytest.raises(TypeError, match=r"from set\(Field.SFB, pointer\), as SFB") as error:
        cute.compile(program, *arguments, options="--target cpu")
    assert "scaled_programs.py" in str(error.value), "the user's line"


def test_scale_factors_are_in_tensor_memory():
    def program():
        mma = tiled(EIGHT, Float8E8M0FNU, 32)
        mma.set(tcgen05.Field.SFA, cute.arch.alloc_smem(Float8E8M0FNU, 16))

    with pytest.raises(TypeError, match="in tensor memory as SFA"):
        in_kernel(program)


def test_a_field_of_products_without_scale_factors():
    def program():
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, (128, 128))
        mma.set(tcgen05.Field.SFA, 1)

    with pytest.raises(TypeError, match="Field.SFA or .SFB of one with block scaling"):
        in_kernel(program)


@pytest.mark.parametrize("target", ["cuda:sm_90a", "cuda:sm_100", "cuda:sm_120a"])
def test_needs_the_architecture(target):
    program = ScaledGemm(*PROGRAMS[0])
    arguments, _, _ = operands(program.shape, program.dtypes, program.sf_dtype, program.vector)
    with pytest.raises(Exception, match="is supported only for sm_100a"):
        cute.compile(program, *arguments, options=f"--target {target}")
