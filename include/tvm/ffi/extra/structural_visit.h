/// Visiting values by their structure: StructuralWalk calls back for every value inside a value,
/// StructuralVisit lets callbacks descend themselves, StructuralVisitorObj is what both are made
/// of.
#ifndef TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_
#define TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/inner/structural_callbacks.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/registry.h>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/// The object behind a VisitInterrupt.
class VisitInterruptObj : public Object {
public:
  /// What the walk gives back.
  Any value;

  VisitInterruptObj() = default;
  explicit VisitInterruptObj(Any value) : value(std::move(value)) {}

  static constexpr int32_t _type_index = TypeIndex::kTVMFFIVisitInterrupt;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.VisitInterrupt", VisitInterruptObj, Object);
};

/// Ends a walk, with a value.
class VisitInterrupt : public ObjectRef {
public:
  explicit VisitInterrupt(Any value = Any())
      : ObjectRef(make_object<VisitInterruptObj>(std::move(value))) {}

  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(VisitInterrupt, ObjectRef, VisitInterruptObj);
};

/// What a walk's callback says: go on, leave out what the value holds, or end.
class WalkResult : public Variant<VisitInterrupt, int32_t> {
public:
  using Storage = Variant<VisitInterrupt, int32_t>;
  static constexpr int32_t kAdvanceTag = 0;
  static constexpr int32_t kSkipTag = 1;

  static WalkResult Advance() { return WalkResult(Storage(kAdvanceTag)); }
  static WalkResult Skip() { return WalkResult(Storage(kSkipTag)); }
  static WalkResult Interrupt(VisitInterrupt signal = VisitInterrupt()) {
    return WalkResult(Storage(std::move(signal)));
  }

private:
  explicit WalkResult(Storage storage) : Storage(std::move(storage)) {}

  friend struct TypeTraits<WalkResult>;
};

template <> struct TypeTraits<WalkResult> : TypeTraitsBase {
  using Base = TypeTraits<WalkResult::Storage>;
  static void CopyToAnyView(const WalkResult &src, TVMFFIAny *result) {
    Base::CopyToAnyView(src, result);
  }
  static void MoveToAny(WalkResult src, TVMFFIAny *result) {
    Base::MoveToAny(std::move(static_cast<WalkResult::Storage &>(src)), result);
  }
  static bool CheckAnyStrict(const TVMFFIAny *src) { return Base::CheckAnyStrict(src); }
  static WalkResult CopyFromAnyViewAfterCheck(const TVMFFIAny *src) {
    return WalkResult(Base::CopyFromAnyViewAfterCheck(src));
  }
  static WalkResult MoveFromAnyAfterCheck(TVMFFIAny *src) {
    return WalkResult(Base::MoveFromAnyAfterCheck(src));
  }
  static std::optional<WalkResult> TryCastFromAnyView(const TVMFFIAny *src) {
    if (std::optional<WalkResult::Storage> storage = Base::TryCastFromAnyView(src))
      return WalkResult(*std::move(storage));
    return std::nullopt;
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny *src) {
    return Base::GetMismatchTypeInfo(src);
  }
  static std::string TypeStr() { return "WalkResult"; }
  static std::string TypeSchema() { return Base::TypeSchema(); }
};

/// Whether a walk calls back before or after what a value holds.
enum class WalkOrder : int32_t { kPreOrder = 0, kPostOrder = 1 };

class StructuralVisitorObj;

/// A visitor's function as it crosses libraries: returns None to go on, a VisitInterrupt, or an
/// Error; the caller owns it.
using FStructuralVisitABI = TVMFFIAny (*)(StructuralVisitorObj *visitor, AnyView value) noexcept;

/// What a visitor is made of.
struct StructuralVisitorVTable {
  FStructuralVisitABI visit = nullptr;
};

/// A visit under way: what to do with each value, and the region of definitions that it is in. One
/// thread at a time.
class StructuralVisitorObj : public Object {
public:
  /// What callbacks are given.
  using VisitorObjType = StructuralVisitorObj;
  /// What a walk's callbacks are given between the value and the region: a class between a visitor
  /// and its engine may have some.
  using StateTupleType = std::tuple<>;

