/// Overloaded methods: naming one of a C++ overload set, and several under one name in a class.
#ifndef TVM_FFI_REFLECTION_OVERLOAD_H_
#define TVM_FFI_REFLECTION_OVERLOAD_H_

#include <tvm/ffi/reflection/registry.h>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {

namespace inner {
/// One of the functions under a name.
class Overload {
public:
  static constexpr int kCalled = -1;
  static constexpr int kBadCount = -2;

  virtual ~Overload() = default;
  /// kCalled, kBadCount, or the index of the first argument that does not fit: then nothing was
  /// called. Throws what the function throws.
  virtual int tryCall(const AnyView *args, int32_t numArgs, Any *result) = 0;
  /// Why tryCall did not call.
  virtual std::string describe(int code, const std::string &name, const AnyView *args) const = 0;
};

template <typename F> class TypedOverload final : public Overload {
  using Info = detail::FunctionInfo<F>;
  static constexpr size_t kCount = Info::num_args;
  template <size_t I>
  using Parameter =
      std::remove_cv_t<std::remove_reference_t<std::tuple_element_t<I, typename Info::ArgType>>>;

public:
  explicit TypedOverload(F func) : func(std::move(func)) {}

  int tryCall(const AnyView *args, int32_t numArgs, Any *result) override {
    if (numArgs != static_cast<int32_t>(kCount))
      return kBadCount;
    return tryCall(std::make_index_sequence<kCount>{}, args, result);
  }
  std::string describe(int code, const std::string &name, const AnyView *args) const override {
    std::string callee = concat("when calling: `", name, " ", Info::Sig(), "`. Expected ");
    if (code == kBadCount)
      return concat("Mismatched number of arguments ", callee, std::to_string(kCount),
                    " arguments");
    std::string text = concat("Mismatched type on argument #", std::to_string(code), " ", callee);
    return text + mismatch(std::make_index_sequence<kCount>{}, code, args);
  }

private:
  template <size_t... I> int tryCall(std::index_sequence<I...>, const AnyView *args, Any *result) {
    using R = typename Info::RetType;
    int bad = kCalled;
    (void)args;
    std::tuple<std::optional<Parameter<I>>...> values;
    bool fits = ((std::get<I>(values) = args[I].template try_cast<Parameter<I>>(),
                  std::get<I>(values).has_value() || (bad = static_cast<int>(I), false)) &&
                 ...);
    if (!fits)
      return bad;
    if constexpr (std::is_void_v<R>) {
      inner::invoke(func, *std::move(std::get<I>(values))...);
      *result = Any();
    } else {
      *result = Any(std::remove_cv_t<std::remove_reference_t<R>>(
          inner::invoke(func, *std::move(std::get<I>(values))...)));
    }
    return kCalled;
  }
  template <size_t... I>
  static std::string mismatch(std::index_sequence<I...>, int code, const AnyView *args) {
    std::string text;
    (void)args;
    ((static_cast<int>(I) == code ? void(text = expectedButGot<Parameter<I>>(args[I])) : void()),
     ...);
    return text;
  }
  template <typename T> static std::string expectedButGot(AnyView value) {
    TVMFFIAny raw = value.CopyToTVMFFIAny();
    return concat("`", TypeTraits<T>::TypeStr(), "` but got `",
                  TypeTraits<T>::GetMismatchTypeInfo(&raw), "`");
  }

  F func;
};

/// The functions under one name, tried in the order of their definition.
/// Grows while the class is defined.
class OverloadSet {
public:
  explicit OverloadSet(std::string name) : name(std::move(name)) {}
  OverloadSet(const OverloadSet &) = delete;
  OverloadSet &operator=(const OverloadSet &) = delete;
  ~OverloadSet() {
    for (Overload *overload : overloads)
      delete overload;
  }

