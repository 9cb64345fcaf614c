"""Results on the GPU against float64 NumPy: random data, odd sizes, outputs poisoned with NaN."""

import kernels
import numpy as np
import pytest

torch = pytest.importorskip("torch")

SIZES = [1, 2, 31, 127, 128, 129, 1000, 4097, 1_000_003]


def on_gpu(array):
    return torch.from_numpy(array).cuda()


def poisoned(*shape, dtype=torch.float32):
    return torch.full(shape, float("nan"), dtype=dtype, device="cuda")


@pytest.mark.parametrize("n", SIZES)
def test_add_one(n):
    a = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    b = poisoned(n)
    kernels.compiled("add_one")(on_gpu(a), b)
    np.testing.assert_allclose(b.cpu().numpy(), a.astype(np.float64) + 1, rtol=2e-7, atol=2e-7)


@pytest.mark.parametrize("n", SIZES)
def test_whole_tensor_add(n):
    rng = np.random.default_rng(n)
    a, b = (rng.standard_normal(n).astype(np.float32) for _ in range(2))
    c = poisoned(n)
    kernels.compiled("add")(on_gpu(a), on_gpu(b), c)
    expected = a.astype(np.float64) + b
    np.testing.assert_allclose(c.cpu().numpy(), expected, rtol=2e-7, atol=2e-7)


@pytest.mark.parametrize("n", [1, 129, 4097])
def test_math(n):
    a = np.random.default_rng(n).uniform(-3, 3, n).astype(np.float32)
    b = poisoned(n)
    kernels.compiled("math")(on_gpu(a), b)
    x = a.astype(np.float64)
    expected = np.exp(x) + np.sqrt(x * x + 1) * np.sin(x)
    np.testing.assert_allclose(b.cpu().numpy(), expected, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("rows, columns", [(1, 1), (7, 1), (1, 1000), (129, 65), (1000, 3)])
def test_run_time_loop(rows, columns):
    a = np.random.default_rng(rows).standard_normal((rows, columns)).astype(np.float32)
    b = poisoned(rows)
    kernels.compiled("row_sum")(on_gpu(a), b)
    expected = a.astype(np.float64).sum(axis=1)
    np.testing.assert_allclose(b.cpu().numpy(), expected, rtol=1e-5, atol=1e-4)


def test_elements_beyond_the_tensor_are_untouched():
    n, room = 130, 400
    a = torch.zeros(n, device="cuda")
    whole = poisoned(room)
    kernels.compiled("add_one")(a, whole[:n])
    assert torch.isfinite(whole[:n]).all()
    assert torch.isnan(whole[n:]).all()


def test_empty_tensor_is_a_call_without_work():
    whole = poisoned(1)
    kernels.compiled("add_one")(torch.empty(0, device="cuda"), whole[:0])
    torch.cuda.synchronize()
    assert torch.isnan(whole).all()


def test_negated_absolute_is_compared():
    """ptxas drops min(-abs(x), c) of 64 bits, so abs is written out."""
    values = torch.tensor([0, 1, -1, 5, -9, 2**40, -(2**40)], device="cuda")
    out = torch.full_like(values, 77)
    kernels.least(values, out)
    expected = [min(v, -v, -7) for v in values.tolist()]
    assert out.tolist() == expected


def test_shifted_negation_is_added():
    """ptxas loses the sign of -b in a + (-b >> n), where b is the low half of 64 bits; so -b is written out."""
    values = torch.tensor([0, 1, -1, 5, -9, 2**31 - 1, -(2**31), 2**40 + 3], device="cuda")
    out = torch.full_like(values, 100, dtype=torch.int32)
    kernels.shifted(values.clone(), out)
    low = [((v + 2**31) % 2**32) - 2**31 for v in values.tolist()]
    negated = [((-v + 2**31) % 2**32) - 2**31 for v in low]
    assert out.tolist() == [100 + (v >> 28) for v in negated]


@pytest.mark.parametrize("narrow", [torch.int8, torch.int16])
@pytest.mark.parametrize("wide", [torch.int32, torch.int64, torch.float32])
def test_narrow_negation_is_made_wider(narrow, wide):
    """ptxas negates after making 16 bits wider, and takes |x| then, so both are written out."""
    least = torch.iinfo(narrow).min
    values = torch.tensor(
        [0, 1, -1, 77, -77, -least - 1, least + 1, least], dtype=narrow, device="cuda"
    )
    minus, size = (torch.full(values.shape, 5, dtype=wide, device="cuda") for _ in range(2))
    kernels.widened(values, minus, size)
    assert minus.tolist() == [-v if v != least else least for v in values.tolist()]
    assert size.tolist() == [abs(v) if v != least else least for v in values.tolist()]
