/// JSON text to values and back.
#ifndef TVM_FFI_EXTRA_JSON_H_
#define TVM_FFI_EXTRA_JSON_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

namespace tvm {
namespace ffi {
namespace json {

/// None, bool, int, float, String, Array or Object.
using Value = Any;
/// Keys are Strings; their order is that of the text.
using Object = ffi::Map<Any, Any>;
using Array = ffi::Array<Any>;

/// The value of a JSON text (RFC 8259, and `NaN`, `Infinity` and `-Infinity`). A number without
/// fraction and exponent that fits is an int, any other a float; of equal keys the last counts.
/// Text that is not JSON, or nested deeper than 4096: where `error_msg` is given, the message is
/// put there and None returned; else ValueError. `error_msg` is made empty where all is well.
TVM_FFI_EXTRA_CXX_API Value Parse(const String &json_str, String *error_msg = nullptr);

/// A value as JSON text: in one line, or with `indent` > 0 with a line for each element. ValueError
/// for a value that JSON has no form for, a key that is no String, and nesting deeper than 4096.
///
/// It calls the library by the name of a global function, since versions of apache-tvm-ffi export
/// the C++ function under two names.
inline String Stringify(const Value &value, const Optional<int> &indent = std::nullopt) {
  return Function::GetGlobalRequired("ffi.json.Stringify")(value, indent).cast<String>();
}

} // namespace json
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_JSON_H_
