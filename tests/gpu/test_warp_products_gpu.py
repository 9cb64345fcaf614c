"""Products by integer and Float64 atoms of a warp: the programs that the CPU's tests run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "dsl"))
import warp_products  # noqa: E402


@pytest.mark.parametrize("name", warp_products.PRODUCTS)
def test_products(name):
    if name == "s4 k64" and torch.cuda.get_device_capability() >= (10, 0):
        pytest.skip("instructions that compute capability 10.0 no longer has")
    warp_products.check(name, "cuda")
