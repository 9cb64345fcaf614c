/// Changing values by their structure: StructuralMap replaces values inside a value,
/// StructuralMutate lets callbacks descend themselves, StructuralMutatorObj is what both are made
/// of. What does not change is shared with the original; what is owned by nobody else may change in
/// place.
#ifndef TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_
#define TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_

#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/inner/dynamic_callbacks.h>
#include <tvm/ffi/inner/unchanged.h>
#include <tvm/ffi/reflection/registry.h>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace tvm {
namespace ffi {

/// Whether what is owned along the whole way from the root may change in place.
enum class InplaceMode : int32_t { kDisallow = 0, kAllow = 1 };

class StructuralMutatorObj;

/// A mutator's functions as they cross libraries. The caller owns what they return: a new value,
/// Unchanged, or an Error; None and the like where said.
using FStructuralMutateABI = TVMFFIAny (*)(StructuralMutatorObj *mutator, AnyView value) noexcept;
using FStructuralVarRemapGet = TVMFFIAny (*)(StructuralMutatorObj *mutator, AnyView var) noexcept;
using FStructuralVarRemapSet = TVMFFIAny (*)(StructuralMutatorObj *mutator, AnyView var,
                                             AnyView mapped_value) noexcept;

/// What a mutator is made of.
struct StructuralMutatorVTable {
  /// Leaves the value as it is.
  FStructuralMutateABI mutate = nullptr;
  /// May change the value in place, which nobody else owns; returns it, or Unchanged.
  FStructuralMutateABI maybe_inplace_mutate = nullptr;
  /// What a variable was replaced by; None where it was not.
  FStructuralVarRemapGet var_remap_get = nullptr;
  /// Sets what a variable is replaced by. None.
  FStructuralVarRemapSet var_remap_set = nullptr;
};

/// A mutation under way: what to do with each value, what variables were replaced by, and the
/// region of definitions that it is in. One thread at a time.
class StructuralMutatorObj : public Object {
public:
  /// What callbacks are given.
  using MutatorObjType = StructuralMutatorObj;

  /// What a value becomes. In place only where that is allowed and nobody else owns the value.
  UnchangedOr<Any> Mutate(AnyView value, InplaceMode inplace_mode = InplaceMode::kDisallow) {
    return MutateExpected(value, inplace_mode).value();
  }
  Expected<UnchangedOr<Any>>
  MutateExpected(AnyView value, InplaceMode inplace_mode = InplaceMode::kDisallow) noexcept {
    FStructuralMutateABI mutate = allowed(value, inplace_mode) == InplaceMode::kAllow
                                      ? vtable_->maybe_inplace_mutate
                                      : vtable_->mutate;
    return inner::expectedFromRaw<UnchangedOr<Any>>(mutate(this, value));
  }

  /// What a value becomes by what it holds: by its type's own mutation where it has one, else by
  /// its reflected fields that take part in structural equality. Variables are descended into where
  /// they are defined and stay what they became there; nodes of graphs are descended into once.
  /// In place wherever that is allowed: whoever calls knows that nobody else owns the value.
  UnchangedOr<Any> DefaultMutate(AnyView value, InplaceMode inplace_mode = InplaceMode::kDisallow) {
    return DefaultMutateExpected(value, inplace_mode).value();
  }
  inline Expected<UnchangedOr<Any>>
  DefaultMutateExpected(AnyView value, InplaceMode inplace_mode = InplaceMode::kDisallow) noexcept;

