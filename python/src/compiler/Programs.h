/// Programs and artifacts as Python objects.
#pragma once

#include <memory>
#include <optional>

#include "fairlead/Compile.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Program.h"

namespace fairlead::python {

/// A program as a Python object: usable until it is compiled.
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

/// Artifacts as Python objects.
struct PyArtifact {
  std::shared_ptr<const Artifact> artifact;
};

/// An address in code that stays as long as this.
struct PyCode {
  Artifact::Code code;
};

} // namespace fairlead::python
