/// The text of a thread's last error, for functions of a C interface that return a number.
#pragma once

#include <exception>
#include <string>

namespace fairlead {

class LastError {
public:
  /// Keeps the text, or that memory ran out, and returns the status.
  template <typename Status> Status set(Status status, const char *message) noexcept {
    try {
      text = message;
      shown = text.c_str();
    } catch (const std::exception &) {
      shown = "out of memory";
    }
    return status;
  }
  /// Lives until the next error.
  const char *get() const { return shown; }

private:
  std::string text;
  const char *shown = "";
};

} // namespace fairlead
