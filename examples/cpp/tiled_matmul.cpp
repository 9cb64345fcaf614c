// A tiled product of matrices, C = A B, with tiles in shared memory: the CUDA kernel that everybody
// writes, in the C++ kernel language. It is compiled, checked and timed here on the CPU.
//
//     g++ -O2 tiled_matmul.cpp $(fairlead-config --dsl) -o tiled_matmul
#include <chrono>
#include <cstdio>
#include <vector>

#include "fairlead/dsl.h"

namespace fl = fairlead::dsl;

constexpr int T = 16; // extent of a tile, and of a block of threads

/// A view of a vector as a row-major n x n CPU tensor.
static DLTensor view(std::vector<float> &data, int64_t (&shape)[2]) {
  DLTensor tensor{};
  tensor.data = data.data();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 2;
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = shape;
  return tensor;
}

int main() {
  auto body = fl::kernel("matmul_kernel", [](fl::Tensor A, fl::Tensor B, fl::Tensor C) {
    fl::Scalar tx = fl::threadIdx().x, ty = fl::threadIdx().y;
    fl::Scalar row = fl::blockIdx().y * T + ty, column = fl::blockIdx().x * T + tx;
    auto rows = fl::makeLayout(fl::tuple(T, T), fl::tuple(T, 1)); // shape, strides: row-major
    fl::Tensor As = fl::sharedTensor(fl::f32, rows), Bs = fl::sharedTensor(fl::f32, rows);
    fl::Variable sum(0.0f);                                // a run-time value that the loop changes
    fl::for_(0, A.shape(1), T, {}, [&](fl::Scalar first) { // begin, end, step, options, body
      As(ty, tx) = A(row, first + tx);
      Bs(ty, tx) = B(first + ty, column);
      fl::syncThreads();
      for (int k = 0; k < T; ++k) // a loop of C++ runs while tracing: it is unrolled
        sum += As(ty, k) * Bs(k, tx);
      fl::syncThreads();
    });
    C(row, column) = sum;
  });
  auto matmul = fl::jit("matmul", {"A", "B", "C"}, [&](fl::Tensor A, fl::Tensor B, fl::Tensor C) {
    fl::launch(body, {.grid = {C.shape(1) / T, C.shape(0) / T}, .block = {T, T}}, A, B, C);
  });

  // Any extents that are multiples of the tile; a call with others is an error.
  auto m = fl::SymInt::multipleOf(T), n = fl::SymInt::multipleOf(T), k = fl::SymInt::multipleOf(T);
  fairlead::CompileOptions options;
  options.target = fairlead::Target::parse("cpu", "this program");
  auto artifact =
      fairlead::compileArtifact(matmul,
                                {fl::fakeTensor(fl::f32, {m, k}), fl::fakeTensor(fl::f32, {k, n}),
                                 fl::fakeTensor(fl::f32, {m, n})},
                                options);
  tvm::ffi::Function function = fairlead::makeFunction(artifact);

  constexpr int N = 256, kCalls = 5;
  std::vector<float> a(N * N), b(N * N), c(N * N);
  for (int i = 0; i < N * N; ++i) {
    a[i] = float(i % 7 - 3);
    b[i] = float(i % 5 - 2);
  }
  int64_t shape[] = {N, N};
  DLTensor A = view(a, shape), B = view(b, shape), C = view(c, shape);
  function(&A, &B, &C);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      float expected = 0; // small integers: exact
      for (int l = 0; l < N; ++l)
        expected += a[i * N + l] * b[l * N + j];
      if (c[i * N + j] != expected) {
        std::printf("wrong at (%d, %d): %g, not %g\n", i, j, c[i * N + j], expected);
        return 1;
      }
    }
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i)
    function(&A, &B, &C);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("all %d x %d elements are right; %.1f GFLOP/s\n", N, N,
              2e-9 * N * N * N * kCalls / seconds.count());
  return 0;
}
