/// The exception of the public C++ API, and its texts.
#pragma once

#include <stdexcept>
#include <string>

#include "fairlead/Export.h"

namespace fairlead {

/// An error of tracing, compiling or exporting. `makeError` of fairlead/Diagnostics.h creates it.
class FAIRLEAD_API Error : public std::runtime_error {
public:
  Error(std::string kind, const std::string &message, std::string id = {}, std::string help = {})
      : std::runtime_error(message), kind_(std::move(kind)), id_(std::move(id)),
        help_(std::move(help)) {}
  ~Error() override;

  /// The name of the Python exception that it becomes ("TypeError", "ValueError", "RuntimeError",
  /// "NameError", "NotImplementedError").
  const std::string &kind() const { return kind_; }
  /// The id in Diagnostics.def ("IndexType"); empty for an error that is not in the table.
  const std::string &id() const { return id_; }
  /// The text to write instead; empty if the table has no help text for the mistake.
  const std::string &help() const { return help_; }

private:
  std::string kind_, id_, help_;
};

} // namespace fairlead
