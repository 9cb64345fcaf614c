"""An object of the TVM FFI ABI linked straight into programs: C++, C, torch in C++, JAX."""

import ctypes
import os

import aot_kernels
import numpy as np
import pytest

CPP = r"""
#include <cstdio>
#include "tvm/ffi/function.h"

extern "C" int __tvm_ffi_add_one(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);
using tvm::ffi::Function;

static DLTensor view(float *data, int64_t *extent) {
  DLTensor tensor{};
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 1;
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = extent;
  return tensor;
}

int main() {
  float x[3] = {1, 2, 3}, y[3] = {0, 0, 0};
  int64_t three = 3, two = 2;
  DLTensor a = view(x, &three), b = view(y, &three), c = view(y, &two);
  Function::InvokeExternC(nullptr, __tvm_ffi_add_one, &a, &b);
  std::printf("%g %g %g\n", y[0], y[1], y[2]);
  try {
    Function::InvokeExternC(nullptr, __tvm_ffi_add_one, &a, &c);
  } catch (const tvm::ffi::Error &error) {
    std::printf("%s\n", error.kind().c_str());
  }
  Function::SetGlobal("test.add_one", Function::FromExternC(nullptr, __tvm_ffi_add_one, nullptr));
  Function::GetGlobalRequired("test.add_one")(&b, &a);
  std::printf("%g %g %g\n", x[0], x[1], x[2]);
  return 0;
}
"""

C = r"""
#include <stdio.h>
#include "tvm/ffi/c_api.h"

int __tvm_ffi_add_one(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);

int main(void) {
  float x[3] = {1, 2, 3}, y[3] = {0, 0, 0};
  int64_t three = 3;
  DLTensor a = {0}, b;
  TVMFFIAny args[2] = {{0}}, result = {0};
  a.data = x;
  a.device.device_type = kDLCPU;
  a.ndim = 1;
  a.dtype.code = kDLFloat;
  a.dtype.bits = 32;
  a.dtype.lanes = 1;
  a.shape = &three;
  b = a;
  b.data = y;
  args[0].type_index = args[1].type_index = kTVMFFIDLTensorPtr;
  args[0].v_ptr = &a;
  args[1].v_ptr = &b;
  if (__tvm_ffi_add_one(NULL, args, 2, &result) != 0) return 1;
  printf("%g %g %g\n", y[0], y[1], y[2]);
  return 0;
}
"""

TORCH = r"""
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>
#include <cstdio>
#include "tvm/ffi/function.h"

extern "C" int __tvm_ffi_add_one(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);

int main() {
  at::Tensor x = at::arange(5, at::kFloat), y = at::zeros({5}, at::kFloat);
  DLManagedTensor *a = at::toDLPack(x), *b = at::toDLPack(y);
  tvm::ffi::Function::InvokeExternC(nullptr, __tvm_ffi_add_one, &a->dl_tensor, &b->dl_tensor);
  a->deleter(a);
  b->deleter(b);
  std::printf("%d\n", at::equal(y, x + 1));
  return 0;
}
"""

JAX = r"""
#include "xla/ffi/api/ffi.h"
#include "tvm/ffi/c_api.h"

extern "C" int __tvm_ffi_add_one(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);
namespace ffi = xla::ffi;

static ffi::Error addOne(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  int64_t extent = static_cast<int64_t>(x.element_count());
  DLTensor a{};
  a.data = x.typed_data();
  a.device = {kDLCPU, 0};
  a.ndim = 1;
  a.dtype = {kDLFloat, 32, 1};
  a.shape = &extent;
  DLTensor b = a;
  b.data = y->typed_data();
  TVMFFIAny args[2] = {}, result = {};
  args[0].type_index = args[1].type_index = kTVMFFIDLTensorPtr;
  args[0].v_ptr = &a;
  args[1].v_ptr = &b;
  if (__tvm_ffi_add_one(nullptr, args, 2, &result) != 0)
    return ffi::Error::Internal("add_one failed");
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(AddOne, addOne,
                              ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());
"""


@pytest.fixture
def add(tools):
    path = tools.folder / "add_one.o"
    aot_kernels.compiled_add_one().export_to_c(path, function_name="add_one")
    return path


def linked(tools, add, source, suffix, *flags, name="program"):
    path = tools.folder / f"main{suffix}"
    path.write_text(source)
    compiler = "gcc" if suffix == ".c" else "g++"
    libraries = [f"-L{tools.lib}", "-lcuda_dialect_runtime", "-ltvm_ffi", f"-Wl,-rpath,{tools.lib}"]
    out = tools.folder / name
    tools.run(compiler, f"-I{tools.include}", path, add, *flags, *libraries, "-o", out)
    return out


def test_invoke_extern_c_and_registering(tools, add):
    program = linked(tools, add, CPP, ".cpp", "-std=c++17", "-Wall", "-Wextra", "-Werror")
    assert tools.run(program).stdout == "2 3 4\nValueError\n3 4 5\n"


def test_from_c(tools, add):
    program = linked(tools, add, C, ".c", "-std=c11", "-Wall", "-Wextra", "-Werror")
    assert tools.run(program).stdout == "2 3 4\n"


def test_from_torch_in_cpp(tools, add):
    torch = pytest.importorskip("torch")
    base = os.path.dirname(torch.__file__)
    # DLPack's header comes with torch too: its own first.
    flags = [
        f"-I{base}/include",
        "-std=c++17",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
        f"-L{base}/lib",
        f"-Wl,-rpath,{base}/lib",
        "-lc10",
        "-ltorch_cpu",
    ]
    assert tools.run(linked(tools, add, TORCH, ".cpp", *flags)).stdout == "1\n"


def test_from_jax(tools, add):
    jax = pytest.importorskip("jax")
    flags = [f"-I{jax.ffi.include_dir()}", "-std=c++17", "-shared", "-fPIC"]
    library = ctypes.CDLL(linked(tools, add, JAX, ".cpp", *flags, name="libjax_add.so"))
    jax.ffi.register_ffi_target(
        "fairlead_add_one", jax.ffi.pycapsule(library.AddOne), platform="cpu"
    )
    x = np.arange(10, dtype=np.float32)
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    y = jax.jit(lambda x: jax.ffi.ffi_call("fairlead_add_one", shape)(x))(x)
    np.testing.assert_array_equal(np.asarray(y), x + 1)
