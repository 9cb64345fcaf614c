/// Mutation of containers, and mutations whose callbacks are functions of other languages.
#include "../reflection/Walk.h"
#include "Entries.h"
#include "tvm/ffi/big_int.h"
#include "tvm/ffi/container/dict.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/container/map.h"
#include "tvm/ffi/extra/structural_mutate.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

namespace {

using Outcome = Expected<UnchangedOr<Any>>;

/// Texts and numbers hold nothing.
Outcome keep(StructuralMutatorObj *, AnyView) { return UnchangedOr<Any>(Unchanged()); }

Outcome mutateSequence(StructuralMutatorObj *mutator, AnyView value) {
  ObjectRef source = value.as_or_throw<ObjectRef>();
  SequenceView before(source.get());
  // Held and compared, as what callbacks do may change a List.
  std::vector<Any> items(before.begin(), before.end());
  bool anyNew = false;
  for (Any &item : items) {
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<Any>, made, mutator->MutateExpected(item));
    if (made.UnchangedOrSameAs(item))
      continue;
    item = std::move(made).ValueUnchecked();
    anyNew = true;
  }
  if (!anyNew)
    return UnchangedOr<Any>(Unchanged());
  if (value.type_index() == kTVMFFIArray)
    return UnchangedOr<Any>(Any(Array<Any>(items.begin(), items.end())));
  return UnchangedOr<Any>(Any(List<Any>(items.begin(), items.end())));
}

/// Of an Array or a List that nobody else owns.
Outcome changeSequence(StructuralMutatorObj *mutator, AnyView value) {
  const Object *source = objectOf(value);
  for (int64_t i = 0; i < SequenceView(source).count; ++i) {
    // The sequence's own reference is the item's only one.
    AnyView item = SequenceView(source).first[i];
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<Any>, made,
                                      mutator->MutateExpected(item, InplaceMode::kAllow));
    if (!made.UnchangedOrSameAs(item))
      const_cast<Any &>(SequenceView(source).first[i]) = std::move(made).ValueUnchecked();
  }
  return UnchangedOr<Any>(Unchanged());
}

Outcome mutateMapping(StructuralMutatorObj *mutator, AnyView value) {
  const MapBaseObj &source = *mapOf(objectOf(value));
  std::vector<std::pair<Any, Any>> entries(source.begin(), source.end());
  bool anyNew = false;
  for (auto &[key, item] : entries) {
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<Any>, made, mutator->MutateExpected(item));
    if (made.UnchangedOrSameAs(item))
      continue;
    item = std::move(made).ValueUnchecked();
    anyNew = true;
  }
  if (!anyNew)
    return UnchangedOr<Any>(Unchanged());
  if (value.type_index() == kTVMFFIMap)
    return UnchangedOr<Any>(Any(Map<Any, Any>(entries.begin(), entries.end())));
  return UnchangedOr<Any>(Any(Dict<Any, Any>(entries.begin(), entries.end())));
}

/// Of a Map or a Dict that nobody else owns.
Outcome changeMapping(StructuralMutatorObj *mutator, AnyView value) {
  const MapBaseObj *source = mapOf(objectOf(value));
  for (const auto &entry : *source) {
    AnyView item = entry.second;
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<Any>, made,
                                      mutator->MutateExpected(item, InplaceMode::kAllow));
    if (!made.UnchangedOrSameAs(item))
      const_cast<Any &>(entry.second) = std::move(made).ValueUnchecked();
  }
  return UnchangedOr<Any>(Unchanged());
}

