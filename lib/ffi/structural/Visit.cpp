/// Visiting of containers, and visits whose callbacks are functions of other languages.
#include "../reflection/Walk.h"
#include "Entries.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

namespace {

using Visited = Expected<Optional<VisitInterrupt>>;

Visited visitSequence(StructuralVisitorObj *visitor, AnyView value) {
  // Owned, and read again each time: a visit may change a List.
  ObjectRef sequence = value.as_or_throw<ObjectRef>();
  for (int64_t i = 0; i < SequenceView(sequence.get()).count; ++i) {
    Any item = SequenceView(sequence.get()).first[i];
    TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN(visitor->VisitExpected(item));
  }
  return Optional<VisitInterrupt>();
}

/// Keys are not visited.
Visited visitValues(StructuralVisitorObj *visitor, AnyView value) {
  // Copied first: a visit may change a Dict.
  std::vector<Any> values;
  for (const auto &entry : *mapOf(objectOf(value)))
    values.push_back(entry.second);
  for (const Any &item : values)
    TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN(visitor->VisitExpected(item));
  return Optional<VisitInterrupt>();
}

Optional<VisitInterrupt> walk(AnyView root, const Entries<> &plain, const Entries<> &withRegion,
                              int32_t order) {
  auto callBack = [&](AnyView value, TVMFFIDefRegionKind region) -> Expected<WalkResult> {
    Expected<Any> said = Any();
    if (auto entry = inner::findCallback(plain, value))
      said = entry->get<1>().CallExpected<Any>(value);
    else if (auto other = inner::findCallback(withRegion, value))
      said = other->get<1>().CallExpected<Any>(value, static_cast<int>(region));
    if (said.is_err())
      return said.error();
    Any result = std::move(said).value();
    if (result == nullptr)
      return WalkResult::Advance();
    if (std::optional<WalkResult> step = result.try_cast<WalkResult>())
      return *std::move(step);
    return Error("TypeError",
                 "CallExpected: result type mismatch, expected WalkResult, but got " +
                     result.GetTypeKey(),
                 std::string());
  };
  if (order == static_cast<int32_t>(WalkOrder::kPreOrder))
    return StructuralWalk<WalkOrder::kPreOrder>(root, callBack);
  if (order == static_cast<int32_t>(WalkOrder::kPostOrder))
    return StructuralWalk<WalkOrder::kPostOrder>(root, callBack);
  TVM_FFI_THROW(ValueError) << "Expected an order, which are 0 (before what a value holds) and 1 "
                               "(after); got "
                            << order;
  TVM_FFI_UNREACHABLE();
}

Optional<VisitInterrupt> visit(AnyView root, const Entries<> &entries) {
  auto callBack = [&](AnyView value, StructuralVisitorObj *visitor) -> Visited {
    if (auto entry = inner::findCallback(entries, value))
      return entry->get<1>().CallExpected<Optional<VisitInterrupt>>(value, visitor);
    return visitor->DefaultVisitExpected(value);
  };
  return StructuralVisit(root, callBack);
}

template <auto Fn> void registerVisit(int32_t type) {
  inner::registerTypeAttr(type, tvm::ffi::type_attr::kStructuralVisit.name,
                          Any(FStructuralVisit::FromNative<Fn>()));
}

} // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  for (int32_t type : {kTVMFFIArray, kTVMFFIList})
    registerVisit<&visitSequence>(type);
  for (int32_t type : {kTVMFFIMap, kTVMFFIDict})
    registerVisit<&visitValues>(type);
  GlobalDef()
      .def("ffi.StructuralWalk", &walk)
      .def("ffi.StructuralVisit", &visit)
      .def("ffi.StructuralVisitorVisit",
           [](const StructuralVisitor &visitor, AnyView value) {
             return const_cast<StructuralVisitorObj *>(visitor.get())->Visit(value);
           })
      .def("ffi.StructuralVisitorDefaultVisit",
           [](const StructuralVisitor &visitor, AnyView value) {
             return const_cast<StructuralVisitorObj *>(visitor.get())->DefaultVisit(value);
           })
      .def("ffi.StructuralVisitorDefRegionKind",
           [](const StructuralVisitor &visitor) {
             return static_cast<int>(visitor->def_region_kind());
           })
      .def("ffi.StructuralVisitorWithDefRegionKind",
           [](const StructuralVisitor &visitor, int kind, const Function &callback) {
             return const_cast<StructuralVisitorObj *>(visitor.get())
                 ->WithDefRegionKind(regionKind(kind), [&] { return callback(); });
           });
}
