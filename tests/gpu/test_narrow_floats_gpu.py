"""Floats of 4 to 16 bits and TFloat32 on the GPU: every code, every tie, random numbers."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from support import narrow_programs as narrow  # noqa: E402


def on_device(array):
    return torch.from_numpy(array).cuda()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", narrow.NAMES)
def test_rounding(name, dtype):
    narrow.check_to_narrow(name, dtype, on_device)


@pytest.mark.parametrize("name", narrow.NAMES)
def test_every_code(name):
    narrow.check_from_narrow(name, on_device)


@pytest.mark.parametrize("operation", ["+", "-", "*"])
@pytest.mark.parametrize("name", narrow.FORMATS)
def test_arithmetic_of_all_pairs(name, operation):
    narrow.check_arithmetic(name, operation, on_device)


@pytest.mark.parametrize("name", ["Float16", "BFloat16"])
def test_16_bits(name):
    narrow.check_16_bits(name, on_device)


def test_tfloat32():
    narrow.check_tfloat32(on_device)
