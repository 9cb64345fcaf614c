/// Layouts from their text, for tables.
#pragma once

#include <optional>
#include <string_view>

#include "fairlead/layout/Layout.h"

namespace fairlead::layout {

/// The static layout of a text such as `((4,8),2):((16,1),8)`; none for other texts.
FAIRLEAD_API std::optional<Layout> parseLayout(std::string_view text);

} // namespace fairlead::layout
