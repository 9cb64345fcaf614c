"""Host functions that read or write elements of tensors on the GPU: a message, and the process goes on."""

import pytest

torch = pytest.importorskip("torch")

from fairlead import Float32, cute  # noqa: E402

pytestmark = pytest.mark.gpu


@cute.kernel
def device_double(a: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    a[thread] = a[thread] * 2


def test_a_message_instead_of_a_fault():
    @cute.jit
    def host(a: cute.Tensor):
        device_double(a).launch(grid=1, block=a.shape[0])
        a[0] = a[0] + 1.0

    a = torch.arange(8, dtype=torch.float32, device="cuda")
    with pytest.raises(ValueError, match="argument #0 .* elements of a, .* cuda:0"):
        host(a)
    described = cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(),))
    compiled = cute.compile(host, described, options="--enable-tvm-ffi")
    with pytest.raises(ValueError, match="or compile for the CPU"):
        compiled(a)
    assert a.tolist() == list(range(8))


def test_whole_tensors_are_read_by_kernels():
    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        b.store(a.load() + 1)
        a[:] = a[:] * b[:]

    a = torch.arange(8, dtype=torch.float32, device="cuda")
    b = torch.zeros_like(a)
    host(a, b)
    assert b.tolist() == [i + 1 for i in range(8)]
    assert a.tolist() == [i * (i + 1) for i in range(8)]


def test_print_tensor_in_a_kernel(capfd):
    @cute.kernel
    def device(a: cute.Tensor):
        cute.print_tensor(a)

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    host(torch.arange(16, dtype=torch.float32, device="cuda").reshape(2, 8) - 1)
    torch.cuda.synchronize()
    assert capfd.readouterr().out.splitlines()[1:] == [
        "       [[-1.000000,  0.000000,  1.000000, ...,  4.000000,  5.000000,  6.000000, ],",
        "        [ 7.000000,  8.000000,  9.000000, ...,  12.000000,  13.000000,  14.000000, ]])",
    ]
