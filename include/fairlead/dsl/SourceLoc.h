/// Lines of C++ programs, which errors while tracing and findings of `--check` name.
///
/// Functions that trace have a last parameter `SourceLoc at = SourceLoc::here()`, and operators
/// take an Operand: both are the line of the call. An error inside of anything else names the
/// innermost branch, loop, kernel or traced function that has a line.
#pragma once

#include <string>

#include "fairlead/Error.h"
#include "fairlead/Export.h"

namespace fairlead::dsl {

/// A line of a file, which must outlive it; without a file, unknown.
struct SourceLoc {
  const char *file = nullptr;
  int line = 0;

  /// Returns the line of the call if used as a default argument.
  static constexpr SourceLoc here(const char *file = __builtin_FILE(),
                                  int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// While it lives, this thread traces an operation that was called there. Of operations that are
/// called by operations, the outermost counts. After an exception the line stays that of the
/// operation that threw it.
class FAIRLEAD_API AtSourceLoc {
public:
  explicit AtSourceLoc(SourceLoc loc);
  ~AtSourceLoc();
  AtSourceLoc(const AtSourceLoc &) = delete;
  AtSourceLoc &operator=(const AtSourceLoc &) = delete;

private:
  SourceLoc before_;
  bool outermost_;
  int exceptions_;
};

/// While it lives, an operation runs a body of the program whose calls have their own lines.
class FAIRLEAD_API InBody {
public:
  InBody();
  ~InBody();
  InBody(const InBody &) = delete;
  InBody &operator=(const InBody &) = delete;

private:
  SourceLoc before_;
  bool inOperation_;
  int exceptions_;
};

/// The line at which this thread traces: the SourceLocator of C++ programs
/// (fairlead/dsl/Location.h).
FAIRLEAD_API bool currentSourceLoc(std::string &file, int &line);
/// Forgets the line, as a trace begins.
FAIRLEAD_API void forgetSourceLoc();
/// Returns the error for a C++ program: with "file:line: " before its text, if its line is known,
/// and with the C++ names of functions.
FAIRLEAD_API Error withSourceLoc(const Error &error);

} // namespace fairlead::dsl
