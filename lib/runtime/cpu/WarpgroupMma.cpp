/// FairleadCpuWarpgroupMma, FairleadCpuWarpgroupMmaRows: a warpgroup's product of operands in
/// shared memory, thread by thread.
#include <array>
#include <cstring>

#include "fairlead/AsyncCpu.h"
#include "runtime/cpu/LaunchObserver.h"
#include "runtime/cpu/NarrowNumbers.h"

namespace fairlead::cpu {
namespace {

/// Addresses of shared memory have 18 bits in descriptors.
constexpr uint64_t kWindow = 0x3ffff;
constexpr int kRowBytes = 32, kMostColumns = kRowBytes;

int sizeOf(int type) { return type <= kFairleadMmaBF16 ? 2 : type == kFairleadMmaTF32 ? 4 : 1; }

float decoded(const char *place, int type) {
  uint16_t half;
  uint32_t word;
  switch (type) {
  case kFairleadMmaF16:
    std::memcpy(&half, place, sizeof half);
    return floatOfHalf(half);
  case kFairleadMmaBF16:
    std::memcpy(&half, place, sizeof half);
    return floatOfBrain(half);
  case kFairleadMmaTF32:
    std::memcpy(&word, place, sizeof word);
    return floatOfBits(word & 0xffffe000);
  case kFairleadMmaE4M3:
    return floatOfE4M3(static_cast<uint8_t>(*place));
  case kFairleadMmaE5M2:
    return floatOfE5M2(static_cast<uint8_t>(*place));
  case kFairleadMmaS8:
    return static_cast<float>(static_cast<signed char>(*place));
  default:
    return static_cast<float>(static_cast<unsigned char>(*place));
  }
}

/// An operand in shared memory, as its descriptor tells.
class Operand {
public:
  Operand(const void *shared, uint64_t descriptor, int type, bool transposed)
      : base(static_cast<const char *>(shared)), start((descriptor & 0x3fff) << 4),
        leading((descriptor >> 16 & 0x3fff) << 4), stride((descriptor >> 32 & 0x3fff) << 4),
        type(type), transposed(transposed) {
    constexpr int kBits[] = {0, 3, 2, 1};
    swizzle = kBits[descriptor >> 62];
  }

  /// Elements k = 0, 1, ... of a row along M or N.
  void row(int index, float *values) const {
    const int size = sizeOf(type);
    for (int k = 0; k < kRowBytes / size; ++k)
      values[k] = decoded(at(transposed ? ofColumn(index, k, size) : ofRow(index, k * size)), type);
  }

  /// True if part of it has no value.
  bool lacks(int index, ValueObserver &values) const {
    const int size = sizeOf(type), step = transposed ? size : kUnit;
    for (int byte = 0; byte < kRowBytes; byte += step)
      if (values.lacks(at(transposed ? ofColumn(index, byte / size, size) : ofRow(index, byte)),
                       static_cast<size_t>(step)))
        return true;
    return false;
  }

  /// Visits the memory of rows along M or N, in units of 16 bytes.
  template <typename Visit> void units(int first, int rows, const Visit &visit) const {
    const int size = sizeOf(type), along = transposed ? kUnit / size : 1;
    for (int row = first; row < first + rows; row += along)
      for (int byte = 0; byte < kRowBytes; byte += transposed ? size : kUnit)
        visit(at(transposed ? ofColumn(row, byte / size, size) : ofRow(row, byte)), kUnit);
  }

private:
  static constexpr int kUnit = 16; ///< bytes that stay together

  uint64_t ofRow(uint64_t row, uint64_t byte) const {
    uint64_t width = uint64_t{16} << swizzle;
    uint64_t along = swizzle ? byte : byte / 16 * leading + byte % 16;
    return row / 8 * stride + row % 8 * width + along;
  }
  uint64_t ofColumn(uint64_t row, uint64_t k, uint64_t size) const {
    uint64_t width = uint64_t{16} << swizzle, byte = row * size;
    uint64_t chunk = swizzle ? leading : stride, group = swizzle ? stride : leading;
    return byte / width * chunk + byte % width + k % 8 * width + k / 8 * group;
  }
  const char *at(uint64_t offset) const {
    uint64_t address = start + offset, mask = (uint64_t{1} << swizzle) - 1;
    address ^= (address >> 7 & mask) << 4;
    return base + ((address - reinterpret_cast<uintptr_t>(base)) & kWindow);
  }

  const char *base;
  uint64_t start, leading, stride;
  int type, swizzle;
  bool transposed;
};

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
using Rows = std::array<float, kMostColumns>[2];

/// A product decoded from `types` and `flags`, and the thread's place.
struct Product {
  int types, flags, n, thread;

  int left() const { return types & 0xff; }
  int depth() const { return kRowBytes / sizeOf(left()); }

  /// Value (v0, v1, v2) is row 16 w + r + 8 v1, column 8 v2 + 2 q + v0 of lane 4 r + q of warp w.
  void add(void *sums, const Rows &rows, const bool (&lacks)[2], const void *shared,
           int64_t b) const {
    Operand right(shared, static_cast<uint64_t>(b), types >> 8 & 0xff, flags & 4);
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
    std::array<float, kMostColumns> column;
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
  Operand left(shared, static_cast<uint64_t>(a), product.left(), flags & 2);
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
    const char *row = static_cast<const char *>(a) + v1 * kRowBytes;
    lacks[v1] = values && values->lacks(row, kRowBytes);
    for (int k = 0; k < product.depth(); ++k)
      rows[v1][k] = decoded(row + k * sizeOf(type), type);
  }
  product.add(sums, rows, lacks, shared, b);
}
