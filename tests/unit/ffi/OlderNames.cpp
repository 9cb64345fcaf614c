/// Names that 0.1.10 to 0.1.14 published and 0.1.15 renamed: they compile, with a warning that says
/// the new name.
#include <tvm/ffi/extra/dtype.h>
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/reflection/enum_def.h>

#include <type_traits>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

static_assert(int{kTVMFFIDefRegionKindRecursive} == kTVMFFIDefRegionKindPattern);
static_assert(int{kTVMFFIDefRegionKindNonRecursive} == kTVMFFIDefRegionKindSimple);
static_assert(int{kTVMFFIFieldFlagBitMaskSEqHashDef} == kTVMFFIFieldFlagBitMaskSEqHashDefPattern);
static_assert(int{kTVMFFIFieldFlagBitMaskSEqHashDefRecursive} ==
              kTVMFFIFieldFlagBitMaskSEqHashDefPattern);
static_assert(int{kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive} ==
              kTVMFFIFieldFlagBitMaskSEqHashDefSimple);
static_assert(tvm_ffi::dtype_trait<float>::value.bits == 32);
static_assert(std::is_same_v<ffi::details::AnyUnsafe, ffi::detail::AnyUnsafe>);

namespace {
struct NodeObj : ffi::Object {
  ffi::Any defined, bound;
  static void define() {
    refl::ObjectDef<NodeObj>()
        .def_ro("defined", &NodeObj::defined, refl::AttachFieldFlag::SEqHashDefRecursive())
        .def_ro("bound", &NodeObj::bound, refl::AttachFieldFlag::SEqHashDefNonRecursive());
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.OlderNode", NodeObj, ffi::Object);
};

struct ColourObj : ffi::EnumObj {
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.OlderColour", ColourObj, ffi::EnumObj);
};
int64_t number(refl::EnumDef<ColourObj> &definition) {
  return definition.instance().same_as(definition.value()) ? definition.ordinal() : -1;
}

ffi::Expected<ffi::UnchangedOr<ffi::Any>> assigned(ffi::StructuralMutatorObj *mutator,
                                                   ffi::AnyView value) {
  TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN_SKIP_CHECK(ffi::UnchangedOr<ffi::Any>, first,
                                                      mutator->MaybeInplaceMutateExpected(value));
  TVM_FFI_S_MUTATE_UNSAFE_ASSIGN_OR_RETURN_UNCHECKED(
      ffi::UnchangedOr<ffi::Any>, second, mutator->DefaultMaybeInplaceMutateExpected(value));
  (void)mutator->MaybeInplaceMutate(value);
  (void)mutator->MaybeInplaceMutateIfUniqueExpected(value);
  return first;
}

ffi::Expected<ffi::Optional<ffi::VisitInterrupt>> visited(ffi::StructuralVisitorObj *visitor,
                                                          ffi::AnyView value) {
  TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN_WITH_ERROR_CONTEXT(visitor->VisitExpected(value), value);
  return ffi::Optional<ffi::VisitInterrupt>();
}
} // namespace

// The compiler would leave these out otherwise.
void *const olderNames[] = {reinterpret_cast<void *>(&NodeObj::define),
                            reinterpret_cast<void *>(&number), reinterpret_cast<void *>(&assigned),
                            reinterpret_cast<void *>(&visited)};