  /// Visits a value. Nothing, or what ended the visit; throws what was returned as an Error.
  Optional<VisitInterrupt> Visit(AnyView value) { return VisitExpected(value).value(); }
  Expected<Optional<VisitInterrupt>> VisitExpected(AnyView value) noexcept {
    return inner::expectedFromRaw<Optional<VisitInterrupt>>(vtable_->visit(this, value));
  }

  /// Visits what a value holds: by its type's own visiting where it has one, else its reflected
  /// fields that take part in structural equality.
  Optional<VisitInterrupt> DefaultVisit(AnyView value) {
    return DefaultVisitExpected(value).value();
  }
  inline Expected<Optional<VisitInterrupt>> DefaultVisitExpected(AnyView value) noexcept;

  TVMFFIDefRegionKind def_region_kind() const { return def_region_mode_; }
  /// Calls `callback()` in a region. Inside a pattern the region stays the pattern's.
  template <typename Callback>
  decltype(auto) WithDefRegionKind(TVMFFIDefRegionKind kind, Callback &&callback) {
    inner::RegionScope scope(&def_region_mode_, kind);
    return std::forward<Callback>(callback)();
  }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("ffi.StructuralVisitor", StructuralVisitorObj, Object);

protected:
  /// The table has to outlive the visitor.
  explicit StructuralVisitorObj(const StructuralVisitorVTable *vtable) : vtable_(vtable) {}

  StateTupleType StateTuple() const noexcept { return {}; }

  const StructuralVisitorVTable *vtable_;
  TVMFFIDefRegionKind def_region_mode_ = kTVMFFIDefRegionKindNone;

private:
  Expected<Optional<VisitInterrupt>> visitFields(const Object *object);
};
static_assert(sizeof(StructuralVisitorObj) == 40, "layout of a visitor");

/// A reference to a visitor.
class StructuralVisitor : public ObjectRef {
public:
  explicit StructuralVisitor(ObjectPtr<StructuralVisitorObj> visitor)
      : ObjectRef(std::move(visitor)) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralVisitor, ObjectRef, StructuralVisitorObj);
};

/// A type's own visiting: visits what a value holds through the visitor.
using FStructuralVisit =
    reflection::NativeFunctionView<Optional<VisitInterrupt>(StructuralVisitorObj *, AnyView)>;

namespace type_attr {
inline constexpr reflection::AttrKey<FStructuralVisit> kStructuralVisit{"__s_visit__"};
} // namespace type_attr

inline Expected<Optional<VisitInterrupt>>
StructuralVisitorObj::DefaultVisitExpected(AnyView value) noexcept {
  return inner::callForExpected<Optional<VisitInterrupt>>(
      [&]() -> Expected<Optional<VisitInterrupt>> {
        static const reflection::TypeAttrColumn column(type_attr::kStructuralVisit);
        AnyView hook = column[value.type_index()];
        if (hook != nullptr)
          return hook.as_or_throw<FStructuralVisit>().CallExpected(this, value);
        if (value.type_index() < kTVMFFIStaticObjectBegin)
          return std::nullopt;
        return visitFields(::tvm::ffi::detail::AnyUnsafe::RawObjectPtrFromAnyViewAfterCheck(value));
      });
}

inline Expected<Optional<VisitInterrupt>> StructuralVisitorObj::visitFields(const Object *object) {
  const TVMFFITypeInfo *type = TVMFFIGetTypeInfo(object->type_index());
  // A simple definition defines the variable alone.
  bool isSimpleVariable = def_region_mode_ == kTVMFFIDefRegionKindSimple &&
                          inner::structuralKind(type) == kTVMFFISEqHashKindFreeVar;
  inner::RegionScope scope(&def_region_mode_,
                           isSimpleVariable ? kTVMFFIDefRegionKindNone : def_region_mode_);
  Expected<Optional<VisitInterrupt>> result = Optional<VisitInterrupt>();
  reflection::ForEachFieldInfoWithEarlyStop(type, [&](const TVMFFIFieldInfo *field) {
    if (field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore)
      return false;
    Any content = reflection::FieldGetter(field)(object);
    inner::RegionScope inField(&def_region_mode_, inner::regionOfField(def_region_mode_, field));
    result = VisitExpected(content);
    return result.is_err() || result.value().has_value();
  });
  return result;
}

