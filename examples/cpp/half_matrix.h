// Matrices of small whole numbers, by which examples check products on the CPU.
#ifndef FAIRLEAD_EXAMPLES_HALF_MATRIX_H_
#define FAIRLEAD_EXAMPLES_HALF_MATRIX_H_

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "fairlead/dsl.h"

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
inline double decoded(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent ? (1024 + fraction) * std::exp2(exponent - 25) : 0;
  return bits & 0x8000 ? -magnitude : magnitude;
}

// True if f(a, b, c) makes c the product of a (m, k) and the transpose of b (n, k), both random.
inline bool multiplies(const tvm::ffi::Function &f, int m, int n, int k) {
  std::mt19937 random(1);
  Matrix a(m, k, random), b(n, k, random), c(m, n, random);
  DLTensor views[] = {a.view(), b.view(), c.view()};
  f(&views[0], &views[1], &views[2]);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a.at(i, l) * b.at(j, l);
      double result = decoded(c.values[i * n + j]);
      if (result != sum) {
        std::printf("wrong at (%d, %d) of %d x %d x %d: %g, not %d\n", i, j, m, n, k, result, sum);
        return false;
      }
    }
  return true;
}

// True if the PTX has all of these instructions. Writes it to the file that the environment
// variable `file` names, if there is one.
inline bool contains(const std::string &ptx, const std::vector<std::string> &instructions,
                     const char *file) {
  if (const char *path = std::getenv(file))
    if (std::FILE *to = std::fopen(path, "w")) {
      std::fwrite(ptx.data(), 1, ptx.size(), to);
      std::fclose(to);
    }
  for (const std::string &instruction : instructions)
    if (ptx.find(instruction) == std::string::npos) {
      std::printf("the PTX has no %s\n", instruction.c_str());
      return false;
    }
  return true;
}

#endif // FAIRLEAD_EXAMPLES_HALF_MATRIX_H_
