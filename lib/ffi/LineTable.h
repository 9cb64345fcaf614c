/// From code addresses to source lines, read from a library's debug information.
#ifndef FAIRLEAD_LIB_FFI_LINETABLE_H_
#define FAIRLEAD_LIB_FFI_LINETABLE_H_

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

} // namespace tvm::ffi

#endif // FAIRLEAD_LIB_FFI_LINETABLE_H_
