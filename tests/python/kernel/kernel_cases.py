"""Programs of test_kernel.py, each run in a process whose CUDA driver is the fake of the unit tests.

``python kernel_cases.py NAME`` runs one; a mistake raises.
"""

import ctypes
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import fairlead
from fairlead import ffi

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "errors"))

from claims import Claim  # noqa: E402

IMAGES = ROOT / "tests" / "unit" / "runtime" / "cuda" / "images"

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u64 x, .param .u64 y, .param .u32 n) { ret; }
.visible .entry scale_float32(.param .u64 x, .param .f32 a) { ret; }
.visible .entry scale_int8(.param .u64 x, .param .f32 a) { ret; }
"""
SIGNATURE = "add_one(x: Tensor([n], float32), y: Tensor([n], float32))"
LAUNCH = "grid=(ceil_div(n, 256),), block=256, args=(x, y, int32(n))"

driver = ctypes.CDLL(os.environ["FAIRLEAD_LIBCUDA"])
driver.fairleadFakeLaunches.restype = ctypes.c_char_p


class Launched(NamedTuple):
    kernel: str
    device: int
    stream: int
    grid: tuple
    block: tuple
    cluster: tuple
    shared: int
    cooperative: int
    programmatic: int
    params: tuple


def launches() -> list:
    found = []
    for line in driver.fairleadFakeLaunches().decode().splitlines():
        kernel, *rest = line.split()
        numbers = [int(word) for word in rest]
        found.append(
            Launched(
                kernel, *numbers[:2], *(tuple(numbers[2 + 3 * i : 5 + 3 * i]) for i in range(3)),
                *numbers[11:14], tuple(numbers[14:]),
            )
        )  # fmt: skip
    return found


def cuda(*shape, device=0, bits=32):
    return Claim(shape, device=(2, device), bits=bits)


def raises(kind, function, *args, **kwargs) -> str:
    try:
        function(*args, **kwargs)
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def calls():
    f = fairlead.kernel(PTX, "add_one", SIGNATURE, LAUNCH)
    driver.fairleadFakeRecord(3)
    x, y = cuda(1000), cuda(1000)
    f(x, y)
    f(y=y, x=x)
    # The driver reads 8 bytes of each parameter; the number has 4.
    first, second = (
        each._replace(params=(*each.params[:2], each.params[2] & 0xFFFFFFFF)) for each in launches()
    )
    assert first == second
    assert first[:5] == ("add_one", 0, 0, (4, 1, 1), (256, 1, 1)), first
    assert first.params[2] == 1000
    message = raises(ValueError, f, x, cuda(999))
    assert f"when calling: `{SIGNATURE}`" in message and "expected to match x.shape[0]" in message
    assert "expected float32, but got int8" in raises(TypeError, f, cuda(8, bits=8), cuda(8))
    assert "tensor is on cpu" in raises(ValueError, f, Claim((8,)), cuda(8))
    assert "expected 2, but got 1" in raises(TypeError, f, x)
    assert not launches()
    # PTX does not tell which parameters are only read.
    printed = SIGNATURE.replace("x:", "inout x:").replace("y:", "inout y:")
    assert str(f.signature) == printed and str(f.target) == "ptx:compute_80"
    assert ".entry add_one" in f.ptx and "FairleadCudaLaunch" in f.ir
    assert repr(f) == f"<KernelFunction {printed} for ptx:compute_80>"
    assert "codegen" in f.phases


def spellings_of_a_launch():
    texts = {"grid": ("ceil_div(n, 256)", 2), "block": 256, "args": ("x", "y", "int32(n)")}
    made = [
        fairlead.kernel(PTX, "add_one", SIGNATURE, "grid=(ceil_div(n, 256), 2), block=256, "
                        "args=(x, y, int32(n))"),
        fairlead.kernel(PTX, "add_one", SIGNATURE, "grid=(ceil_div(n, 256), 2), block=256",
                        args=("x", "y", "int32(n)")),
        fairlead.kernel(PTX, "add_one", SIGNATURE, texts),
        fairlead.kernel(PTX, "add_one", SIGNATURE, **texts),
        fairlead.kernel(PTX, "add_one", SIGNATURE, fairlead.Launch(**texts)),
        fairlead.kernel(PTX.encode(), "add_one", fairlead._compiler.parse_signature(SIGNATURE), **texts),
    ]  # fmt: skip
    for f in made:
        f(cuda(512), cuda(512))
    assert {launch.grid for launch in launches()} == {(2, 2, 1)}
    assert "block=256" in repr(fairlead.Launch(**texts))


def devices_and_streams():
    f = fairlead.kernel(PTX, "add_one", SIGNATURE[:-1] + ", s: Stream)", LAUNCH)
    for device in (2, 0, 1):
        f.load(device)(cuda(8, device=device), cuda(8, device=device), 0x50 + device)
    assert [(launch.device, launch.stream) for launch in launches()] == [
        (2, 0x52), (0, 0x50), (1, 0x51),
    ]  # fmt: skip
    f.load()
    assert "expected a device number below 3" in raises(RuntimeError, f.load, 7)


def dtype_variables():
    f = fairlead.kernel(
        PTX,
        "scale_{T}",
        "scale(x: Tensor([n], T), a: float32) where T in {int8, float32}",
        grid="n",
    )
    f(cuda(3), 2.0)
    f(cuda(4, bits=8), 2.0)
    assert [(launch.kernel, launch.grid[0]) for launch in launches()] == [
        ("scale_float32", 3), ("scale_int8", 4),
    ]  # fmt: skip


def several_images():
    paths = [IMAGES / "cuda12_sm_80.cubin", IMAGES / "cuda13_sm_90a.cubin"]
    f = fairlead.kernel(paths, "plain", SIGNATURE, LAUNCH, doc="Adds one.")
    f(cuda(8), cuda(8))
    f(cuda(8, device=2), cuda(8, device=2))
    assert [launch.device for launch in launches()] == [0, 2]
    message = raises(
        RuntimeError, fairlead.kernel, IMAGES / "cuda13_sm_100f.cubin", "plain", SIGNATURE, LAUNCH
    )
    assert "runs on cuda:0 (sm_90), the artifact holds: sm_100f" in message


def saved_and_loaded():
    f = fairlead.kernel(PTX, "add_one", SIGNATURE, LAUNCH, doc="Adds one.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lib.so"
        f.export_library(path)
        module = ffi.load_module(path)
        module.add_one(cuda(300), cuda(300))
        assert "expected to match" in raises(ValueError, module.add_one, cuda(300), cuda(301))
    (launched,) = launches()
    assert launched.grid == (2, 1, 1)


def kernels_with_expressions_of_strides():
    f = fairlead.kernel(
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 x, .param .u64 s, .param .u32 c) { ret; }",
        "k",
        "k(x: Tensor([n, m], float32))",
        grid="x.shape[0]", shared="16 * m", args=("x", "x.stride[0]", "int32(n * m - 1)"),
    )  # fmt: skip
    driver.fairleadFakeRecord(3)
    f(cuda(5, 7))
    (launched,) = launches()
    assert launched.params[1:] == (7, launched.params[2]) and launched.params[2] & 0xFFFFFFFF == 34
    assert launched.shared == 112
    message = raises(ValueError, f, cuda(5000, 2**31))
    assert message.startswith("Invalid shared"), message


def source_through_nvrtc():
    """CUDA C++ with a template, for the fake device's architecture; then from the cache."""
    source = """
    template <typename T> __global__ void scale(T* x, float a, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = T(float(x[i]) * a * FACTOR);
    }"""
    signature = "scale(x: Tensor([n], T), a: float32) where T in {float32, int8}"
    launch = "grid=ceil_div(n, 128), block=128, args=(x, a, int32(n))"
    make = lambda **options: fairlead.kernel(  # noqa: E731
        source, "scale<{T}>", signature, launch, options=["-DFACTOR=2"], **options
    )
    f = make()
    assert str(f.target) == "cuda:sm_90a"
    f(cuda(3), 2.0)
    f(cuda(4, bits=8), 2.0)
    assert [launch.kernel for launch in launches()] == [
        "_Z5scaleIfEvPT_fi", "_Z5scaleIaEvPT_fi",
    ]  # fmt: skip
    entries = [
        path
        for path in Path(os.environ["FAIRLEAD_CACHE_DIR"]).rglob("*")
        if path.is_file() and path.name != ".events"
    ]
    assert entries
    stamps = {path: path.stat().st_mtime_ns for path in entries}
    make()(cuda(3), 2.0)
    assert stamps == {path: path.stat().st_mtime_ns for path in entries}, "compiled again"
    for path in entries:
        path.write_bytes(path.read_bytes()[:-1])
    make()(cuda(3), 2.0)
    assert len(launches()) == 2
    several = make(arch=["sm_80", "compute_90"], cache=False)
    assert ".entry _Z5scaleIfEvPT_fi" in several.ptx
    several(cuda(3, device=2), 2.0)
    assert launches()[0].device == 2


