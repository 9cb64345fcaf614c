/// What structural visiting and mutation share: regions of definitions, callbacks that are chosen
/// by the type of their first parameter, results as raw values.
#ifndef TVM_FFI_INNER_STRUCTURAL_CALLBACKS_H_
#define TVM_FFI_INNER_STRUCTURAL_CALLBACKS_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/expected.h>
#include <tvm/ffi/function_detail.h>
#include <tvm/ffi/reflection/accessor.h>

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace inner {

/// In a region until the end of the block. What a pattern holds stays in the pattern's region.
class RegionScope {
public:
  RegionScope(TVMFFIDefRegionKind *region, TVMFFIDefRegionKind entered)
      : region_(region), before_(*region) {
    if (before_ != kTVMFFIDefRegionKindPattern)
      *region = entered;
  }
  ~RegionScope() { *region_ = before_; }
  RegionScope(const RegionScope &) = delete;
  RegionScope &operator=(const RegionScope &) = delete;

private:
  TVMFFIDefRegionKind *region_;
  TVMFFIDefRegionKind before_;
};

/// The region that a field's value is in, inside `current`.
inline TVMFFIDefRegionKind regionOfField(TVMFFIDefRegionKind current,
                                         const TVMFFIFieldInfo *field) {
  if (field->flags & kTVMFFIFieldFlagBitMaskSEqHashDefPattern)
    return kTVMFFIDefRegionKindPattern;
  if (field->flags & kTVMFFIFieldFlagBitMaskSEqHashDefSimple)
    return kTVMFFIDefRegionKindSimple;
  return current;
}

inline TVMFFISEqHashKind structuralKind(const TVMFFITypeInfo *type) {
  return type->metadata ? static_cast<TVMFFISEqHashKind>(type->metadata->structural_eq_hash_kind)
                        : kTVMFFISEqHashKindUnsupported;
}

/// What a walk that came too deep returns.
TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE inline Error nestingError(const char *who, int levels) {
  return Error(
      "ValueError",
      concat(who, ": values are nested more than ", std::to_string(levels - 1), " levels deep"),
      std::string());
}

/// How deep a walk is. Each level takes stack, how much depends on what the callbacks do: half of
/// what a thread usually has is the limit, and some thousands of levels.
struct WalkDepth {
  static constexpr int kMostLevels = 5000;
  static constexpr size_t kMostStack = size_t(4) << 20;

  int levels = 0;
  const char *first = nullptr;
};

/// Counts a level of a walk until the end of the block.
class LevelScope {
public:
  explicit LevelScope(WalkDepth *depth) : depth_(depth) {
    if (depth->levels++ == 0)
      depth->first = here();
  }
  ~LevelScope() { --depth_->levels; }
  LevelScope(const LevelScope &) = delete;
  LevelScope &operator=(const LevelScope &) = delete;
  bool tooDeep() const {
    const char *now = here();
    size_t used =
        static_cast<size_t>(now < depth_->first ? depth_->first - now : now - depth_->first);
    return depth_->levels > WalkDepth::kMostLevels || used > WalkDepth::kMostStack;
  }

private:
  static const char *here() { return static_cast<const char *>(__builtin_frame_address(0)); }

  WalkDepth *depth_;
};

/// An Expected as the raw value that crosses libraries, and back. TypeError for a value that is no
/// T.
template <typename T> TVMFFIAny rawExpected(Expected<T> &&expected) noexcept {
  return detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(std::move(expected)));
}
template <typename T> Expected<T> expectedFromRaw(TVMFFIAny raw) noexcept {
  Any value = detail::AnyUnsafe::MoveTVMFFIAnyRawToAny(raw);
  if (TVM_FFI_PREDICT_TRUE(detail::AnyUnsafe::CheckAnyStrict<Expected<T>>(value)))
    return detail::AnyUnsafe::MoveFromAnyAfterCheck<Expected<T>>(std::move(value));
  return Error("TypeError",
               concat("A structural function returned `", value.GetTypeKey(), "` where `",
                      TypeTraits<T>::TypeStr(), "` is due"),
               std::string());
}

/// What `function` returns or throws.
template <typename R, typename F> Expected<R> callForExpected(F &&function) noexcept {
  try {
    return Expected<R>(std::forward<F>(function)());
  } catch (const Error &error) {
    return Expected<R>(Error(error));
  } catch (const std::exception &error) {
    return Expected<R>(Error("InternalError", error.what(), std::string()));
  }
}

template <typename Callback>
using CallbackInfo =
    ::tvm::ffi::detail::FunctionInfo<std::remove_cv_t<std::remove_reference_t<Callback>>>;
/// What a callback takes, without reference.
template <typename Callback>
using CallbackValue =
    std::decay_t<std::tuple_element_t<0, typename CallbackInfo<Callback>::ArgType>>;

/// Whether a callback for Ts takes a value: one that is exactly a T, or where an Any cannot hold a
/// T, one that converts.
template <typename T> bool takesValue(AnyView value) {
  if constexpr (std::is_same_v<T, AnyView> || std::is_same_v<T, Any>) {
    return true;
  } else if constexpr (TypeTraits<T>::storage_enabled || std::is_pointer_v<T>) {
    return detail::AnyUnsafe::CheckAnyViewStrict<T>(value);
  } else {
    return value.template try_cast<T>().has_value();
  }
}
template <typename T> T takeValue(AnyView value) {
  if constexpr (std::is_same_v<T, AnyView>) {
    return value;
  } else if constexpr (std::is_same_v<T, Any>) {
    return Any(value);
  } else if constexpr (TypeTraits<T>::storage_enabled || std::is_pointer_v<T>) {
    TVMFFIAny raw = value.CopyToTVMFFIAny();
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(&raw);
  } else {
    return *value.template try_cast<T>();
  }
}

/// Calls a callback with a value, and with as many of `more` as it has parameters for.
template <typename Callback, typename... More, size_t... Index>
decltype(auto) callWith(Callback &callback, AnyView value,
                        [[maybe_unused]] const std::tuple<More...> &more,
                        std::index_sequence<Index...>) {
  return callback(takeValue<CallbackValue<Callback>>(value), std::get<Index>(more)...);
}

/// Calls the first of the callbacks that takes the value. Whether there was one.
template <typename R, typename... Callbacks, typename... More>
bool callFirst(std::tuple<Callbacks...> &callbacks, AnyView value,
               std::optional<Expected<R>> *result, const std::tuple<More...> &more) noexcept {
  auto attempt = [&](auto &callback) {
    using Callback = std::remove_reference_t<decltype(callback)>;
    constexpr size_t numArgs = CallbackInfo<Callback>::num_args;
    static_assert(numArgs >= 1 && numArgs <= 1 + sizeof...(More),
                  "a callback takes the value, and may take what follows it");
    if (!takesValue<CallbackValue<Callback>>(value))
      return false;
    result->emplace(callForExpected<R>([&]() -> decltype(auto) {
      return callWith(callback, value, more, std::make_index_sequence<numArgs - 1>());
    }));
    return true;
  };
  return std::apply([&](auto &...callback) { return (attempt(callback) || ...); }, callbacks);
}

/// A column of attributes, found once.
inline AnyView structuralHook(const reflection::TypeAttrColumn &column, AnyView value) {
  return column[value.type_index()];
}

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_STRUCTURAL_CALLBACKS_H_
