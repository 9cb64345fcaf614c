"""Products of a warpgroup whose operands are described by words, on a GPU: compared with NumPy."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
    pytest.skip("needs compute capability 9.0", allow_module_level=True)

from support.described_products import FORMS, expected, operands, warpgroup_program  # noqa: E402

# isort: split
import cutlass.cute as cute  # noqa: E402


@pytest.mark.parametrize(("in_registers", "transposed"), FORMS)
def test_products(in_registers, transposed):
    a, b, c = operands()
    tensors = [torch.from_numpy(array).cuda() for array in (a, b, c)]
    arguments = [cute.runtime.from_dlpack(tensor) for tensor in tensors]
    cute.compile(warpgroup_program(in_registers, transposed), *arguments)(*arguments)
    torch.cuda.synchronize()
    np.testing.assert_array_equal(tensors[2].cpu().numpy(), expected(a, b, transposed))
