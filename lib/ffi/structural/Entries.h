/// Callbacks of other languages: each with the index of the type that it is for.
#pragma once

#include "tvm/ffi/container/array.h"
#include "tvm/ffi/container/tuple.h"
#include "tvm/ffi/extra/structural_visit.h"
#include "tvm/ffi/inner/dynamic_callbacks.h"

namespace tvm::ffi {

/// (type index or kTVMFFIAny, function, what else a kind of entry has).
template <typename... More> using Entries = Array<Tuple<int32_t, Function, More...>>;

/// A region's number as languages give it. ValueError for one that is none.
inline TVMFFIDefRegionKind regionKind(int64_t kind) {
  if (kind < kTVMFFIDefRegionKindNone || kind > kTVMFFIDefRegionKindSimple)
    TVM_FFI_THROW(ValueError) << "Expected a kind of definition region, which are 0, 1 and 2; got "
                              << kind;
  return static_cast<TVMFFIDefRegionKind>(kind);
}

} // namespace tvm::ffi
