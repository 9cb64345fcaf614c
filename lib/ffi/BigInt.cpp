/// Integers beyond 64 bits: an object of 64-bit words, least significant first, in two's
/// complement. The form is canonical: no redundant sign word, and what fits int64 is a kTVMFFIInt.
#include <cstring>

#include "Boundary.h"
#include "tvm/ffi/any.h"
#include "tvm/ffi/big_int.h"
#include "tvm/ffi/function.h"
#include "tvm/ffi/memory.h"

using namespace tvm::ffi;

namespace {

TVMFFIByteArray contentOf(TVMFFIObject *header) {
  BigInt::ArrayView words = detail::BigIntUnsafe::GetArrayView(
      detail::ObjectUnsafe::RawObjectPtrFromUnowned<detail::BigIntObj>(header));
  return TVMFFIByteArray{reinterpret_cast<const char *>(&words[0]), words.size() * sizeof(int64_t)};
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
  auto object = make_inplace_array_object<detail::BigIntObj, int64_t>(count, count);
  std::memcpy(detail::BigIntUnsafe::GetMutableData(object), content.data(),
              count * sizeof(int64_t));
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
                 return static_cast<int64_t>(value.cast<BigInt>().hash());
               }));
  registerHook("__any_equal__", Function::FromTyped([](AnyView a, AnyView b) {
                 TVMFFIAny left = a.CopyToTVMFFIAny(), right = b.CopyToTVMFFIAny();
                 return left.type_index == right.type_index &&
                        ToStringView(TVMFFIBigIntGetContentByteArray(&left)) ==
                            ToStringView(TVMFFIBigIntGetContentByteArray(&right));
               }));
}
