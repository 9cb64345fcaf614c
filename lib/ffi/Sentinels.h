/// Objects that stand for something and are told by their address.
#ifndef FAIRLEAD_FFI_SENTINELS_H_
#define FAIRLEAD_FFI_SENTINELS_H_

#include "tvm/ffi/object.h"

namespace tvm::ffi {

class SentinelObj : public Object {};

/// "There is nothing": what a missing entry reads as. Lives for ever.
const ObjectRef &invalidObject();
/// "Keyword arguments follow." Lives for ever.
const ObjectRef &kwargsObject();

} // namespace tvm::ffi

#endif // FAIRLEAD_FFI_SENTINELS_H_
