/// Kinds of errors that callers tell apart. The open ABI says a kind by its name.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace fairlead::runtime {

enum class ErrorKind : uint8_t { Runtime, Value, Type, Index, Memory, Other };

constexpr ErrorKind errorKindOf(std::string_view name) {
  constexpr std::pair<std::string_view, ErrorKind> kKinds[] = {{"RuntimeError", ErrorKind::Runtime},
                                                               {"ValueError", ErrorKind::Value},
                                                               {"TypeError", ErrorKind::Type},
                                                               {"IndexError", ErrorKind::Index},
                                                               {"MemoryError", ErrorKind::Memory}};
  for (auto [text, kind] : kKinds)
    if (text == name)
      return kind;
  return ErrorKind::Other;
}

/// True if the caller passed an invalid argument.
constexpr bool isInvalidArgument(ErrorKind kind) {
  return kind == ErrorKind::Value || kind == ErrorKind::Type || kind == ErrorKind::Index;
}

} // namespace fairlead::runtime
