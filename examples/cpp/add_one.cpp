// A kernel written, compiled and called in C++ alone: no Python in the process, and none needed to
// build it.
//
//     g++ add_one.cpp $(fairlead-config --dsl) -o add_one
#include <cstdio>
#include <numeric>
#include <vector>

#include "fairlead/dsl.h"

namespace fl = fairlead::dsl;

/// A view of a vector as a one-dimensional CPU tensor.
static DLTensor view(std::vector<float> &data, int64_t &extent) {
  DLTensor tensor{};
  tensor.data = data.data();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 1;
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = &extent;
  return tensor;
}

int main() {
  auto addOne = fl::jit("add_one", {"a", "b"}, [](fl::Tensor a, fl::Tensor b) {
    auto body = fl::kernel("device_add_one", [](fl::Tensor a, fl::Tensor b) {
      fl::Scalar i = fl::blockIdx().x * 128 + fl::threadIdx().x;
      fl::if_(i < a.shape(0), [&] { b[i] = a[i] + 1.0f; });
    });
    fl::launch(body, {.grid = {fl::ceilDiv(a.shape(0), 128)}, .block = {128}}, a, b);
  });

  fl::SymInt n;
  fairlead::CompileOptions options;
  options.target = fairlead::Target::parse("cpu", "this program");
  auto artifact = fairlead::compileArtifact(
      addOne, {fl::fakeTensor(fl::f32, {n}), fl::fakeTensor(fl::f32, {n})}, options);
  tvm::ffi::Function f = fairlead::makeFunction(artifact);
  std::printf("%s for %s\n", artifact->signature().str().c_str(), artifact->target().str().c_str());

  std::vector<float> x(1000), y(1000, -1.0f), shorter(999);
  std::iota(x.begin(), x.end(), 0.0f);
  int64_t extent = 1000, shorterExtent = 999;
  DLTensor a = view(x, extent), b = view(y, extent), c = view(shorter, shorterExtent);
  f(&a, &b);
  for (size_t i = 0; i < y.size(); ++i)
    if (y[i] != x[i] + 1.0f) {
      std::printf("wrong at %zu: %g\n", i, y[i]);
      return 1;
    }
  std::printf("b[999] = %g\n", y[999]);

  try {
    f(&a, &c);
  } catch (const tvm::ffi::Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
    return 0;
  }
  std::printf("two lengths for one symbol were accepted\n");
  return 1;
}
