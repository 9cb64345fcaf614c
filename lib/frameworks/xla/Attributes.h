/// Attributes of a call of XLA's.
#ifndef FAIRLEAD_LIB_FRAMEWORKS_XLA_ATTRIBUTES_H_
#define FAIRLEAD_LIB_FRAMEWORKS_XLA_ATTRIBUTES_H_

#include <string_view>

#include "frameworks/xla/Abi.h"
#include "tvm/ffi/c_api.h"

namespace fairlead::frameworks::xla {

struct Attribute {
  int type = 0; ///< AttributeType; 0: there is none of that name
  const void *value = nullptr;
};

Attribute find(const Attributes &attributes, std::string_view name);

/// An int32 array attribute; empty if the attribute is missing or of another type.
struct Integers {
  const int32_t *data = nullptr;
  size_t count = 0;
};
Integers findIntegers(const Attributes &attributes, std::string_view name);

/// The attribute as an argument: an owned value, or a number. False if the ABI has no value for
/// it.
bool toArgument(const Attribute &attribute, TVMFFIAny *out);

} // namespace fairlead::frameworks::xla
#endif // FAIRLEAD_LIB_FRAMEWORKS_XLA_ATTRIBUTES_H_
