"""The plain C ABI on a GPU: the published programs against the real CUDA runtime, and loading in Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "seeds" / "aot"
sys.path.insert(0, str(ROOT / "tests" / "aot"))
import aot_kernels  # noqa: E402

CUDA = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
needs_toolkit = pytest.mark.skipif(
    not (CUDA / "include" / "cuda_runtime.h").exists() or shutil.which("g++") is None,
    reason="needs g++ and the CUDA runtime's headers",
)


def run(*command, **options):
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def artifacts(tmp_path):
    aot_kernels.compiled_print("cuda").export_to_c(
        file_path=tmp_path, file_name="print_tensor_example", function_prefix="print_tensor"
    )
    return tmp_path


@needs_toolkit
def test_static_linking_as_published(package_dir, artifacts):
    lib = package_dir / "lib"
    program = artifacts / "static"
    run(
        "g++", "-Wall", "-Wextra", "-Werror", PROGRAMS / "static_linking.cpp", f"-I{artifacts}",
        f"-isystem{CUDA}/include", artifacts / "print_tensor_example.o",
        lib / "libcuda_dialect_runtime_static.a", f"-L{CUDA}/lib64", "-lcudart_static", "-ldl",
        "-lrt", "-lpthread", "-o", program,
    )  # fmt: skip
    # The output of the device appears when it is waited for, as unloading does.
    assert run(program) == "a: 32 by 16\n"


@needs_toolkit
@pytest.mark.parametrize("kind", ["object", "library"])
def test_dynamic_loading_as_published(package_dir, artifacts, kind):
    lib = package_dir / "lib"
    path = artifacts / "print_tensor_example.o"
    if kind == "library":
        path = artifacts / "libprint_tensor_example.so"
        run("cc", "-shared", artifacts / "print_tensor_example.o", "-o", path)
    program = artifacts / "dynamic"
    run(
        "g++", "-Wall", "-Wextra", "-Werror", PROGRAMS / "dynamic_loading.cpp",
        f"-I{package_dir}/include", f"-isystem{CUDA}/include", f"-L{lib}", "-lcute_dsl_runtime",
        f"-Wl,-rpath,{lib}", f"-Wl,-rpath-link,{lib}", f"-L{CUDA}/lib64", "-lcudart",
        f"-Wl,-rpath,{CUDA}/lib64", "-o", program,
    )  # fmt: skip
    assert run(program, path) == "a: 32 by 16\n"


LOAD = """
import sys, torch
from fairlead import cute
module = cute.runtime.load_module(sys.argv[1])
x = torch.ones(33, 40, device="cuda")
module.scale(x, offset=3, stream=torch.cuda.current_stream().cuda_stream)
torch.cuda.synchronize()
assert torch.equal(x, torch.full_like(x, 5.0)), x
assert "fairlead._compiler" not in sys.modules
print("ok")
"""


@pytest.mark.parametrize("abi", ["plain", "open"])
@pytest.mark.parametrize("kind", ["object", "library"])
def test_load_in_python(tmp_path, abi, kind):
    compiled = aot_kernels.compiled_scale("cuda")
    path = tmp_path / "scale.o"
    if abi == "plain":
        compiled.export_to_c(file_path=tmp_path, file_name="scale")
    else:
        compiled.export_to_c(path, function_name="scale")
    if kind == "library":
        run("gcc", "-shared", path, "-o", tmp_path / "scale.so")
        path = tmp_path / "scale.so"
    assert run(sys.executable, "-c", LOAD, path) == "ok\n"


def test_sizes(tmp_path):
    compiled = aot_kernels.compiled_add_one("cuda:sm_90a")
    compiled.export_to_c(file_path=tmp_path, file_name="plain")
    compiled.export_to_c(tmp_path / "open.o", function_name="add_one")
    assert (tmp_path / "open.o").stat().st_size <= 16 * 1024
    assert (tmp_path / "plain.o").stat().st_size <= 12.25 * 1024


STRUCTURES = """
import sys, torch
from fairlead import cute
sys.path.insert(0, sys.argv[2])
from test_plain_arguments import Config
function = cute.runtime.load_module(sys.argv[1]).places
bias = torch.tensor([1, 2.5], device="cuda")
out = torch.zeros(7, dtype=torch.float64, device="cuda")
function(out, (4, 7, (1 << 40, 5)), Config(0.125, bias, (-3, 3)), stream=torch.cuda.current_stream().cuda_stream)
torch.cuda.synchronize()
assert out.tolist() == [7, 1 << 40, 9, 0.125, 2.5, -3, 1], out
print("ok")
"""


def test_structures_as_arguments(tmp_path):
    import test_plain_arguments

    test_plain_arguments.compiled_places("cuda").export_to_c(file_path=tmp_path, file_name="places")
    aot = ROOT / "tests" / "aot"
    assert run(sys.executable, "-c", STRUCTURES, tmp_path / "places.o", aot) == "ok\n"


UNLOAD = r"""
#include <cuda_runtime.h>
#include <stdio.h>
#include "add_one.h"
#include "CuteDSLRuntime.h"

