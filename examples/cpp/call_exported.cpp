// Calls a function exported with export_to_c("add_one.o", function_name="add_one") and linked with
// gcc -shared, from a program that holds no compiler and no Python: only the two runtime libraries
// are loaded.
//
//     g++ -std=c++17 call_exported.cpp $(fairlead-config --runtime) -o call_exported
//     ./call_exported ./add_one.so add_one
#include <cstdio>
#include <vector>

#include "tvm/ffi/extra/module.h"
#include "tvm/ffi/function.h"

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

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: call_exported LIBRARY FUNCTION\n");
    return 2;
  }
  try {
    tvm::ffi::Module module = tvm::ffi::Module::LoadFromFile(argv[1]);
    tvm::ffi::Function function = module->GetFunction(argv[2]).value();
    std::vector<float> x{1, 2, 3}, y(3, -1.0f);
    int64_t extent = 3, shorter = 2;
    DLTensor a = view(x, extent), b = view(y, extent), c = view(y, shorter);
    function(&a, &b);
    std::printf("%g %g %g\n", y[0], y[1], y[2]);
    function(&a, &c);
    std::printf("two lengths for one symbol were accepted\n");
    return 1;
  } catch (const tvm::ffi::Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
    return 0;
  }
}
