#include "fairlead/layout/Text.h"

#include <charconv>

namespace fairlead::layout {
namespace {

/// `(a,b,...)` or a number, from `text` on, which is moved behind it.
std::optional<IntTuple> parseTuple(std::string_view &text) {
  if (!text.starts_with('(')) {
    int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc())
      return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return IntTuple(number);
  }
  std::vector<IntTuple> modes;
  do {
    text.remove_prefix(1);
    auto mode = parseTuple(text);
    if (!mode)
      return std::nullopt;
    modes.push_back(std::move(*mode));
  } while (text.starts_with(','));
  if (!text.starts_with(')'))
    return std::nullopt;
  text.remove_prefix(1);
  return IntTuple(std::move(modes));
}

} // namespace

std::optional<Layout> parseLayout(std::string_view text) {
  auto shape = parseTuple(text);
  if (!shape || !text.starts_with(':'))
    return std::nullopt;
  text.remove_prefix(1);
  auto stride = parseTuple(text);
  return stride && text.empty() ? Layout::make(*shape, *stride) : std::nullopt;
}

} // namespace fairlead::layout