#define NEED(condition) do { if (!(condition)) { printf("line %d: %s, %s, %s\n", __LINE__, #condition, \
  FairleadCLastError(), CuteDSLRT_Get_Last_Error()); return 1; } } while (0)

static size_t freeBytes(void) {
  size_t unused = 0, total;
  cudaDeviceSynchronize();
  cudaMemGetInfo(&unused, &total);
  return unused;
}

static float x[1000], y[1000];

int main(int argc, char **argv) {
  add_one_Tensor_a_t a;
  add_one_Tensor_b_t b;
  add_one_Kernel_Module_t first, second;
  CuteDSLRT_Module_t *module = NULL;
  CuteDSLRT_Function_t *function = NULL;
  int32_t result = -1;
  void *args[3], *input, *output;
  size_t before, after;
  int round, i;
  NEED(argc == 2);
  for (i = 0; i < 1000; ++i) x[i] = (float)i;
  NEED(cudaMalloc(&input, sizeof x) == cudaSuccess && cudaMalloc(&output, sizeof y) == cudaSuccess);
  NEED(cudaMemcpy(input, x, sizeof x, cudaMemcpyHostToDevice) == cudaSuccess);
  a.data = input;
  b.data = output;
  a.dynamic_shapes[0] = b.dynamic_shapes[0] = 1000;

  /* Two users: the code stays for the second one. */
  NEED(add_one_Kernel_Module_Load(&first) == 0 && add_one_Kernel_Module_Load(&second) == 0);
  add_one_Kernel_Module_Unload(&first);
  NEED(cute_dsl_add_one_wrapper(&first, &a, &b) != 0);
  NEED(cute_dsl_add_one_wrapper(&second, &a, &b) == 0);
  /* Unloading waits for what was launched. */
  for (i = 0; i < 2000; ++i) NEED(cute_dsl_add_one_wrapper(&second, &a, &b) == 0);
  add_one_Kernel_Module_Unload(&second);
  NEED(cudaMemcpy(y, b.data, sizeof y, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (i = 0; i < 1000; ++i) NEED(y[i] == x[i] + 1);

  /* Loaded again and again, memory does not grow; neither with the loader. */
  args[0] = &a; args[1] = &b; args[2] = &result;
  before = 0;
  for (round = 0; round < 300; ++round) {
    NEED(cudaMemset(b.data, 0, sizeof y) == cudaSuccess);
    NEED(add_one_Kernel_Module_Load(&first) == 0);
    NEED(cute_dsl_add_one_wrapper(&first, &a, &b) == 0);
    add_one_Kernel_Module_Unload(&first);
    NEED(CuteDSLRT_Module_Load(&module, argv[1]) == CuteDSLRT_Error_Success);
    NEED(CuteDSLRT_Module_Get_Function(&function, module, "add_one") == CuteDSLRT_Error_Success);
    NEED(CuteDSLRT_Function_Run(function, args, 3) == CuteDSLRT_Error_Success && result == 0);
    NEED(CuteDSLRT_Module_Destroy(module) == CuteDSLRT_Error_Success);
    NEED(cudaMemcpy(y, b.data, sizeof y, cudaMemcpyDeviceToHost) == cudaSuccess && y[999] == 1000);
    if (round == 20) before = freeBytes();
  }
  after = freeBytes();
  printf("unloaded; lost %ld KB\n", before > after ? (long)((before - after) / 1024) : 0L);
  NEED(before < after + (4u << 20));
  NEED(cudaGetLastError() == cudaSuccess);
  return 0;
}
"""


@needs_toolkit
@pytest.mark.gpu_memory
def test_unloading_frees_device_code(package_dir, tmp_path):
    """Through the header and through the loader: in use by two, while work runs, and 300 times over."""
    aot_kernels.compiled_add_one("cuda").export_to_c(file_path=tmp_path, file_name="add_one")
    (tmp_path / "unload.c").write_text(UNLOAD)
    lib = package_dir / "lib"
    program = tmp_path / "unload"
    run(
        "g++", "-x", "c++", tmp_path / "unload.c", f"-I{tmp_path}", f"-I{package_dir}/include",
        f"-isystem{CUDA}/include", "-x", "none", tmp_path / "add_one.o", f"-L{lib}",
        "-lcute_dsl_runtime", "-lcuda_dialect_runtime", f"-Wl,-rpath,{lib}",
        f"-Wl,-rpath-link,{lib}", f"-L{CUDA}/lib64", "-lcudart", f"-Wl,-rpath,{CUDA}/lib64", "-o",
        program,
    )  # fmt: skip
    assert run(program, tmp_path / "add_one.o").startswith("unloaded; ")


TORCH = r"""
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>
#include <cstdio>
#include "tvm/ffi/function.h"

extern "C" int __tvm_ffi_add_one(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);

extern "C" int run() {
  at::Tensor x = at::arange(1000, at::device(at::kCUDA).dtype(at::kFloat)), y = at::zeros_like(x);
  DLManagedTensor *a = at::toDLPack(x), *b = at::toDLPack(y);
  tvm::ffi::Function::InvokeExternC(nullptr, __tvm_ffi_add_one, &a->dl_tensor, &b->dl_tensor);
  a->deleter(a);
  b->deleter(b);
  return at::equal(y, x + 1);
}
"""


def test_from_torch_in_cpp(package_dir, tmp_path):
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    aot_kernels.compiled_add_one("cuda").export_to_c(tmp_path / "add.o", function_name="add_one")
    (tmp_path / "torch.cpp").write_text(TORCH)
    base, lib = Path(torch.__file__).parent, package_dir / "lib"
    library = tmp_path / "libuse.so"
    run(
        "g++", "-shared", "-fPIC", "-std=c++17", f"-I{package_dir}/include", f"-I{base}/include",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}", tmp_path / "torch.cpp",
        tmp_path / "add.o", f"-L{lib}", "-lcuda_dialect_runtime", "-ltvm_ffi", f"-Wl,-rpath,{lib}",
        f"-L{base}/lib", f"-Wl,-rpath,{base}/lib", "-lc10", "-ltorch_cpu", "-o", library,
    )  # fmt: skip
    program = f"import torch, ctypes; torch.cuda.init(); print(ctypes.CDLL({str(library)!r}).run())"
    assert run(sys.executable, "-c", program) == "1\n"


JAX = r"""
#include "xla/ffi/api/ffi.h"
#include "tvm/ffi/c_api.h"

extern "C" int __tvm_ffi_add_one(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);
namespace ffi = xla::ffi;

static ffi::Error addOne(CUstream_st *stream, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  int64_t extent = static_cast<int64_t>(x.element_count());
  DLTensor a{};
  a.data = x.typed_data();
  a.device = {kDLCUDA, 0};
  a.ndim = 1;
  a.dtype = {kDLFloat, 32, 1};
  a.shape = &extent;
  DLTensor b = a;
  b.data = y->typed_data();
  TVMFFIAny args[3] = {}, result = {};
  args[0].type_index = args[1].type_index = kTVMFFIDLTensorPtr;
  args[2].type_index = kTVMFFIOpaquePtr;
  args[0].v_ptr = &a;
  args[1].v_ptr = &b;
  args[2].v_ptr = stream;
  if (__tvm_ffi_add_one(nullptr, args, 3, &result) != 0)
    return ffi::Error::Internal("add_one failed");
  return ffi::Error::Success();
}
struct CUstream_st;
XLA_FFI_DEFINE_HANDLER_SYMBOL(AddOne, addOne,
                              ffi::Ffi::Bind().Ctx<ffi::PlatformStream<CUstream_st *>>()
                                  .Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());
"""

USE_JAX = """
import ctypes, sys
import jax, numpy as np
if jax.default_backend() != "gpu":
    raise SystemExit("no GPU for jax")
library = ctypes.CDLL(sys.argv[1])
jax.ffi.register_ffi_target("add_one", jax.ffi.pycapsule(library.AddOne), platform="CUDA")
x = np.arange(1000, dtype=np.float32)
shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
y = jax.jit(lambda x: jax.ffi.ffi_call("add_one", shape)(x) * 2)(x)
np.testing.assert_array_equal(np.asarray(y), (x + 1) * 2)
print("ok")
"""


def test_from_jax(package_dir, tmp_path):
    """On XLA's own stream, between its kernels."""
    jax = pytest.importorskip("jax")
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    from fairlead import cute

    n = cute.sym_int()
    cute.compile(
        aot_kernels.add_one_on_stream, aot_kernels.vector(n), aot_kernels.vector(n),
        cute.runtime.make_fake_stream(), options="--target cuda",
    ).export_to_c(tmp_path / "add.o", function_name="add_one")  # fmt: skip
    source = JAX.replace("struct CUstream_st;\nXLA", "XLA").replace(
        "namespace ffi", "struct CUstream_st;\nnamespace ffi"
    )
    (tmp_path / "jax.cpp").write_text(source)
    lib, library = package_dir / "lib", tmp_path / "libjax.so"
    run(
        "g++", "-shared", "-fPIC", "-std=c++17", f"-I{package_dir}/include",
        f"-I{jax.ffi.include_dir()}", tmp_path / "jax.cpp", tmp_path / "add.o", f"-L{lib}",
        "-lcuda_dialect_runtime", "-ltvm_ffi", f"-Wl,-rpath,{lib}", "-o", library,
    )  # fmt: skip
    done = subprocess.run([sys.executable, "-c", USE_JAX, library], capture_output=True, text=True)
    if "no GPU for jax" in done.stderr:
        pytest.skip("jax has no GPU here")
    assert done.stdout == "ok\n", done.stderr


def test_two_exports_in_one_library(tmp_path):
    """Keywords have the original names; the error for a missing name lists the existing ones."""
    from fairlead import cute

    aot_kernels.compiled_add_one("cuda").export_to_c(file_path=tmp_path, file_name="add_one")
    aot_kernels.compiled_scale("cuda").export_to_c(file_path=tmp_path, file_name="scale")
    library = tmp_path / "libboth.so"
    run("gcc", "-shared", tmp_path / "add_one.o", tmp_path / "scale.o", "-o", library)
    module = cute.runtime.load_module(library)
    a = torch.arange(100, dtype=torch.float32, device="cuda")
    b = torch.empty_like(a)
    module.add_one(b=b, a=a)
    x = torch.ones(3, 40, device="cuda")
    module.scale(x, alpha=4.0, stream=torch.cuda.current_stream())
    torch.cuda.synchronize()
    assert torch.equal(b, a + 1) and torch.equal(x, torch.full_like(x, 5.0))
    with pytest.raises(AttributeError, match="it has: add_one, scale"):
        module.non_existing_api()


def test_python_programs_as_published(package_dir, tmp_path):
    """Export without example arguments, load, and run the C++ programs with the export."""
    command = [sys.executable, "-m", "fairlead.compat"]
    run(*command, PROGRAMS / "print_tensor_export.py", cwd=tmp_path)
    path = tmp_path / "artifacts" / "print_tensor_example.o"
    library = tmp_path / "artifacts" / "libprint_tensor_example.so"
    run("cc", "-shared", path, "-o", library)
    for each in (path, library):
        assert run(*command, PROGRAMS / "print_tensor_load.py", each).startswith("a: ")
    from fairlead import cute

    with pytest.raises(AttributeError, match="it has: print_tensor"):
        cute.runtime.load_module(path).non_existing_api()
