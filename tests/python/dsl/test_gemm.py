"""Products of matrices by MMA atoms, on the CPU against float64; PTX of the same programs for GPUs."""

import re
import subprocess

import numpy as np
import pytest
from support import gemm_programs as programs

from fairlead import BFloat16, Float8E4M3FN, Float8E5M2, Float16, Float32, Float64, Int32, cute
from fairlead.cute.nvgpu import L2PrefetchSize, MmaUniversalOp, warp

PTXAS = "/usr/local/cuda/bin/ptxas"
NUMPY = {Float16: np.float16, Float32: np.float32, Float64: np.float64, Int32: np.int32}


def compiled(program, dtypes, shapes, options="--target cpu"):
    fakes = [
        cute.make_fake_compact_tensor(dtype, shape, stride_order=order, assumed_align=16)
        for dtype, (shape, order) in zip(dtypes, shapes, strict=True)
    ]
    return cute.compile(program, *fakes, options=options)


ROWS = (1, 0)
DIRECT = [
    (Float16, Float32, (16, 8, 8), (1, 1, 1), None),
    (Float16, Float32, (16, 8, 16), (1, 1, 1), None),
    (Float16, Float16, (16, 8, 16), (1, 1, 1), None),
    (Float16, Float32, (16, 8, 16), (2, 2, 1), (32, 32, 16)),
    (Float16, Float32, (16, 8, 16), (4, 1, 1), (64, 16, 16)),
]


@pytest.mark.parametrize("coroutines", ["0", "1"])
@pytest.mark.parametrize(("ab", "acc", "shape", "atoms", "permutation"), DIRECT)
def test_products_of_fragments(ab, acc, shape, atoms, permutation, coroutines, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", coroutines)
    program = programs.DirectGemm(warp.MmaF16BF16Op(ab, acc, shape), atoms, permutation)
    m, n, k = 64, 64, 32
    function = compiled(program, (ab, ab, acc), [((m, k), ROWS), ((n, k), ROWS), ((m, n), ROWS)])
    random = np.random.default_rng(1)
    a, b = (random.integers(-4, 5, size).astype(NUMPY[ab]) for size in ((m, k), (n, k)))
    c = random.integers(-8, 9, (m, n)).astype(NUMPY[acc])
    expected = c + a.astype(np.float64) @ b.astype(np.float64).T
    function(a, b, c)
    np.testing.assert_array_equal(c, expected)


def test_products_of_numbers_that_are_not_exact():
    program = programs.DirectGemm(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)), (2, 2, 1))
    function = compiled(
        program, (Float16, Float16, Float32), [((64, 64), ROWS), ((32, 64), ROWS), ((64, 32), ROWS)]
    )
    random = np.random.default_rng(2)
    a, b = (random.standard_normal(size).astype(np.float16) for size in ((64, 64), (32, 64)))
    c = random.standard_normal((64, 32)).astype(np.float32)
    expected = c + a.astype(np.float64) @ b.astype(np.float64).T
    function(a, b, c)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)


def test_bfloat16():
    program = programs.DirectGemm(warp.MmaF16BF16Op(BFloat16, Float32, (16, 8, 16)))
    function = compiled(
        program,
        (BFloat16, BFloat16, Float32),
        [((32, 32), ROWS), ((16, 32), ROWS), ((32, 16), ROWS)],
    )
    torch = pytest.importorskip("torch")
    a, b = torch.randn(32, 32).to(torch.bfloat16), torch.randn(16, 32).to(torch.bfloat16)
    c = torch.zeros(32, 16)
    function(a, b, c)
    torch.testing.assert_close(c.double(), a.double() @ b.double().T, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(16, 8, 4), (16, 8, 8)])
def test_tfloat32(shape):
    """Return Float32 numbers with 10 bits of fraction."""

    @cute.jit
    def program(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        a, b = cute.recast_tensor(a, cute.TFloat32), cute.recast_tensor(b, cute.TFloat32)
        programs.DirectGemm(warp.MmaTF32Op(shape))(a, b, c)

    function = compiled(
        program, (Float32,) * 3, [((32, 16), ROWS), ((16, 16), ROWS), ((32, 16), ROWS)]
    )
    random = np.random.default_rng(3)
    a, b = (random.standard_normal(size).astype(np.float32) for size in ((32, 16), (16, 16)))
    c = np.zeros((32, 16), np.float32)
    function(a, b, c)
    cut = [(x.view(np.uint32) & 0xFFFFE000).view(np.float32).astype(np.float64) for x in (a, b)]
    np.testing.assert_allclose(c, cut[0] @ cut[1].T, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [Float8E4M3FN, Float8E5M2])
@pytest.mark.parametrize("k", [16, 32])
def test_floats_of_8_bits(dtype, k):
    torch = pytest.importorskip("torch")
    name = {Float8E4M3FN: torch.float8_e4m3fn, Float8E5M2: torch.float8_e5m2}[dtype]
    program = programs.DirectGemm(warp.MmaFP8Op(dtype, Float32, (16, 8, k)))
    function = compiled(
        program, (dtype, dtype, Float32), [((32, 64), ROWS), ((16, 64), ROWS), ((32, 16), ROWS)]
    )
    a, b = torch.randn(32, 64).to(name), torch.randn(16, 64).to(name)
    c = torch.zeros(32, 16)
    function(a, b, c)
    torch.testing.assert_close(c.double(), a.double() @ b.double().T, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [Float32, Float64, Int32])
def test_multiply_adds_of_threads(dtype):
    function = compiled(
        programs.ScalarGemm(dtype),
        (dtype,) * 3,
        [((128, 40), ROWS), ((64, 40), ROWS), ((128, 64), ROWS)],
    )
    random = np.random.default_rng(4)
    a, b = (random.integers(-9, 10, size).astype(NUMPY[dtype]) for size in ((128, 40), (64, 40)))
    c = np.full((128, 64), 77, NUMPY[dtype])
    function(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64).T)


