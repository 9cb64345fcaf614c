"""Products of few rows: the kernel of processors, and that of GPUs on the CPU, against float64."""

import platform
import re

import pytest
from test_hopper_kernels import assembled, needs_ptxas

from fairlead import BFloat16, cute, ops
from fairlead.ops import _arrays, _gemm
from fairlead.ops._epilogue import Epilogue
from fairlead.ops._few_rows import FewRows, FewRowsGemm

torch = pytest.importorskip("torch")

TOLERANCE = {torch.float32: 2e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}


def check(batch, m, n, k, dtype, is_turned):
    generator = torch.Generator().manual_seed(n + k)

    def matrix(*shape):
        return torch.randn(*batch, *shape, generator=generator).to(dtype)

    a, b = matrix(m, k), matrix(n, k).mT if is_turned else matrix(k, n)
    bias, residual = torch.randn(n, generator=generator).to(dtype), matrix(m, n)
    plain = a.double() @ b.double()
    close(ops.matmul(a, b), plain)
    found = ops.matmul(a, b, bias=bias, activation="relu", residual=residual, alpha=0.5, beta=2.0)
    close(found, torch.relu(0.5 * plain + bias.double()) + 2 * residual.double())


def close(found, expected):
    assert (found - expected).abs().max() <= TOLERANCE[found.dtype] * expected.abs().max()


@pytest.mark.parametrize("batch, m, n, k, dtype, is_turned", [
    ((), 1, 700, 333, torch.float32, False),
    ((), 1, 77, 333, torch.float32, True),
    ((3,), 2, 530, 65, torch.bfloat16, False),
    ((2,), 3, 65, 48, torch.float16, True),
    ((), 4, 3, 2, torch.bfloat16, True),
    ((), 4, 600, 130, torch.float16, False),
])  # fmt: skip
def test_processors(monkeypatch, batch, m, n, k, dtype, is_turned):
    made = []
    inner = _gemm.CpuFewRows
    monkeypatch.setattr(
        _gemm, "CpuFewRows", lambda *options: made.append(options) or inner(*options)
    )
    check(batch, m, n, k, dtype, is_turned)
    assert [options[0] for options in made] == [int(is_turned)] * len(made)
    assert all(options[2].rows == m for options in made)


def test_nothing_beyond_a_matrix_is_read():
    """Rows and columns around the operands are NaN."""
    for m, n, k in ((1, 41, 37), (3, 530, 70)):
        whole = torch.full((m + 2, k + 2), torch.nan)
        weights = torch.full((k + 2, n + 2), torch.nan)
        a, b = whole[1:-1, 1:-1], weights[1:-1, 1:-1]
        a[...], b[...] = torch.randn(m, k), torch.randn(k, n)
        turned = torch.full((n + 2, k + 2), torch.nan)
        turned[1:-1, 1:-1] = b.T
        for right in (b, turned[1:-1, 1:-1].T):
            close(ops.matmul(a, right), a.double() @ b.double())


def test_infinities_and_nans():
    a = torch.tensor([[1.0, 0.0, 2.0], [torch.nan, 0.0, 0.0]])
    b = torch.tensor([[1.0, torch.inf], [torch.inf, 3.0], [0.0, -1.0]])
    for right in (b, b.T.contiguous().T):
        torch.testing.assert_close(ops.matmul(a, right), a @ b, equal_nan=True)


FORMS = [FewRows(1, 4, 1), FewRows(1, 1, 4, 8), FewRows(3, 2, 2, 2)]


@pytest.mark.parametrize("form, batch, n, k, dtype", [
    (FORMS[0], (3,), 70, 600, torch.bfloat16),
    (FORMS[1], (), 33, 37, torch.float32),
    (FORMS[2], (2,), 41, 520, torch.float16),
])  # fmt: skip
def test_kernel_of_gpus(monkeypatch, form, batch, n, k, dtype):
    monkeypatch.setattr(_gemm._Product, "for_few_rows", lambda self: form)
    monkeypatch.setattr(_gemm, "CpuFewRows", lambda b_mode, epilogue, _: FewRowsGemm(
        epilogue, form, 8 if k % 8 == 0 else 1
    ))  # fmt: skip
    check(batch, form.rows, n, k, dtype, True)


