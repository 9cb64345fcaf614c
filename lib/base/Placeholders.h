/// Placeholders of a message template: `{name}`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Returns a function that looks parameters up in a list, which must outlive it.
template <typename Args> auto lookupIn(const Args &args) {
  return [&args](std::string_view parameter) -> std::optional<std::string> {
    for (const auto &[name, value] : args)
      if (name == parameter)
        return value;
    return std::nullopt;
  };
}

/// Replaces placeholders by the values of these names. Those without a value stay.
inline std::string fillPlaceholders(std::string_view text, DiagnosticArgs args) {
  return fillPlaceholders(text, lookupIn(args));
}

/// The names of the placeholders of a text, in order.
inline std::vector<std::string_view> placeholdersOf(std::string_view text) {
  std::vector<std::string_view> names;
  fillPlaceholders(text, [&](std::string_view name) -> std::optional<std::string> {
    names.push_back(name);
    return "";
  });
  return names;
}

} // namespace fairlead
