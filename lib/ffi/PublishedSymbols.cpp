/// C++ functions of the library under the names that headers of apache-tvm-ffi call them by.
/// Fairlead's headers reach the same functions in other ways.
#include <optional>

#include "ffi/json/Stringify.h"
#include "tvm/ffi/optional.h"

using namespace tvm::ffi;

#define PUBLISHED_AS(name) __asm__(name) __attribute__((visibility("default"), used))

/// json::Stringify from 0.1.13 on.
String stringifyNow(const Any &value, const Optional<int> &indent)
    PUBLISHED_AS("_ZN3tvm3ffi4json9StringifyERKNS0_3AnyERKNS0_8OptionalIivEE");
/// json::Stringify up to 0.1.12. An Optional<int> was a std::optional<int>, and was passed by its
/// address, since it had a copy constructor.
String stringifyBefore(const Any &value, const std::optional<int> &indent)
    PUBLISHED_AS("_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE");

String stringifyNow(const Any &value, const Optional<int> &indent) {
  return inner::stringify(value, indent.has_value() ? *indent : 0);
}

String stringifyBefore(const Any &value, const std::optional<int> &indent) {
  return inner::stringify(value, indent.value_or(0));
}