  template <typename F> void add(F func) {
    overloads.push_back(nullptr); // first: it may throw
    overloads.back() = new TypedOverload<F>(std::move(func));
  }
  void operator()(const AnyView *args, int32_t numArgs, Any *result) const {
    std::vector<int> codes;
    for (Overload *overload : overloads) {
      codes.push_back(overload->tryCall(args, numArgs, result));
      if (codes.back() == Overload::kCalled)
        return;
    }
    std::string text = concat("No matching overload found when calling: `", name, "` with ",
                              std::to_string(numArgs), " arguments:");
    for (size_t i = 0; i < overloads.size(); ++i)
      text += concat("\nOverload #", std::to_string(i), ": ",
                     overloads[i]->describe(codes[i], name, args));
    TVM_FFI_THROW(TypeError) << text;
  }

  const std::string name;

private:
  std::vector<Overload *> overloads; // owned
};
} // namespace inner

namespace reflection {

/// ObjectDef whose methods may have several functions under one name: a call takes the first, in
/// the order of definition, that its arguments fit.
template <typename Class> class OverloadObjectDef : private ObjectDef<Class> {
  using Base = ObjectDef<Class>;

public:
  template <typename... Extra> explicit OverloadObjectDef(const Extra &...extra) : Base(extra...) {}

  template <typename Owner, typename T, typename... Extra>
  OverloadObjectDef &def_ro(const char *name, T Owner::*field, const Extra &...extra) {
    Base::def_ro(name, field, extra...);
    return *this;
  }
  template <typename Owner, typename T, typename... Extra>
  OverloadObjectDef &def_rw(const char *name, T Owner::*field, const Extra &...extra) {
    Base::def_rw(name, field, extra...);
    return *this;
  }
  /// A method, or one more function under a method's name.
  template <typename F, typename... Extra>
  OverloadObjectDef &def(const char *name, F &&func, const Extra &...extra) {
    add(name, inner::bindMethod<Class>(std::forward<F>(func)), false, extra...);
    return *this;
  }
  template <typename F, typename... Extra>
  OverloadObjectDef &def_static(const char *name, F &&func, const Extra &...extra) {
    add(name, std::decay_t<F>(std::forward<F>(func)), true, extra...);
    return *this;
  }
  /// A constructor, or one more.
  template <typename... Args, typename... Extra>
  OverloadObjectDef &def(init<Args...>, const Extra &...extra) {
    auto construct = [](Args... args) -> ObjectRef {
      return ObjectRef(make_object<Class>(std::forward<Args>(args)...));
    };
    Function function = add(type_attr::kInit.name, construct, true, extra...);
    if (!this->has_init_)
      inner::registerTypeAttr(this->type_index_, type_attr::kInit, function);
    this->has_init_ = true;
    return *this;
  }
  template <typename Key, typename T> OverloadObjectDef &def_type_attr(const Key &key, T &&value) {
    Base::def_type_attr(key, std::forward<T>(value));
    return *this;
  }
  template <typename Ref> OverloadObjectDef &def_convert() {
    Base::template def_convert<Ref>();
    return *this;
  }

private:
  struct Entry {
    std::string name;
    Function function;
    inner::OverloadSet *set; // in the function
  };

  template <typename F, typename... Extra>
  Function add(const char *name, F func, bool isStatic, const Extra &...extra) {
    const Entry &entry = entryOf(name);
    entry.set->add(std::move(func));
    inner::registerMethod<::tvm::ffi::detail::FunctionInfo<F>>(this->type_index_, name,
                                                               entry.function, isStatic, extra...);
    return entry.function;
  }
  const Entry &entryOf(const char *name) {
    for (const Entry &entry : entries_)
      if (entry.name == name)
        return entry;
    auto [function, set] = Function::FromPackedInplace<inner::OverloadSet>(Base::fullName(name));
    entries_.push_back(Entry{name, std::move(function), set});
    return entries_.back();
  }

  std::vector<Entry> entries_;
};

} // namespace reflection
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_REFLECTION_OVERLOAD_H_
