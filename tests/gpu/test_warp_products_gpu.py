"""Products by integer and Float64 atoms of a warp: the programs that the CPU's tests run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "dsl"))
from support import warp_products


@pytest.mark.parametrize("name", warp_products.PRODUCTS)
def test_products(name):
    capability = torch.cuda.get_device_capability()
    if name.startswith("s4") and capability >= (10, 0):
        pytest.skip("instructions that compute capability 10.0 no longer has")
    if name.startswith("f64 m16") and capability < (9, 0):
        pytest.skip("instructions from compute capability 9.0 on")
    warp_products.check(name, "cuda")
