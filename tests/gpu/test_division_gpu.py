"""Integer division that has no quotient: the same numbers as on the CPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from support import division_programs as programs  # noqa: E402

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize(
    "dtype", [d for d in programs.TYPES if np.dtype(d).kind == "i" or d == np.uint8]
)
def test_every_pair(dtype):
    a, b = programs.operands(dtype)
    on_gpu = [torch.from_numpy(each.copy()).cuda() for each in (a, b, a, a)]
    programs.divide(*on_gpu)
    want = programs.expected(a, b)
    assert np.array_equal(on_gpu[2].cpu().numpy(), want[0])
    assert np.array_equal(on_gpu[3].cpu().numpy(), want[1])
