"""Products of 96 floats of 4 bits along K: on the CPU, and as PTX that assembles."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest
from support.blackwell_tensors import assemble
from support.long_product_programs import LongGemm
from support.thinned import IS_SHORT

from fairlead import Float32, Int32, Uint8, cute

K = 768
FOUR = ml_dtypes.float4_e2m1fn


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


def packed(values):
    """Return two elements in each byte, the first one in the low bits."""
    codes = values.astype(FOUR).view(np.uint8)
    return np.ascontiguousarray(codes[:, 0::2] | codes[:, 1::2] << 4)


def scale_words(factors, vector):
    """Return words of four scale factors, of at least 128 rows."""
    dtype = ml_dtypes.float8_e4m3fn if vector == 16 else ml_dtypes.float8_e8m0fnu
    whole = np.ones((max(128, factors.shape[0]), factors.shape[1]), np.float32)
    whole[: factors.shape[0]] = factors
    return np.ascontiguousarray(whole.astype(dtype)).view(np.int32)


def product_on_the_cpu(program, options=""):
    rng = np.random.default_rng(program.columns + program.vector)
    values = [
        rng.choice(np.float32([-3, -1, -0.5, 0, 0.5, 1, 2, 6]), (rows, K))
        for rows in (program.rows, program.columns)
    ]
    factors = [
        2.0 ** rng.integers(-1, 2, (rows, K // program.vector)).astype(np.float32)
        for rows in (program.rows, program.columns)
    ]
    left, right = (
        value * np.repeat(factor, program.vector, 1)
        for value, factor in zip(values, factors, strict=True)
    )
    c = np.full((program.rows, program.columns), np.nan, np.float32)
    arrays = [*map(packed, values), *(scale_words(each, program.vector) for each in factors), c]
    tensors = [cute.runtime.from_dlpack(each, assumed_align=16) for each in arrays]
    cute.compile(program, *tensors, options=f"--target cpu {options}")(*tensors)
    return c, left @ right.T


@pytest.mark.parametrize("vector", [16, 32])
@pytest.mark.parametrize("columns", [16, 128])
def test_product_on_the_cpu(columns, vector):
    np.testing.assert_array_equal(*product_on_the_cpu(LongGemm(columns, vector)))


@pytest.mark.parametrize("columns, vector, options", [
    (16, 16, ""),
    (128, 32, ""),
    (128, 16, "--schedule random:3"),
])  # fmt: skip
def test_product_of_a_pair_on_the_cpu(columns, vector, options):
    np.testing.assert_array_equal(
        *product_on_the_cpu(LongGemm(columns, vector, pair=True), options)
    )


def test_each_block_of_a_pair_needs_the_scale_factors_of_b():
    program = LongGemm(16, 16, pair=True)
    program.both_bring_b = False
    c, expected = product_on_the_cpu(program)
    np.testing.assert_array_equal(c[:128], expected[:128])
    assert not np.array_equal(c[128:], expected[128:])


def test_under_checks():
    """All checks take eight seconds to compile, so the default run has one of them."""
    options = "--check race" if IS_SHORT else "--check all"
    np.testing.assert_array_equal(*product_on_the_cpu(LongGemm(64, 16), options))


def compiled(program, arch):
    shapes = (
        (Uint8, (program.rows, K // 2)), (Uint8, (program.columns, K // 2)),
        (Int32, (program.rows, K // program.vector // 4)), (Int32, (128, K // program.vector // 4)),
        (Float32, (program.rows, program.columns)),
    )  # fmt: skip
    tensors = [
        cute.make_fake_compact_tensor(dtype, shape, stride_order=(1, 0), assumed_align=16)
        for dtype, shape in shapes
    ]
    return cute.compile(program, *tensors, options=f"--target cuda:{arch}")


# The instruction's bits: 7-9 and 10-12 the operands' types, 17-22 N / 8, 23 whether scale factors are exponents, 27-28
# M / 128, 31 whether K is 96.
@pytest.mark.parametrize("vector, kind, word", [
    (16, "mxf4nvf4.block_scale.block16", 0x88200480),
    (32, "mxf4.block_scale.block32", 0x88A00480),
])  # fmt: skip
@pytest.mark.parametrize("arch, pair", [("sm_103a", False), ("sm_103f", False), ("sm_103a", True)])
def test_assembles(arch, pair, vector, kind, word, tmp_path):
    ptx = compiled(LongGemm(128, vector, pair), arch).__ptx__
    group = "cta_group::2" if pair else "cta_group::1"
    assert len(re.findall(rf"tcgen05\.mma\.{group}\.kind::{kind} \[", ptx)) == 8
    # M is twice as large in a pair.
    word += pair << 27
    assert re.search(rf"{word - 2**32}\b", ptx), "the instruction's word"
    assemble(ptx, tmp_path, arch)


@pytest.mark.parametrize("arch", ["sm_100a", "sm_110a"])
def test_needs_the_architecture(arch):
    with pytest.raises(Exception, match=r"supported only for sm_103a, sm_103f"):
        compiled(LongGemm(128, 16), arch)
