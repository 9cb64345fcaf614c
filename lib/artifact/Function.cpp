/// Artifacts as ABI functions.
#include "fairlead/dsl/Function.h"

namespace fairlead {

tvm::ffi::Function makeFunction(std::shared_ptr<const Artifact> artifact) {
  // The code stays loaded whatever becomes of the artifact, so the function holds nothing but its
  // address.
  auto entry = reinterpret_cast<TVMFFISafeCallType>(artifact->entry());
  return tvm::ffi::Function::FromExternC(nullptr, entry, nullptr);
}

} // namespace fairlead
