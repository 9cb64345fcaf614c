"""fairlead.ops.attention against float64."""

import itertools
import math

import numpy as np
import pytest
from support.thinned import thinned

import fairlead.ops as ops
from fairlead.ops import _attention
from fairlead.ops._arrays import Described
from fairlead.ops._softmax import Window

torch = pytest.importorskip("torch")

TOLERANCE = {torch.float16: 3e-3, torch.bfloat16: 2e-2}


def random(*shape, dtype):
    generator = torch.Generator().manual_seed(shape[-2])
    return torch.randn(*shape, generator=generator).to(dtype)


def reference_and_logs(q, k, v, causal=False, scale=None, window=(None, None), softcap=None):
    """The result and the logarithms of the sums of powers."""
    k, v = (each.repeat_interleave(q.shape[1] // each.shape[1], 1).double() for each in (k, v))
    scores = q.double() @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    queries, keys = scores.shape[-2:]
    distance = torch.arange(keys) - (torch.arange(queries)[:, None] + keys - queries)
    left, right = (math.inf if limit is None else limit for limit in window)
    seen = (distance >= -left) & (distance <= (min(right, 0) if causal else right))
    scores = scores.masked_fill(~seen, -math.inf)
    return torch.softmax(scores, -1).nan_to_num(0) @ v, torch.logsumexp(scores, -1)


def reference(*tensors, **options):
    return reference_and_logs(*tensors, **options)[0]


def close(found, wanted):
    assert found.shape == wanted.shape
    error = (found.double() - wanted).abs().max()
    assert error <= TOLERANCE[found.dtype], error


@pytest.mark.parametrize("heads, kv_heads, queries, keys, head_dim, causal, dtype", [
    (1, 1, 64, 64, 64, False, torch.float16),
    (1, 1, 64, 64, 64, True, torch.float16),
    (4, 2, 100, 100, 64, True, torch.float16),
    (4, 2, 100, 100, 64, True, torch.bfloat16),
    (2, 2, 1, 77, 64, True, torch.float16),
    (2, 2, 70, 30, 64, True, torch.float16),
    (3, 1, 130, 200, 40, False, torch.float16),
    (1, 1, 129, 257, 128, True, torch.bfloat16),
])  # fmt: skip
def test_attention(heads, kv_heads, queries, keys, head_dim, causal, dtype):
    q = random(2, heads, queries, head_dim, dtype=dtype)
    k, v = (random(2, kv_heads, keys, head_dim, dtype=dtype) + i for i in range(2))
    close(ops.attention(q, k, v, causal=causal), reference(q, k, v, causal=causal))


@pytest.fixture
def kernels_of_gpus(monkeypatch):
    """Let the CPU run the kernels of GPUs without warpgroups."""
    monkeypatch.setattr(_attention, "_for_cpus", lambda query: False)
    ops.attention.forget()
    yield
    ops.attention.forget()


@pytest.mark.usefixtures("kernels_of_gpus")
def test_kernels_of_gpus():
    test_attention(4, 2, 100, 100, 64, True, torch.bfloat16)
    test_attention(3, 1, 130, 200, 40, False, torch.float16)
    test_values_of_shorter_heads(48, 8, 100, True)
    test_windows_and_caps(
        (90, 130), {"softcap": 2.0, "causal": True, "window": (20, None), "scale": -0.3}
    )
    test_windows_of_sequences_and_caches()
    test_values_that_are_not_numbers(30)


@pytest.mark.parametrize("queries", [4, 30])
def test_values_that_are_not_numbers(queries):
    """A NaN or an infinite score makes the row NaN, as in torch; other rows are numbers."""
    q, k, v = (random(1, 3, rows, 64, dtype=torch.float16) for rows in (queries, 60, 60))
    k[0, 0, 7, 3] = math.nan
    q[0, 1, 2, 5] = math.nan
    k[0, 2, 9], v[0, 1, 50, 6] = math.inf, math.inf
    out, logs = ops.attention(q, k, v, return_lse=True)
    wanted = torch.softmax(q.double() @ k.double().mT / 8, -1) @ v.double()
    assert wanted.isnan().any() and not wanted.isnan().all() and wanted.isinf().any()
    assert torch.equal(out.isnan(), wanted.isnan()) and torch.equal(out.isinf(), wanted.isinf())
    assert torch.equal(logs.isfinite(), ~wanted.isnan().all(-1))


@pytest.mark.parametrize("head_dim, value_dim, queries, causal", [
    (192, 128, 100, True), (48, 8, 5, False),
])  # fmt: skip
def test_values_of_shorter_heads(head_dim, value_dim, queries, causal):
    """As MLA has them."""
    q = random(2, 4, queries, head_dim, dtype=torch.bfloat16)
    k = random(2, 2, 130, head_dim, dtype=torch.bfloat16)
    v = random(2, 2, 130, value_dim, dtype=torch.bfloat16)
    wanted = reference_and_logs(q, k, v, causal=causal)
    out = torch.full((2, 4, queries, value_dim), math.nan).bfloat16()
    found = ops.attention(q, k, v, causal=causal, out=out, return_lse=True)
    assert found[0] is out
    close_with_logs(found, wanted)
    rows = [each[0].transpose(0, 1).contiguous() for each in (q, k, v)]
    of_q, of_k = (torch.tensor([0, count]).int() for count in (queries, 130))
    found = ops.attention(*rows, causal=causal, cu_seqlens_q=of_q, cu_seqlens_k=of_k)
    close(found.transpose(0, 1), wanted[0][0])


def test_great_scores_and_given_results():
    q, k, v = (random(1, 2, 80, 64, dtype=torch.float16) for _ in range(3))
    out = torch.full_like(q, float("nan"))
    assert ops.attention(20 * q, k, v, scale=0.5, out=out) is out
    close(out, reference(20 * q, k, v, scale=0.5))


def test_other_layouts():
    """Sequences before heads, as models have them, and rows that are not aligned."""
    q, k, v = (random(2, 90, 3, 64, dtype=torch.float16).transpose(1, 2) for _ in range(3))
    close(ops.attention(q, k, v), reference(q, k, v))
    apart = [random(1, 2, 70, 65, dtype=torch.float16)[..., 1:] for _ in range(3)]
    close(ops.attention(*apart), reference(*apart))


def close_with_logs(found, wanted):
    close(found[0], wanted[0])
    torch.testing.assert_close(found[1].double(), wanted[1], atol=1e-4, rtol=1e-4)


EXTENTS = [(3, 150), (90, 130), (100, 40)]
OPTIONS = [
    {"window": (20, 10)},
    {"window": (20, None), "causal": True},
    {"window": (None, 7), "softcap": 30.0},
    {"softcap": 2.0, "causal": True, "scale": -0.3},
]
# In the default run, few queries have two of the options, and each of the options has one of the other extents.
FEW = [(EXTENTS[0], OPTIONS[0]), (EXTENTS[0], OPTIONS[3])]
FEW += [(EXTENTS[1 + i % 2], options) for i, options in enumerate(OPTIONS)]


@pytest.mark.parametrize("extents, options", thinned(itertools.product(EXTENTS, OPTIONS), FEW))
def test_windows_and_caps(extents, options):
    queries, keys = extents
    q = random(2, 4, queries, 64, dtype=torch.float16)
    k, v = (random(2, 2, keys, 64, dtype=torch.float16) + i for i in range(2))
    found = ops.attention(q, k, v, return_lse=True, **options)
    close_with_logs(found, reference_and_logs(q, k, v, **options))


def test_windows_of_sequences_and_caches():
    options = {"causal": True, "window": (9, None), "softcap": 5.0}
    q, k, v = (random(100, 2, 64, dtype=torch.float16) + i for i in range(3))
    ends = [0, 40, 40, 95]
    of_all, logs = ops.attention(
        q, k, v, cu_seqlens_q=torch.tensor(ends).int(), return_lse=True, **options
    )
    for begin, end in ((0, 40), (40, 95)):
        rows = [each[begin:end].transpose(0, 1)[None] for each in (q, k, v)]
        found = of_all[begin:end].transpose(0, 1)[None], logs[None, :, begin:end]
        close_with_logs(found, reference_and_logs(*rows, **options))
    q = random(3, 4, 2, 64, dtype=torch.float16)
    k, v = (random(3, 2, 64, 64, dtype=torch.float16) + i for i in range(2))
    lengths = [0, 9, 64]
    result, logs = ops.attention(
        q, k, v, seqlens_k=torch.tensor(lengths).int(), return_lse=True, **options
    )
    assert (result[0] == 0).all() and (logs[0] == -math.inf).all()
    for i, length in ((1, 9), (2, 64)):
        rows = q[i : i + 1], *(each[i : i + 1, :, :length] for each in (k, v))
        close_with_logs((result[i : i + 1], logs[i : i + 1]), reference_and_logs(*rows, **options))


@pytest.mark.parametrize("of_q, of_k", [
    ((0, 2, 5, 64), (0, 2, 7, 64)),
    ((2, 2, 0, 64), (2, 2, 7, 64)),
    ((2, 2, 5, 64), (2, 2, 0, 64)),
    ((2, 0, 5, 64), (2, 2, 7, 64)),
])  # fmt: skip
def test_no_elements(of_q, of_k):
    """Zeros, logarithms of 0, and gradients of 0."""
    q, k, v = (torch.randn(*shape).half().requires_grad_() for shape in (of_q, of_k, of_k))
    result = ops.attention(q, k, v)
    result.sum().backward()
    assert result.shape == of_q and (result == 0).all()
    assert all((each.grad == 0).all() and each.grad.shape == each.shape for each in (q, k, v))
    with torch.no_grad():
        out, logs = ops.attention(q, k, v, return_lse=True, out=torch.full(of_q, math.nan).half())
    assert (out == 0).all() and logs.shape == of_q[:3] and (logs == -math.inf).all()
    of_numpy = ops.attention(*(each.detach().numpy() for each in (q, k, v)))
    assert of_numpy.shape == of_q and (of_numpy == 0).all()


@pytest.mark.parametrize("options, message", [
    ({"window": (1,)}, r"window: expected None, or \(left, right\)"),
    ({"window": (-1, 2)}, r"window: expected .*, but got \(-1, 2\)"),
    ({"window": 3}, "window: expected .*, but got 3"),
    ({"softcap": 0}, "softcap: expected None or a finite number above 0, but got 0"),
    ({"softcap": float("inf")}, "softcap: expected .*, but got inf"),
])  # fmt: skip
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        ops.attention(*[zeros(1, 1, 40, 64)] * 3, **options)


def test_numpy_and_jax():
    q, k, v = (random(1, 2, 50, 64, dtype=torch.float16) for _ in range(3))
    wanted = ops.attention(q, k, v).numpy()
    arrays = [each.numpy() for each in (q, k, v)]
    np.testing.assert_array_equal(ops.attention(*arrays), wanted)
    jax = pytest.importorskip("jax")
    if jax.default_backend() == "cpu":
        found = jax.jit(ops.attention)(*map(jax.numpy.asarray, arrays))
        np.testing.assert_array_equal(found, wanted)
        call = jax.jit(lambda q, k, v: ops.attention(q, k, v, return_lse=True))
        found, logs = call(*map(jax.numpy.asarray, arrays))
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_allclose(logs, reference_and_logs(q, k, v)[1], atol=1e-4)
        nothing, logs = call(*(jax.numpy.asarray(each[:, :, :0]) for each in arrays))
        assert nothing.shape == (1, 2, 0, 64) and logs.shape == (1, 2, 0)


def zeros(*shape, dtype=torch.float16):
    return torch.zeros(*shape, dtype=dtype)


@pytest.mark.parametrize("shapes, message", [
    (((1, 2, 8, 64), (1, 3, 8, 64), (1, 3, 8, 64)), "k: expected a number of heads that divides 2"),
    (((1, 2, 8, 64), (1, 2, 8, 32), (1, 2, 8, 32)), r"k: expected the shape \[1, kv_heads, keys, 64\]"),
    (((1, 2, 8, 64), (1, 2, 8, 64), (1, 2, 9, 64)), r"v: expected the shape \[1, 2, 8, 64\] of k"),
    (((1, 2, 8, 64), (1, 2, 8, 64), (1, 2, 8, 72)), "v: expected .* or a head_dim in smaller multiples of 8"),
    (((1, 2, 8, 64), (1, 2, 8, 64), (1, 2, 8, 60)), "v: expected .* or a head_dim in smaller multiples of 8"),
    (((1, 2, 8, 63), (1, 2, 8, 63), (1, 2, 8, 63)), "q: expected head_dim in multiples of 8 up to 256"),
    (((2, 8, 64), (2, 8, 64), (2, 8, 64)), "q: expected the dimensions"),
    (((1, 2, 8, 64), (1, 0, 8, 64), (1, 0, 8, 64)), "k: expected a number of heads that divides 2"),
])  # fmt: skip
def test_bad_shapes(shapes, message):
    with pytest.raises(ValueError, match=message):
        ops.attention(*(zeros(*shape) for shape in shapes))


def test_bad_types():
    q = zeros(1, 1, 8, 64)
    with pytest.raises(ValueError, match="v: expected the head_dim of k with seqlens_k"):
        ops.attention(q, q, q[..., :32], seqlens_k=torch.ones(1).int())
    with pytest.raises(
        ValueError, match="v: expected the head_dim of k where a gradient is needed"
    ):
        ops.attention(zeros(1, 1, 8, 64).requires_grad_(), q, q[..., :32])
    with pytest.raises(
        ValueError,
        match="q: expected elements of float16, bfloat16, float8_e4m3fn, but got torch float32",
    ):
        ops.attention(*[q.float()] * 3)
    with pytest.raises(ValueError, match="k: expected elements of float16"):
        ops.attention(q, q.bfloat16(), q)
    with pytest.raises(ValueError, match="out: expected the shape"):
        ops.attention(q, q, q, out=zeros(1, 1, 9, 64))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("in_rows", [False, True])
def test_tiles_of_gpus(causal, in_rows, monkeypatch):
    """The calls that GPUs get, by three warpgroups, on the CPU."""
    monkeypatch.setattr(_attention, "is_for_warpgroups", lambda inputs: True)
    monkeypatch.setattr(Described, "multiprocessors", 3)
    q, k, v = (torch.randn(1, 2, 190, 64).half() for _ in range(3))
    window = Window.of(causal)
    assert _attention.tiles_of(window, 64, 190, 190, 2, 3)[2] == 3
    if in_rows:
        ends = torch.tensor([0, 190], dtype=torch.int32)
        q, k, v = (array[0].transpose(0, 1).contiguous() for array in (q, k, v))
        out = ops.attention(q, k, v, causal=causal, cu_seqlens_q=ends).transpose(0, 1)
        q, k, v = (array.transpose(0, 1) for array in (q, k, v))
    else:
        out = ops.attention(q, k, v, causal=causal)
    wide = (array.double() for array in (q, k, v))
    expected = torch.nn.functional.scaled_dot_product_attention(*wide, is_causal=causal)
    torch.testing.assert_close(out.double(), expected, atol=4e-3, rtol=4e-3)
