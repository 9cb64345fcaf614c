/// What may follow a definition in GlobalDef and ObjectDef: documentation, metadata, and the
/// properties of fields.
#ifndef TVM_FFI_INNER_DEFINITION_H_
#define TVM_FFI_INNER_DEFINITION_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace reflection {

/// The base of what follows a definition: a class with `Apply(FieldInfoBuilder *) const`,
/// `Apply(MethodInfoBuilder *) const` or both; after a class, `Apply(TVMFFITypeMetadata *) const`.
struct InfoTrait {};

using _MetadataType = std::vector<std::pair<String, Any>>;
/// A definition that is being described, with the extra entries of its metadata.
struct FieldInfoBuilder : TVMFFIFieldInfo {
  _MetadataType metadata_;
};
struct MethodInfoBuilder : TVMFFIMethodInfo {
  _MetadataType metadata_;
};

/// Extra entries of a definition's metadata. Values are integers, bools and strings; TypeError for
/// others.
class Metadata : public InfoTrait {
public:
  Metadata(std::initializer_list<std::pair<String, Any>> entries) : entries_(entries) {}

  void Apply(FieldInfoBuilder *info) const { append(&info->metadata_); }
  void Apply(MethodInfoBuilder *info) const { append(&info->metadata_); }

  /// Entries as JSON members, each after a comma.
  static std::string ToJSONMembers(const _MetadataType &entries) {
    std::string text;
    for (const auto &[key, value] : entries)
      text += inner::concat(",", std::string(EscapeStringJSON(key)), ":", valueText(key, value));
    return text;
  }

private:
  void append(_MetadataType *to) const { to->insert(to->end(), entries_.begin(), entries_.end()); }
  static std::string valueText(const String &key, const Any &value) {
    if (std::optional<bool> flag = value.as<bool>())
      return *flag ? "true" : "false";
    if (std::optional<int64_t> number = value.as<int64_t>())
      return std::to_string(*number);
    if (std::optional<String> text = value.as<String>())
      return EscapeStringJSON(*text);
    inner::throwAt("TypeError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
                   inner::concat("Metadata can be only int, bool or string, but on key `",
                                 std::string(key), "`, the type is ", value.GetTypeKey()));
  }

  _MetadataType entries_;
};

/// A field's default: what it holds where a creator is given no value.
class default_value : public InfoTrait {
public:
  explicit default_value(Any value) : value_(std::move(value)) {}
  void Apply(TVMFFIFieldInfo *info) const {
    info->default_value_or_factory = AnyView(value_).CopyToTVMFFIAny();
    info->flags |= kTVMFFIFieldFlagBitMaskHasDefault;
    info->flags &= ~static_cast<int64_t>(kTVMFFIFieldFlagBitMaskDefaultFromFactory);
  }

private:
  Any value_;
};
using DefaultValue = default_value;

/// A field's default that a function without parameters makes for each object.
class default_factory : public InfoTrait {
public:
  explicit default_factory(Function factory) : factory_(std::move(factory)) {}
  template <typename F,
            typename = std::enable_if_t<!std::is_base_of_v<ObjectRef, F> && std::is_invocable_v<F>>>
  explicit default_factory(F factory) : factory_(Function::FromTyped(std::move(factory))) {}
  void Apply(TVMFFIFieldInfo *info) const {
    info->default_value_or_factory = AnyView(factory_).CopyToTVMFFIAny();
    info->flags |= kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory;
  }

private:
  Function factory_;
};
using DefaultFactory = default_factory;

/// A field's flag, by name.
class AttachFieldFlag : public InfoTrait {
public:
  explicit constexpr AttachFieldFlag(int64_t flag) : flag_(flag) {}
  void Apply(TVMFFIFieldInfo *info) const { info->flags |= flag_; }

