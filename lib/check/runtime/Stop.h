/// Breakpoints of checked kernels, and findings that are handed to the process.
#pragma once

#include <string>

namespace fairlead::check {

/// The breakpoints of a launch. Any thread may stop; they do so one after the other.
class Stop {
public:
  /// Hands the text to the process's function for breakpoints (FairleadCheckStop).
  void at(const std::string &text);
  /// Raises in this thread the error of a breakpoint; returns false if none failed.
  bool raise();

private:
  void *error = nullptr; ///< an object of the ABI
};

/// Hands findings, in the form for people, to the process's function for them, or prints them to
/// stderr.
void handOverFindings(const std::string &text);

/// True if FAIRLEAD_CHECK_CONTINUE asks calls to report findings instead of failing.
bool goesOnAfterFindings();

} // namespace fairlead::check
