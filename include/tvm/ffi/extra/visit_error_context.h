/// VisitErrorContext: the way that a recursive visit had gone when an error ended it.
#ifndef TVM_FFI_EXTRA_VISIT_ERROR_CONTEXT_H_
#define TVM_FFI_EXTRA_VISIT_ERROR_CONTEXT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/registry.h>

#include <optional>
#include <sstream>
#include <utility>

namespace tvm {
namespace ffi {

/// The object behind a VisitErrorContext.
class VisitErrorContextObj : public Object {
public:
  /// The objects that were being visited, the innermost first; some may be missing.
  List<ObjectRef> reverse_visit_pattern;
  /// What the error's extra context was before.
  Optional<ObjectRef> prev_error_context;

  VisitErrorContextObj() = default;
  VisitErrorContextObj(List<ObjectRef> pattern, Optional<ObjectRef> previous)
      : reverse_visit_pattern(std::move(pattern)), prev_error_context(std::move(previous)) {}

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.VisitErrorContext", VisitErrorContextObj, Object);
};

/// The extra context of an error that crossed TVM_FFI_VISIT_END or a structural visit.
class VisitErrorContext : public ObjectRef {
public:
  explicit VisitErrorContext(ObjectPtr<VisitErrorContextObj> context)
      : ObjectRef(std::move(context)) {}
  /// What an error has of it.
  static Optional<VisitErrorContext> TryGetFromError(const Error &error) {
    if (std::optional<ObjectRef> context = error.extra_context())
      if (std::optional<VisitErrorContext> found = context->as<VisitErrorContext>())
        return *std::move(found);
    return std::nullopt;
  }
  /// The ways from `root` along which the context's objects follow each other, others between them
  /// or not. `allow_prefix_match`: also the ways to objects that hold no others (but empty
  /// containers) where only the outermost of them were met. ValueError past a depth of 5000.
  TVM_FFI_EXTRA_CXX_API static Array<reflection::AccessPath>
  FindAccessPaths(const ObjectRef &root, const VisitErrorContext &visit_context,
                  bool allow_prefix_match = false);

  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(VisitErrorContext, ObjectRef, VisitErrorContextObj);
};

namespace inner {
/// Appends what was being visited to an error's context, which is made where there is none. Values
/// that are no objects leave no trace.
inline void recordVisit(const Error &error, AnyView node) {
  if (node.type_index() < kTVMFFIStaticObjectBegin)
    return;
  ObjectRef object = node.as_or_throw<ObjectRef>();
  ErrorObj *raised = const_cast<ErrorObj *>(error.get());
  if (Optional<VisitErrorContext> context = VisitErrorContext::TryGetFromError(error)) {
    List<ObjectRef> pattern = (*context)->reverse_visit_pattern;
    if (pattern.empty() || !pattern.back().same_as(object))
      pattern.push_back(std::move(object));
    return;
  }
  Optional<ObjectRef> previous;
  if (std::optional<ObjectRef> before = error.extra_context())
    previous = *std::move(before);
  ObjectRef context(
      make_object<VisitErrorContextObj>(List<ObjectRef>{std::move(object)}, std::move(previous)));
  TVMFFIObjectHandle replaced = raised->extra_context;
  raised->extra_context =
      ::tvm::ffi::detail::ObjectUnsafe::MoveObjectRefToTVMFFIObjectPtr(std::move(context));
  ::tvm::ffi::detail::ObjectUnsafe::DecRefObjectHandle(replaced);
}

} // namespace inner

namespace detail {
/// Appends what was being visited to an error's context, which is made where there is none.
inline void UpdateVisitErrorContext(Error &error, AnyView node) noexcept {
  inner::recordVisit(error, node);
}
inline void UpdateVisitErrorContext(Error &error, const ObjectRef &node) noexcept {
  inner::recordVisit(error, node);
}
} // namespace detail

namespace inner {
/// Gathers the message of an error and throws it, with a node as what was visited.
class VisitThrower {
public:
  VisitThrower(const char *kind, const TVMFFIByteArray *backtrace, AnyView node)
      : kind(kind), backtrace(toText(*backtrace)), node(node) {}
  [[noreturn]] TVM_FFI_COLD_CODE ~VisitThrower() noexcept(false) {
    Error error(kind, message.str(), std::move(backtrace));
    recordVisit(error, node);
    throw error;
  }
  std::ostream &stream() { return message; }

private:
  const char *kind;
  std::string backtrace;
  Any node;
  std::ostringstream message;
};
} // namespace inner
} // namespace ffi
} // namespace tvm

/// Opens what TVM_FFI_VISIT_END(node) closes, in one function: `node` is added to the context of
/// errors that pass.
#define TVM_FFI_VISIT_BEGIN() try {
#define TVM_FFI_VISIT_END(node)                                                                    \
  }                                                                                                \
  catch (const ::tvm::ffi::Error &tvmFfiError) {                                                   \
    ::tvm::ffi::inner::recordVisit(tvmFfiError, node);                                             \
    throw;                                                                                         \
  }
/// The same in a function that returns an Expected: the error is returned.
#define TVM_FFI_VISIT_END_RETURN_EXPECTED(node)                                                    \
  }                                                                                                \
  catch (const ::tvm::ffi::Error &tvmFfiError) {                                                   \
    ::tvm::ffi::inner::recordVisit(tvmFfiError, node);                                             \
    return ::tvm::ffi::Error(tvmFfiError);                                                         \
  }
/// TVM_FFI_THROW with `node` as the innermost of what was visited.
#define TVM_FFI_VISIT_THROW(ErrorKind, node)                                                       \
  ::tvm::ffi::inner::VisitThrower(#ErrorKind,                                                      \
                                  TVMFFIBacktrace(__FILE__, __LINE__, TVM_FFI_FUNC_SIG, 0), node)  \
      .stream()

#endif // TVM_FFI_EXTRA_VISIT_ERROR_CONTEXT_H_
