/// Constructors made of a class's fields, and objects made of names and values.
#include <algorithm>
#include <memory>
#include <vector>

#include "FieldAccess.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

std::string_view keyOf(int32_t typeIndex) { return nameOf(TVMFFIGetTypeInfo(typeIndex)->type_key); }

} // namespace

ObjectPtr<Object> tvm::ffi::makeEmpty(int32_t typeIndex) {
  const TVMFFITypeInfo *type = TVMFFIGetTypeInfo(typeIndex);
  if (type->metadata && type->metadata->creator) {
    TVMFFIObjectHandle handle = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(type->metadata->creator(&handle));
    return tvm::ffi::detail::ObjectUnsafe::ObjectPtrFromOwned<Object>(
        static_cast<TVMFFIObject *>(handle));
  }
  AnyView make = findTypeAttr(type_attr::kNew, typeIndex);
  if (make == nullptr)
    TVM_FFI_THROW(RuntimeError) << "Type `" << keyOf(typeIndex)
                                << "` does not support reflection creation (no native creator or "
                                   "__ffi_new__ type attr)";
  return tvm::ffi::detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(
      make.cast<Function>()().cast<ObjectRef>());
}

namespace {

bool hasDefault(const TVMFFIFieldInfo *field) {
  return field->flags & kTVMFFIFieldFlagBitMaskHasDefault;
}

/// A generated constructor: its parameters and its work.
class GeneratedInit {
public:
  explicit GeneratedInit(int32_t typeIndex) : typeIndex(typeIndex) {
    static auto *kwargs = new Any(Function::GetGlobalRequired("ffi.GetKwargsObject")());
    kwargsMarker = *kwargs;
    reflection::ForEachFieldInfo(TVMFFIGetTypeInfo(typeIndex), [&](const TVMFFIFieldInfo *field) {
      Parameter parameter{field, !(field->flags & kTVMFFIFieldFlagBitMaskInitOff),
                          static_cast<bool>(field->flags & kTVMFFIFieldFlagBitMaskKwOnly)};
      parameters.push_back(parameter);
    });
    // Positions: those without a default first, as they must be given.
    for (bool defaulted : {false, true})
      for (size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].inInit && !parameters[i].keywordOnly &&
            hasDefault(parameters[i].field) == defaulted)
          positions.push_back(i);
  }

  void operator()(const AnyView *args, int32_t numArgs, Any *result) const {
    int32_t numPositional = 0;
    while (numPositional < numArgs && !isMarker(args[numPositional]))
      ++numPositional;
    if (static_cast<size_t>(numPositional) > positions.size())
      raise("takes at most ", std::to_string(positions.size()), " positional argument(s), but ",
            std::to_string(numPositional), " were given");
    ObjectPtr<Object> object = makeEmpty(typeIndex);
    std::vector<const AnyView *> values(parameters.size(), nullptr);
    for (int32_t i = 0; i < numPositional; ++i)
      values[positions[i]] = &args[i];
    readKeywords(args + std::min(numPositional + 1, numArgs),
                 std::max(numArgs - numPositional - 1, 0), values);
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Parameter &parameter = parameters[i];
      if (parameter.inInit && !values[i] && !hasDefault(parameter.field))
        raise("missing required ", parameter.keywordOnly ? "keyword-only " : "", "argument: '",
              nameOf(parameter.field->name), "'");
      setField(object.get(), parameter.field, values[i]);
    }
    *result = ObjectRef(std::move(object));
  }