  // 0.1.14 had a name of its own for each mode.
  [[deprecated("Mutate(value, InplaceMode::kAllow)")]] UnchangedOr<Any>
  MaybeInplaceMutate(AnyView value) {
    return Mutate(value, InplaceMode::kAllow);
  }
  [[deprecated("MutateExpected(value, InplaceMode::kAllow)")]] Expected<UnchangedOr<Any>>
  MaybeInplaceMutateExpected(AnyView value) noexcept {
    return MutateExpected(value, InplaceMode::kAllow);
  }
  [[deprecated("MutateExpected(value, InplaceMode::kAllow)")]] Expected<UnchangedOr<Any>>
  MaybeInplaceMutateIfUniqueExpected(AnyView value) noexcept {
    return MutateExpected(value, InplaceMode::kAllow);
  }
  [[deprecated("DefaultMutateExpected(value, InplaceMode::kAllow)")]] Expected<UnchangedOr<Any>>
  DefaultMaybeInplaceMutateExpected(AnyView value) noexcept {
    return DefaultMutateExpected(value, InplaceMode::kAllow);
  }

  /// What a variable, or a node of a graph, was replaced by; None where it was not. TypeError for a
  /// value that is neither.
  Expected<Any> VarRemapGetExpected(AnyView var) noexcept {
    return inner::expectedFromRaw<Any>(vtable_->var_remap_get(this, var));
  }
  Expected<void> VarRemapSetExpected(AnyView var, AnyView mapped_value) noexcept {
    Any result = ::tvm::ffi::detail::AnyUnsafe::MoveTVMFFIAnyRawToAny(
        vtable_->var_remap_set(this, var, mapped_value));
    if (std::optional<Error> error = result.as<Error>())
      return *std::move(error);
    return Expected<void>();
  }

  TVMFFIDefRegionKind def_region_kind() const { return def_region_mode_; }
  /// Calls `callback()` in a region. Inside a pattern the region stays the pattern's.
  template <typename Callback>
  decltype(auto) WithDefRegionKind(TVMFFIDefRegionKind kind, Callback &&callback) {
    inner::RegionScope scope(&def_region_mode_, kind);
    return std::forward<Callback>(callback)();
  }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("ffi.StructuralMutator", StructuralMutatorObj, Object);

protected:
  /// The table has to outlive the mutator.
  explicit StructuralMutatorObj(const StructuralMutatorVTable *vtable) : vtable_(vtable) {}

  /// Allowed only for an object that has one owner.
  static InplaceMode allowed(AnyView value, InplaceMode mode) {
    bool hasOneOwner =
        mode == InplaceMode::kAllow && value.type_index() >= kTVMFFIStaticObjectBegin &&
        ::tvm::ffi::detail::AnyUnsafe::RawObjectPtrFromAnyViewAfterCheck(value)->unique();
    return hasOneOwner ? InplaceMode::kAllow : InplaceMode::kDisallow;
  }

  const StructuralMutatorVTable *vtable_;
  TVMFFIDefRegionKind def_region_mode_ = kTVMFFIDefRegionKindNone;

private:
  inline Expected<UnchangedOr<Any>> mutateVariable(AnyView value);
  inline Expected<UnchangedOr<Any>> mutateContent(AnyView value, InplaceMode mode);
  inline Expected<UnchangedOr<Any>> mutateFields(AnyView value);
};
static_assert(sizeof(StructuralMutatorObj) == 40, "layout of a mutator");

/// A reference to a mutator.
class StructuralMutator : public ObjectRef {
public:
  explicit StructuralMutator(ObjectPtr<StructuralMutatorObj> mutator)
      : ObjectRef(std::move(mutator)) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralMutator, ObjectRef, StructuralMutatorObj);
};

/// A type's own mutation: what the value becomes by what it holds, each through the mutator.
using FStructuralMutate =
    reflection::NativeFunctionView<UnchangedOr<Any>(StructuralMutatorObj *, AnyView)>;

namespace type_attr {
/// Leaves the value as it is.
inline constexpr reflection::AttrKey<FStructuralMutate> kStructuralMutate{"__s_mutate__"};
/// Called instead where nobody else owns the value: may change it.
inline constexpr reflection::AttrKey<FStructuralMutate> kStructuralMaybeInplaceMutate{
    "__s_maybe_inplace_mutate__"};
} // namespace type_attr

