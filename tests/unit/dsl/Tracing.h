/// Programs for the tests of the DSL.
#ifndef FAIRLEAD_TESTS_UNIT_DSL_TRACING_H_
#define FAIRLEAD_TESTS_UNIT_DSL_TRACING_H_

#include <gtest/gtest.h>

#include "fairlead/Error.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Fake.h"
#include "fairlead/dsl/Program.h"

namespace fairlead::dsl {

/// A program being traced while the object lives.
class Tracing {
public:
  explicit Tracing(const std::vector<Fake> &fakes = {})
      : program(makeSignature("f", names(fakes.size()), fakes), {Target{}}) {
    program.enter();
  }
  ~Tracing() { program.exit(false); }

  Tensor tensor(int index) const { return std::get<Tensor>(program.arguments()[index]); }
  Scalar scalar(int index) const { return std::get<Scalar>(program.arguments()[index]); }

  Program program;

private:
  static std::vector<std::string> names(size_t count) {
    std::vector<std::string> result;
    for (size_t i = 0; i < count; ++i)
      result.push_back(std::string(1, static_cast<char>('a' + i)));
    return result;
  }
};

/// The message of the fairlead::Error that `body` throws, with its kind in front; empty when it
/// throws none.
template <typename Body> std::string errorOf(Body body) {
  try {
    body();
  } catch (const Error &error) {
    return error.kind() + ": " + error.what();
  }
  return "";
}

} // namespace fairlead::dsl
#endif // FAIRLEAD_TESTS_UNIT_DSL_TRACING_H_
