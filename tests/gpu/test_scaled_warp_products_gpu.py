"""Products of warps with block scaling, for compute capability 12.0: the programs that the CPU's tests run."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fairlead import cute

pytest.importorskip("ml_dtypes")

from support.scaled_warp_programs import PRODUCTS, ScaledWarpGemm, operands  # noqa: E402

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available() or torch.cuda.get_device_capability()[0] != 12,
    reason="instructions of compute capability 12.0",
)


@pytest.mark.parametrize("name", PRODUCTS)
def test_product(name):
    _, arrays, expected = operands(name)
    tensors = [torch.from_numpy(array).cuda() for array in arrays]
    wrapped = [cute.runtime.from_dlpack(tensor, assumed_align=16) for tensor in tensors]
    cute.compile(ScaledWarpGemm(name), *wrapped)(*wrapped)
    np.testing.assert_array_equal(tensors[-1].cpu().numpy(), expected)
