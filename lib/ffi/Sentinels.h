/// Marker objects, which are recognised by their address.
#pragma once

#include "tvm/ffi/object.h"

namespace tvm::ffi {

class SentinelObj : public Object {};

/// Stands for a missing entry. Lives for ever.
const ObjectRef &invalidObject();
/// "Keyword arguments follow." Lives for ever.
const ObjectRef &kwargsObject();

} // namespace tvm::ffi
