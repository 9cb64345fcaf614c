/// The types and the type attributes of structural visitors and mutators.
///
/// The library only makes their names and layouts known, which a language needs to describe its own
/// classes; nothing here walks or changes values.
#include "tvm/ffi/extra/structural_visit.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

namespace {

/// The layout that both kinds of walkers have: a table of functions and the region they are in.
class StructuralVisitorObj : public Object {
public:
  StructuralVisitorObj() = delete;

  const void *functions;
  TVMFFIDefRegionKind region;

  TVM_FFI_DECLARE_OBJECT_INFO("ffi.StructuralVisitor", StructuralVisitorObj, Object);
};

class StructuralMutatorObj : public Object {
public:
  StructuralMutatorObj() = delete;

  const void *functions;
  TVMFFIDefRegionKind region;

  TVM_FFI_DECLARE_OBJECT_INFO("ffi.StructuralMutator", StructuralMutatorObj, Object);
};

static_assert(sizeof(StructuralVisitorObj) == 40);
static_assert(sizeof(StructuralMutatorObj) == 40);
static_assert(sizeof(VisitInterruptObj) == 40);

} // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  for (const char *column : {"__s_visit__", "__s_mutate__", "__s_maybe_inplace_mutate__"})
    EnsureTypeAttrColumn(column);
  ObjectDef<VisitInterruptObj>(init(false)).def_rw("value", &VisitInterruptObj::value);
  ObjectDef<StructuralVisitorObj>(init(false));
  ObjectDef<StructuralMutatorObj>(init(false));
  GlobalDef().def("ffi.VisitInterrupt", [](Any value) { return VisitInterrupt(std::move(value)); });
}