ORDER = {"k": (1, 0), "m": (0, 1)}


def shared_gemm(a_major, b_major, options, dtype=Float16, prefetch=L2PrefetchSize.NONE):
    m, n, k = (
        cute.sym_int(divisibility=8),
        cute.sym_int(divisibility=8),
        cute.sym_int(divisibility=8),
    )
    shapes = [((m, k), ORDER[a_major]), ((n, k), ORDER[b_major]), ((m, n), ROWS)]
    program = programs.SharedGemm(dtype, a_major, b_major, prefetch=prefetch)
    return compiled(program, (dtype,) * 3, shapes, options)


@pytest.mark.parametrize("a_major", ["k", "m"])
@pytest.mark.parametrize("b_major", ["k", "m"])
def test_tiles_in_swizzled_shared_memory(a_major, b_major):
    function = shared_gemm(a_major, b_major, "--target cpu")
    random = np.random.default_rng(5)
    for m, n, k in ((64, 64, 32), (136, 72, 40), (8, 200, 104)):
        a, b = (random.integers(-3, 4, size).astype(np.float16) for size in ((m, k), (n, k)))
        c = np.full((m, n), np.nan, np.float16)
        expected = a.astype(np.float64) @ b.astype(np.float64).T
        given = [
            np.asfortranarray(x) if major == "m" else x for x, major in ((a, a_major), (b, b_major))
        ]
        function(*given, c)
        np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize("transpose", [False, True])
def test_stores_of_matrices(transpose):
    function = compiled(
        programs.MatrixStores(transpose),
        (Float16,) * 3,
        [((32, 16), ROWS), ((16, 16), ROWS), ((32, 16), ROWS)],
    )
    random = np.random.default_rng(6)
    a, b = (random.integers(-3, 4, size).astype(np.float16) for size in ((32, 16), (16, 16)))
    c = np.full((32, 16), np.nan, np.float16)
    function(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64).T)


def assemble(text, arch, tmp_path):
    path = tmp_path / "kernel.ptx"
    path.write_text(text)
    try:
        subprocess.run([PTXAS, f"-arch={arch}", path, "-o", tmp_path / "kernel.cubin"], check=True)
    except FileNotFoundError:
        pytest.skip("no ptxas here")


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_ptx(arch, tmp_path):
    function = shared_gemm("k", "m", f"--target cuda:{arch}")
    text = function.__ptx__
    for instruction in (
        "cp.async.cg.shared.global",
        "cp.async.commit_group",
        "cp.async.wait_group",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    ):
        assert instruction in text
    assemble(text, arch, tmp_path)


@pytest.mark.parametrize("size", [each for each in L2PrefetchSize if each.value])
def test_prefetches_to_the_l2_cache(size, tmp_path):
    """A hint: the copies are the same, where a predicate is false, too, and a CPU does not have it."""
    text = shared_gemm("k", "m", "--target cuda:sm_80", prefetch=size).__ptx__
    assert re.search(
        rf"cp\.async\.cg\.shared\.global\.L2::{size.value}B \[%r\d+\], \[%rd\d+\], 16, %r\d+;", text
    )
    assert not re.search(r"cp\.async\.cg\.shared\.global ", text)
    assemble(text, "sm_80", tmp_path)
    random = np.random.default_rng(7)
    a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in ((72, 40), (64, 40)))
    c = np.full((72, 64), np.nan, np.float16)
    shared_gemm("k", "k", "--target cpu", prefetch=size)(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64).T)


def test_operations_that_there_are_not():
    with pytest.raises(TypeError, match="one of the MMA instructions for Float16 .*m16n8k16"):
        warp.MmaF16BF16Op(Float16, Float32, (16, 8, 32))
    with pytest.raises(TypeError, match="1, 2 or 4 matrices for ldmatrix"):
        cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 3), Float16)
    with pytest.raises(TypeError, match="multiple of the atoms' 32"):
        cute.make_tiled_mma(
            warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)),
            (2, 2, 1),
            permutation_mnk=(48, 32, 16),
        )
    with pytest.raises(TypeError, match="an operation that multiplies"):
        cute.make_tiled_mma(Float32)


def test_fragments_of_other_types_are_refused():
    @cute.kernel
    def kernel(a: cute.Tensor):
        mma = cute.make_tiled_mma(MmaUniversalOp(Float32))
        registers = cute.make_rmem_tensor((1, 2), Float16)
        sums = cute.make_rmem_tensor((1, 2, 2), Float32)
        cute.gemm(mma, sums, registers, registers, sums)

    @cute.jit
    def host(a: cute.Tensor):
        kernel(a).launch(grid=(1, 1, 1), block=(1, 1, 1))

    with pytest.raises(TypeError, match="registers of Float32 as A of the MMA atom universal.f32"):
        cute.compile(host, cute.make_fake_compact_tensor(Float32, (4,)), options="--target cpu")
