#include "fairlead/dsl/SourceLoc.h"

#include <exception>

namespace fairlead::dsl {
namespace {

thread_local SourceLoc current;
thread_local bool inOperation = false;

} // namespace

AtSourceLoc::AtSourceLoc(SourceLoc place)
    : before_(current), outermost_(!inOperation && place.file),
      exceptions_(std::uncaught_exceptions()) {
  if (outermost_) {
    current = place;
    inOperation = true;
  }
}

AtSourceLoc::~AtSourceLoc() {
  if (!outermost_)
    return;
  inOperation = false;
  if (std::uncaught_exceptions() == exceptions_)
    current = before_;
}

InBody::InBody()
    : before_(current), inOperation_(inOperation), exceptions_(std::uncaught_exceptions()) {
  inOperation = false;
}

InBody::~InBody() {
  inOperation = inOperation_;
  if (std::uncaught_exceptions() == exceptions_)
    current = before_;
}

bool currentSourceLoc(std::string &file, int &line) {
  if (!current.file)
    return false;
  file = current.file;
  line = current.line;
  return true;
}

Error withSourceLoc(const Error &error) {
  std::string file;
  int line = 0;
  if (!currentSourceLoc(file, line))
    return error;
  return Error(error.kind(), file + ":" + std::to_string(line) + ": " + error.what(), error.id(),
               error.help());
}

void forgetSourceLoc() {
  current = {};
  inOperation = false;
}

} // namespace fairlead::dsl
