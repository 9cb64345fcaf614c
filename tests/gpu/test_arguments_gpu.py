"""Structs, streams and direct calls with tensors on a GPU."""

import typing

import pytest

torch = pytest.importorskip("torch")

from fairlead import Float32, cute  # noqa: E402

pytestmark = pytest.mark.gpu


class Operands(typing.NamedTuple):
    a: cute.Tensor
    scale: Float32


@cute.kernel
def device_scale(a: cute.Tensor, scale: Float32, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * 128 + thread
    if i < a.shape[0]:
        out[i] = a[i] * scale


@cute.jit
def scale(operands: Operands, out: cute.Tensor, stream, mask: cute.Tensor | None = None):
    device_scale(operands.a, operands.scale, out).launch(
        grid=cute.ceil_div(out.shape[0], 128), block=128, stream=stream
    )


@cute.jit
def scale_directly(a: cute.Tensor, by: Float32, out: cute.Tensor):
    device_scale(a, by, out).launch(grid=cute.ceil_div(out.shape[0], 128), block=128)


def vector():
    return cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(),))


class Wrapped:
    """A stream of some other package."""

    def __init__(self, stream):
        self.stream = stream

    def __cuda_stream__(self):
        return (0, self.stream.cuda_stream)


def test_streams_of_every_form():
    compiled = cute.compile(
        scale, Operands(vector(), 1.0), vector(), cute.runtime.make_fake_stream()
    )
    stream = torch.cuda.Stream()
    a, out = torch.arange(1000.0, device="cuda"), torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    forms = [stream, Wrapped(stream), stream.cuda_stream]
    try:
        from cuda.bindings.driver import CUstream

        forms.append(CUstream(stream.cuda_stream))
    except ImportError:
        pass
    for factor, form in enumerate(forms, 2):
        compiled(Operands(a, float(factor)), out, form)
        stream.synchronize()
        assert torch.equal(out, a * factor)


def test_an_environment_stream_disappears():
    fake = cute.runtime.make_fake_stream(use_tvm_ffi_env_stream=True)
    compiled = cute.compile(scale, Operands(vector(), 1.0), vector(), fake)
    a, out = torch.arange(1000.0, device="cuda"), torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        compiled((a, 3.0), out)
        compiled((a, 4.0), out, mask=None)
    stream.synchronize()
    assert torch.equal(out, a * 4)


def test_direct_calls():
    for n in (1, 1000, 5):
        a, out = torch.arange(float(n), device="cuda"), torch.zeros(n, device="cuda")
        scale_directly(a, 2.5, out)
        torch.cuda.synchronize()
        assert torch.equal(out, a * 2.5)
    assert len(scale_directly.compiled) == 1