def headers_are_part_of_the_cache_key():
    with tempfile.TemporaryDirectory() as folder:
        header = Path(folder) / "deep.h"
        (Path(folder) / "factor.h").write_text('#include "deep.h"\n')
        images = []
        for factor in (2, 3, 2):
            header.write_text(f"#define FACTOR {factor}\n")
            f = fairlead.kernel(
                '#include "factor.h"\nextern "C" __global__ void k(int* x) { x[0] = FACTOR; }',
                "k", "k(x: Tensor([n], int32))", arch="compute_80", options=["-I" + folder],
            )  # fmt: skip
            images.append(f.ptx)
        assert images[0] == images[2] != images[1]


def errors_of_nvrtc():
    source = 'extern "C" __global__ void add_one(float* x) { x[0] += 1; }'
    signature = "add_one(x: Tensor([n], float32))"
    message = raises(ValueError, fairlead.kernel, source, "add_two", signature, arch="sm_80")
    assert message == "`kernel.cu` has no kernel `add_two`, it has: `add_one`", message
    message = raises(
        RuntimeError, fairlead.kernel, source + "}", "add_one", signature, arch="sm_80"
    )
    assert (
        "kernel `add_one` cannot be compiled for sm_80:" in message
        and "kernel.cu(1): error" in message
    )
    assert "unknown architecture `sm_x`" in raises(
        ValueError, fairlead.kernel, source, "add_one", signature, arch="sm_x"
    )


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print("done")
