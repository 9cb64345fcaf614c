/// VisitInterrupt: what ends a walk through values early.
#ifndef TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_
#define TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/base.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>

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

/// Ends a walk, with a value. May be null where nothing ended it.
class VisitInterrupt : public ObjectRef {
public:
  explicit VisitInterrupt(Any value)
      : ObjectRef(make_object<VisitInterruptObj>(std::move(value))) {}

  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(VisitInterrupt, ObjectRef, VisitInterruptObj);
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_EXTRA_STRUCTURAL_VISIT_H_