inline Expected<UnchangedOr<Any>>
StructuralMutatorObj::DefaultMutateExpected(AnyView value, InplaceMode inplace_mode) noexcept {
  return inner::callForExpected<UnchangedOr<Any>>([&]() -> Expected<UnchangedOr<Any>> {
    if (value.type_index() < kTVMFFIStaticObjectBegin)
      return mutateContent(value, inplace_mode);
    switch (inner::structuralKind(TVMFFIGetTypeInfo(value.type_index()))) {
    case kTVMFFISEqHashKindFreeVar:
    case kTVMFFISEqHashKindDAGNode:
      return mutateVariable(value);
    default:
      return mutateContent(value, inplace_mode);
    }
  });
}

inline Expected<UnchangedOr<Any>> StructuralMutatorObj::mutateVariable(AnyView value) {
  Expected<Any> met = VarRemapGetExpected(value);
  if (met.is_err())
    return met.error();
  Any known = std::move(met).value();
  if (known.type_index() == kTVMFFIUnchanged || known.same_as(Any(value)))
    return Unchanged();
  if (known != nullptr)
    return UnchangedOr<Any>(std::move(known));
  bool isVariable =
      inner::structuralKind(TVMFFIGetTypeInfo(value.type_index())) == kTVMFFISEqHashKindFreeVar;
  bool isSimple = def_region_mode_ == kTVMFFIDefRegionKindSimple;
  if (isVariable && def_region_mode_ == kTVMFFIDefRegionKindNone)
    return Unchanged();
  // A simple definition defines the variable alone.
  inner::RegionScope scope(&def_region_mode_,
                           isVariable && isSimple ? kTVMFFIDefRegionKindNone : def_region_mode_);
  Any kept(value);
  // Other places may hold it, too.
  Expected<UnchangedOr<Any>> result = mutateContent(value, InplaceMode::kDisallow);
  if (result.is_err() || (isVariable && isSimple && result.value().IsUnchanged()))
    return result;
  Expected<void> set =
      VarRemapSetExpected(value, UnchangedOr<Any>(result.value()).ValueOrUnchanged(kept));
  if (set.is_err())
    return set.error();
  return result;
}

inline Expected<UnchangedOr<Any>> StructuralMutatorObj::mutateContent(AnyView value,
                                                                      InplaceMode mode) {
  static const reflection::TypeAttrColumn copying(type_attr::kStructuralMutate);
  static const reflection::TypeAttrColumn inPlace(type_attr::kStructuralMaybeInplaceMutate);
  AnyView hook = mode == InplaceMode::kAllow ? inPlace[value.type_index()] : AnyView();
  if (hook == nullptr)
    hook = copying[value.type_index()];
  if (hook != nullptr)
    return hook.as_or_throw<FStructuralMutate>().CallExpected(this, value);
  if (value.type_index() < kTVMFFIStaticObjectBegin)
    return Unchanged();
  return mutateFields(value);
}

inline Expected<UnchangedOr<Any>> StructuralMutatorObj::mutateFields(AnyView value) {
  const Object *object =
      ::tvm::ffi::detail::AnyUnsafe::RawObjectPtrFromAnyViewAfterCheck<const Object>(value);
  std::optional<Error> failure;
  Any copy;
  reflection::ForEachFieldInfoWithEarlyStop(
      TVMFFIGetTypeInfo(object->type_index()), [&](const TVMFFIFieldInfo *field) {
        if (field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore)
          return false;
        Any content = reflection::FieldGetter(field)(object);
        inner::RegionScope inField(&def_region_mode_,
                                   inner::regionOfField(def_region_mode_, field));
        Expected<UnchangedOr<Any>> result = MutateExpected(content);
        if (result.is_err()) {
          failure = result.error();
          return true;
        }
        UnchangedOr<Any> outcome = std::move(result).value();
        if (outcome.UnchangedOrSameAs(content))
          return false;
        if (copy == nullptr)
          copy = inner::shallowCopy(value);
        reflection::FieldSetter{field}(
            ::tvm::ffi::detail::AnyUnsafe::RawObjectPtrFromAnyAfterCheck(copy),
            std::move(outcome).ValueUnchecked());
        return false;
      });
  if (failure)
    return *std::move(failure);
  if (copy == nullptr)
    return Unchanged();
  return UnchangedOr<Any>(std::move(copy));
}

