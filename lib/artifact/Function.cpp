/// Artifacts as ABI functions.
#include "fairlead/dsl/Function.h"

namespace fairlead {

tvm::ffi::Function makeFunction(std::shared_ptr<const Artifact> artifact) {
  // The function holds the code, and nothing else of the artifact: generated code ignores its
  // handle, which is there for its deleter.
  using Owner = std::shared_ptr<const void>;
  Artifact::Code code = artifact->code();
  auto owner = std::make_unique<Owner>(std::move(code.owner));
  auto function =
      tvm::ffi::Function::FromExternC(owner.get(), reinterpret_cast<TVMFFISafeCallType>(code.entry),
                                      [](void *self) { delete static_cast<Owner *>(self); });
  owner.release();
  return function;
}

} // namespace fairlead
