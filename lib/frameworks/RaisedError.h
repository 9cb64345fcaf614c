/// The error of a call that failed, for frameworks that report it in their own way.
#pragma once

#include <string>

#include "runtime/ErrorKind.h"

namespace fairlead::frameworks {

struct RaisedError {
  runtime::ErrorKind kind = runtime::ErrorKind::Runtime;
  std::string message;
  std::string namedMessage; ///< the message after the name of the kind
};

/// Takes the error that is raised in this thread.
RaisedError takeRaisedError();

} // namespace fairlead::frameworks
