/// The message of an error that a test expects.
#ifndef FAIRLEAD_TESTS_FFI_THROWNMESSAGE_H_
#define FAIRLEAD_TESTS_FFI_THROWNMESSAGE_H_

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "tvm/ffi/error.h"

/// Return the message of the error that `function` throws. The test fails if it throws none, or one
/// of another kind.
inline std::string messageOf(const std::function<void()> &function,
                             const char *kind = "TypeError") {
  try {
    function();
  } catch (const tvm::ffi::Error &error) {
    EXPECT_EQ(error.kind(), kind);
    return error.message();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

#endif // FAIRLEAD_TESTS_FFI_THROWNMESSAGE_H_
