/// EnumDef: registering the values of an enum, and what is attached to them.
#ifndef TVM_FFI_REFLECTION_ENUM_DEF_H_
#define TVM_FFI_REFLECTION_ENUM_DEF_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/enum.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace reflection {

/// Registers one value of an enum: `EnumDef<OpObj>("Add").set_attr("commutes", true)`. It gets the
/// next number. When a library is loaded, after ObjectDef<OpObj>().
template <typename EnumType, typename = std::enable_if_t<std::is_base_of_v<EnumObj, EnumType>>>
class EnumDef : public ReflectionDefBase {
public:
  /// ValueError where the enum has a value of that name, or the name is empty.
  explicit EnumDef(const char *name)
      : EnumDef(name, static_cast<int64_t>(requireState()->entries.size())) {}
  /// The same with a number of its own.
  EnumDef(const char *name, int64_t number) : state_(requireState()) {
    String text(name);
    if (text.empty())
      TVM_FFI_THROW(ValueError) << "A value of enum `" << EnumType::_type_key << "` needs a name";
    if (state_->indexes.count(text))
      TVM_FFI_THROW(ValueError) << "Enum `" << EnumType::_type_key
                                << "` already has a value named `" << name << "`";
    if (state_->indexes.count(number))
      TVM_FFI_THROW(ValueError) << "Enum `" << EnumType::_type_key << "` already has a value "
                                << number;
    ObjectPtr<EnumType> object = make_object<EnumType>();
    object->_int_index = number;
    object->_str_index = text;
    value_ = ObjectRef(ObjectPtr<Object>(std::move(object)));
    // Copies of the references: they share what the state has.
    List<ObjectRef> entries = state_->entries;
    Dict<Any, ObjectRef> indexes = state_->indexes;
    entries.push_back(value_);
    indexes.Set(number, value_);
    indexes.Set(text, value_);
  }

  /// Whether the enum has a value of that name.
  static bool IsDefined(const String &name) {
    std::optional<EnumState> state = EnumObj::State<EnumType>();
    return state && (*state)->indexes.count(name);
  }

  /// Attaches something to the value; ValueError where it is there already.
  template <typename T> EnumDef &set_attr(const char *name, T value) {
    return setAttr(name, Any(std::move(value)));
  }
  template <typename T, typename V> EnumDef &set_attr(const AttrKey<T> &key, V &&value) {
    return setAttr(key.name, Any(T(std::forward<V>(value))));
  }
  /// A function that is called without packing; `Fn` may throw.
  template <auto Fn, typename T> EnumDef &set_native_fn_attr(const AttrKey<T> &key) {
    return setAttr(key.name, Any(T::template FromNative<Fn>()));
  }

  /// The value.
  Enum value() const { return value_.as_or_throw<Enum>(); }
  [[deprecated("renamed: value")]] Enum instance() const { return value(); }
  [[deprecated("value()->_int_index")]] int64_t ordinal() const { return value()->_int_index; }

private:
  static EnumState requireState() {
    if (std::optional<EnumState> state = EnumObj::State<EnumType>())
      return *state;
    auto made = ::tvm::ffi::detail::ObjectUnsafe::ObjectRefFromObjectPtr<EnumState>(
        ObjectPtr<Object>(make_object<EnumStateObj>()));
    inner::registerTypeAttr(EnumType::RuntimeTypeIndex(), type_attr::kEnumState, made);
    return made;
  }
  EnumDef &setAttr(const char *name, Any value) {
    Dict<String, Dict<ObjectRef, Any>> attrs = state_->attrs;
    if (!attrs.count(name))
      attrs.Set(name, Dict<ObjectRef, Any>());
    Dict<ObjectRef, Any> column = attrs.at(name);
    if (column.count(value_))
      TVM_FFI_THROW(ValueError) << "Value `" << this->value()->_str_index << "` of enum `"
                                << EnumType::_type_key << "` already has an attribute `" << name
                                << "`";
    column.Set(value_, std::move(value));
    return *this;
  }

  EnumState state_;
  ObjectRef value_;
};

} // namespace reflection
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_REFLECTION_ENUM_DEF_H_
