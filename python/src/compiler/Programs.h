/// A program as a Python object: usable until it is compiled.
#ifndef FAIRLEAD_PYTHON_COMPILER_PROGRAMS_H_
#define FAIRLEAD_PYTHON_COMPILER_PROGRAMS_H_

#include <optional>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Program.h"

namespace fairlead::python {

class PyProgram {
public:
  PyProgram(const Signature &signature, std::vector<Target> targets)
      : program_(std::in_place, signature, std::move(targets)) {}

  dsl::Program &get() {
    if (!program_)
      throw makeError(Diagnostic::ProgramCompiled);
    return *program_;
  }
  dsl::Program take() {
    dsl::Program program = std::move(get());
    program_.reset();
    return program;
  }

  bool assertions = false; ///< whether assert_ emits anything

private:
  std::optional<dsl::Program> program_;
};

} // namespace fairlead::python

#endif // FAIRLEAD_PYTHON_COMPILER_PROGRAMS_H_