/// A mutator that remembers what variables were replaced by.
class StructuralMapEngineBase : public StructuralMutatorObj {
public:
  /// What a map's callbacks are given between the value and the region: a class between this one
  /// and its engine may have some.
  using StateTupleType = std::tuple<>;

protected:
  explicit StructuralMapEngineBase(const StructuralMutatorVTable *vtable)
      : StructuralMutatorObj(vtable) {}

  StateTupleType StateTuple() const noexcept { return {}; }

  static inline TVMFFIAny varRemapGet(StructuralMutatorObj *mutator, AnyView var) noexcept;
  static inline TVMFFIAny varRemapSet(StructuralMutatorObj *mutator, AnyView var,
                                      AnyView mappedValue) noexcept;

private:
  struct Replacement {
    Any variable; // so that its address stays its own
    Any value;
  };

  static inline const Object *variableOf(AnyView var);

  std::unordered_map<const Object *, Replacement> replaced_;
};

inline const Object *StructuralMapEngineBase::variableOf(AnyView var) {
  if (var.type_index() < kTVMFFIStaticObjectBegin)
    TVM_FFI_THROW(TypeError) << "Variable-remap key must be an object-backed value";
  return ::tvm::ffi::detail::AnyUnsafe::RawObjectPtrFromAnyViewAfterCheck<const Object>(var);
}

inline TVMFFIAny StructuralMapEngineBase::varRemapGet(StructuralMutatorObj *mutator,
                                                      AnyView var) noexcept {
  return inner::rawExpected(inner::callForExpected<Any>([&]() -> Any {
    auto *self = static_cast<StructuralMapEngineBase *>(mutator);
    auto it = self->replaced_.find(variableOf(var));
    return it == self->replaced_.end() ? Any() : it->second.value;
  }));
}

inline TVMFFIAny StructuralMapEngineBase::varRemapSet(StructuralMutatorObj *mutator, AnyView var,
                                                      AnyView mappedValue) noexcept {
  return inner::rawExpected(inner::callForExpected<Any>([&]() -> Any {
    auto *self = static_cast<StructuralMapEngineBase *>(mutator);
    self->replaced_[variableOf(var)] = Replacement{Any(var), Any(mappedValue)};
    return Any();
  }));
}

