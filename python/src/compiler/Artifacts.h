/// Artifacts as Python objects.
#ifndef FAIRLEAD_PYTHON_COMPILER_ARTIFACTS_H_
#define FAIRLEAD_PYTHON_COMPILER_ARTIFACTS_H_

#include <memory>

#include "fairlead/Compile.h"

namespace fairlead::python {

struct PyArtifact {
  std::shared_ptr<const Artifact> artifact;
};

/// An address in code that stays as long as this.
struct PyCode {
  Artifact::Code code;
};

} // namespace fairlead::python

#endif // FAIRLEAD_PYTHON_COMPILER_ARTIFACTS_H_
