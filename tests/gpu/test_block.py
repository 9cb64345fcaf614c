"""Programs whose threads work together give the same bits on the GPU as on the CPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from support import block_programs  # noqa: E402


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", block_programs.PROGRAMS)
def test_program(name, seed):
    function, inputs, output, expected = block_programs.case(name, seed)
    on_gpu = torch.from_numpy(output.copy()).cuda()
    function(*(torch.from_numpy(x).cuda() for x in inputs), on_gpu)
    np.testing.assert_array_equal(on_gpu.cpu().numpy(), expected)
    function(*inputs, output)
    np.testing.assert_array_equal(output, expected)


def test_printf(capfd):
    from fairlead import cute

    @cute.kernel
    def device(a: cute.Tensor):
        cute.printf("kernel {} {}", a[0], (cute.Int64(1) << 40, cute.Uint8(200)))

    @cute.jit
    def show(a: cute.Tensor):
        device(a).launch(grid=[1, 1, 1], block=[1, 1, 1])

    show(torch.tensor([1.5], device="cuda"))
    torch.cuda.synchronize()
    assert "kernel 1.500000 (1099511627776,200)" in capfd.readouterr().out
