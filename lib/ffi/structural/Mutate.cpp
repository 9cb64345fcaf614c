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

using Mutated = Expected<UnchangedOr<Any>>;

/// Texts and numbers hold nothing.
Mutated keep(StructuralMutatorObj *, AnyView) { return UnchangedOr<Any>(Unchanged()); }

/// Mutates `count` values: `at(i)` is one of them. Calls `set(i, new)` for each changed one, and
/// `begin()` before the first of them.
template <typename At, typename Begin, typename Set>
Mutated mutateEach(StructuralMutatorObj *mutator, size_t count, At at, Begin begin, Set set) {
  bool anyNew = false;
  for (size_t i = 0; i < count; ++i) {
    AnyView item = at(i);
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<Any>, mutated, mutator->MutateExpected(item));
    if (mutated.UnchangedOrSameAs(item))
      continue;
    if (!std::exchange(anyNew, true))
      begin();
    set(i, std::move(mutated).ValueUnchecked());
  }
  return UnchangedOr<Any>(Unchanged());
}

// Values of an Array and of a Map are borrowed: a callback sees whether the container is their only
// owner. Values of a List and a Dict are owned, since callbacks may change the container.

Mutated mutateArray(StructuralMutatorObj *mutator, AnyView value) {
  SequenceView items(objectOf(value));
  ObjectPtr<ArrayObj> copy;
  Mutated outcome = mutateEach(
      mutator, static_cast<size_t>(items.count), [&](size_t i) { return AnyView(items.first[i]); },
      [&] {
        copy = ArrayObj::Empty(items.count);
        for (const Any &item : items)
          copy->EmplaceBackAfterCheck(item);
      },
      [&](size_t i, Any mutated) {
        copy->SetItemAfterCheck(static_cast<int64_t>(i), std::move(mutated));
      });
  if (outcome.is_err() || !copy)
    return outcome;
  return UnchangedOr<Any>(Any(std::move(copy)));
}

Mutated mutateList(StructuralMutatorObj *mutator, AnyView value) {
  SequenceView before(objectOf(value));
  std::vector<Any> items(before.begin(), before.end());
  bool anyNew = false;
  Mutated outcome = mutateEach(
      mutator, items.size(), [&](size_t i) { return AnyView(items[i]); }, [&] { anyNew = true; },
      [&](size_t i, Any mutated) { items[i] = std::move(mutated); });
  if (outcome.is_err() || !anyNew)
    return outcome;
  return UnchangedOr<Any>(Any(List<Any>(items.begin(), items.end())));
}

/// Changes an Array or a List that has one owner, in place.
Mutated changeSequence(StructuralMutatorObj *mutator, AnyView value) {
  const Object *source = objectOf(value);
  for (int64_t i = 0; i < SequenceView(source).count; ++i) {
    // The sequence's own reference is the item's only one.
    AnyView item = SequenceView(source).first[i];
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<Any>, mutated,
                                      mutator->MutateExpected(item, InplaceMode::kAllow));
    if (!mutated.UnchangedOrSameAs(item))
      const_cast<Any &>(SequenceView(source).first[i]) = std::move(mutated).ValueUnchecked();
  }
  return UnchangedOr<Any>(Unchanged());
}

Mutated mutateMap(StructuralMutatorObj *mutator, AnyView value) {
  const MapBaseObj &source = *mapOf(objectOf(value));
  auto before = source.begin();
  ObjectPtr<MapObj> copy;
  MapBaseObj::iterator after;
  size_t reached = 0;
  Mutated outcome = mutateEach(
      mutator, source.size(), [&](size_t) { return AnyView((before++)->second); },
      [&] {
        copy = static_cast<const MapObj &>(source).ShallowCopy();
        after = copy->begin();
      },
      [&](size_t i, Any mutated) {
        for (; reached < i; ++reached)
          ++after;
        after->second = std::move(mutated);
      });
  if (outcome.is_err() || !copy)
    return outcome;
  return UnchangedOr<Any>(Any(std::move(copy)));
}

Mutated mutateDict(StructuralMutatorObj *mutator, AnyView value) {
  const MapBaseObj &source = *mapOf(objectOf(value));
  std::vector<std::pair<Any, Any>> entries(source.begin(), source.end());
  bool anyNew = false;
  Mutated outcome = mutateEach(
      mutator, entries.size(), [&](size_t i) { return AnyView(entries[i].second); },
      [&] { anyNew = true; },
      [&](size_t i, Any mutated) { entries[i].second = std::move(mutated); });
  if (outcome.is_err() || !anyNew)
    return outcome;
  return UnchangedOr<Any>(Any(Dict<Any, Any>(entries.begin(), entries.end())));
}

/// Changes a Map or a Dict that has one owner, in place.
Mutated changeMapping(StructuralMutatorObj *mutator, AnyView value) {
  const MapBaseObj *source = mapOf(objectOf(value));
  for (const auto &entry : *source) {
    AnyView item = entry.second;
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<Any>, mutated,
                                      mutator->MutateExpected(item, InplaceMode::kAllow));
    if (!mutated.UnchangedOrSameAs(item))
      const_cast<Any &>(entry.second) = std::move(mutated).ValueUnchecked();
  }
  return UnchangedOr<Any>(Unchanged());
}

template <WalkOrder order>
Any mapInOrder(Any root, const Entries<> &plain, const Entries<> &withRegion) {
  using Engine = StructuralMapDynEngine<StructuralMapEngineBase, order>;
  return inner::mutateWith<Engine>(std::move(root), plain, withRegion).value();
}

Any map(Any root, const Entries<> &plain, const Entries<> &withRegion, int32_t order) {
  if (order == static_cast<int32_t>(WalkOrder::kPreOrder))
    return mapInOrder<WalkOrder::kPreOrder>(std::move(root), plain, withRegion);
  if (order == static_cast<int32_t>(WalkOrder::kPostOrder))
    return mapInOrder<WalkOrder::kPostOrder>(std::move(root), plain, withRegion);
  TVM_FFI_THROW(ValueError) << "Expected an order, which are 0 (before what a value holds) and 1 "
                               "(after); got "
                            << order;
  TVM_FFI_UNREACHABLE();
}

Any mutate(Any root, const Entries<bool> &entries) {
  auto callBack = [&](AnyView value, StructuralMutatorObj *mutator, InplaceMode mode) -> Mutated {
    auto entry = inner::findCallback(entries, value);
    if (!entry)
      return mutator->DefaultMutateExpected(value, mode);
    Function function = entry->template get<1>();
    Expected<Any> mutated = entry->template get<2>()
                                ? function.CallExpected<Any>(value, mutator, static_cast<int>(mode))
                                : function.CallExpected<Any>(value, mutator);
    return mutated.is_err() ? Mutated(mutated.error())
                            : Mutated(mutated.value().cast<UnchangedOr<Any>>());
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
  registerMutate<&mutateArray, &changeSequence>(kTVMFFIArray);
  registerMutate<&mutateList, &changeSequence>(kTVMFFIList);
  registerMutate<&mutateMap, &changeMapping>(kTVMFFIMap);
  registerMutate<&mutateDict, &changeMapping>(kTVMFFIDict);
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
