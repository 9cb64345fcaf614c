/// Callbacks of other languages: each with the index of the type that it is for.
#ifndef FAIRLEAD_FFI_STRUCTURAL_ENTRIES_H_
#define FAIRLEAD_FFI_STRUCTURAL_ENTRIES_H_

#include "tvm/ffi/container/array.h"
#include "tvm/ffi/container/tuple.h"
#include "tvm/ffi/extra/structural_visit.h"

namespace tvm::ffi {

/// (type index or kTVMFFIAny, function, what else a kind of entry has).
template <typename... More> using Entries = Array<Tuple<int32_t, Function, More...>>;

/// Whether a callback for a type takes a value: of the type or a subclass. Small and large texts
/// are of one type, and so are bytes.
inline bool isOfType(AnyView value, int32_t wanted) {
  int32_t type = value.type_index();
  if (wanted == kTVMFFIAny || type == wanted)
    return true;
  if (wanted == kTVMFFIStr || wanted == kTVMFFISmallStr)
    return type == kTVMFFIStr || type == kTVMFFISmallStr;
  if (wanted == kTVMFFIBytes || wanted == kTVMFFISmallBytes)
    return type == kTVMFFIBytes || type == kTVMFFISmallBytes;
  if (type < kTVMFFIStaticObjectBegin || wanted < kTVMFFIStaticObjectBegin)
    return false;
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
  for (int32_t i = 0; i < info->type_depth; ++i)
    if (info->type_ancestors[i]->type_index == wanted)
      return true;
  return false;
}

template <typename... More>
std::optional<Tuple<int32_t, Function, More...>> findEntry(const Entries<More...> &entries,
                                                           AnyView value) {
  for (Tuple<int32_t, Function, More...> entry : entries)
    if (isOfType(value, entry.template get<0>()))
      return entry;
  return std::nullopt;
}

/// A region's number as languages give it. ValueError for one that is none.
inline TVMFFIDefRegionKind regionKind(int64_t kind) {
  if (kind < kTVMFFIDefRegionKindNone || kind > kTVMFFIDefRegionKindSimple)
    TVM_FFI_THROW(ValueError) << "Expected a kind of definition region, which are 0, 1 and 2; got "
                              << kind;
  return static_cast<TVMFFIDefRegionKind>(kind);
}

} // namespace tvm::ffi

#endif // FAIRLEAD_FFI_STRUCTURAL_ENTRIES_H_
