/// A traced program, kept: for its key in the cache, and for several lowerings, each of which
/// spends its copy.
#ifndef FAIRLEAD_LIB_LOWER_PROGRAMCOPIES_H_
#define FAIRLEAD_LIB_LOWER_PROGRAMCOPIES_H_

#include <memory>
#include <string>

#include "fairlead/dsl/Program.h"

namespace fairlead::lower {

/// The IR of the whole program as one text: programs with equal texts compile to equal code.
std::string programText(const dsl::Program &program);

/// True when lowering the program for CUDA may link libdevice.
bool callsMathLibrary(const dsl::Program &program);

class ProgramCopies {
public:
  explicit ProgramCopies(dsl::Program &program);
  ~ProgramCopies();
  /// Gives the program its IR as it was, whatever a lowering has left of it.
  void restore();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_PROGRAMCOPIES_H_
