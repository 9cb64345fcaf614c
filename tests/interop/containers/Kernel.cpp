/// A library that makes, reads and changes containers for a host that was compiled apart.
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

Array<int64_t> makeArray(int64_t count) {
  Array<int64_t> array;
  for (int64_t i = 0; i < count; ++i)
    array.push_back(i * i);
  return array;
}

int64_t sumArray(Array<int64_t> array) {
  int64_t sum = 0;
  for (int64_t value : array)
    sum += value;
  return sum;
}

void appendTo(List<Any> list, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    list.push_back(i);
}

/// Integers and texts by turns.
Any keyOf(int64_t i) {
  return i % 2 ? Any(i) : Any(String((i % 3 ? "k" : "a key of many letters ") + std::to_string(i)));
}

Map<Any, Any> makeMap(int64_t count) {
  Map<Any, Any> map;
  for (int64_t i = 0; i < count; ++i)
    map.Set(keyOf(i), i);
  return map;
}

/// How many of the keys up to `count` have the values that makeMap gives them.
int64_t countRight(Map<Any, Any> map, int64_t count) {
  int64_t right = 0;
  for (int64_t i = 0; i < count; ++i)
    right += map.count(keyOf(i)) && map.at(keyOf(i)).cast<int64_t>() == i;
  return right;
}

void fillDict(Dict<Any, Any> dict, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; ++i)
    dict.Set(keyOf(i), i);
}

void eraseFrom(Dict<Any, Any> dict, int64_t first, int64_t last, int64_t step) {
  for (int64_t i = first; i < last; i += step)
    dict.erase(keyOf(i));
}

/// The values in order, digested.
int64_t digest(Dict<Any, Any> dict) {
  uint64_t sum = 0;
  for (const auto &kv : dict)
    sum = sum * 31 + kv.second.cast<int64_t>();
  return static_cast<int64_t>(sum >> 1);
}

Tuple<int64_t, String> swapTuple(Tuple<String, int64_t> pair) {
  return Tuple<int64_t, String>(pair.get<1>(), pair.get<0>());
}

String kindOf(Variant<int64_t, String, Array<Any>> value) { return value.GetTypeKey(); }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(makeArray, makeArray)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sumArray, sumArray)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(appendTo, appendTo)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(makeMap, makeMap)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(countRight, countRight)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fillDict, fillDict)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(eraseFrom, eraseFrom)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(digest, digest)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(swapTuple, swapTuple)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kindOf, kindOf)

} // namespace
