/// Placeholders of a message template: `{name}`.
#ifndef FAIRLEAD_LIB_BASE_PLACEHOLDERS_H_
#define FAIRLEAD_LIB_BASE_PLACEHOLDERS_H_

#include <optional>
#include <string>
#include <string_view>

#include "fairlead/Diagnostics.h"

namespace fairlead {

/// `text` with each `{name}` replaced by `value(name)`; where that is empty the text stays. One
/// pass, so that inserted text is never read as a placeholder again.
template <typename ValueOf> std::string fillPlaceholders(std::string_view text, ValueOf &&value) {
  std::string result;
  for (;;) {
    size_t open = text.find('{');
    size_t close = open == text.npos ? text.npos : text.find('}', open);
    if (close == text.npos)
      return result.append(text);
    std::optional<std::string> filled = value(text.substr(open + 1, close - open - 1));
    result.append(text.substr(0, open));
    if (filled)
      result += *filled;
    else
      result += '{'; // a lone brace; a placeholder may follow it
    text.remove_prefix(filled ? close + 1 : open + 1);
  }
}

/// Replaces placeholders by the values of these names. Those without a value stay.
inline std::string fillPlaceholders(std::string_view text, DiagnosticArgs args) {
  return fillPlaceholders(text, [&](std::string_view placeholder) -> std::optional<std::string> {
    for (const auto &[name, value] : args)
      if (name == placeholder)
        return value;
    return std::nullopt;
  });
}

} // namespace fairlead
#endif // FAIRLEAD_LIB_BASE_PLACEHOLDERS_H_
