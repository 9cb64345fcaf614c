"""Products of fairlead.ops in tensor memory, on the GPUs that have it."""

from __future__ import annotations

import pytest
import torch

from fairlead import ops

pytestmark = pytest.mark.skipif(
    torch.cuda.is_available() and torch.cuda.get_device_capability()[0] != 10,
    reason="instructions of compute capability 10.0",
)


@pytest.mark.parametrize(
    "shape", [(128, 64, 64), (8, 40, 264), (200, 328, 4096), (4096, 4096, 512)]
)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_products(shape, dtype):
    m, n, k = shape
    a, b = (torch.randn(size, device="cuda").to(dtype) for size in ((m, k), (k, n)))
    bias, residual = (torch.randn(size, device="cuda").to(dtype) for size in ((n,), (m, n)))
    found = ops.matmul(a, b, bias=bias, activation="relu", residual=residual, beta=0.5)
    wanted = torch.relu(a.double() @ b.double() + bias.double()) + 0.5 * residual.double()
    torch.testing.assert_close(found.double(), wanted, atol=k**0.5 * 2e-2, rtol=2e-2)


@pytest.mark.parametrize("turned", [(True, False), (False, True), (True, True)])
def test_contiguous_modes(turned):
    a, b = (torch.randn(size, device="cuda").bfloat16() for size in ((264, 136), (136, 72)))
    a, b = (x.T.contiguous().T if turn else x for x, turn in zip((a, b), turned, strict=True))
    found = ops.matmul(a, b)
    torch.testing.assert_close(found.double(), a.double() @ b.double(), atol=2e-1, rtol=2e-2)


def test_products_of_8_bits():
    a, b = (torch.randn(rows, 528, device="cuda").to(torch.float8_e4m3fn) for rows in (200, 144))
    of_a, of_b = (torch.rand(rows, device="cuda") for rows in (200, 144))
    found = ops.matmul(a, b.T, scale_a=of_a, scale_b=of_b)
    wanted = a.double() @ b.double().T * of_a[:, None] * of_b
    torch.testing.assert_close(found.double(), wanted, atol=0.2, rtol=2e-2)


@pytest.mark.parametrize("recipe", ["mxfp8", "mxfp4", "nvfp4"])
@pytest.mark.parametrize("m, n, k", [(130, 72, 160), (3, 264, 544), (4096, 4096, 1024)])
def test_block_scaled_products(recipe, m, n, k):
    """The same as on the CPU, whose results are compared with float64 in tests/python/ops."""
    elements, factors, vector = {
        "mxfp8": (torch.float8_e4m3fn, torch.float8_e8m0fnu, 32),
        "mxfp4": (torch.float4_e2m1fn_x2, torch.float8_e8m0fnu, 32),
        "nvfp4": (torch.float4_e2m1fn_x2, torch.float8_e4m3fn, 16),
    }[recipe]
    packing = 2 if elements is torch.float4_e2m1fn_x2 else 1
    if packing == 2:
        codes = (torch.randint(0, 256, (rows, k // 2), dtype=torch.uint8) for rows in (m, n))
        a, b = (code.view(elements) for code in codes)
    else:
        a, b = (torch.randn(rows, k).to(elements) for rows in (m, n))
    counts = (-(-rows // 128) * 128 * -(-k // vector // 4) * 4 for rows in (m, n))
    of_a, of_b = ((torch.rand(count) + 0.5).to(factors) for count in counts)
    rows = slice(None, 130)  # of which tiles of 128 are two
    small = of_a[: -(-min(m, 130) // 128) * 128 * -(-k // vector // 4) * 4]
    wanted = ops.scaled_matmul(a[rows], b, small, of_b, out_dtype="float32")
    found = ops.scaled_matmul(*(x.cuda() for x in (a, b, of_a, of_b)), out_dtype="float32")
    torch.testing.assert_close(found.cpu()[rows], wanted, atol=k**0.5 * 1e-3, rtol=1e-4)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("head_dim", [64, 72, 128])
@pytest.mark.parametrize("queries, keys", [(130, 200), (300, 333), (290, 40), (2048, 2048)])
def test_attention(queries, keys, head_dim, causal):
    q, k, v = (
        torch.randn(2, heads, rows, head_dim, device="cuda").bfloat16()
        for heads, rows in ((4, queries), (2, keys), (2, keys))
    )
    found, logs = ops.attention(q, k, v, causal=causal, return_lse=True)
    scores = q.double() @ k.double().repeat_interleave(2, 1).mT * head_dim**-0.5
    if causal:
        last = torch.arange(queries, device="cuda")[:, None] + keys - queries
        hidden = torch.arange(keys, device="cuda") > last
        scores = scores.masked_fill(hidden, float("-inf"))
    wanted = torch.softmax(scores, -1).nan_to_num(0) @ v.double().repeat_interleave(2, 1)
    torch.testing.assert_close(found.double(), wanted, atol=2e-2, rtol=2e-2)
    torch.testing.assert_close(logs.double(), torch.logsumexp(scores, -1), atol=1e-3, rtol=1e-3)
