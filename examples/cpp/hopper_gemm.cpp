// Runs the product of hopper_gemm.h on the CPU, where its warps wait for each other as on a GPU and
// its results are checked, and compiles it for sm_90a.
#include "hopper_gemm.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace fl = fairlead::dsl;

// Small whole numbers as Float16, which holds their sums of products too.
struct Matrix {
  Matrix(int rows, int columns, std::mt19937 &random)
      : extents{rows, columns}, values(static_cast<size_t>(rows) * columns) {
    for (uint16_t &value : values)
      value = kHalves[random() % 3];
  }
  int at(int row, int column) const {
    uint16_t bits = values[row * extents[1] + column];
    return bits == kHalves[0] ? -1 : bits == kHalves[1] ? 0 : 1;
  }
  DLTensor view() {
    DLTensor tensor{};
    tensor.data = values.data();
    tensor.device = {kDLCPU, 0};
    tensor.dtype = {kDLFloat, 16, 1};
    tensor.ndim = 2;
    tensor.shape = extents;
    return tensor;
  }
  static constexpr uint16_t kHalves[] = {0xBC00, 0x0000, 0x3C00}; // -1, 0, 1
  int64_t extents[2];
  std::vector<uint16_t> values;
};

// Whole numbers up to 2048 of Float16.
static double decoded(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent ? (1024 + fraction) * std::exp2(exponent - 25) : 0;
  return bits & 0x8000 ? -magnitude : magnitude;
}

int main() {
  fairlead::CompileOptions options;
  options.target = fairlead::Target::parse("cpu", "this program");
  hopper_gemm::Choice small;
  small.tileN = 64, small.stages = 2, small.blocks = 2;
  auto arguments = hopper_gemm::arguments();
  auto artifact = fairlead::compileArtifact(hopper_gemm::gemm(small), arguments, options);
  tvm::ffi::Function f = fairlead::makeFunction(artifact);
  std::mt19937 random(1);
  for (auto [m, n, k] : {std::tuple(128, 64, 64), std::tuple(200, 136, 168)}) {
    Matrix a(m, k, random), b(n, k, random), c(m, n, random);
    DLTensor views[] = {a.view(), b.view(), c.view()};
    f(&views[0], &views[1], &views[2]);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        int sum = 0;
        for (int l = 0; l < k; ++l)
          sum += a.at(i, l) * b.at(j, l);
        double found = decoded(c.values[i * n + j]);
        if (found != sum) {
          std::printf("wrong at (%d, %d) of %d x %d x %d: %g, not %d\n", i, j, m, n, k, found, sum);
          return 1;
        }
      }
  }
  std::printf("all products are right\n");

  options.target = fairlead::Target::parse("cuda:sm_90a", "this program");
  std::string ptx = fairlead::compileArtifact(hopper_gemm::gemm({}), arguments, options)->ptx();
  for (const char *instruction :
       {"wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", "setmaxnreg.inc.sync.aligned.u32",
        "cp.async.bulk.tensor.2d.shared::cluster.global", "stmatrix.sync.aligned.m8n8.x4"}) {
    if (ptx.find(instruction) == std::string::npos) {
      std::printf("the PTX has no %s\n", instruction);
      return 1;
    }
  }
  if (const char *path = std::getenv("HOPPER_GEMM_PTX"))
    if (std::FILE *file = std::fopen(path, "w")) {
      std::fwrite(ptx.data(), 1, ptx.size(), file);
      std::fclose(file);
    }
  std::printf("for sm_90a: TMA, wgmma, stmatrix\n");
  return 0;
}
