"""Products whose operand A is in tensor memory, and loads that find the greatest of their values: on the CPU and as PTX
that assembles."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.blackwell_tensors import NUMPY, assemble, wrapped
from support.tensor_operand_programs import Extremes, TensorOperandGemm

from fairlead import BFloat16, Float8E4M3FN, Float16, Float32, Int8, TFloat32, cute
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05
from fairlead.utils import blackwell_helpers as sm100

K, MN = OperandMajorMode.K, OperandMajorMode.MN
ONE, TWO = tcgen05.CtaGroup.ONE, tcgen05.CtaGroup.TWO
TMEM = tcgen05.OperandSource.TMEM
MIN, MAX = tcgen05.TmemLoadRedOp.MIN, tcgen05.TmemLoadRedOp.MAX


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


def product_on_the_cpu(program, options=""):
    """Return C and its expected value, for small integers, whose sums are exact in any order."""
    m, n, k = program.shape
    rng = np.random.default_rng(m + n + k)
    numbers = [rng.integers(-3, 4, (rows, k)).astype(np.float32) for rows in (m, n)]
    a, b = (np.array(each, NUMPY[program.dtype]) for each in numbers)
    c = np.full((m, n), np.nan, np.float32)
    arguments = [wrapped(a, program.dtype), wrapped(b, program.dtype), wrapped(c, Float32)]
    cute.compile(program, *arguments, options=f"--target cpu {options}")(*arguments)
    return c, numbers[0] @ numbers[1].T


PROGRAMS = [
    ((128, 64, 64), Float16, False),
    ((128, 8, 32), BFloat16, False),
    ((128, 256, 16), BFloat16, False),
    ((128, 128, 32), TFloat32, False),
    ((128, 64, 128), Float8E4M3FN, False),
    ((64, 64, 64), Float16, False),
    ((64, 8, 64), Float8E4M3FN, False),
    ((256, 64, 64), Float16, True),
    ((256, 32, 64), Float8E4M3FN, True),
    ((128, 64, 64), Float16, True),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_product_on_the_cpu(program):
    np.testing.assert_array_equal(*product_on_the_cpu(TensorOperandGemm(*program)))


@pytest.mark.parametrize("options", ["--check all", "--schedule random:3", "--schedule random:8"])
@pytest.mark.parametrize("program", [PROGRAMS[0], PROGRAMS[-1]])
def test_schedules(program, options):
    np.testing.assert_array_equal(*product_on_the_cpu(TensorOperandGemm(*program), options))


def test_both_copies_of_a_row_are_compared():
    program = TensorOperandGemm(*PROGRAMS[-1])
    program.repeats = False
    with pytest.raises(RuntimeError, match="have to hold the same row of A"):
        product_on_the_cpu(program)


@pytest.mark.parametrize("program, kind", [
    (PROGRAMS[0], "cta_group::1.kind::f16"),
    (PROGRAMS[4], "cta_group::1.kind::f8f6f4"),
    (PROGRAMS[5], "cta_group::1.kind::f16"),
    (PROGRAMS[7], "cta_group::2.kind::f16"),
])  # fmt: skip
@pytest.mark.parametrize("arch", ["sm_100a", "sm_103a"])
def test_product_assembles(program, kind, arch, tmp_path):
    gemm = TensorOperandGemm(*program)
    m, n, k = gemm.shape
    tensors = [
        cute.make_fake_compact_tensor(dtype, shape, stride_order=(1, 0), assumed_align=16)
        for dtype, shape in ((gemm.dtype, (m, k)), (gemm.dtype, (n, k)), (Float32, (m, n)))
    ]
    options = f"--target cuda:{arch}"
    ptx = cute.compile(gemm, *tensors, options=options).__ptx__
    # The address of A in tensor memory, between those of the sums and of B.
    assert re.search(rf"tcgen05\.mma\.{kind} \[%r\d+\], \[%r\d+\], %rd\d+,", ptx)
    assemble(ptx, tmp_path, arch)


@pytest.mark.parametrize("dtype, shape, group, expected", [
    (Float16, (128, 64), ONE, "((128,16),1,4):((131072,1),0,16)"),
    (Float8E4M3FN, (128, 128), ONE, "((128,32),1,4):((262144,1),0,32)"),
    (TFloat32, (128, 16), ONE, "((128,8),1,2):((65536,1),0,8)"),
    # 16 lanes of each warp's 32; the other ones stay free, as those of the sums do.
    (Float16, (64, 32), ONE, "(((16,4),16),1,2):(((131072,4194304),1),0,16)"),
    (Float16, (256, 32), TWO, "((128,16),1,2):((131072,1),0,16)"),
    # Each row twice.
    (Float16, (128, 32), TWO, "((128,16),1,2):((131072,1),0,16)"),
])  # fmt: skip
def test_layouts_of_a(dtype, shape, group, expected):
    @cute.jit
    def program():
        mma = sm100.make_trivial_tiled_mma(dtype, K, K, Float32, group, (shape[0], 64), TMEM)
        fragment = mma.make_fragment_A(mma.partition_shape_A(shape))
        assert str(fragment.layout) == expected
        assert fragment.element_type is dtype
        # A layout may replace the shape.
        same = mma.make_fragment_A(cute.make_layout(mma.partition_shape_A(shape)))
        assert str(same.layout) == expected

    cute.compile(program, options="--target cpu")


def test_sums_keep_the_lanes_of_a():
    """Two tiles of 64 rows take columns side by side, where sums of operands in shared memory share them."""

    @cute.jit
    def program():
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, (64, 64), TMEM)
        sums = mma.make_fragment_C(mma.partition_shape_C((128, 64)))
        assert str(sums.layout) == "(((16,4),64),2,1):(((65536,2097152),1),64,0)"

    cute.compile(program, options="--target cpu")


def extremes_on_the_cpu(program, options=""):
    rng = np.random.default_rng(program.columns)
    values = rng.standard_normal((128, program.columns)).astype(np.float32)
    values[7, 3] = np.nan
    loaded = np.zeros_like(values)
    found = np.zeros((128, program.columns // program.repetition.value), np.float32)
    arguments = [
        cute.runtime.from_dlpack(each, assumed_align=16) for each in (values, loaded, found)
    ]
    cute.compile(program, *arguments, options=f"--target cpu {options}")(*arguments)
    parts = values.reshape(128, -1, program.repetition.value)
    expected = np.fmax.reduce(parts, 2) if program.kind is MAX else np.fmin.reduce(parts, 2)
    np.testing.assert_array_equal(loaded, values)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", [MIN, MAX])
@pytest.mark.parametrize("repetition", [tcgen05.Repetition.x2, tcgen05.Repetition.x32])
def test_extremes_on_the_cpu(repetition, kind):
    extremes_on_the_cpu(Extremes(64, repetition, kind))


def test_extremes_under_checks():
    extremes_on_the_cpu(Extremes(32, tcgen05.Repetition.x16), "--check all")


def extremes_compiled(arch, program=None):
    program = program or Extremes(64, tcgen05.Repetition.x32)
    shapes = ((128, 64), (128, 64), (128, 2))
    tensors = [
        cute.make_fake_compact_tensor(Float32, shape, stride_order=(1, 0), assumed_align=16)
        for shape in shapes
    ]
    return cute.compile(program, *tensors, options=f"--target cuda:{arch}")


@pytest.mark.parametrize("arch", ["sm_103a", "sm_103f", "sm_110a"])
def test_extremes_assemble(arch, tmp_path):
    ptx = extremes_compiled(arch).__ptx__
    assert re.search(r"tcgen05\.ld\.red\.sync\.aligned\.32x32b\.x32\.max\.f32 \{%r", ptx)
    assemble(ptx, tmp_path, arch)


def test_extremes_need_the_architecture():
    with pytest.raises(Exception, match=r"supported only for sm_103a, sm_103f, sm_110a, sm_110f"):
        extremes_compiled("sm_100a")


def test_extremes_need_a_pair():
    program = Extremes(64, tcgen05.Repetition.x32)
    program.load = lambda load, cells, registers, extremes: cute.copy(load, cells, registers)
    with pytest.raises(
        Exception, match=r"expected a pair \(registers, extremes\) as the destination"
    ):
        extremes_compiled("sm_103a", program)


def test_extremes_need_a_place_for_each():
    program = Extremes(64, tcgen05.Repetition.x32)

    def load(load, cells, registers, extremes):
        cute.copy(load, cells, (registers, registers))

    program.load = load
    with pytest.raises(Exception, match="the partitions of a copy do not match"):
        extremes_compiled("sm_103a", program)


@pytest.mark.parametrize("make, message", [
    (lambda: tcgen05.MmaF16BF16Op(Float16, Float32, (128, 64, 16), ONE, TMEM, MN, K), "K-major operands"),
    (lambda: tcgen05.MmaI8Op(Int8, (128, 40, 32), ONE, TMEM, K, K), r"in steps of 16 \(8 up to 32\)"),
    (lambda: tcgen05.MmaTF32Op((128, 64, 8), ONE, "tmem", K, K), "OperandSource.SMEM or .TMEM as a_src"),
    (lambda: tcgen05.MmaMXF4Op((128, 64), ONE, TMEM), "OperandSource.SMEM as a_src"),
    (lambda: tcgen05.SM103MmaMXF4Op((128, 64, 64), ONE, tcgen05.OperandSource.SMEM), r"\(M, N\) or \(M, N, 96\)"),
    (lambda: tcgen05.LdRed32x32bOp(tcgen05.Repetition.x2, redOp="max"), "a member of TmemLoadRedOp"),
    (lambda: cute.make_copy_atom(tcgen05.LdRed32x32bOp(tcgen05.Repetition.x2), Float16), "the type Float32"),
    (lambda: cute.make_copy_atom(tcgen05.LdRed32x32bOp(tcgen05.Repetition.x1), Float32), "at least 2"),
    (lambda: tcgen05.make_umma_smem_desc(None, None, "m"), "'k' or 'mn' as major"),
    (lambda: sm100.get_smem_layout_atom_ab("k", Float16, (128, 64)), "as major_mode of get_smem_layout_atom_ab"),
])  # fmt: skip
def test_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def traced(program):
    """Trace a function."""
    cute.compile(cute.jit(program), options="--target cpu")


def test_wrong_shapes_of_a():
    def program():
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, (128, 64), TMEM)
        mma.make_fragment_A(((64, 16), 1, 4))

    with pytest.raises(
        TypeError,
        match=r"\(\(128, 16\), ...\), of a partition of A, as the static shape for make_fragment_A",
    ):
        traced(program)


def test_a_has_columns_for_all_stages():
    def program():
        mma = sm100.make_trivial_tiled_mma(Float16, K, K, Float32, ONE, (128, 64), TMEM)
        mma.make_fragment_A(((128, 16), 1, 4, 20))

    with pytest.raises(TypeError, match="512"):
        traced(program)
