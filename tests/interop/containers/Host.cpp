/// Exchanges containers with a library that was compiled apart, and with the library in the
/// process: each changes the containers of the other.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tvm/ffi/container/array.h"
#include "tvm/ffi/container/dict.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/container/map.h"
#include "tvm/ffi/container/tuple.h"
#include "tvm/ffi/container/variant.h"
#include "tvm/ffi/function.h"

using namespace tvm::ffi;

namespace {

void require(bool condition, const char *what, int64_t with) {
  if (condition)
    return;
  std::printf("failed: %s, with %lld\n", what, static_cast<long long>(with));
  std::exit(1);
}
#define REQUIRE(condition, with) require((condition), #condition, (with))

void *kernel;

template <typename... Args> Any call(const std::string &name, Args... args) {
  void *symbol = dlsym(kernel, ("__tvm_ffi_" + name).c_str());
  REQUIRE(symbol != nullptr, 0);
  return Function::InvokeExternC(nullptr, reinterpret_cast<TVMFFISafeCallType>(symbol), args...);
}

Any keyOf(int64_t i) {
  return i % 2 ? Any(i) : Any(String((i % 3 ? "k" : "a key of many letters ") + std::to_string(i)));
}

/// A big integer of the library's: 2^64 + low.
Any makeBigInt(int64_t low) {
  int64_t words[] = {low, 1};
  TVMFFIByteArray bytes{reinterpret_cast<const char *>(words), sizeof(words)};
  TVMFFIAny raw{};
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIBigIntFromByteArray(&bytes, &raw));
  Any result;
  *reinterpret_cast<TVMFFIAny *>(&result) = raw;
  return result;
}

void sequences(int64_t count) {
  Array<int64_t> array = call("makeArray", count).cast<Array<int64_t>>();
  REQUIRE(static_cast<int64_t>(array.size()) == count, count);
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += array[i];
  REQUIRE(call("sumArray", array).cast<int64_t>() == sum, count);
  array.push_back(5);
  if (count > 0)
    array.erase(array.begin());
  REQUIRE(call("sumArray", array).cast<int64_t>() == sum + 5, count);

  List<Any> list;
  list.push_back("first");
  call("appendTo", list, count);
  REQUIRE(static_cast<int64_t>(list.size()) == count + 1, count);
  list.insert(list.begin(), 7);
  Function::GetGlobalRequired("ffi.ListReverse")(list);
  call("appendTo", list, count);
  REQUIRE(static_cast<int64_t>(list.size()) == 2 * count + 2, count);
  REQUIRE(list[count + 1].cast<int64_t>() == 7, count);
}

void maps(int64_t count) {
  Map<Any, Any> map = call("makeMap", count).cast<Map<Any, Any>>();
  REQUIRE(static_cast<int64_t>(map.size()) == count, count);
  int64_t at = 0;
  for (const auto &kv : map) {
    REQUIRE(kv.second.cast<int64_t>() == at, count);
    REQUIRE(AnyEqual()(kv.first, keyOf(at++)), count);
  }
  for (int64_t i = 0; i < count; ++i)
    REQUIRE(map.at(keyOf(i)).cast<int64_t>() == i, count);
  REQUIRE(map.count(keyOf(count)) == 0, count);
  map.Set(keyOf(count), count);
  REQUIRE(call("countRight", map, count + 1).cast<int64_t>() == count + 1, count);
  if (count > 2) {
    map.erase(keyOf(1));
    REQUIRE(call("countRight", map, count + 1).cast<int64_t>() == count, count);
  }
  REQUIRE(Function::GetGlobalRequired("ffi.MapSize")(map).cast<int64_t>() ==
              static_cast<int64_t>(map.size()),
          count);
}

void dicts(int64_t count) {
  Dict<Any, Any> dict, twin;
  for (int64_t i = 0; i < count; ++i)
    twin.Set(keyOf(i), i);
  // By turns here and there, into the same table.
  Function set = Function::GetGlobalRequired("ffi.DictSetItem");
  for (int64_t i = 0; i < count; i += 10) {
    int64_t end = i + 10 < count ? i + 10 : count;
    if (i / 10 % 3 == 0)
      call("fillDict", dict, i, end);
    else
      for (int64_t j = i; j < end; ++j)
        if (i / 10 % 3 == 1)
          dict.Set(keyOf(j), j);
        else
          set(dict, keyOf(j), j);
  }
  REQUIRE(dict.size() == twin.size(), count);
  REQUIRE(call("digest", dict).cast<int64_t>() == call("digest", twin).cast<int64_t>(), count);
  call("eraseFrom", dict, int64_t(0), count, int64_t(3));
  for (int64_t i = 1; i < count; i += 3)
    dict.erase(keyOf(i));
  for (int64_t i = 0; i < count; ++i)
    if (i % 3 != 2)
      twin.erase(keyOf(i));
  REQUIRE(dict.size() == twin.size(), count);
  REQUIRE(call("digest", dict).cast<int64_t>() == call("digest", twin).cast<int64_t>(), count);
  for (int64_t i = 0; i < count; ++i)
    REQUIRE(dict.count(keyOf(i)) == (i % 3 == 2), count);
}

void bigKeys() {
  Dict<Any, Any> dict;
  for (int64_t i = 0; i < 100; ++i)
    dict.Set(makeBigInt(i), i);
  for (int64_t i = 0; i < 100; ++i)
    REQUIRE(dict.at(makeBigInt(i)).cast<int64_t>() == i, i);
  Function get = Function::GetGlobalRequired("ffi.DictGetItem");
  REQUIRE(get(dict, makeBigInt(7)).cast<int64_t>() == 7, 7);
  call("fillDict", dict, int64_t(0), int64_t(50));
  REQUIRE(dict.size() == 150 && dict.at(makeBigInt(99)).cast<int64_t>() == 99, 99);
}

void others() {
  auto swapped = call("swapTuple", Tuple<String, int64_t>(String("x"), int64_t(3)))
                     .cast<Tuple<int64_t, String>>();
  REQUIRE(swapped.get<0>() == 3 && swapped.get<1>() == "x", 0);
  REQUIRE(call("kindOf", 3).cast<String>() == "int", 0);
  REQUIRE(call("kindOf", Variant<int64_t, String>(String("abc"))).cast<String>() == "ffi.SmallStr",
          0);
  REQUIRE(call("kindOf", Array<Any>{1}).cast<String>() == "ffi.Array", 0);
  try {
    call("kindOf", 2.5);
    REQUIRE(false, 0);
  } catch (const Error &error) {
    REQUIRE(error.kind() == "TypeError", 0);
  }
}

} // namespace

int main(int argc, char **argv) {
  REQUIRE(argc == 2, argc);
  kernel = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!kernel) {
    std::printf("failed: %s\n", dlerror());
    return 1;
  }
  for (int64_t count : {0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 64, 100, 1000, 5000}) {
    sequences(count);
    maps(count);
    dicts(count);
  }
  bigKeys();
  others();
  std::puts("all as expected");
}
