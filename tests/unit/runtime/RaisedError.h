/// The error in the calling thread's slot, for tests.
#ifndef FAIRLEAD_TESTS_UNIT_RUNTIME_RAISEDERROR_H
#define FAIRLEAD_TESTS_UNIT_RUNTIME_RAISEDERROR_H

#include <string>

#include "tvm/ffi/c_api.h"

namespace fairlead::test {

struct RaisedError {
  std::string kind; ///< "" when there was none
  std::string message;
};

/// Takes the error out of the slot.
inline RaisedError takeRaised() {
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  if (!handle)
    return {};
  const auto *cell = reinterpret_cast<const TVMFFIErrorCell *>(static_cast<const char *>(handle) +
                                                               sizeof(TVMFFIObject));
  RaisedError error{{cell->kind.data, cell->kind.size}, {cell->message.data, cell->message.size}};
  TVMFFIObjectDecRef(handle);
  return error;
}

} // namespace fairlead::test
#endif // FAIRLEAD_TESTS_UNIT_RUNTIME_RAISEDERROR_H