namespace inner {
/// A visitor whose values go to callbacks: its own, or such as live as long as the visit.
template <typename Parent, typename Self> class VisitEngineBase : public Parent {
protected:
  VisitEngineBase() : Parent(&table) {}

  WalkDepth depth_;
  bool isOver_ = false;

public:
  /// A language may hold the visitor longer than its visit.
  void endVisit() { isOver_ = true; }

private:
  static TVMFFIAny visit(StructuralVisitorObj *visitor, AnyView value) noexcept {
    Self *self = static_cast<Self *>(visitor);
    if (value == nullptr)
      return AnyView().CopyToTVMFFIAny();
    if (TVM_FFI_PREDICT_FALSE(self->isOver_))
      return rawExpected<Optional<VisitInterrupt>>(
          Error("RuntimeError", "A visitor was used after its visit", std::string()));
    LevelScope level(&self->depth_);
    if (TVM_FFI_PREDICT_FALSE(level.tooDeep()))
      return rawExpected<Optional<VisitInterrupt>>(
          nestingError("StructuralVisit", self->depth_.levels));
    Expected<Optional<VisitInterrupt>> result = self->visitValue(value);
    if (TVM_FFI_PREDICT_FALSE(result.is_err()))
      recordVisit(result.error(), value);
    return rawExpected(std::move(result));
  }
  static constexpr StructuralVisitorVTable table{&visit};
};
} // namespace inner

/// A visitor whose callbacks descend themselves: StructuralVisit's.
template <typename Parent, typename... Callbacks>
class StructuralVisitEngine
    : public inner::VisitEngineBase<Parent, StructuralVisitEngine<Parent, Callbacks...>> {
public:
  explicit StructuralVisitEngine(Callbacks... callbacks)
      : callbacks_(std::forward<Callbacks>(callbacks)...) {}

  Expected<Optional<VisitInterrupt>> visitValue(AnyView value) noexcept {
    std::optional<Expected<Optional<VisitInterrupt>>> result;
    if (inner::callFirst(callbacks_, value, &result,
                         std::tuple(static_cast<typename Parent::VisitorObjType *>(this))))
      return *std::move(result);
    return this->DefaultVisitExpected(value);
  }

private:
  std::tuple<Callbacks...> callbacks_;
};

/// A visitor that descends everywhere and calls back for each value: StructuralWalk's.
template <typename Parent, WalkOrder order, typename... Callbacks>
class StructuralWalkEngine
    : public inner::VisitEngineBase<Parent, StructuralWalkEngine<Parent, order, Callbacks...>> {
public:
  using StateTupleType = typename Parent::StateTupleType;

  explicit StructuralWalkEngine(Callbacks... callbacks)
      : callbacks_(std::forward<Callbacks>(callbacks)...) {}

  Expected<Optional<VisitInterrupt>> visitValue(AnyView value) noexcept {
    if constexpr (order == WalkOrder::kPostOrder) {
      Expected<Optional<VisitInterrupt>> inside = this->DefaultVisitExpected(value);
      if (inside.is_err() || inside.value().has_value())
        return inside;
    }
    std::optional<Expected<WalkResult>> result;
    if (inner::callFirst(callbacks_, value, &result,
                         std::tuple_cat(this->StateTuple(), std::tuple(this->def_region_kind())))) {
      if (result->is_err())
        return result->error();
      WalkResult said = result->value();
      if (std::optional<VisitInterrupt> interrupt = said.template as<VisitInterrupt>())
        return Optional<VisitInterrupt>(*std::move(interrupt));
      if (said.template get<int32_t>() == WalkResult::kSkipTag)
        return Optional<VisitInterrupt>();
    }
    if constexpr (order == WalkOrder::kPreOrder)
      return this->DefaultVisitExpected(value);
    else
      return Optional<VisitInterrupt>();
  }

private:
  std::tuple<Callbacks...> callbacks_;
};

