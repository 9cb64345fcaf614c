/// Prints hashes and the raw tables of maps after many operations. Compiled with either project's
/// headers it has to print the same: libraries of both look into the same tables.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tvm/ffi/any.h"
#include "tvm/ffi/container/dict.h"
#include "tvm/ffi/container/map.h"

using namespace tvm::ffi;

namespace {

Any makeKey(int i) {
  switch (i % 5) {
  case 0:
    return Any(i);
  case 1:
    return Any(double(i) * 0.5);
  case 2:
    return Any(String("k" + std::to_string(i)));
  case 3:
    return Any(String("a longer key number " + std::to_string(i)));
  default:
    return Any(int64_t(i) * 1000003);
  }
}

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  int below(int limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % static_cast<uint64_t>(limit));
  }

private:
  uint64_t state;
};

template <typename T> T read(const void *object, size_t offset) {
  return *reinterpret_cast<const T *>(static_cast<const char *>(object) + offset);
}

/// Size, places, and for a table each place's byte and the order of entries, as a number.
void print(const void *object) {
  uint64_t size = read<uint64_t>(object, 32), slots = read<uint64_t>(object, 40);
  if (slots >> 63) {
    std::printf("small size %d slots %d\n", int(size), int(slots & 0xFFFF));
    return;
  }
  const auto *blocks = read<const char *>(object, 24);
  uint64_t sum = 0, count = 0;
  for (uint64_t i = 0; i < slots; ++i)
    sum = sum * 1000003 + read<uint8_t>(blocks, i / 16 * 784 + i % 16);
  for (uint64_t i = read<uint64_t>(object, 64); i != ~uint64_t(0); ++count) {
    sum = sum * 1000003 + i;
    i = read<uint64_t>(blocks, i / 16 * 784 + 16 + i % 16 * 48 + 40);
  }
  std::printf("dense size %d slots %d shift %u head %lld tail %lld entries %d sum %llx\n",
              int(size), int(slots), read<uint32_t>(object, 56), read<long long>(object, 64),
              read<long long>(object, 72), int(count), static_cast<unsigned long long>(sum));
}

template <typename MapType> void smallMaps() {
  for (int seed = 0; seed < 300; ++seed) {
    MapType map;
    Random random(seed);
    for (int i = 0; i < 12; ++i) {
      Any key = makeKey(random.below(6));
      if (random.below(4) == 0)
        map.erase(key);
      else
        map.Set(key, i);
      print(map.get());
      for (const auto &kv : map)
        std::printf("%d ", kv.second.template cast<int>());
      std::puts("");
    }
  }
}

template <typename MapType> void growingMaps() {
  MapType map;
  for (int i = 0; i < 200; ++i) {
    map.Set(makeKey(i), i);
    print(map.get());
    if (i % 7 == 3)
      map.Set(makeKey(i / 2), -i);
    if (i % 5 == 4)
      map.erase(makeKey(i / 3));
    print(map.get());
  }
}

template <typename MapType> void largeMaps() {
  MapType map;
  Random random(12345);
  for (int i = 0; i < 20000; ++i) {
    Any key = makeKey(random.below(5000));
    if (random.below(3) == 0)
      map.erase(key);
    else
      map.Set(key, i);
    if (i % 100 == 0)
      print(map.get());
  }
  for (int i = 0; i < 5000; ++i) {
    map.erase(makeKey(i));
    if (i % 50 == 0)
      print(map.get());
  }
  print(map.get());
}

template <typename MapType> void mapsOfRanges() {
  for (int count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1000}) {
    std::vector<std::pair<Any, Any>> entries;
    for (int i = 0; i < count; ++i)
      entries.emplace_back(makeKey(i), i);
    MapType map(entries.begin(), entries.end());
    print(map.get());
  }
}

template <typename MapType> void all(const char *name) {
  std::puts(name);
  smallMaps<MapType>();
  growingMaps<MapType>();
  largeMaps<MapType>();
  mapsOfRanges<MapType>();
}

} // namespace

int main() {
  for (int i = 0; i < 100; ++i)
    std::printf("%llx\n", static_cast<unsigned long long>(AnyHash()(makeKey(i))));
  for (int size = 0; size < 40; ++size)
    std::printf("%llx\n", static_cast<unsigned long long>(
                              AnyHash()(Any(Bytes(std::string(size, char('a' + size)))))));
  all<Map<Any, Any>>("Map");
  all<Dict<Any, Any>>("Dict");
}
