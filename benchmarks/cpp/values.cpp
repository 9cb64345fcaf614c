/// The cost of values of the open ABI in C++. Compiled with the headers of either project.
///
/// Reads the names of cases, one a line; runs each once and prints the seconds of one repetition.
#include <tvm/ffi/tvm_ffi.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace tvm::ffi;

namespace {

constexpr int64_t kElements = 1000000;
constexpr int64_t kCalls = 200000;
constexpr int64_t kThrows = 200;

/// Ends the program if a case computed a wrong result.
void require(bool holds, const char *what) {
  if (!holds) {
    std::cerr << "wrong result: " << what << std::endl;
    std::exit(1);
  }
}

/// Seconds of `body`, for each of `count` repetitions.
double time(int64_t count, const std::function<void()> &body) {
  auto start = std::chrono::steady_clock::now();
  body();
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / static_cast<double>(count);
}

/// A function of the C ABI, as libraries export it: its error crosses as a status and a value.
int failing(void *, const TVMFFIAny *, int32_t, TVMFFIAny *) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_THROW(ValueError) << "expected";
  TVM_FFI_SAFE_CALL_END();
}

double callTwoInts() {
  static const Function add = Function::FromTyped([](int64_t a, int64_t b) { return a + b; });
  int64_t sum = 0;
  double taken = time(kCalls, [&] {
    for (int64_t i = 0; i < kCalls; ++i)
      sum += add(i, 1).cast<int64_t>();
  });
  require(sum == kCalls * (kCalls + 1) / 2, "call");
  return taken;
}

double throwAndCatch() {
  static const Function fail = Function::FromExternC(nullptr, failing, nullptr);
  int64_t caught = 0;
  double taken = time(kThrows, [&] {
    for (int64_t i = 0; i < kThrows; ++i) {
      try {
        fail();
      } catch (const Error &error) {
        caught += error.kind() == "ValueError" && error.backtrace().size() != 0;
      }
    }
  });
  require(caught == kThrows, "throw");
  return taken;
}

double buildArray() {
  Array<int64_t> array;
  double taken = time(kElements, [&] {
    for (int64_t i = 0; i < kElements; ++i)
      array.push_back(i);
  });
  require(array.size() == kElements, "array");
  return taken;
}

const Array<int64_t> &filledArray() {
  static const Array<int64_t> array = [] {
    Array<int64_t> result;
    for (int64_t i = 0; i < kElements; ++i)
      result.push_back(i);
    return result;
  }();
  return array;
}

double readArray() {
  const Array<int64_t> &array = filledArray();
  int64_t sum = 0;
  double taken = time(kElements, [&] {
    for (size_t i = 0, size = array.size(); i < size; ++i)
      sum += array[static_cast<int64_t>(i)];
  });
  require(sum == kElements * (kElements - 1) / 2, "array");
  return taken;
}

double iterateArray() {
  const Array<int64_t> &array = filledArray();
  int64_t sum = 0;
  double taken = time(kElements, [&] {
    for (int64_t value : array)
      sum += value;
  });
  require(sum == kElements * (kElements - 1) / 2, "array");
  return taken;
}

/// Keys that are spread, as they are in programs.
int64_t keyOf(int64_t i) { return (i * 2654435761) & 0xFFFFFFFFFF; }

template <typename Key> double buildMapOf(Key key) {
  Map<int64_t, int64_t> map;
  double taken = time(kElements, [&] {
    for (int64_t i = 0; i < kElements; ++i)
      map.Set(key(i), i);
  });
  require(map.size() == kElements, "map");
  return taken;
}

double buildMap() { return buildMapOf(keyOf); }
double buildMapInOrder() {
  return buildMapOf([](int64_t i) { return i; });
}

const Map<int64_t, int64_t> &filledMap() {
  static const Map<int64_t, int64_t> map = [] {
    Map<int64_t, int64_t> result;
    for (int64_t i = 0; i < kElements; ++i)
      result.Set(keyOf(i), i);
    return result;
  }();
  return map;
}

double readMap() {
  const Map<int64_t, int64_t> &map = filledMap();
  int64_t sum = 0;
  double taken = time(kElements, [&] {
    for (int64_t i = 0; i < kElements; ++i)
      sum += map[keyOf(i)];
  });
  require(sum == kElements * (kElements - 1) / 2, "map");
  return taken;
}

double iterateMap() {
  const Map<int64_t, int64_t> &map = filledMap();
  int64_t sum = 0;
  double taken = time(kElements, [&] {
    for (const auto &entry : map)
      sum += entry.second;
  });
  require(sum == kElements * (kElements - 1) / 2, "map");
  return taken;
}

double buildTextMap() {
  constexpr int64_t kTexts = kElements / 10;
  static const std::vector<String> keys = [] {
    std::vector<String> result;
    for (int64_t i = 0; i < kTexts; ++i)
      result.push_back(String("a key of some length " + std::to_string(i)));
    return result;
  }();
  Map<String, int64_t> map;
  double taken = time(kTexts, [&] {
    for (int64_t i = 0; i < kTexts; ++i)
      map.Set(keys[static_cast<size_t>(i)], i);
  });
  require(map.size() == kTexts, "map of texts");
  return taken;
}

} // namespace

int main() {
  const std::map<std::string, double (*)()> cases = {
      {"call", callTwoInts},
      {"throw", throwAndCatch},
      {"array build", buildArray},
      {"array read", readArray},
      {"array iterate", iterateArray},
      {"map build", buildMap},
      {"map build in order", buildMapInOrder},
      {"map read", readMap},
      {"map iterate", iterateMap},
      {"text map build", buildTextMap},
  };
  for (std::string name; std::getline(std::cin, name);)
    std::cout << cases.at(name)() << std::endl;
  return 0;
}