@needs_ptxas
@pytest.mark.parametrize("form", FORMS)
def test_assembles(form, tmp_path):
    m, n, batch = (cute.sym_int() for _ in range(3))
    k = cute.sym_int(divisibility=8)

    def matrix(*shape):
        strides = (cute.sym_int64(divisibility=8), 1, cute.sym_int64(divisibility=8))
        return cute.make_fake_tensor(BFloat16, shape, stride=strides, assumed_align=16)

    kernel = FewRowsGemm(Epilogue(1.0, "gelu", True, 0.0), form, 8)
    bias = cute.make_fake_compact_tensor(BFloat16, (n,))
    arguments = matrix(m, k, batch), matrix(n, k, batch), bias, matrix(m, n, batch)
    assembled(cute.compile(kernel, *arguments, options="--target cuda:sm_90a").__ptx__, tmp_path)


def test_choice(monkeypatch):
    """On a GPU, the kernel is that of one row with contiguous columns of B, which are not deep."""

    def form(m, n, k, batch=(), is_turned=True, **options):
        shape = (*batch, n, k) if is_turned else (*batch, k, n)
        b = torch.empty_strided(
            shape, torch.empty(shape, device="meta").stride(), dtype=torch.bfloat16
        )
        left = _gemm.describe(torch.zeros(*batch, m, k, dtype=torch.bfloat16), "a")
        right = _gemm.describe(b.mT if is_turned else b, "b")
        left.device = right.device = "cuda:0"
        product = object.__new__(_gemm._Product)
        product.left, product.right, product.n, product.batched = left, right, n, bool(batch)
        (_, product.a_mode), (_, product.b_mode) = _gemm.operand_of(left), _gemm.operand_of(right)
        product.any_batch = options.get("any_batch", False)
        return product.for_few_rows()

    monkeypatch.setattr(_arrays.Described, "has", lambda array, feature: feature in features)
    features = []
    assert form(1, 2048, 1408, (8,)) == FewRows(1, 2, 1)
    features = ["wgmma"]
    assert form(1, 4096, 4096) == FewRows(1, 1, 2, 8)
    assert form(1, 8192, 1024) == FewRows(1, 4, 1)
    # Warpgroups read 44 MB or more faster.
    assert form(1, 2048, 1408, (8,)) is None
    assert form(1, 8192, 4096) is None
    assert form(2, 4096, 4096) is None
    assert form(1, 4096, 4104) is None
    assert form(1, 4096, 512, is_turned=False) is None
    assert form(1, 4096, 512, any_batch=True) is None


def test_rows_of_any_batch_have_another_kernel():
    a, b = torch.randn(5, 90), torch.randn(90, 33)
    of_all = ops.matmul(a, b, deterministic="batch")
    for rows in (1, 2, 4):
        assert torch.equal(ops.matmul(a[:rows], b, deterministic="batch"), of_all[:rows])


def test_float32_is_exact_for_whole_numbers():
    a = torch.randint(-8, 8, (1, 999)).float()
    b = torch.randint(-8, 8, (999, 130)).float()
    assert torch.equal(ops.matmul(a, b), a @ b) and ops.matmul(a, b).dtype == torch.float32


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads instructions of x86-64")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_contiguous_rows_are_vectorized(dtype, monkeypatch):
    compiled = {}
    monkeypatch.setattr(_arrays, "_compiled", compiled)
    ops.matmul.forget()
    ops.matmul(torch.ones(1, 300, dtype=dtype), torch.ones(300, 600, dtype=dtype))
    ops.matmul.forget()
    (function,) = compiled.values()
    scalar, both = (
        len(re.findall(rf"vfn?madd\d+{kind}\b", function.__asm__)) for kind in ("ss", "[sp]s")
    )
    assert scalar <= both / 4, (scalar, both)
