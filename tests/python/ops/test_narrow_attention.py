"""Attention of floats of 8 bits: the kernel for compute capability 9.0 on the CPU, against float64 of the same
elements, and the assembler's remarks on its PTX."""

import math

import numpy as np
import pytest
from test_hopper_kernels import assembled, heads_of, hidden, needs_ptxas, numbers_of

from fairlead import BFloat16, Float8E4M3FN, Float16, Float32, cute, ops
from fairlead.ops._narrow_attention import PADDING, NarrowAttention, narrow_tiles
from fairlead.ops._softmax import Window

torch = pytest.importorskip("torch")

FLOAT8 = torch.float8_e4m3fn
#: The norm of the error by that of the result: probabilities have three bits behind the point.
ERROR = 0.03


def random8(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed + shape[-2])
    return torch.randn(*shape, generator=generator).to(FLOAT8)


def reference(q, k, v, causal, scale, softcap=0.0):
    """The result and the logarithms of the sums of powers."""
    group = q.shape[1] // k.shape[1]
    k, v = (each.double().repeat_interleave(group, 1) for each in (k, v))
    scores = q.double() @ k.mT * scale
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    scores = scores.masked_fill(hidden(q.shape[2], k.shape[2], causal), -math.inf)
    return torch.softmax(scores, -1).nan_to_num(0) @ v, torch.logsumexp(scores, -1)


def close(found, wanted):
    assert found.shape == wanted.shape
    error = (found.double() - wanted).norm() / wanted.norm()
    assert error <= ERROR, error


def compiled(kernel, target, result=BFloat16):
    batch, heads, others, queries, keys = (cute.sym_int() for _ in range(5))
    head_dim = kernel.head_dim
    q = heads_of(Float8E4M3FN, head_dim, (batch, heads, queries))
    dims = head_dim, kernel.value_dim
    k, v = (heads_of(Float8E4M3FN, dim, (batch, others, keys)) for dim in dims)
    out = heads_of(result, kernel.value_dim, (batch, heads, queries))
    scales = [cute.make_fake_compact_tensor(Float32, (cute.sym_int(),)) for _ in range(3)]
    columns = cute.make_fake_compact_tensor(
        Float8E4M3FN, (batch, others, kernel.value_dim, cute.sym_int(divisibility=PADDING)),
        stride_order=(3, 2, 1, 0), assumed_align=16,
    )  # fmt: skip
    logs = numbers_of(batch, heads, queries)
    return cute.compile(kernel, q, k, v, *scales, out, logs, columns, options=f"--target {target}")


