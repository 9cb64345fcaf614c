#include "frameworks/RaisedError.h"

#include "tvm/ffi/c_api.h"

namespace fairlead::frameworks {

RaisedError takeRaisedError() {
  const std::string unknown = "the call failed and left no error";
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (!error)
    return {runtime::ErrorKind::Runtime, unknown, unknown};
  const TVMFFIErrorCell *cell = TVMFFIErrorGetCellPtr(error);
  const std::string kind(cell->kind.data, cell->kind.size);
  const std::string message(cell->message.data, cell->message.size);
  TVMFFIObjectDecRef(error);
  return {runtime::errorKindOf(kind), message, kind + ": " + message};
}

} // namespace fairlead::frameworks
