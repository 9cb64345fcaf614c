"""Whole tensors of elements of 6 and 4 bits on the GPU."""

import pytest

torch = pytest.importorskip("torch")
from support import packed_elements as packed  # noqa: E402

import fairlead  # noqa: E402


def on_device(array):
    return torch.from_numpy(array).cuda()


@pytest.mark.parametrize("name", packed.NAMES)
@pytest.mark.parametrize("kernel", [packed.device_rows, packed.device_matrix])
def test_conversion(kernel, name):
    packed.check_conversion(kernel, name, on_device)


@pytest.mark.parametrize("name", [*packed.NAMES, "Int4"])
def test_single_elements(name):
    packed.check_single(getattr(fairlead, name), on_device)
