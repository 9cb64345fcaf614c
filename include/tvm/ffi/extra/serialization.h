/// Values with all their objects as JSON, and back.
#ifndef TVM_FFI_EXTRA_SERIALIZATION_H_
#define TVM_FFI_EXTRA_SERIALIZATION_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>

namespace tvm {
namespace ffi {

/// A value as a JSON value `{"root_index": i, "nodes": [{"type": key, "data": ...}, ...]}`: each
/// object and each distinct plain value is one node, after those that it refers to by their number.
/// Integers, floats, bools and dtypes in fields of such a type stand in place. Metadata other than
/// None is kept under "metadata". TypeError for an object that could not be made again, ValueError
/// for one that holds itself.
TVM_FFI_EXTRA_CXX_API json::Value ToJSONGraph(const Any &value, const Any &metadata = nullptr);

/// The value of such a graph; values that shared an object share one again. ValueError, TypeError,
/// KeyError or RuntimeError for what is no graph.
TVM_FFI_EXTRA_CXX_API Any FromJSONGraph(const json::Value &value);

namespace type_attr {
/// A class's own data in its node, any JSON value, and the object of such data.
inline constexpr reflection::AttrKey<TypedFunction<Any(AnyView)>> kDataToJson{"__data_to_json__"};
inline constexpr reflection::AttrKey<TypedFunction<Any(AnyView)>> kDataFromJson{
    "__data_from_json__"};
} // namespace type_attr

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_SERIALIZATION_H_
