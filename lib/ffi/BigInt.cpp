/// Integers beyond 64 bits: an object of 64-bit words, least significant first, in two's
/// complement. The form is canonical: no redundant sign word, and what fits int64 is a kTVMFFIInt.
#include <algorithm>
#include <cstring>

#include "Boundary.h"
#include "tvm/ffi/any.h"
#include "tvm/ffi/function.h"
#include "tvm/ffi/memory.h"

using namespace tvm::ffi;

namespace {

class BigIntObj : public Object {
public:
  size_t numWords = 0;

  int64_t *words() { return reinterpret_cast<int64_t *>(this + 1); }
  static int32_t RuntimeTypeIndex() { return kTVMFFIBigInt; }
};
static_assert(sizeof(BigIntObj) == 32, "layout of BigInt");

TVMFFIByteArray contentOf(TVMFFIObject *header) {
  auto *object = static_cast<BigIntObj *>(reinterpret_cast<Object *>(header));
  return TVMFFIByteArray{reinterpret_cast<const char *>(object->words()),
                         object->numWords * sizeof(int64_t)};
}

/// The number of words that are needed to tell the value and its sign.
size_t significantWords(const char *data, size_t count) {
  auto word = [&](size_t i) {
    int64_t value;
    std::memcpy(&value, data + i * sizeof(value), sizeof(value));
    return value;
  };
  while (count > 1 && ((word(count - 1) == 0 && word(count - 2) >= 0) ||
                       (word(count - 1) == -1 && word(count - 2) < 0)))
    --count;
  return count;
}

/// The hash that the ABI gives to bytes.
uint64_t hashBytes(TVMFFIByteArray bytes) {
  uint64_t hash = 0;
  for (size_t i = 0; i < bytes.size; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data + i, std::min(sizeof(word), bytes.size - i));
    hash = (hash * 1099511628211ull + word) % 2147483647ull;
  }
  return hash;
}

void registerHook(const char *column, const Function &hook) {
  TVMFFIByteArray name = bytesOf(column);
  TVMFFIAny value = AnyView(hook).CopyToTVMFFIAny();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(kTVMFFIBigInt, &name, &value));
}

} // namespace

int TVMFFIBigIntFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(out, "TVMFFIBigIntFromByteArray", "out");
  inner::setNone(out);
  std::string_view content = viewOf(input);
  if (content.size() % sizeof(int64_t) != 0)
    TVM_FFI_THROW(ValueError) << "BigInt content must contain whole 64-bit words";
  size_t count = significantWords(content.data(), content.size() / sizeof(int64_t));
  if (count <= 1) {
    int64_t value = 0;
    if (count == 1)
      std::memcpy(&value, content.data(), sizeof(value));
    inner::setInt64(kTVMFFIInt, value, out);
    return 0;
  }
  ObjectPtr<BigIntObj> object = make_inplace_array_object<BigIntObj, int64_t>(count);
  object->numWords = count;
  std::memcpy(object->words(), content.data(), count * sizeof(int64_t));
  TypeTraits<ObjectPtr<Object>>::MoveToAny(std::move(object), out);
  TVM_FFI_SAFE_CALL_END();
}

TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny *value) {
  if (value->type_index == kTVMFFIBigInt)
    return contentOf(value->v_obj);
  return TVMFFIByteArray{reinterpret_cast<const char *>(&value->v_int64), sizeof(int64_t)};
}

// Functions, not pointers: kernels before and after 0.1.15 call pointers differently.
TVM_FFI_STATIC_INIT_BLOCK() {
  registerHook("__any_hash__", Function::FromTyped([](AnyView value) {
                 TVMFFIAny raw = value.CopyToTVMFFIAny();
                 return static_cast<int64_t>(hashBytes(TVMFFIBigIntGetContentByteArray(&raw)));
               }));
  registerHook("__any_equal__", Function::FromTyped([](AnyView a, AnyView b) {
                 TVMFFIAny left = a.CopyToTVMFFIAny(), right = b.CopyToTVMFFIAny();
                 return left.type_index == right.type_index &&
                        ToStringView(TVMFFIBigIntGetContentByteArray(&left)) ==
                            ToStringView(TVMFFIBigIntGetContentByteArray(&right));
               }));
}