Any map(Any root, const Entries<> &plain, const Entries<> &withRegion, int32_t order) {
  auto callBack = [&](AnyView value, TVMFFIDefRegionKind region) -> Outcome {
    Expected<Any> made = Any(Unchanged());
    if (auto entry = findEntry(plain, value))
      made = entry->get<1>().CallExpected<Any>(value);
    else if (auto other = findEntry(withRegion, value))
      made = other->get<1>().CallExpected<Any>(value, static_cast<int>(region));
    return made.is_err() ? Outcome(made.error()) : Outcome(made.value().cast<UnchangedOr<Any>>());
  };
  if (order == static_cast<int32_t>(WalkOrder::kPreOrder))
    return StructuralMap<WalkOrder::kPreOrder>(std::move(root), callBack);
  if (order == static_cast<int32_t>(WalkOrder::kPostOrder))
    return StructuralMap<WalkOrder::kPostOrder>(std::move(root), callBack);
  TVM_FFI_THROW(ValueError) << "Expected an order, which are 0 (before what a value holds) and 1 "
                               "(after); got "
                            << order;
  TVM_FFI_UNREACHABLE();
}

Any mutate(Any root, const Entries<bool> &entries) {
  auto callBack = [&](AnyView value, StructuralMutatorObj *mutator, InplaceMode mode) -> Outcome {
    auto entry = findEntry(entries, value);
    if (!entry)
      return mutator->DefaultMutateExpected(value, mode);
    Function function = entry->template get<1>();
    Expected<Any> made = entry->template get<2>()
                             ? function.CallExpected<Any>(value, mutator, static_cast<int>(mode))
                             : function.CallExpected<Any>(value, mutator);
    return made.is_err() ? Outcome(made.error()) : Outcome(made.value().cast<UnchangedOr<Any>>());
  };
  return StructuralMutate(std::move(root), callBack);
}

StructuralMutatorObj *get(const StructuralMutator &mutator) {
  return const_cast<StructuralMutatorObj *>(mutator.get());
}

template <auto Fn, auto InPlaceFn> void registerMutate(int32_t type) {
  inner::registerTypeAttr(type, tvm::ffi::type_attr::kStructuralMutate.name,
                          Any(FStructuralMutate::FromNative<Fn>()));
  inner::registerTypeAttr(type, tvm::ffi::type_attr::kStructuralMaybeInplaceMutate.name,
                          Any(FStructuralMutate::FromNative<InPlaceFn>()));
}

} // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  for (int32_t type : {kTVMFFIStr, kTVMFFIBytes, kTVMFFIBigInt})
    registerMutate<&keep, &keep>(type);
  for (int32_t type : {kTVMFFIArray, kTVMFFIList})
    registerMutate<&mutateSequence, &changeSequence>(type);
  for (int32_t type : {kTVMFFIMap, kTVMFFIDict})
    registerMutate<&mutateMapping, &changeMapping>(type);
  GlobalDef()
      .def("ffi.StructuralMap", &map)
      .def("ffi.StructuralMutate", &mutate)
      .def("ffi.StructuralMutatorMutate",
           [](const StructuralMutator &mutator, Any value) {
             return get(mutator)->Mutate(value).ValueOrUnchanged(value);
           })
      .def("ffi.StructuralMutatorDefaultMutate",
           [](const StructuralMutator &mutator, Any value) {
             return get(mutator)->DefaultMutate(value).ValueOrUnchanged(value);
           })
      .def("ffi.StructuralMutatorVarRemapGet",
           [](const StructuralMutator &mutator, AnyView var) {
             return get(mutator)->VarRemapGetExpected(var).value();
           })
      .def("ffi.StructuralMutatorVarRemapSet",
           [](const StructuralMutator &mutator, AnyView var, AnyView mapped) {
             get(mutator)->VarRemapSetExpected(var, mapped).value();
           })
      .def("ffi.StructuralMutatorDefRegionKind",
           [](const StructuralMutator &mutator) {
             return static_cast<int>(mutator->def_region_kind());
           })
      .def("ffi.StructuralMutatorWithDefRegionKind",
           [](const StructuralMutator &mutator, int kind, const Function &callback) {
             return get(mutator)->WithDefRegionKind(regionKind(kind), [&] { return callback(); });
           });
}
