/// GlobalDef: registering global functions.
#ifndef TVM_FFI_REFLECTION_REGISTRY_H_
#define TVM_FFI_REFLECTION_REGISTRY_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <string>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace reflection {

/// Extra entries of a definition's metadata. Values are integers, bools and strings; TypeError for
/// others.
class Metadata {
public:
  Metadata(std::initializer_list<std::pair<String, Any>> entries) : entries_(entries) {}

  /// The entries as JSON members, each after a comma.
  std::string ToJSONMembers() const {
    std::string text;
    for (const auto &[key, value] : entries_)
      text += inner::concat(",", std::string(EscapeStringJSON(key)), ":", valueText(key, value));
    return text;
  }

private:
  static std::string valueText(const String &key, const Any &value) {
    if (std::optional<bool> flag = value.as<bool>())
      return *flag ? "true" : "false";
    if (std::optional<int64_t> number = value.as<int64_t>())
      return std::to_string(*number);
    if (std::optional<String> text = value.as<String>())
      return EscapeStringJSON(*text);
    TVM_FFI_THROW(TypeError) << "Metadata `" << key << "` is an int, a bool or a str, but got `"
                             << value.GetTypeKey() << "`";
    TVM_FFI_UNREACHABLE();
  }

  std::vector<std::pair<String, Any>> entries_;
};

/// Registers global functions: `GlobalDef().def("lib.add", add, "Adds two.")`.
class GlobalDef {
public:
  /// A function with C++ parameters. After it: documentation (const char *) and Metadata.
  template <typename F, typename... Extra>
  GlobalDef &def(const char *name, F &&func, Extra &&...extra) {
    using Info = ::tvm::ffi::detail::FunctionInfo<std::decay_t<F>>;
    registerFunction(name, Function::FromTyped(std::decay_t<F>(std::forward<F>(func)), name),
                     Info::TypeSchema(), std::forward<Extra>(extra)...);
    return *this;
  }
  /// A function of packed arguments.
  template <typename F, typename... Extra>
  GlobalDef &def_packed(const char *name, F func, Extra &&...extra) {
    registerFunction(name, Function::FromPacked(std::move(func)), inner::atomSchema("ffi.Function"),
                     std::forward<Extra>(extra)...);
    return *this;
  }
  /// A member function; its object is the first argument.
  template <typename F, typename... Extra>
  GlobalDef &def_method(const char *name, F func, Extra &&...extra) {
    static_assert(std::is_member_function_pointer_v<F>, "def_method takes a member function");
    return def(name, func, std::forward<Extra>(extra)...);
  }

private:
  struct Extras {
    const char *doc = nullptr;
    std::string members;
    void add(const char *text) { doc = text; }
    void add(const Metadata &metadata) { members += metadata.ToJSONMembers(); }
  };

  template <typename... Extra>
  static void registerFunction(const char *name, Function function, const std::string &schema,
                               const Extra &...extra) {
    Extras extras;
    (extras.add(extra), ...);
    std::string metadata = inner::concat("{\"type_schema\":", std::string(EscapeStringJSON(schema)),
                                         extras.members, "}");
    TVMFFIMethodInfo info{};
    info.name = bytes(name);
    info.doc = extras.doc ? bytes(extras.doc) : TVMFFIByteArray{nullptr, 0};
    info.metadata = TVMFFIByteArray{metadata.data(), metadata.size()};
    info.flags = kTVMFFIFieldFlagBitMaskIsStaticMethod;
    info.method = AnyView(function).CopyToTVMFFIAny();
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0));
  }
  static TVMFFIByteArray bytes(std::string_view text) {
    return TVMFFIByteArray{text.data(), text.size()};
  }
};

} // namespace reflection
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_REFLECTION_REGISTRY_H_
