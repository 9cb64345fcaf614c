/// Callbacks that are functions of any language: each with the index of the type that it is for.
#ifndef TVM_FFI_INNER_DYNAMIC_CALLBACKS_H_
#define TVM_FFI_INNER_DYNAMIC_CALLBACKS_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/function.h>

#include <cstdint>
#include <optional>

namespace tvm {
namespace ffi {
namespace inner {

/// (type index or kTVMFFIAny, function, what else a kind of entry has).
template <typename... More> using DynamicCallback = Tuple<int32_t, Function, More...>;

/// Whether a callback for a type takes a value: of the type or a subclass. Small and large texts
/// are of one type, and so are bytes.
inline bool isOfType(AnyView value, int32_t wanted) {
  int32_t type = value.type_index();
  if (wanted == kTVMFFIAny || heapBytesIndex(type) == heapBytesIndex(wanted))
    return true;
  if (type < kTVMFFIStaticObjectBegin || wanted < kTVMFFIStaticObjectBegin)
    return false;
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
  for (int32_t i = 0; i < info->type_depth; ++i)
    if (info->type_ancestors[i]->type_index == wanted)
      return true;
  return false;
}

/// The first that takes the value.
template <typename... More>
std::optional<DynamicCallback<More...>>
findCallback(const Array<DynamicCallback<More...>> &callbacks, AnyView value) {
  for (DynamicCallback<More...> callback : callbacks)
    if (isOfType(value, callback.template get<0>()))
      return callback;
  return std::nullopt;
}

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_DYNAMIC_CALLBACKS_H_
