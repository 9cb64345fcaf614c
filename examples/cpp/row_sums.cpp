// Sums of a matrix's rows in C++ alone: variables in loops, warps, atomics, shared memory by a
// tiled copy, and text from the kernel.
#include <cstdio>
#include <vector>

#include "fairlead/dsl.h"

namespace fl = fairlead::dsl;
namespace layout = fairlead::layout;

static DLTensor view(std::vector<float> &data, std::vector<int64_t> &shape) {
  DLTensor tensor{};
  tensor.data = data.data();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int32_t>(shape.size());
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = shape.data();
  return tensor;
}

int main() {
  constexpr int kThreads = 64;
  auto rowSums = fl::jit("row_sums", {"a", "out"}, [](fl::Tensor a, fl::Tensor out) {
    auto body = fl::kernel("row_sums_kernel", [](fl::Tensor a, fl::Tensor out) {
      fl::Scalar row = fl::blockIdx().x, thread = fl::threadIdx().x;
      fl::Variable sum(0.0f);
      fl::for_(thread, a.shape(1), kThreads, {.unroll = 4},
               [&](fl::Scalar column) { sum += a(row, column); });
      // One number for each warp, then one for the block.
      fl::Tensor sums =
          fl::sharedTensor(fl::f32, layout::Layout(layout::IntTuple(kThreads / fl::kWarpSize)));
      fl::Scalar total = fl::warpSum(sum);
      fl::if_(fl::laneIdx() == 0, [&] { sums[fl::warpIdx()] = total; });
      fl::syncThreads();
      fl::if_(thread == 0, [&] {
        out[row] = sums[0] + sums[1];
        fl::if_(row == 0, [&] { fl::print("row {} of {}: {}\n", {row, a.shape(0), out[row]}); });
      });
    });
    fl::launch(body, {.grid = {a.shape(0)}, .block = {kThreads}}, a, out);
  });

  fl::SymInt rows, columns;
  fairlead::CompileOptions options;
  options.target = fairlead::Target::parse("cpu", "this program");
  tvm::ffi::Function f = fairlead::makeFunction(fairlead::compileArtifact(
      rowSums, {fl::fakeTensor(fl::f32, {rows, columns}), fl::fakeTensor(fl::f32, {rows})},
      options));

  for (int64_t width : {1, 63, 64, 1000}) {
    std::vector<float> x(5 * width), y(5, -1.0f);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i % 7);
    std::vector<int64_t> shape{5, width}, extent{5};
    DLTensor a = view(x, shape), b = view(y, extent);
    f(&a, &b);
    for (int64_t row = 0; row < 5; ++row) {
      float expected = 0;
      for (int64_t column = 0; column < width; ++column)
        expected += x[row * width + column];
      if (y[row] != expected) {
        std::printf("wrong at row %lld of width %lld: %g\n", static_cast<long long>(row),
                    static_cast<long long>(width), y[row]);
        return 1;
      }
    }
  }
  std::printf("all rows are right\n");
  return 0;
}