private:
  struct Parameter {
    const TVMFFIFieldInfo *field;
    bool inInit;
    bool keywordOnly;
  };

  bool isMarker(AnyView value) const { return value.same_as(kwargsMarker); }

  template <typename... Parts> [[noreturn]] void raise(const Parts &...parts) const {
    TVM_FFI_THROW(TypeError) << keyOf(typeIndex) << ".__ffi_init__() " << inner::concat(parts...);
    TVM_FFI_UNREACHABLE();
  }

  void readKeywords(const AnyView *args, int32_t numArgs,
                    std::vector<const AnyView *> &values) const {
    if (numArgs % 2 != 0)
      raise("KWARGS requires an even number of key-value arguments");
    for (int32_t i = 0; i < numArgs; i += 2) {
      String name = args[i].cast<String>();
      std::string_view text(name.data(), name.size());
      auto it = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter &parameter) {
        return parameter.inInit && nameOf(parameter.field->name) == text;
      });
      if (it == parameters.end())
        raise("got an unexpected keyword argument '", text, "'");
      const AnyView *&value = values[static_cast<size_t>(it - parameters.begin())];
      if (value)
        raise("got multiple values for argument '", text, "'");
      value = &args[i + 1];
    }
  }

  void setField(Object *object, const TVMFFIFieldInfo *field, const AnyView *value) const {
    char *address = fieldAddress(object, field);
    if (value) {
      TVMFFIAny raw = value->CopyToTVMFFIAny();
      if (reflection::CallFieldSetter(field, address, &raw) != 0)
        rethrow(" field '", field);
      return;
    }
    if (!hasDefault(field))
      return;
    if (!(field->flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory)) {
      if (reflection::CallFieldSetter(field, address, &field->default_value_or_factory) != 0)
        rethrow(" default for field '", field);
      return;
    }
    Any initial = AnyView::CopyFromTVMFFIAny(field->default_value_or_factory).cast<Function>()();
    TVMFFIAny raw = AnyView(initial).CopyToTVMFFIAny();
    if (reflection::CallFieldSetter(field, address, &raw) != 0)
      rethrow(" default for field '", field);
  }

  /// The setter's error, with the field's name before its text, which is indented.
  [[noreturn]] void rethrow(const char *role, const TVMFFIFieldInfo *field) const {
    Error error = tvm::ffi::detail::MoveFromSafeCallRaised();
    std::string text = error.message();
    for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1))
      text.insert(end + 1, "  ");
    throw Error(error.kind(),
                inner::concat(keyOf(typeIndex), ".__ffi_init__()", role, nameOf(field->name),
                              "':\n  ", text),
                error.backtrace(), error, error.extra_context());
  }

  int32_t typeIndex;
  Any kwargsMarker;
  std::vector<Parameter> parameters; ///< all fields, ancestors' first
  std::vector<size_t> positions;     ///< indices into parameters, by position
};

struct InitCallable {
  std::shared_ptr<GeneratedInit> init;
  void operator()(const AnyView *args, int32_t numArgs, Any *result) const {
    (*init)(args, numArgs, result);
  }
};

} // namespace

namespace tvm::ffi {
/// Registers the constructor of all fields as a type's `__ffi_init__`.
void registerGeneratedInit(int32_t typeIndex) {
  inner::registerTypeAttr(
      typeIndex, type_attr::kInit,
      Function::FromPacked(InitCallable{std::make_shared<GeneratedInit>(typeIndex)}));
}
} // namespace tvm::ffi

namespace {
/// (type index, name, value, name, value, ...)
void makeObjectFromPackedArgs(PackedArgs args, Any *result) {
  if (args.size() % 2 != 1)
    TVM_FFI_THROW(InternalError)
        << "ffi.MakeObjectFromPackedArgs takes a type and pairs of names and values, but got "
        << args.size() << " arguments";
  std::optional<int32_t> index = args[0].as<int32_t>();
  int32_t typeIndex;
  if (index) {
    typeIndex = *index;
  } else {
    String key = args[0].cast<String>();
    typeIndex = TypeKeyToIndex(std::string_view(key.data(), key.size()));
  }
  ObjectPtr<Object> object = makeEmpty(typeIndex);
  std::vector<bool> used(static_cast<size_t>(args.size() / 2), false);
  reflection::ForEachFieldInfo(TVMFFIGetTypeInfo(typeIndex), [&](const TVMFFIFieldInfo *field) {
    char *address = fieldAddress(object.get(), field);
    for (size_t i = 0; i < used.size(); ++i) {
      String name = args[static_cast<int>(2 * i + 1)].cast<String>();
      if (used[i] || std::string_view(name.data(), name.size()) != nameOf(field->name))
        continue;
      used[i] = true;
      TVMFFIAny raw = args[static_cast<int>(2 * i + 2)].CopyToTVMFFIAny();
      TVM_FFI_CHECK_SAFE_CALL(reflection::CallFieldSetter(field, address, &raw));
      return;
    }
    if (!hasDefault(field))
      TVM_FFI_THROW(TypeError) << "Required field `" << nameOf(field->name) << "` not set in type `"
                               << keyOf(typeIndex) << "`";
    reflection::SetFieldToDefault(field, address);
  });
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      TVM_FFI_THROW(TypeError) << "Type `" << keyOf(typeIndex) << "` does not have field `"
                               << args[static_cast<int>(2 * i + 1)].cast<String>() << "`";
  *result = ObjectRef(std::move(object));
}
} // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def("ffi._RegisterFFIInit", registerGeneratedInit)
      .def_packed("ffi.MakeObjectFromPackedArgs", makeObjectFromPackedArgs);
}
