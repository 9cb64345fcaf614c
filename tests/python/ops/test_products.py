"""fairlead.ops: products of matrices with epilogues, and transposed copies; against float64."""

import itertools
import os
import platform
import re
from pathlib import Path

import numpy as np
import pytest
from support.thinned import crossed, thinned

import fairlead.ops as ops
from fairlead import BFloat16, Float32, _compiler, cute
from fairlead.ops import _arrays, _cpu_gemm, _gemm
from fairlead.ops._cpu_gemm import CpuGemm
from fairlead.ops._epilogue import Epilogue

torch = pytest.importorskip("torch")

TOLERANCE = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1.2e-2}


def random(*shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(len(shape) + shape[-1])
    return torch.randn(*shape, generator=generator).to(dtype)


def close(found, wanted):
    assert found.shape == wanted.shape
    scale = wanted.abs().max().clamp(min=1)
    error = ((found.double() - wanted) / scale).abs().max()
    assert error <= TOLERANCE[found.dtype], error


def laid_out(tensor, transposed):
    return tensor.mT.contiguous().mT if transposed else tensor


SIZES = [(130, 72, 40), (37, 201, 99)]  # with and without vectors
MORE_SIZES = [(64, 64, 32), (1, 1, 1), (128, 96, 514)]
LAYOUTS = [(False, False), (False, True), (True, False), (True, True)]


def product_cases():
    """Every size in every layout, for one type; the other types in every layout, for sizes with and without vectors.

    The default run takes one layout of each further size, and has the other types alternate between the two sizes.
    """
    others = torch.float32, torch.bfloat16
    cases = [(size, layout, torch.float16) for size in SIZES for layout in LAYOUTS]
    cases += [(*case, torch.float16) for case in thinned(
        itertools.product(MORE_SIZES, LAYOUTS), zip(MORE_SIZES, LAYOUTS, strict=False)
    )]  # fmt: skip
    cases += [(*case, dtype) for dtype in others for case in crossed(SIZES, LAYOUTS)]
    return [(*size, *layout, dtype) for size, layout, dtype in cases]


@pytest.mark.parametrize("m, n, k, a_turned, b_turned, dtype", product_cases())
def test_products(m, n, k, a_turned, b_turned, dtype):
    a, b = random(m, k, dtype=dtype), random(k, n, dtype=dtype)
    found = ops.matmul(laid_out(a, a_turned), laid_out(b, b_turned))
    assert found.dtype == dtype
    close(found, a.double() @ b.double())


@pytest.fixture
def kernels_of_gpus(monkeypatch):
    """Let the CPU run the kernels of GPUs without warpgroups."""
    monkeypatch.setattr(_gemm._Product, "for_cpus", lambda self: False)
    ops.matmul.forget()
    yield
    ops.matmul.forget()


@pytest.mark.parametrize("m, n, k", [(130, 72, 40), (37, 201, 99)])
@pytest.mark.parametrize("a_turned", [False, True])
@pytest.mark.parametrize("b_turned", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.usefixtures("kernels_of_gpus")
def test_kernels_of_gpus(m, n, k, a_turned, b_turned, dtype):
    test_products(m, n, k, a_turned, b_turned, dtype)


@pytest.mark.usefixtures("kernels_of_gpus")
def test_kernels_of_gpus_with_large_tiles_and_epilogues():
    test_large_tiles()
    test_epilogues("gelu", torch.bfloat16)
    test_batches(torch.float16)


def test_large_tiles():
    """Also deeper than a part of the depth that is packed at once on CPUs, and not by a whole number of parts."""
    a, b = random(640, 600, dtype=torch.float16), random(600, 520, dtype=torch.float16)
    close(ops.matmul(a, b), a.double() @ b.double())
    a = random(300, 777)
    for b in (random(777, 401), random(401, 777).T):
        close(ops.matmul(a, b), a.double() @ b.double())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_batches(dtype):
    a, b, residual = (
        random(3, 70, 48, dtype=dtype),
        random(3, 48, 56, dtype=dtype),
        random(3, 70, 56, dtype=dtype),
    )
    close(ops.matmul(a, b, residual=residual), a.double() @ b.double() + residual.double())
    # Matrices of a batch that lie apart.
    close(ops.matmul(a[::2], b[::2]), a[::2].double() @ b[::2].double())


@pytest.mark.parametrize("activation, dtype", crossed(
    [None, "relu", "silu", "gelu", "gelu_tanh"], [torch.float32, torch.bfloat16]
))  # fmt: skip
def test_epilogues(activation, dtype):
    a, weight = random(50, 64, dtype=dtype), random(40, 64, dtype=dtype)
    bias, residual = random(40), random(50, 40, dtype=dtype)
    out = torch.full((50, 40), float("nan"), dtype=dtype)
    result = ops.matmul(
        a,
        weight.T,
        bias=bias,
        activation=activation,
        residual=residual,
        alpha=0.25,
        beta=-2.0,
        out=out,
    )
    assert result is out
    wanted = 0.25 * a.double() @ weight.double().T + bias.double()
    functional = torch.nn.functional
    wanted = {
        None: lambda x: x,
        "relu": functional.relu,
        "silu": functional.silu,
        "gelu": functional.gelu,
        "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    }[activation](wanted)
    close(out, wanted - 2 * residual.double())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_any_number_of_rows(dtype):
    """With deterministic="batch", a row has the same bits with any number of rows and of matrices."""
    a, weight = random(300, 100, dtype=dtype), random(70, 100, dtype=dtype)
    of_all = ops.matmul(a, weight.T, deterministic="batch")
    for rows in (1, 7, 64, 65, 257):
        assert torch.equal(ops.matmul(a[:rows], weight.T, deterministic="batch"), of_all[:rows])
    twice = ops.matmul(a.expand(2, 300, 100), weight.T.expand(2, 100, 70), deterministic="batch")
    assert torch.equal(twice, of_all.expand(2, 300, 70))


def test_parts_of_matrices():
    """Tensors that begin anywhere, with rows at any distance."""
    whole = random(100, 203, dtype=torch.float16)
    a, b = whole[:, 3:67], whole[5:69, 101:150]
    close(ops.matmul(a, b), a.double() @ b.double())
    strided = random(80, 90, dtype=torch.float16)[::2, ::3]
    close(ops.matmul(strided, strided.T), strided.double() @ strided.double().T)


def test_numpy_and_jax():
    a, b = random(20, 30).numpy(), random(30, 10).numpy()
    found = ops.matmul(a, b)
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, a @ b, rtol=1e-4, atol=1e-5)
    jax = pytest.importorskip("jax")
    if jax.default_backend() == "cpu":
        arrays = jax.numpy.asarray(a), jax.numpy.asarray(b)
        np.testing.assert_array_equal(jax.jit(ops.matmul)(*arrays), found)
        np.testing.assert_array_equal(ops.transpose(arrays[0]), a.T)


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.bfloat16, torch.int8, torch.int64, torch.float64]
)
@pytest.mark.parametrize("shape", [(32, 32), (1, 5), (70, 33), (2, 3, 40, 65)])
def test_transpose(shape, dtype):
    x = (100 * random(*shape)).to(dtype)
    assert torch.equal(ops.transpose(x), x.mT)
    assert torch.equal(ops.transpose(x.mT), x)