namespace inner {
/// A mutator whose values go to callbacks: its own, or such as live as long as the mutation. Its
/// Self adds what was mutated to the context of errors.
template <typename Parent, typename Self> class MutateEngineBase : public Parent {
protected:
  MutateEngineBase() : Parent(&table) {}

  WalkDepth depth_;
  bool isOver_ = false;

public:
  /// A language may hold the mutator longer than its mutation.
  void endMutation() { isOver_ = true; }

private:
  template <InplaceMode mode>
  static TVMFFIAny mutate(StructuralMutatorObj *mutator, AnyView value) noexcept {
    Self *self = static_cast<Self *>(mutator);
    if (TVM_FFI_PREDICT_FALSE(self->isOver_))
      return rawExpected<UnchangedOr<Any>>(
          Error("RuntimeError", "A mutator was used after its mutation", std::string()));
    LevelScope level(&self->depth_);
    if (TVM_FFI_PREDICT_FALSE(level.tooDeep()))
      return rawExpected<UnchangedOr<Any>>(nestingError("StructuralMutate", self->depth_.levels));
    return rawExpected(self->mutateValue(value, mode));
  }
  static constexpr StructuralMutatorVTable table{&mutate<InplaceMode::kDisallow>,
                                                 &mutate<InplaceMode::kAllow>, &Self::varRemapGet,
                                                 &Self::varRemapSet};
};

/// A mutator that descends everywhere and replaces what `Self::callBack(value)` says, before or
/// after.
template <typename Parent, WalkOrder order, typename Self>
class MapEngine : public MutateEngineBase<Parent, Self> {
public:
  Expected<UnchangedOr<Any>> mutateValue(AnyView value, InplaceMode mode) noexcept {
    auto descend = [this](AnyView from, InplaceMode in) {
      return this->DefaultMutateExpected(from, in);
    };
    auto replace = [this](AnyView from, InplaceMode) {
      return static_cast<Self *>(this)->callBack(from);
    };
    if constexpr (order == WalkOrder::kPreOrder)
      return inTurn(value, mode, replace, descend);
    else
      return inTurn(value, mode, descend, replace);
  }

private:
  /// One after the other; what the first made is nobody else's.
  template <typename First, typename Second>
  static Expected<UnchangedOr<Any>> inTurn(AnyView value, InplaceMode mode, First first,
                                           Second second) noexcept {
    Expected<UnchangedOr<Any>> made = step(value, mode, first);
    if (made.is_err())
      return made;
    if (made.value().UnchangedOrSameAs(value)) {
      made = Unchanged(); // its reference would make the value another's, too
      return step(value, MapEngine::allowed(value, mode), second);
    }
    Any between = std::move(made).value().ValueUnchecked();
    made = Unchanged();
    Expected<UnchangedOr<Any>> last =
        step(AnyView(between), MapEngine::allowed(between, InplaceMode::kAllow), second);
    if (last.is_err())
      return last;
    return UnchangedOr<Any>(std::move(last).value().ValueOrUnchanged(std::move(between)));
  }
  template <typename Step>
  static Expected<UnchangedOr<Any>> step(AnyView value, InplaceMode mode, Step &go) noexcept {
    Expected<UnchangedOr<Any>> result = go(value, mode);
    if (TVM_FFI_PREDICT_FALSE(result.is_err()))
      recordVisit(result.error(), value);
    return result;
  }
};
} // namespace inner

/// A mutator whose callbacks descend themselves: StructuralMutate's.
template <typename Parent, typename... Callbacks>
class StructuralMutateEngine
    : public inner::MutateEngineBase<Parent, StructuralMutateEngine<Parent, Callbacks...>> {
public:
  explicit StructuralMutateEngine(Callbacks... callbacks)
      : callbacks_(std::forward<Callbacks>(callbacks)...) {}

  Expected<UnchangedOr<Any>> mutateValue(AnyView value, InplaceMode mode) noexcept {
    std::optional<Expected<UnchangedOr<Any>>> result;
    if (!inner::callFirst(callbacks_, value, &result,
                          std::tuple(static_cast<typename Parent::MutatorObjType *>(this), mode)))
      result = this->DefaultMutateExpected(value, mode);
    if (TVM_FFI_PREDICT_FALSE(result->is_err()))
      inner::recordVisit(result->error(), value);
    return *std::move(result);
  }

private:
  std::tuple<Callbacks...> callbacks_;

  friend class inner::MutateEngineBase<Parent, StructuralMutateEngine>;
};

/// A mutator that descends everywhere and replaces what callbacks say: StructuralMap's.
template <typename Parent, WalkOrder order, typename... Callbacks>
class StructuralMapEngine
    : public inner::MapEngine<Parent, order, StructuralMapEngine<Parent, order, Callbacks...>> {
public:
  using StateTupleType = typename Parent::StateTupleType;

  explicit StructuralMapEngine(Callbacks... callbacks)
      : callbacks_(std::forward<Callbacks>(callbacks)...) {}

  Expected<UnchangedOr<Any>> callBack(AnyView value) noexcept {
    std::optional<Expected<UnchangedOr<Any>>> result;
    if (inner::callFirst(callbacks_, value, &result,
                         std::tuple_cat(this->StateTuple(), std::tuple(this->def_region_kind()))))
      return *std::move(result);
    return UnchangedOr<Any>(Unchanged());
  }

private:
  std::tuple<Callbacks...> callbacks_;

  friend class inner::MutateEngineBase<Parent, StructuralMapEngine>;
};

