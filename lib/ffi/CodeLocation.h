/// Finds the function and the source line of a code address.
#ifndef FAIRLEAD_LIB_FFI_CODELOCATION_H_
#define FAIRLEAD_LIB_FFI_CODELOCATION_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tvm::ffi {

/// A place in the code that a backtrace goes through.
struct CodeLocation {
  /// The use of the place in a backtrace.
  enum class Role {
    Frame,   ///< a line of the trace
    Hidden,  ///< machinery between caller and callee, or code without a name
    Boundary ///< where a call came through the FFI
  };
  Role role = Role::Hidden;
  std::string function; ///< demangled
  uintptr_t begin = 0;  ///< of the function
  std::string line;     ///< `  File "<file>", line <n>, in <function>\n`; empty where hidden
};

/// The place of a code address, by its symbol alone: `line` is not set yet.
CodeLocation findCodeLocation(uintptr_t address);

/// Sets the lines of the `places` that are not hidden, whose addresses are `addresses`, from the
/// debug information of their libraries' files; each file is read once. Where there is none, a line
/// names the library. A place whose function is written in machinery's files becomes hidden.
void completeCodeLocations(const std::vector<uintptr_t> &addresses,
                           std::vector<CodeLocation> &places);

} // namespace tvm::ffi

#endif // FAIRLEAD_LIB_FFI_CODELOCATION_H_
