/// The places of a message template: `{name}`.
#ifndef FAIRLEAD_LIB_BASE_PLACES_H
#define FAIRLEAD_LIB_BASE_PLACES_H

#include <optional>
#include <string>
#include <string_view>

#include "fairlead/Diagnostics.h"

namespace fairlead {

/// `text` with each `{name}` replaced by `value(name)`; where that is empty the text stays. One
/// pass, so that inserted text is never read as a place again.
template <typename ValueOf> std::string fillPlaces(std::string_view text, ValueOf &&value) {
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
      result += '{'; // a lone brace; a place may follow it
    text.remove_prefix(filled ? close + 1 : open + 1);
  }
}

/// Replaces places by the values of these names. Places without a value stay.
inline std::string fillPlaces(std::string_view text, DiagnosticArgs args) {
  return fillPlaces(text, [&](std::string_view place) -> std::optional<std::string> {
    for (const auto &[name, value] : args)
      if (name == place)
        return value;
    return std::nullopt;
  });
}

} // namespace fairlead
#endif // FAIRLEAD_LIB_BASE_PLACES_H
