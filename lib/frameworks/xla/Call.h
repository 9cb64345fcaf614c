/// One call that XLA makes.
#pragma once

#include <string_view>

#include "fairlead/Frameworks.h"
#include "frameworks/xla/Abi.h"
#include "tvm/ffi/c_api.h"

namespace fairlead::frameworks::xla {

/// Returns the element type in DLPack's words; bits 0 if it has none that buffers hold byte by
/// byte.
DLDataType elementType(int dtype);

/// Attributes of a call of XLA's.
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

/// Answers a question for the handler's version, which comes without a call; false for calls.
bool answersMetadata(Frame *frame, bool commandBuffer);

/// An error of XLA's with the text of the one that is raised in this thread.
Error *takeRaised(const Frame &frame);

/// Calls `function` as the frame says; null, or an error.
Error *call(const Frame &frame, const FairleadXlaFunction &function, int32_t deviceType);

} // namespace fairlead::frameworks::xla
