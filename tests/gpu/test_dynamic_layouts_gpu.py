"""Layouts with extents and strides known only at run time, on the GPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from support import dynamic_layout_programs as programs  # noqa: E402

from fairlead import cute  # noqa: E402


def on_device(array):
    return torch.from_numpy(np.ascontiguousarray(array)).cuda()


@pytest.mark.parametrize("seed", range(6))
def test_random_compositions(seed):
    programs.check_compositions(seed, on_device, options="")


def test_tiles_of_dynamic_tensors():
    function = cute.compile(programs.tiles, *(programs.any_tensor() for _ in range(4)))
    for shape in ((4, 8, 1), (8, 16, 2), (4, 4, 2), (12, 2, 8), (8, 1, 24)):
        programs.check_tiles(function, shape, on_device, lambda tensor: tensor.cpu().numpy())
