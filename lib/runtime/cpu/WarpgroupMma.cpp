/// FairleadCpuWarpgroupMma, FairleadCpuWarpgroupMmaRows: a warpgroup's product of operands in
/// shared memory, thread by thread.
#include <array>
#include <cstring>

#include "runtime/cpu/SharedOperand.h"

namespace fairlead::cpu {
namespace {

/// The operand that a descriptor of wgmma tells.
SharedOperand operandOf(const void *shared, int64_t descriptor, int type, bool transposed) {
  constexpr int kSwizzles[] = {0, 3, 2, 1};
  const auto bits = static_cast<uint64_t>(descriptor);
  return {shared, bits, kSwizzles[bits >> 62], type, transposed};
}

template <typename Sum> Sum dot(const float *a, const float *b, int count) {
  Sum sum = 0;
  for (int k = 0; k < count; ++k)
    sum += static_cast<Sum>(a[k]) * static_cast<Sum>(b[k]);
  return sum;
}

/// The accumulator's values in the order of registers.
class Sums {
public:
  Sums(void *memory, int type, bool added)
      : memory(static_cast<char *>(memory)), type(type), added(added) {}

  void add(int index, const float *a, const float *b, int count) const {
    if (type == kFairleadMmaS32)
      return store(index, static_cast<int32_t>((added ? load<uint32_t>(index) : 0u) +
                                               static_cast<uint32_t>(dot<int32_t>(a, b, count))));
    float sum = dot<float>(a, b, count);
    if (type == kFairleadMmaF16)
      return store(index, halfOfFloat(sum + (added ? floatOfHalf(load<uint16_t>(index)) : 0)));
    store(index, sum + (added ? load<float>(index) : 0));
  }

  void unset(int index, ValueObserver &values) const {
    const size_t size = type == kFairleadMmaF16 ? 2 : 4;
    values.unset(memory + static_cast<size_t>(index) * size, size);
  }

private:
  template <typename T> T load(int index) const {
    T value;
    std::memcpy(&value, memory + index * sizeof value, sizeof value);
    return value;
  }
  template <typename T> void store(int index, T value) const {
    std::memcpy(memory + index * sizeof value, &value, sizeof value);
  }

  char *memory;
  int type;
  bool added;
};

/// The two rows of A that a thread's values of the result are of.
using Rows = std::array<float, kMostDepth>[2];

/// A product decoded from `types` and `flags`, and the thread's place.
struct Product {
  int types, flags, n, thread;

  int left() const { return types & 0xff; }
  int depth() const { return kProductBytes / productBytes(left()); }

  /// Value (v0, v1, v2) is row 16 w + r + 8 v1, column 8 v2 + 2 q + v0 of lane 4 r + q of warp w.
  void add(void *sums, const Rows &rows, const bool (&lacks)[2], const void *shared,
           int64_t b) const {
    SharedOperand right = operandOf(shared, b, types >> 8 & 0xff, flags & 4);
    Sums total(sums, types >> 16 & 0xff, flags & 1);
    LaunchObserver *observer = LaunchObserver::ofThreads();
    ValueObserver *values = observer ? observer->values() : nullptr;
    if (observer) {
      // A warp's rows of A are its own; of B it reads all.
      if (thread % 32 == 0)
        right.units(0, n,
                    [&](const char *unit, size_t size) { observer->readByProduct(unit, size); });
      observer->endIssue();
    }
    if (values && !(flags & 1))
      values->set(sums, static_cast<size_t>(n) * 2);
    std::array<float, kMostDepth> column;
    for (int v2 = 0; v2 < n / 8; ++v2)
      for (int v0 = 0; v0 < 2; ++v0) {
        const int index = 8 * v2 + 2 * (thread % 4) + v0;
        right.row(index, column.data());
        const bool without = values && right.lacks(index, *values);
        for (int v1 = 0; v1 < 2; ++v1) {
          total.add(4 * v2 + 2 * v1 + v0, rows[v1].data(), column.data(), depth());
          if (values && (without || lacks[v1]))
            total.unset(4 * v2 + 2 * v1 + v0, *values);
        }
      }
  }
};

} // namespace
} // namespace fairlead::cpu

void FairleadCpuWarpgroupMma(void *sums, const void *shared, int64_t a, int64_t b, int32_t n,
                             int32_t types, int32_t flags, int32_t thread) {
  using namespace fairlead::cpu;
  Product product{types, flags, n, thread};
  SharedOperand left = operandOf(shared, a, product.left(), flags & 2);
  Rows rows;
  bool lacks[2] = {};
  const int first = thread / 32 % 4 * 16;
  LaunchObserver *observer = LaunchObserver::ofThreads();
  ValueObserver *values = observer ? observer->values() : nullptr;
  if (observer && thread % 32 == 0)
    left.units(first, 16,
               [&](const char *unit, size_t size) { observer->readByProduct(unit, size); });
  for (int v1 = 0; v1 < 2; ++v1) {
    const int index = first + thread % 32 / 4 + 8 * v1;
    left.row(index, rows[v1].data());
    lacks[v1] = values && left.lacks(index, *values);
  }
  product.add(sums, rows, lacks, shared, b);
}

void FairleadCpuWarpgroupMmaRows(void *sums, const void *shared, const void *a, int64_t b,
                                 int32_t n, int32_t types, int32_t flags, int32_t thread) {
  using namespace fairlead::cpu;
  Product product{types, flags, n, thread};
  const int type = product.left();
  Rows rows;
  bool lacks[2] = {};
  LaunchObserver *observer = LaunchObserver::ofThreads();
  ValueObserver *values = observer ? observer->values() : nullptr;
  for (int v1 = 0; v1 < 2; ++v1) {
    const char *row = static_cast<const char *>(a) + v1 * kProductBytes;
    lacks[v1] = values && values->lacks(row, kProductBytes);
    for (int k = 0; k < product.depth(); ++k)
      rows[v1][k] = decodedElement(row + k * productBytes(type), type);
  }
  product.add(sums, rows, lacks, shared, b);
}
