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