@pytest.mark.parametrize("call, message", [
    (lambda: ops.matmul(torch.zeros(2, 3), torch.zeros(4, 5)), r"b: expected the shape \[3, 5\]"),
    (lambda: ops.matmul(torch.zeros(2, 3), torch.zeros(3)), "b: expected 2 dimensions"),
    (lambda: ops.matmul(torch.zeros(2, 3), torch.zeros(3, 5).half()), "b: expected elements of float32"),
    (lambda: ops.matmul(torch.zeros(2, 3).int(), torch.zeros(3, 5).int()), "a: expected elements of float16"),
    (lambda: ops.matmul(torch.zeros(2, 0), torch.zeros(0, 5)), "a: expected a depth of 1 or more, but got"),
    (lambda: ops.matmul(torch.zeros(2, 3), torch.zeros(3, 5), bias=torch.zeros(3)), r"bias: expected the shape \[5\]"),
    (lambda: ops.matmul(torch.zeros(2, 3), torch.zeros(3, 5), activation="elu"), "activation: expected relu"),
    (lambda: ops.matmul(torch.zeros(2, 3), torch.zeros(3, 5), residual=torch.zeros(2, 3)), "residual: expected"),
    (lambda: ops.matmul(torch.zeros(2, 3), torch.zeros(3, 5), out=torch.zeros(5, 2).T), "out: expected a row-major"),
    (lambda: ops.transpose(torch.zeros(3)), "x: expected two dimensions or more"),
    (lambda: ops.transpose(torch.zeros(3, 3, dtype=torch.complex64)), "x: expected elements of float16"),
    (lambda: ops.matmul(torch.zeros(2, 8), torch.zeros(8, 2), deterministic=True),
     "deterministic: expected run or batch"),
    (lambda: ops.matmul(torch.zeros(2, 8), torch.zeros(8, 2), deterministic="batch", tune=True),
     'tune: expected False with deterministic="batch"'),
])  # fmt: skip
def test_bad_arguments(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads instructions of x86-64")
def test_products_of_processors_are_vectorized(monkeypatch):
    """A tile's multiply-adds are those of vectors: scalar ones take more than ten times as long."""
    compiled = {}
    monkeypatch.setattr(_arrays, "_compiled", compiled)
    a = torch.randn(600, 64)
    ops.matmul.forget()
    ops.matmul(a, a.T.contiguous())
    (function,) = compiled.values()
    scalar, both = (
        len(re.findall(rf"vfn?madd\d+{kind}\b", function.__asm__)) for kind in ("ss", "[sp]s")
    )
    assert scalar < both / 4, (scalar, both)
    ops.matmul.forget()


def with_pairs(monkeypatch, a, b):
    """Return the product of two matrices of bfloat16, and the code that computed it."""
    compiled = {}
    monkeypatch.setattr(_arrays, "_compiled", compiled)
    ops.matmul.forget()
    result = ops.matmul(a, b)
    (function,) = compiled.values()
    ops.matmul.forget()
    return result, function.__asm__


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads instructions of x86-64")
def test_pairs_of_bfloat16(monkeypatch):
    """The instruction for pairs is used where the processor has it, and for vectors alone."""
    a, b = random(70, 200, dtype=torch.bfloat16), random(200, 60, dtype=torch.bfloat16)
    result, code = with_pairs(monkeypatch, a, b)
    close(result, a.double() @ b.double())
    is_limited = bool(os.environ.get("FAIRLEAD_CPU_LEVEL"))
    has_it = "avx512_bf16" in Path("/proc/cpuinfo").read_text() and not is_limited
    assert (len(re.findall(r"vdpbf16ps.*zmm", code)) >= 24) == has_it
    assert len(re.findall(r"vfn?madd\d+ss", code)) < 8


@pytest.mark.skipif(platform.machine() != "x86_64", reason="compiles for x86-64")
@pytest.mark.parametrize("target", ["cpu:x86-64-v3", "cpu:x86-64-v4"])
def test_pairs_for_levels(monkeypatch, target):
    """No level has the instruction: code for one adds the same numbers by multiply-adds, in the same order."""
    monkeypatch.setattr(_cpu_gemm, "HAS_PAIRS", True)

    def fake(dtype):
        extents = tuple(cute.sym_int() for _ in range(3))
        return cute.make_fake_compact_tensor(dtype, extents, stride_order=(1, 0, 2))

    kernel = CpuGemm(1, 1, Epilogue(1.0, None, False, 0.0, None), (64, 96))
    arguments = fake(BFloat16), fake(BFloat16), fake(Float32)
    function = cute.compile(kernel, *arguments, options=f"--target {target}")
    assert "vdpbf16ps" not in function.__asm__
    a, b = random(70, 201, dtype=torch.bfloat16), random(60, 201, dtype=torch.bfloat16)
    c = torch.empty(70, 60)
    if _compiler.cpu_level() >= int(target[-1]):
        function(a[..., None], b[..., None], c[..., None])
        assert torch.equal(c, ops.matmul(a, b.T, out_dtype="float32"))


def test_order_of_pairs():
    """Products are added one by one by their order along K: 2 ** 24 takes 1 from a sum, but not 2."""
    for values, expected in (
        ([1.0, 2.0**24, 1.0, -(2.0**24)], 0.0),
        ([2.0**24, -(2.0**24), 1.0, 1.0], 2.0),
        ([2.0**24, 1.0, -(2.0**24), 1.0], 1.0),
        ([2.0**24, 1.0, 1.0, -(2.0**24), 3.0], 3.0),
    ):
        a = torch.tensor([values]).bfloat16().expand(5, len(values))
        result = ops.matmul(a, torch.ones(len(values), 7).bfloat16(), out_dtype="float32")
        assert (result == expected).all(), (values, result[0])


def test_values_that_are_not_numbers():
    a, b = random(40, 65, dtype=torch.bfloat16), random(65, 50, dtype=torch.bfloat16)
    a[3, 64], b[64, 7] = float("inf"), 0.0
    a[4, 0] = float("nan")
    result = ops.matmul(a, b)
    assert torch.equal(result.isnan(), (a.double() @ b.double()).isnan())
    assert result[3].isinf().sum() == 49


@pytest.mark.parametrize("k", [1, 2, 255, 256, 257, 513])
@pytest.mark.parametrize("a_turned, b_turned", LAYOUTS)
def test_depths_of_pairs(k, a_turned, b_turned):
    a, b = random(30, k, dtype=torch.bfloat16), random(k, 75, dtype=torch.bfloat16)
    close(ops.matmul(laid_out(a, a_turned), laid_out(b, b_turned)), a.double() @ b.double())