/// The same with callbacks that are functions of any language, each with the index of the type that
/// it is for (kTVMFFIAny: all): `(value)`, and `(value, region)` for values that none of the former
/// is for.
template <typename Parent, WalkOrder order>
class StructuralMapDynEngine
    : public inner::MapEngine<Parent, order, StructuralMapDynEngine<Parent, order>> {
public:
  StructuralMapDynEngine(Array<Tuple<int32_t, Function>> callbacks,
                         Array<Tuple<int32_t, Function>> callbacks_with_kind)
      : callbacks_(std::move(callbacks)), callbacks_with_kind_(std::move(callbacks_with_kind)) {}

  Expected<UnchangedOr<Any>> callBack(AnyView value) noexcept {
    return inner::callForExpected<UnchangedOr<Any>>([&]() -> Expected<UnchangedOr<Any>> {
      if (auto entry = inner::findCallback(callbacks_, value))
        return outcome(entry->template get<1>().template CallExpected<Any>(value));
      if (auto entry = inner::findCallback(callbacks_with_kind_, value))
        return outcome(entry->template get<1>().template CallExpected<Any>(
            value, static_cast<int>(this->def_region_kind())));
      return UnchangedOr<Any>(Unchanged());
    });
  }

private:
  static Expected<UnchangedOr<Any>> outcome(Expected<Any> made) {
    if (made.is_err())
      return std::move(made).error();
    return std::move(made).value().template cast<UnchangedOr<Any>>();
  }

  Array<Tuple<int32_t, Function>> callbacks_, callbacks_with_kind_;

  friend class inner::MutateEngineBase<Parent, StructuralMapDynEngine>;
};

namespace inner {
template <typename Engine, typename... Callbacks>
Expected<Any> mutateWith(Any root, Callbacks &&...callbacks) noexcept {
  return callForExpected<Any>([&]() -> Expected<Any> {
    ObjectPtr<Engine> engine = make_object<Engine>(std::forward<Callbacks>(callbacks)...);
    Expected<UnchangedOr<Any>> result = engine->MutateExpected(root, InplaceMode::kAllow);
    engine->endMutation();
    if (result.is_err())
      return result.error();
    return std::move(result).value().ValueOrUnchanged(std::move(root));
  });
}
} // namespace inner

/// What a value becomes where callbacks descend themselves: each is `R(value,
/// StructuralMutatorObj *)`, with an InplaceMode behind it or not, where R is a new value,
/// Unchanged, UnchangedOr, or an Expected of these; it is chosen as in StructuralVisitExpected, and
/// what it returns is not descended into. Other values become what DefaultMutate says. A root that
/// is moved in, and that nobody else owns, may change in place.
template <typename... Callbacks>
Expected<Any> StructuralMutateExpected(Any root, Callbacks &&...callbacks) noexcept {
  return inner::mutateWith<
      StructuralMutateEngine<StructuralMapEngineBase, std::remove_reference_t<Callbacks> &...>>(
      std::move(root), callbacks...);
}
/// The same; throws the error.
template <typename... Callbacks> Any StructuralMutate(Any root, Callbacks &&...callbacks) {
  return StructuralMutateExpected(std::move(root), std::forward<Callbacks>(callbacks)...).value();
}

/// What a value becomes where each value inside is replaced by what a callback makes of it, before
/// or after what it holds is mapped. Callbacks are `R(value)` or `R(value, TVMFFIDefRegionKind)`
/// with R as in StructuralMutateExpected; they leave their value as it is. They see each occurrence
/// of a value; variables stay what they became at their definition.
template <WalkOrder order, typename... Callbacks>
Expected<Any> StructuralMapExpected(Any root, Callbacks &&...callbacks) noexcept {
  return inner::mutateWith<
      StructuralMapEngine<StructuralMapEngineBase, order, std::remove_reference_t<Callbacks> &...>>(
      std::move(root), callbacks...);
}
/// The same; throws the error.
template <WalkOrder order, typename... Callbacks>
Any StructuralMap(Any root, Callbacks &&...callbacks) {
  return StructuralMapExpected<order>(std::move(root), std::forward<Callbacks>(callbacks)...)
      .value();
}