  /// Structural equality and hashing leave the field out.
  static constexpr AttachFieldFlag SEqHashIgnore() {
    return AttachFieldFlag(kTVMFFIFieldFlagBitMaskSEqHashIgnore);
  }
  /// The field defines variables, in all that it holds.
  static constexpr AttachFieldFlag SEqHashDefPattern() { return AttachFieldFlag(int64_t(1) << 4); }
  [[deprecated("renamed: SEqHashDefPattern")]] static constexpr AttachFieldFlag
  SEqHashDefRecursive() {
    return SEqHashDefPattern();
  }
  [[deprecated("renamed: SEqHashDefPattern")]] static constexpr AttachFieldFlag SEqHashDef() {
    return SEqHashDefPattern();
  }
  /// The field defines the variable that it holds.
  static constexpr AttachFieldFlag SEqHashDefSimple() { return AttachFieldFlag(int64_t(1) << 12); }
  [[deprecated("renamed: SEqHashDefSimple")]] static constexpr AttachFieldFlag
  SEqHashDefNonRecursive() {
    return SEqHashDefSimple();
  }

private:
  int64_t flag_;
};

/// `init<Args...>()` defines a constructor. `init(false)` after a field keeps it out of the
/// generated constructor, and after a class says that there is none.
template <typename... Args> struct init : InfoTrait {
  constexpr init() = default;
  explicit constexpr init(bool enabled) : enabled(enabled) {}
  void Apply(TVMFFIFieldInfo *info) const {
    if (!enabled)
      info->flags |= kTVMFFIFieldFlagBitMaskInitOff;
  }

  bool enabled = true;
};
init(bool) -> init<>;

/// The generated constructor takes the field by name only.
struct kw_only : InfoTrait {
  explicit constexpr kw_only(bool enabled = true) : enabled(enabled) {}
  void Apply(TVMFFIFieldInfo *info) const {
    if (enabled)
      info->flags |= kTVMFFIFieldFlagBitMaskKwOnly;
  }

  bool enabled;
};

/// `repr(false)`: the field is not shown.
struct repr : InfoTrait {
  explicit constexpr repr(bool enabled = true) : enabled(enabled) {}
  void Apply(TVMFFIFieldInfo *info) const {
    if (!enabled)
      info->flags |= kTVMFFIFieldFlagBitMaskReprOff;
  }

  bool enabled;
};

/// `compare(false)`: equality and order leave the field out.
struct compare : InfoTrait {
  explicit constexpr compare(bool enabled = true) : enabled(enabled) {}
  void Apply(TVMFFIFieldInfo *info) const {
    if (!enabled)
      info->flags |= kTVMFFIFieldFlagBitMaskCompareOff;
  }

  bool enabled;
};

/// `hash(false)`: the hash leaves the field out.
struct hash : InfoTrait {
  explicit constexpr hash(bool enabled = true) : enabled(enabled) {}
  void Apply(TVMFFIFieldInfo *info) const {
    if (!enabled)
      info->flags |= kTVMFFIFieldFlagBitMaskHashOff;
  }

  bool enabled;
};

} // namespace reflection

namespace inner {
/// Gathers what follows a definition, and keeps the texts that the description points to.
template <typename Info> class DefinitionExtras {
public:
  template <typename... Extra>
  DefinitionExtras(Info *info, const std::string &schema, const Extra &...extra) : info(info) {
    (add(extra), ...);
    metadata = concat("{\"type_schema\":", std::string(EscapeStringJSON(schema)),
                      reflection::Metadata::ToJSONMembers(info->metadata_), "}");
    info->metadata = TVMFFIByteArray{metadata.data(), metadata.size()};
  }
  DefinitionExtras(const DefinitionExtras &) = delete;
  DefinitionExtras &operator=(const DefinitionExtras &) = delete;

private:
  template <typename Extra> void add(const Extra &extra) {
    if constexpr (std::is_convertible_v<const Extra &, std::string_view>) {
      std::string_view text = extra;
      info->doc = TVMFFIByteArray{text.data(), text.size()};
    } else {
      extra.Apply(info);
    }
  }

  Info *info;
  std::string metadata;
};
} // namespace inner

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_DEFINITION_H_
