/// Calls the kernel library from C++: ./call_cpp ./scale_cpu.so
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <cstdio>
#include <vector>

namespace ffi = tvm::ffi;

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: call_cpp LIBRARY\n");
    return 2;
  }
  std::vector<float> x{1, 2, 3}, y(3);
  int64_t shape[] = {3};
  DLTensor in{}, out{};
  in.data = x.data();
  in.device = {kDLCPU, 0};
  in.ndim = 1;
  in.dtype = {kDLFloat, 32, 1};
  in.shape = shape;
  out = in;
  out.data = y.data();
  try {
    ffi::Module library = ffi::Module::LoadFromFile(argv[1]);
    ffi::Function scale = library->GetFunction("scale").value();
    scale(&out, &in, 2.5);
    std::printf("%g %g %g\n", y[0], y[1], y[2]);
    in.dtype.bits = 64;
    scale(&out, &in, 2.5);
  } catch (const ffi::Error &error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
    return 0;
  }
  return 1; // float64 went into float32
}