namespace inner {
template <typename Engine, typename... Callbacks>
Expected<Optional<VisitInterrupt>> visitWith(AnyView root, Callbacks &...callbacks) noexcept {
  return callForExpected<Optional<VisitInterrupt>>([&] {
    ObjectPtr<Engine> engine = make_object<Engine>(callbacks...);
    Expected<Optional<VisitInterrupt>> result = engine->VisitExpected(root);
    engine->endVisit();
    return result;
  });
}
} // namespace inner

/// Visits a value; each callback is `Optional<VisitInterrupt>(value, StructuralVisitorObj *)`, or
/// returns an Expected of it, and is called for values of its first parameter's type (AnyView: for
/// all), the first that fits. It descends itself, by the visitor's VisitExpected or
/// DefaultVisitExpected. Values that none fits are descended into. Errors know the way to where
/// they were (VisitErrorContext).
template <typename... Callbacks>
Expected<Optional<VisitInterrupt>> StructuralVisitExpected(AnyView root,
                                                           Callbacks &&...callbacks) noexcept {
  return inner::visitWith<
      StructuralVisitEngine<StructuralVisitorObj, std::remove_reference_t<Callbacks> &...>>(
      root, callbacks...);
}
/// The same; throws the error.
template <typename... Callbacks>
Optional<VisitInterrupt> StructuralVisit(AnyView root, Callbacks &&...callbacks) {
  return StructuralVisitExpected(root, std::forward<Callbacks>(callbacks)...).value();
}

/// Walks through a value and all that it holds, as a tree: what is held twice is met twice. Each
/// callback is `WalkResult(value)` or `WalkResult(value, TVMFFIDefRegionKind)`, or returns an
/// Expected of it, and is chosen as in StructuralVisitExpected.
template <WalkOrder order, typename... Callbacks>
Expected<Optional<VisitInterrupt>> StructuralWalkExpected(AnyView root,
                                                          Callbacks &&...callbacks) noexcept {
  return inner::visitWith<
      StructuralWalkEngine<StructuralVisitorObj, order, std::remove_reference_t<Callbacks> &...>>(
      root, callbacks...);
}
/// The same; throws the error.
template <WalkOrder order, typename... Callbacks>
Optional<VisitInterrupt> StructuralWalk(AnyView root, Callbacks &&...callbacks) {
  return StructuralWalkExpected<order>(root, std::forward<Callbacks>(callbacks)...).value();
}

namespace inner {
inline bool endsVisit(const Expected<Optional<VisitInterrupt>> &result) {
  return result.is_err() || result.value().has_value();
}
inline bool endsVisit(const Optional<VisitInterrupt> &result) { return result.has_value(); }

/// A result on its way out of a function, whichever of the forms that returns.
class VisitReturn {
public:
  explicit VisitReturn(Expected<Optional<VisitInterrupt>> result) : result_(std::move(result)) {}

  operator TVMFFIAny() && { return rawExpected(std::move(result_)); }             // NOLINT(*)
  operator Expected<Optional<VisitInterrupt>>() && { return std::move(result_); } // NOLINT(*)
  operator Optional<VisitInterrupt>() && { return std::move(result_).value(); }   // NOLINT(*)

private:
  Expected<Optional<VisitInterrupt>> result_;
};
} // namespace inner

} // namespace ffi
} // namespace tvm

/// Returns from a visiting function where `Result` is an error or ends the visit. The function may
/// return Optional<VisitInterrupt>, an Expected of it, or TVMFFIAny.
#define TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN(Result)                                                 \
  do {                                                                                             \
    auto tvmFfiResult = (Result);                                                                  \
    if (TVM_FFI_PREDICT_FALSE(::tvm::ffi::inner::endsVisit(tvmFfiResult)))                         \
      return ::tvm::ffi::inner::VisitReturn(std::move(tvmFfiResult));                              \
  } while (false)

#endif // TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_
