/// The exception of the public C++ API, and its texts.
#ifndef FAIRLEAD_ERROR_H_
#define FAIRLEAD_ERROR_H_

#include <stdexcept>
#include <string>

#include "fairlead/Export.h"

namespace fairlead {

/// An error of tracing, compiling or exporting. `kind()` is the name of the Python exception that
/// it becomes ("TypeError", "ValueError", "RuntimeError", "NameError", "NotImplementedError").
class FAIRLEAD_API Error : public std::runtime_error {
public:
  Error(std::string kind, const std::string &message)
      : std::runtime_error(message), kind_(std::move(kind)) {}
  ~Error() override;
  const std::string &kind() const { return kind_; }

private:
  std::string kind_;
};

} // namespace fairlead
#endif // FAIRLEAD_ERROR_H_
