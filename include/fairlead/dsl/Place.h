/// Lines of C++ programs, which errors while tracing and findings of `--check` name.
///
/// Functions that trace have a last parameter `Place at = Place::here()`, and operators take an
/// Operand: both are the line of the call. An error inside of anything else names the innermost
/// branch, loop or kernel that has a line.
#ifndef FAIRLEAD_DSL_PLACE_H_
#define FAIRLEAD_DSL_PLACE_H_

#include <string>

#include "fairlead/Error.h"
#include "fairlead/Export.h"

namespace fairlead::dsl {

/// A line of a file, which must outlive it; without a file, unknown.
struct Place {
  const char *file = nullptr;
  int line = 0;

  /// Returns the place of the call if used as a default argument.
  static constexpr Place here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// While it lives, this thread traces an operation that was called there. Of operations that are
/// called by operations, the outermost counts. After an exception the place stays that of the
/// operation that threw it.
class FAIRLEAD_API AtPlace {
public:
  explicit AtPlace(Place place);
  ~AtPlace();
  AtPlace(const AtPlace &) = delete;
  AtPlace &operator=(const AtPlace &) = delete;

private:
  Place before_;
  bool outermost_;
  int exceptions_;
};

/// While it lives, an operation runs a body of the program whose calls have their own places.
class FAIRLEAD_API InBody {
public:
  InBody();
  ~InBody();
  InBody(const InBody &) = delete;
  InBody &operator=(const InBody &) = delete;

private:
  Place before_;
  bool inOperation_;
  int exceptions_;
};

/// The place at which this thread traces: the SourceLocator of C++ programs
/// (fairlead/dsl/Location.h).
FAIRLEAD_API bool currentPlace(std::string &file, int &line);
/// Forgets the place, as a trace begins.
FAIRLEAD_API void forgetPlace();
/// Returns the error with "file:line: " before its text, if its line is known.
FAIRLEAD_API Error withPlace(const Error &error);

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_PLACE_H_
