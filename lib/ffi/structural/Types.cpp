/// The types of structural visitors and mutators, and the columns of types' own functions for them.
#include "tvm/ffi/extra/structural_mutate.h"
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
