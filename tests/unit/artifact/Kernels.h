/// Programs that the tests of the whole compiler share. They see the public API alone.
#ifndef FAIRLEAD_TESTS_UNIT_ARTIFACT_KERNELS_H_
#define FAIRLEAD_TESTS_UNIT_ARTIFACT_KERNELS_H_

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "fairlead/dsl.h"

namespace fairlead {

namespace fl = fairlead::dsl;

/// Contiguous CPU data as a tensor argument.
template <typename T> class HostTensor {
public:
  HostTensor(std::vector<T> values, std::vector<int64_t> shape, DType dtype)
      : data(std::move(values)), shape(std::move(shape)) {
    view.data = data.data();
    view.device = {kDLCPU, 0};
    view.ndim = static_cast<int32_t>(this->shape.size());
    view.dtype = toDLDataType(dtype);
    view.shape = this->shape.data();
  }
  HostTensor(const HostTensor &) = delete;

  std::vector<T> data;
  std::vector<int64_t> shape;
  DLTensor view{};
};

inline CompileOptions cpuOptions() {
  CompileOptions options;
  options.target = Target::parse("cpu", "the test");
  options.cache = false; // what a test compiles is compiled
  return options;
}

/// b[i] = body(a[i]) for vectors of one length, with 128 threads in a block.
template <typename Body>
std::shared_ptr<const Artifact> compileMap(DType from, DType to, Body body,
                                           const CompileOptions &options = cpuOptions()) {
  auto host = fl::jit("map", {"a", "b"}, [body](fl::Tensor a, fl::Tensor b) {
    auto kernel = fl::kernel("map_kernel", [body](fl::Tensor a, fl::Tensor b) {
      fl::Scalar i = fl::blockIdx().x * 128 + fl::threadIdx().x;
      fl::if_(i < a.shape(0), [&] { b[i] = body(fl::Scalar(a[i])); });
    });
    fl::launch(kernel, {{fl::ceilDiv(a.shape(0), 128)}, {128}, {}, 0}, a, b);
  });
  fl::SymInt n;
  return compileArtifact(host, {fl::fakeTensor(from, {n}), fl::fakeTensor(to, {n})}, options);
}

} // namespace fairlead
#endif // FAIRLEAD_TESTS_UNIT_ARTIFACT_KERNELS_H_
