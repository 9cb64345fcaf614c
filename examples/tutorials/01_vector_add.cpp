// # 1. Vector addition, in C++
//
// The kernel of 01_vector_add.py, written, compiled and called by a C++ program: no Python in the
// process, and none needed to build it.
//
//     g++ 01_vector_add.cpp $(fairlead-config --dsl) -o vector_add
#include <chrono>
#include <cstdio>
#include <vector>

#include "fairlead/dsl.h"

namespace fl = fairlead::dsl;

// ## The kernel and its launch
//
// `fl::kernel` is `@cute.kernel`, `fl::jit` is `@cute.jit`. A lambda is traced once: `fl::if_`
// stands for `if`, since C++ has no way to look into a function. What a branch or a loop changes is
// a `fl::Variable`.
static auto vectorAdd() {
  return fl::jit("add", {"a", "b", "c"}, [](fl::Tensor a, fl::Tensor b, fl::Tensor c) {
    auto body = fl::kernel("add_kernel", [](fl::Tensor a, fl::Tensor b, fl::Tensor c) {
      fl::Scalar i = fl::blockIdx().x * 256 + fl::threadIdx().x;
      fl::if_(i < c.shape(0), [&] { c[i] = a[i] + b[i]; });
    });
    fl::launch(body, {.grid = {fl::ceilDiv(c.shape(0), 256)}, .block = {256}}, a, b, c);
  });
}

// Tensors are the open ABI's: an address, a type, a shape.
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
  // ## Compile
  //
  // One symbol in all three stand-ins: the lengths are equal, and every call checks that.
  fl::SymInt n;
  fairlead::CompileOptions options;
  options.target = fairlead::Target::parse("cpu", "this program");
  fl::FakeTensor vector = fl::fakeTensor(fl::f32, {n});
  auto artifact = fairlead::compileArtifact(vectorAdd(), {vector, vector, vector}, options);
  tvm::ffi::Function add = fairlead::makeFunction(artifact);
  std::printf("%s\n", artifact->signature().str().c_str());

  // ## Call, check, measure
  for (int64_t length : {int64_t(1) << 10, int64_t(1) << 16, int64_t(1) << 20}) {
    std::vector<float> x(length, 1.5f), y(length, 2.0f), z(length, 0.0f);
    DLTensor a = view(x, length), b = view(y, length), c = view(z, length);
    add(&a, &b, &c);
    for (float value : z)
      if (value != 3.5f) {
        std::printf("wrong: %g\n", value);
        return 1;
      }
    const int calls = 200;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      add(&a, &b, &c);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%8lld elements: %6.1f GB/s\n", static_cast<long long>(length),
                12e-9 * static_cast<double>(length) * calls / seconds.count());
  }
  std::printf("all sums are right\n");
  return 0;
}
