"""CUDA C++ to images without a toolkit."""

import os
import subprocess
import sys

import pytest

from fairlead.ffi.cpp import nvrtc

SOURCE = """
extern "C" __global__ void add_one(float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + STEP;
}
__device__ float unannotated_is_device_code();
float helper() { return 1.0f; }
"""


@pytest.fixture
def compiler():
    compiler = pytest.importorskip("fairlead._compiler")
    if not compiler.nvrtc_version():
        pytest.skip("needs NVRTC (nvidia-cuda-nvrtc)")
    return compiler


def test_cubin(compiler):
    image = nvrtc.nvrtc_compile(SOURCE, arch="sm_90a", extra_opts=["-DSTEP=1.0f"])
    info = compiler.read_image(image)
    assert info["kind"] == "cubin" and len(info["parts"]) == 1
    part = info["parts"][0]
    assert part["arch"] == "sm_90a"
    kernel = part["kernels"][0]
    assert kernel["name"] == "add_one" and kernel["registers"] > 0
    assert [size for _, size in kernel["params"]] == [8, 8, 4]
    assert compiler.image_fit(part["arch"], "sm_90a") == 4
    assert compiler.image_fit(part["arch"], "sm_100a") == 0


def test_ptx(compiler):
    image = nvrtc.nvrtc_compile(SOURCE, arch="compute_80", extra_opts=["-DSTEP=1"])
    assert b".entry add_one" in image
    assert compiler.read_image(image)["parts"][0]["arch"] == "compute_80"


def test_the_log_is_in_the_error(compiler):
    with pytest.raises(
        RuntimeError, match=r"(?s)NVRTC compilation failed:\n.*mine.cu\(5\): error.*STEP"
    ):
        nvrtc.nvrtc_compile(SOURCE, name="mine.cu", arch="sm_80")


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (dict(arch="90"), RuntimeError, "expected an architecture like sm_90a or compute_90"),
        (dict(arch="sm_20"), RuntimeError, "This NVRTC compiles for"),
        (dict(arch="sm_80", extra_opts=["-arch=sm_90"]), RuntimeError, "contradicts"),
        (dict(arch="sm_80", extra_opts="-DA"), TypeError, "a list of options, but got str '-DA'"),
        (dict(arch="sm_80", extra_opts=["--bogus"]), RuntimeError, "bogus"),
    ],
)
def test_bad_arguments(compiler, arguments, error, text):
    with pytest.raises(error, match=text):
        nvrtc.nvrtc_compile("__global__ void f() {}", **arguments)


def test_source_must_be_text(compiler):
    with pytest.raises(TypeError, match="source: expected str, but got bytes"):
        nvrtc.nvrtc_compile(b"", arch="sm_80")
    with pytest.raises(RuntimeError, match="the CUDA source is empty"):
        nvrtc.nvrtc_compile("", arch="sm_80")


def test_without_a_device(compiler):
    if compiler.device_count():
        pytest.skip("needs a machine without a GPU")
    with pytest.raises(RuntimeError, match="no CUDA device to compile for.*arch='sm_90a'"):
        nvrtc.nvrtc_compile("__global__ void f() {}")


def test_without_nvrtc():
    pytest.importorskip("fairlead._compiler")
    code = "from fairlead.ffi.cpp import nvrtc; nvrtc.nvrtc_compile('text', arch='sm_80')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "FAIRLEAD_NVRTC": "/nowhere/libnvrtc.so"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "CUDA C++ source needs NVRTC, which was not found" in done.stderr
    assert "nvidia-cuda-nvrtc" in done.stderr and "/nowhere/libnvrtc.so" in done.stderr