@pytest.mark.parametrize("queries, keys, head_dim, group, causal, options", [
    (64, 64, 128, 1, False, {"keys": 64}),
    (130, 203, 128, 2, True, {"keys": 64, "in_turn": True}),
    (70, 90, 64, 4, False, {"keys": 32, "stages": 3}),
    (150, 70, 64, 1, True, {"keys": 96}),
    (150, 200, 64, 2, Window(50, 20), {"keys": 64, "softcap": 3.0}),
    (40, 70, 256, 1, True, {"keys": 32, "value_dim": 64}),
    (40, 245, 176, 1, False, {"keys": 32, "value_dim": 112}),
])  # fmt: skip
def test_kernel(queries, keys, head_dim, group, causal, options):
    scale, heads = head_dim**-0.5, 4
    kernel = NarrowAttention(head_dim, group, causal, scale, (True,) * 3, 3, **options)
    q = random8(2, heads, queries, head_dim)
    dims = head_dim, kernel.value_dim
    k, v = (random8(2, heads // group, keys, dim, seed=i) for i, dim in enumerate(dims, 1))
    scales = [torch.tensor([0.5, 1.0, 1.5, 2.0]), torch.tensor([0.75]), torch.rand(heads // group)]
    out = torch.full((*q.shape[:3], kernel.value_dim), math.nan).half()
    logs = torch.full(q.shape[:3], math.nan)
    # What is there before is not read.
    columns = torch.full(
        (2, heads // group, kernel.value_dim, -(-keys // PADDING) * PADDING), math.nan
    )
    f = compiled(kernel, "cpu", Float16)
    f(q, k, v, *scales, out, logs, columns.to(FLOAT8))
    of_q, of_k, of_v = (
        x.double() * factor.double()[:, None, None]
        for x, factor in zip((q, k, v), scales, strict=True)
    )
    wanted, sums = reference(of_q, of_k, of_v, causal, scale, options.get("softcap", 0.0))
    close(out, wanted)
    torch.testing.assert_close(logs.double(), sums, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("with_scales", [False, True])
def test_each_key_meets_its_value(with_scales):
    """Query i sees only key p[i], as all other powers are 0: the result is its row of values, exactly."""
    count = 100
    k = torch.zeros(1, 1, count, 112)
    k[0, 0, range(count), range(count)] = 16
    order = torch.randperm(count, generator=torch.Generator().manual_seed(5))
    q, v = k[:, :, order], random8(1, 1, count, 112)
    scales = (torch.tensor(2.0), None, torch.tensor([4.0])) if with_scales else None
    found = ops.attention(q.to(FLOAT8), k.to(FLOAT8), v, scale=1.0, scales=scales)
    assert torch.equal(found.float(), v.float()[:, :, order] * (4 if with_scales else 1))


def test_arrays():
    """Sequences before heads, rows that are not aligned, given results, NumPy, plans."""
    q, k, v = (random8(2, 70, 2, 64, seed=i).transpose(1, 2) for i in range(3))
    wanted, sums = reference(q, k, v, True, 0.125)
    out = torch.full(q.shape, math.nan, dtype=torch.float16)
    given = {"causal": True, "out_dtype": "float16"}
    found, logs = ops.attention(q, k, v, out=out, return_lse=True, **given)
    assert found is out
    close(out, wanted)
    torch.testing.assert_close(logs.double(), sums, atol=1e-4, rtol=1e-4)
    apart = [
        torch.cat([each.float(), each[..., :3].float()], -1).to(FLOAT8)[..., :64]
        for each in (q, k, v)
    ]
    assert torch.equal(ops.attention(*apart, **given), out)
    shared = k[:, :1].expand(2, 2, 70, 64)  # strides of 0
    close(ops.attention(q, shared, v), reference(q, shared, v, False, 0.125)[0])
    ml_dtypes = pytest.importorskip("ml_dtypes")
    arrays = [
        each.contiguous().view(torch.uint8).numpy().view(ml_dtypes.float8_e4m3fn)
        for each in (q, k, v)
    ]
    np.testing.assert_array_equal(ops.attention(*arrays, **given), out.numpy())


def test_values_that_are_not_numbers():
    q, k, v = (random8(1, 1, 40, 64, seed=i) for i in range(3))
    nan = k.float()
    nan[0, 0, 3, 5] = math.nan
    assert ops.attention(q, nan.to(FLOAT8), v).isnan().all()
    assert ops.attention(q, k, v, scales=(torch.tensor(-1.0), None, None)).isnan().all()
    none = ops.attention(q, k[:, :, :0], v[:, :, :0])
    assert none.dtype == torch.bfloat16 and (none == 0).all()
    # A scale of 0: all keys alike.
    mean = ops.attention(q, k, v, scales=(None, torch.tensor(0.0), None))
    close(mean, v.double().mean(2, keepdim=True).expand(1, 1, 40, 64))


@pytest.mark.parametrize("change, message", [
    ({"k": torch.float16}, "k: expected elements of float8_e4m3fn, but got torch float16"),
    ({"q": torch.float8_e5m2}, "q: expected elements of float16, bfloat16, float8_e4m3fn, but got torch float8_e5m2"),
    ({"head_dim": 72}, "q: expected head_dim in multiples of 16 up to 256"),
    ({"head_dim": 144}, r"v: expected the shape .* and a head_dim in multiples of 16 up to 128"),
    ({"scales": torch.ones(3)}, r"scales: expected None, or \(scale of q, scale of k, scale of v\)"),
    ({"scales": (None, torch.ones(3), None)}, r"scales\[1\]: expected one element, or the shape \[2\] of the heads"),
    ({"scales": (None, None, torch.ones(1).half())}, r"scales\[2\]: expected elements of float32"),
    ({"out_dtype": "float32"}, "out_dtype: expected one of float16, bfloat16, but got 'float32'"),
    ({"seqlens_k": torch.ones(1).int()}, "q: expected float16 or bfloat16 with cu_seqlens_q, seqlens_k or page_table"),
    ({"out": torch.zeros(1, 2, 40, 64).half()}, "out: expected elements of bfloat16"),
])  # fmt: skip
def test_bad_arguments(change, message):
    options = dict(change)
    head_dim = options.pop("head_dim", 64)
    tensors = {name: torch.zeros(1, 2, 40, head_dim) for name in "qkv"}
    tensors = {name: x.to(options.pop(name, FLOAT8)) for name, x in tensors.items()}
    with pytest.raises(ValueError, match=message):
        ops.attention(**tensors, **options)


def test_bad_arguments_of_wide_elements():
    q = torch.zeros(1, 2, 40, 64).half()
    with pytest.raises(ValueError, match="scales: expected None where a gradient is needed"):
        ops.attention(q.clone().requires_grad_(), q, q, scales=(None, None, None))
    scale = torch.ones(1, requires_grad=True)
    with pytest.raises(ValueError, match="scales: expected no tensor that requires a gradient"):
        ops.attention(*[q.to(FLOAT8)] * 3, scales=(scale, None, None))
    with pytest.raises(ValueError, match="scales: expected None for elements that are not float8"):
        ops.attention(q, q, q, scales=(None, None, None))
    with pytest.raises(ValueError, match="out_dtype: expected None or float16, the type of q"):
        ops.attention(q, q, q, out_dtype="bfloat16")


@needs_ptxas
@pytest.mark.parametrize("head_dim, value_dim, causal", [
    (64, 64, True), (128, 128, False), (128, 128, True), (192, 128, True), (256, 64, False),
])  # fmt: skip
def test_assembles(head_dim, value_dim, causal, tmp_path):
    kernel = NarrowAttention(
        head_dim, 1, causal, 0.1, (True,) * 3, 132, *narrow_tiles(value_dim), value_dim=value_dim
    )
    # Queries of so many columns leave two registers too few.
    most_spilled = 8 if head_dim > 128 else 0
    assembled(compiled(kernel, "cuda:sm_90a").__ptx__, tmp_path, most_spilled)