namespace inner {
/// An error on its way out of a function, as any Expected or as a raw value.
class MutateReturn {
public:
  explicit MutateReturn(Error error) : error_(std::move(error)) {}

  operator TVMFFIAny() && { // NOLINT(*)
    return ::tvm::ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(std::move(error_)));
  }
  template <typename T> operator Expected<T>() && { // NOLINT(*)
    return Expected<T>(std::move(error_));
  }

private:
  Error error_;
};

/// The value of a result as a T, empty where it is none.
template <typename T, typename From> std::optional<T> resultAs(Expected<From> &&result) {
  if constexpr (std::is_same_v<T, From>)
    return std::move(result).value();
  else
    return Any(std::move(result).value()).template as<T>();
}
} // namespace inner

} // namespace ffi
} // namespace tvm

/// Returns from a mutating function where the Expected `Result` is an error. The function returns
/// an Expected, or TVMFFIAny.
#define TVM_FFI_S_MUTATE_MAYBE_EARLY_RETURN(Result)                                                \
  do {                                                                                             \
    auto &&tvmFfiResult = (Result);                                                                \
    if (TVM_FFI_PREDICT_FALSE(tvmFfiResult.is_err()))                                              \
      return ::tvm::ffi::inner::MutateReturn(tvmFfiResult.error());                                \
  } while (false)

/// Declares `Name` as what the Expected `ResultExpr` holds; returns from the function where that is
/// an error, or with a TypeError where it is no `Type`. Inside braces.
#define TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(Type, Name, ResultExpr)                                  \
  auto TVM_FFI_STR_CONCAT(Name, _tvmFfiExpected) = (ResultExpr);                                   \
  if (TVM_FFI_PREDICT_FALSE(TVM_FFI_STR_CONCAT(Name, _tvmFfiExpected).is_err()))                   \
    return ::tvm::ffi::inner::MutateReturn(TVM_FFI_STR_CONCAT(Name, _tvmFfiExpected).error());     \
  ::std::optional<Type> TVM_FFI_STR_CONCAT(Name, _tvmFfiValue) =                                   \
      ::tvm::ffi::inner::resultAs<Type>(std::move(TVM_FFI_STR_CONCAT(Name, _tvmFfiExpected)));     \
  if (TVM_FFI_PREDICT_FALSE(!TVM_FFI_STR_CONCAT(Name, _tvmFfiValue)))                              \
    return ::tvm::ffi::inner::MutateReturn(::tvm::ffi::inner::mutateTypeError());                  \
  Type Name = *std::move(TVM_FFI_STR_CONCAT(Name, _tvmFfiValue))

/// The same where the caller knows that it is a `Type`: not checked.
#define TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN(Type, Name, ResultExpr)                           \
  auto TVM_FFI_STR_CONCAT(Name, _tvmFfiExpected) = (ResultExpr);                                   \
  if (TVM_FFI_PREDICT_FALSE(TVM_FFI_STR_CONCAT(Name, _tvmFfiExpected).is_err()))                   \
    return ::tvm::ffi::inner::MutateReturn(TVM_FFI_STR_CONCAT(Name, _tvmFfiExpected).error());     \
  Type Name = ::tvm::ffi::detail::AnyUnsafe::MoveFromAnyAfterCheck<Type>(                          \
      ::tvm::ffi::Any(std::move(TVM_FFI_STR_CONCAT(Name, _tvmFfiExpected)).value()))

// Its names in 0.1.14.
#define TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN_SKIP_CHECK(Type, Name, ResultExpr)                \
  TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN(Type, Name, ResultExpr)
#define TVM_FFI_S_MUTATE_UNSAFE_ASSIGN_OR_RETURN_UNCHECKED(Type, Name, ResultExpr)                 \
  TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN(Type, Name, ResultExpr)

#endif // TVM_FFI_EXTRA_STRUCTURAL_MUTATE_H_
