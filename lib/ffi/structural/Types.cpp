/// The types of structural visitors and mutators, and the columns of types' own functions for them.
#include "tvm/ffi/extra/structural_mutate.h"

#include "tvm/ffi/extra/structural_key.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

static_assert(sizeof(VisitInterruptObj) == 40);
static_assert(sizeof(VisitErrorContextObj) == 40);
static_assert(sizeof(StructuralMapEngineBase) == 96);

TVM_FFI_STATIC_INIT_BLOCK() {
  EnsureTypeAttrColumn(type_attr::kStructuralVisit);
  EnsureTypeAttrColumn(type_attr::kStructuralMutate);
  EnsureTypeAttrColumn(type_attr::kStructuralMaybeInplaceMutate);
  ObjectDef<VisitInterruptObj>(init(false)).def_rw("value", &VisitInterruptObj::value);
  ObjectDef<VisitErrorContextObj>(init(false))
      .def_ro("reverse_visit_pattern", &VisitErrorContextObj::reverse_visit_pattern)
      .def_ro("prev_error_context", &VisitErrorContextObj::prev_error_context);
  ObjectDef<StructuralVisitorObj>(init(false));
  ObjectDef<StructuralMutatorObj>(init(false));
  GlobalDef().def("ffi.VisitInterrupt", [](Any value) { return VisitInterrupt(std::move(value)); });
}

// StructuralKey: its registration, and its objects as keys.

static_assert(sizeof(StructuralKeyObj) == 48);

namespace {

bool equalKeys(AnyView lhs, AnyView rhs) {
  return lhs.same_as(rhs) || lhs.cast<StructuralKey>() == rhs.cast<StructuralKey>();
}

} // namespace

// Functions, not pointers: kernels before and after 0.1.15 call pointers differently.
TVM_FFI_STATIC_INIT_BLOCK() {
  ObjectDef<StructuralKeyObj>()
      .def_ro("key", &StructuralKeyObj::key)
      .def_ro("hash_i64", &StructuralKeyObj::hash_i64)
      .def(init<Any>(), "Constructor that takes any key and computes its structural hash");
  int32_t type = StructuralKeyObj::RuntimeTypeIndex();
  inner::registerTypeAttr(type, "__any_hash__",
                          Function::FromTyped([](StructuralKey key) { return key->hash_i64; }));
  inner::registerTypeAttr(type, "__any_equal__", Function::FromTyped(equalKeys));
  GlobalDef()
      .def("ffi.StructuralKey", [](Any key) { return StructuralKey(std::move(key)); })
      .def("ffi.StructuralKeyEqual",
           [](Any lhs, Any rhs) { return equalKeys(AnyView(lhs), AnyView(rhs)); });
}
