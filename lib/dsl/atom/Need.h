/// Helpers shared by the files of this folder: errors of layouts and memory that do not fit.
/// Internal to lib/dsl/atom.
#pragma once

#include <optional>
#include <string>

#include "dsl/trace/Builder.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/layout/Algebra.h"

namespace fairlead::dsl {

/// ValueError (TiledFormCover).
[[noreturn]] inline void rejectCover(const std::string &form, const std::string &tensor,
                                     const std::string &reason) {
  throw makeError(Diagnostic::TiledFormCover,
                  {{"form", form}, {"tensor", tensor}, {"reason", reason}});
}

/// The layout, or ValueError (LayoutOperation).
inline layout::Layout need(const std::optional<layout::Layout> &made, const char *operation,
                           const layout::Layout &layout, const std::string &other) {
  if (!made)
    throw makeError(Diagnostic::LayoutOperation,
                    {{"operation", operation}, {"layout", layout.str()}, {"other", other}});
  return *made;
}

/// The top-level modes of a layout; itself for a leaf.
inline std::vector<layout::Layout> modesOf(const layout::Layout &layout) {
  std::vector<layout::Layout> modes;
  if (layout.shape().isLeaf())
    return {layout};
  for (int mode = 0; mode < layout::rank(layout); ++mode)
    modes.push_back(*layout::get(layout, {mode}));
  return modes;
}

/// ValueError (SharedSize) if the kernel reserves more shared memory than descriptors address.
inline void requireDescriptorWindow() {
  constexpr int64_t kWindow = 1 << 18; // 14 bits, which count units of 16 bytes
  auto &kernel = currentImpl("an operand in shared memory").kernel;
  if (kernel && kernel->sharedBytes > kWindow)
    throw makeError(
        Diagnostic::SharedSize,
        {{"expected", std::to_string(kWindow)},
         {"got", std::to_string(kernel->sharedBytes) + " in `" + kernel->function.getName().str() +
                     "`, whose tensor cores read it by descriptors"}});
}

} // namespace fairlead::dsl
