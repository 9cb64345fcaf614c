/// Finds the function and the source line of a code address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tvm::ffi {

/// A question and its answer. Addresses are those of the file, not of memory.
struct SourceLocation {
  uint64_t address = 0;
  uint64_t functionBegin = 0; ///< of the function that `address` lies in
  std::string functionFile;   ///< where the function is written; empty if nothing is known
  std::string file;           ///< with `line`; the line is 0 if nothing is known
  uint32_t line = 0;
};

/// Answers all `places` in one pass over the line programs of DWARF 2 to 5 (`.debug_line`), with
/// names in `.debug_line_str` and `.debug_str`. Every read is checked, so any content is safe.
/// Invalid data gives no answer.
///
/// Inlined code counts as the function that it was inlined into. If its file is one that
/// `isSkipped` names, the answer is the last line before it in another file.
void findLines(std::string_view lines, std::string_view lineStrings, std::string_view strings,
               bool (*isSkipped)(std::string_view file), std::vector<SourceLocation> &places);

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
