/// Messages for C++ programs: their texts are written for Python.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace fairlead {

/// Returns the C++ counterpart of a name of the Python API, if it has one.
inline std::optional<std::string_view> cppNameOf(std::string_view name) {
  // One text, as pointers to each name would have to be relocated when the library is loaded.
  static constexpr char kNames[] =
#define FAIRLEAD_CPP_NAME(python, cpp) python "\0" cpp "\0"
#include "base/CppNames.def"
#undef FAIRLEAD_CPP_NAME
      ;
  for (const char *at = kNames; *at;) {
    const std::string_view python = at, cpp = at + python.size() + 1;
    if (python == name)
      return cpp;
    at = cpp.data() + cpp.size() + 1;
  }
  return std::nullopt;
}

/// Returns a message with the names of the C++ API. Text in backquotes is the user's, and stays.
inline std::string withCppNames(std::string_view message) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";
  std::string result;
  bool isQuoted = false;
  while (!message.empty()) {
    size_t length = std::min(message.find_first_not_of(kLetters), message.size());
    while (length > 0 && message[length - 1] == '.') // the end of a sentence
      --length;
    const bool isKeyword = message.substr(length).starts_with('=');
    std::string_view name = message.substr(0, std::max<size_t>(length + isKeyword, 1));
    message.remove_prefix(name.size());
    isQuoted ^= name == "`";
    std::optional<std::string_view> counterpart;
    if (!isQuoted)
      for (std::string_view rest = name; !counterpart && !rest.empty();
           rest.remove_prefix(std::min(rest.find('.'), rest.size() - 1) + 1))
        counterpart = cppNameOf(rest);
    result += counterpart.value_or(name);
  }
  return result;
}

} // namespace fairlead
