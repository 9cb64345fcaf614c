"""CUDA sources built from Python and called on the GPU: nvcc, NVRTC, embedded images."""

import json
import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

from fairlead.ffi import cpp  # noqa: E402
from fairlead.ffi.cpp import BuildError, _toolchain, nvrtc  # noqa: E402

KERNEL = """
extern "C" __global__ void add_one(float* x, float* y, int n) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < n) {
    y[idx] = x[idx] + 1.0f;
  }
}
"""

# The published form.
WRAPPER = """
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/function.h>

TVM_FFI_EMBED_CUBIN(my_cubin);

void AddOne(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
  static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(my_cubin, "add_one");
  int64_t n = x.size(0);
  void* x_ptr = x.data_ptr();
  void* y_ptr = y.data_ptr();
  void* args[] = {&x_ptr, &y_ptr, &n};
  tvm::ffi::dim3 grid((n + 255) / 256);
  tvm::ffi::dim3 block(256);
  DLDevice device = x.device();
  CUstream stream = static_cast<CUstream>(
      TVMFFIEnvGetStream(device.device_type, device.device_id));
  CUresult result = kernel.Launch(args, grid, block, stream);
  TVM_FFI_CHECK_CUDA_DRIVER_ERROR(result);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne);
"""

CUDA = """
template <typename T> __global__ void scale(T* out, const T* in, T factor, int64_t n) {
  int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n)
    out[i] = in[i] * factor;
}

void scale_on_gpu(tvm::ffi::TensorView out, tvm::ffi::TensorView in, double factor) {
  TVM_FFI_CHECK(out.numel() == in.numel(), ValueError) << "sizes differ";
  int64_t n = in.numel();
  auto stream = static_cast<cudaStream_t>(
      TVMFFIEnvGetStream(in.device().device_type, in.device().device_id));
  scale<<<(n + 255) / 256, 256, 0, stream>>>(static_cast<float*>(out.data_ptr()),
      static_cast<const float*>(in.data_ptr()), static_cast<float>(factor), n);
  TVM_FFI_CHECK(cudaGetLastError() == cudaSuccess, RuntimeError) << "the launch failed";
}
"""


@pytest.fixture(autouse=True)
def build_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def needs_nvcc():
    try:
        _toolchain.cuda_root(_toolchain.nvcc())
        _toolchain.ninja()
    except BuildError as error:
        pytest.skip(str(error))


@pytest.fixture
def needs_nvrtc():
    from fairlead import _compiler

    if not _compiler.nvrtc_version():
        pytest.skip("needs NVRTC")
    try:
        _toolchain.ninja()
        _toolchain.cxx()
    except BuildError as error:
        pytest.skip(str(error))


def test_cuda_sources(needs_nvcc):
    module = cpp.load_inline(
        "gpu_scale", cuda_sources=CUDA, functions={"scale_on_gpu": "out = in * factor"}
    )
    x = torch.arange(1000, dtype=torch.float32, device="cuda")
    y = torch.empty_like(x)
    module.scale_on_gpu(y, x, 2.5)
    torch.testing.assert_close(y, x * 2.5)
    # On PyTorch's stream, which differs here from the default one.
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        z = torch.full_like(x, 3)
        module.scale_on_gpu(y, z, 2.0)
    stream.synchronize()
    torch.testing.assert_close(y, torch.full_like(x, 6))
    with pytest.raises(ValueError, match="sizes differ"):
        module.scale_on_gpu(y[:5], x, 1.0)


@pytest.mark.parametrize("language", ["cuda_sources", "cpp_sources"])
def test_nvrtc_to_embedded_cubin(needs_nvrtc, language, request):
    """The published workflow: NVRTC, embed, call. As C++ the wrapper needs neither nvcc nor CUDA's headers."""
    if language == "cuda_sources":
        request.getfixturevalue("needs_nvcc")
    cubin = nvrtc.nvrtc_compile(KERNEL, name="kernel.cu")
    module = cpp.load_inline("my_module", **{language: WRAPPER}, embed_cubin={"my_cubin": cubin})
    x = torch.arange(1024, dtype=torch.float32, device="cuda")
    y = torch.empty_like(x)
    module.add_one(x, y)
    torch.testing.assert_close(y, x + 1)


def test_the_architecture_is_the_devices(needs_nvrtc):
    from fairlead import _compiler

    major, minor = torch.cuda.get_device_capability()
    image = _compiler.read_image(nvrtc.nvrtc_compile(KERNEL))
    assert image["parts"][0]["arch"].rstrip("af") == f"sm_{major}{minor}"
    assert _compiler.image_fit(image["parts"][0]["arch"], _compiler.device_arch(0)) == 4
    assert _toolchain.cuda_archs() == sorted(
        {_compiler.device_arch(i).removeprefix("sm_") for i in range(_compiler.device_count())}
    )


def test_published_program(needs_nvrtc, needs_nvcc, tmp_path):
    """Under the published names, in a process of its own."""
    program = tmp_path / "program.py"
    program.write_text(
        "import torch\n"
        "from tvm_ffi import cpp\n"
        "from tvm_ffi.cpp import nvrtc\n"
        f"cuda_source = '''{KERNEL}'''\n"
        'cubin_bytes = nvrtc.nvrtc_compile(cuda_source, name="kernel.cu")\n'
        f"cpp_wrapper = '''{WRAPPER}'''\n"
        'mod = cpp.load_inline("my_module", cuda_sources=cpp_wrapper, embed_cubin={"my_cubin": cubin_bytes})\n'
        'x = torch.arange(1024, dtype=torch.float32, device="cuda")\n'
        "y = torch.empty_like(x)\n"
        "mod.add_one(x, y)\n"
        "assert torch.allclose(y, x + 1)\n"
        'print("as published")\n'
    )
    command = [sys.executable, "-m", "fairlead.compat", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "as published\n", done.stdout + done.stderr


def test_command_line(needs_nvcc):
    path = cpp.build_inline("gpu_cli", cuda_sources=CUDA, functions="scale_on_gpu")
    tensor = "tensor:float32[100]"
    arguments = [path, "scale_on_gpu", "--device", "cuda", "--json", "--arg", tensor]
    arguments += ["--arg", f"{tensor}=arange", "--arg", "float:3"]

    def fairlead(*words) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "fairlead", *words]
        return subprocess.run(command, capture_output=True, text=True, env=dict(os.environ))

    done = fairlead("run", *arguments)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["arguments"][0]["first"][:4] == [0, 3, 6, 9]
    done = fairlead("bench", *arguments, "--samples", "5")
    assert done.returncode == 0, done.stderr
    assert 0 < json.loads(done.stdout)["median_ns"] < 1e7
    done = fairlead("inspect", "--json", path)
    images = json.loads(done.stdout)[0]["images"]
    assert any("scale" in k["name"] for i in images for p in i["parts"] for k in p["kernels"])
