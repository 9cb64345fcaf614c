"""Structs, streams and direct calls with tensors on a GPU."""

import copy
import ctypes
import pickle
import typing

import pytest

torch = pytest.importorskip("torch")

from fairlead import Float32, Int32, cute  # noqa: E402

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


# --- Pointers, saved functions, streams of other devices, grids.


@cute.kernel
def device_fill(target: cute.Pointer, n: Int32, value: Float32):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * 128 + thread
    if i < n:
        (target + i).store(value)


@cute.jit
def fill(target: cute.Pointer, n: Int32, value: Float32):
    device_fill(target, n, value).launch(grid=cute.ceil_div(n, 128), block=128)


def pointer(tensor, **options):
    return cute.runtime.make_ptr(Float32, tensor.data_ptr(), cute.AddressSpace.gmem, **options)


def compiled_fill():
    null = cute.runtime.nullptr(Float32, cute.AddressSpace.gmem, assumed_align=16)
    return cute.compile(fill, null, 1, 1.0)


def test_pointers_of_every_form():
    function = compiled_fill()
    tensor = torch.zeros(1000, device="cuda")
    for value, form in enumerate(
        (pointer(tensor), tensor.data_ptr(), ctypes.c_void_p(tensor.data_ptr())), 1
    ):
        function(form, 1000, float(value))
        torch.cuda.synchronize()
        assert (tensor == value).all()
    with pytest.raises(ValueError, match="Null pointer on argument #0"):
        function(0, 1000, 1.0)
    with pytest.raises(ValueError, match="expected alignment=16 bytes, but the address is 4 bytes"):
        function(tensor.data_ptr() + 4, 999, 1.0)
    fill(pointer(tensor), 1000, 9.0)
    torch.cuda.synchronize()
    assert (tensor == 9).all()


@pytest.mark.gpu(count=2)
def test_calls_of_pointers_alone_run_on_the_current_device():
    function = compiled_fill()
    for index in (1, 0):
        tensor = torch.zeros(1000, device=f"cuda:{index}")
        with torch.cuda.device(index):
            function(tensor.data_ptr(), 1000, 3.0)
            torch.cuda.synchronize()
        assert (tensor == 3).all()


def test_pickled_functions_launch():
    function = cute.compile(scale_directly, vector(), 1.0, vector())
    again = pickle.loads(pickle.dumps(function))
    assert copy.copy(again) is again and again.ptx == function.ptx
    a, out = torch.arange(100.0, device="cuda"), torch.zeros(100, device="cuda")
    again(a, 3.0, out)
    torch.cuda.synchronize()
    assert torch.equal(out, a * 3)


@pytest.mark.gpu(count=2)
def test_a_stream_of_another_device_is_named():
    compiled = cute.compile(
        scale, Operands(vector(), 1.0), vector(), cute.runtime.make_fake_stream()
    )
    a, out = torch.ones(100, device="cuda:0"), torch.zeros(100, device="cuda:0")
    torch.cuda.synchronize()
    other = torch.cuda.Stream(device="cuda:1")
    with pytest.raises(
        RuntimeError, match="the stream is one of cuda:1, the tensors are on cuda:0"
    ):
        compiled(Operands(a, 2.0), out, other)
    compiled(Operands(a, 2.0), out, torch.cuda.Stream(device="cuda:0"))
    torch.cuda.synchronize()
    assert (out == 2).all()


@cute.jit
def many_blocks(a: cute.Tensor, n: Int32):
    device_scale(a, 1.0, a).launch(grid=n * n, block=1)


def test_a_grid_that_overflows():
    compiled = cute.compile(many_blocks, vector(), 1)
    a = torch.ones(4, device="cuda")
    with pytest.raises(ValueError, match=r"Invalid grid\[0\] .*32 bits, but got 4295098369"):
        compiled(a, 65537)
    compiled(a, 2)
    torch.cuda.synchronize()


def test_a_tensor_whose_memory_was_given_back():
    compiled = cute.compile(scale_directly, vector(), 1.0, vector())
    dead, out = torch.ones(100, device="cuda"), torch.zeros(100, device="cuda")
    dead.untyped_storage().resize_(0)
    with pytest.raises(ValueError, match="Tensor without data on argument #0"):
        compiled(dead, 1.0, out)


_FAILS = """
import torch
from fairlead import Float32, Int32, cute

@cute.kernel
def device_write(target: cute.Pointer):
    target.store(1.0)

@cute.jit
def write(target: cute.Pointer):
    device_write(target).launch(grid=1, block=1)

function = cute.compile(write, cute.runtime.nullptr(Float32, cute.AddressSpace.gmem))
torch.zeros(1, device="cuda")
function(64)  # nobody's memory
try:
    torch.cuda.synchronize()
except RuntimeError:
    pass
try:
    function(64)
except RuntimeError as error:
    print(error)
"""


def test_an_error_of_earlier_work_is_not_blamed_on_the_call(tmp_path):
    import subprocess
    import sys

    program = tmp_path / "program.py"
    program.write_text(_FAILS)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert "CUDA Error: cudaErrorIllegalAddress" in done.stdout, done.stdout + done.stderr
    assert "this launch did not cause it: a kernel that was launched before failed" in done.stdout
