/// Copies of a traced program: for its key in the cache, and for several lowerings, which each
/// consume a copy.
#pragma once

#include <memory>
#include <string>

#include "fairlead/dsl/Program.h"

namespace fairlead::lower {

/// Returns the IR of the program as text: programs with equal texts compile to equal code.
std::string programText(const dsl::Program &program);

/// Returns the program's table of places (FAIRLEAD_NUMBERED_PLACE).
std::string placesText(const dsl::Program &program);

/// True if lowering the program for CUDA may link libdevice.
bool callsMathLibrary(const dsl::Program &program);

class ProgramCopies {
public:
  explicit ProgramCopies(dsl::Program &program);
  ~ProgramCopies();
  /// Restores the program's original IR after a lowering.
  void restore();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace fairlead::lower
