/// Marker objects, which are recognised by their address.
#ifndef FAIRLEAD_LIB_FFI_SENTINELS_H_
#define FAIRLEAD_LIB_FFI_SENTINELS_H_

#include "tvm/ffi/object.h"

namespace tvm::ffi {

class SentinelObj : public Object {};

/// Stands for a missing entry. Lives for ever.
const ObjectRef &invalidObject();
/// "Keyword arguments follow." Lives for ever.
const ObjectRef &kwargsObject();

} // namespace tvm::ffi

#endif // FAIRLEAD_LIB_FFI_SENTINELS_H_
