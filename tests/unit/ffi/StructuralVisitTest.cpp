/// Cases that tests/interop/structural does not compare: errors that only Fairlead gives, ways
/// through containers, visitors that outlive their visit.
#include <gtest/gtest.h>

#include <string>

#include "tvm/ffi/container/dict.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/extra/dataclass.h"
#include "tvm/ffi/extra/structural_mutate.h"
#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

namespace structural_visit_test {
namespace {

class HolderObj : public Object {
public:
  Any inside;
  explicit HolderObj(Any inside) : inside(std::move(inside)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("visit_test.Holder", HolderObj, Object);
};

class NumberObj : public Object {
public:
  int64_t number;
  explicit NumberObj(int64_t number) : number(number) {}
  NumberObj(const NumberObj &) = default;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("visit_test.Number", NumberObj, Object);
};

/// Cannot be copied.
class FixedObj : public Object {
public:
  Any inside;
  explicit FixedObj(Any inside) : inside(std::move(inside)) {}
  FixedObj(const FixedObj &) = delete;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("visit_test.Fixed", FixedObj, Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  ObjectDef<HolderObj>(init(false)).def_ro("inside", &HolderObj::inside);
  ObjectDef<NumberObj>(init(false)).def_ro("number", &NumberObj::number);
  ObjectDef<FixedObj>(init(false)).def_ro("inside", &FixedObj::inside);
}

template <typename T, typename... Args> ObjectRef make(Args &&...args) {
  return ObjectRef(make_object<T>(std::forward<Args>(args)...));
}

template <typename F> Error errorOf(F f) {
  try {
    f();
  } catch (const Error &error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error("None", "", "");
}

Function global(const char *name) { return Function::GetGlobalRequired(name); }

TEST(StructuralVisit, WaysLeadThroughContainers) {
  ObjectRef number = make<NumberObj>(7);
  for (const Any &root :
       {Any(make<HolderObj>(Array<Any>{1, number})), Any(make<HolderObj>(List<Any>{1, number})),
        Any(make<HolderObj>(Map<Any, Any>{{1, number}})),
        Any(make<HolderObj>(Dict<Any, Any>{{1, number}}))}) {
    Error error = errorOf([&] {
      StructuralWalk<WalkOrder::kPreOrder>(root, [](const NumberObj *) -> Expected<WalkResult> {
        return Error("ValueError", "no", "");
      });
    });
    VisitErrorContext context = *VisitErrorContext::TryGetFromError(error);
    EXPECT_EQ(context->reverse_visit_pattern.size(), 3u);
    Array<AccessPath> paths = VisitErrorContext::FindAccessPaths(root.cast<ObjectRef>(), context);
    ASSERT_EQ(paths.size(), 1u);
    EXPECT_EQ(std::string(ReprPrint(paths[0])), "<root>.inside[1]");
  }
}

TEST(StructuralVisit, ValuesInThemselvesEnd) {
  List<Any> list;
  list.push_back(list);
  Error error = errorOf([&] {
    StructuralWalk<WalkOrder::kPostOrder>(list, [](AnyView) { return WalkResult::Advance(); });
  });
  EXPECT_EQ(error.kind(), "ValueError");
  EXPECT_NE(error.message().find("values are nested more than "), std::string::npos);
  error = errorOf(
      [&] { StructuralMap<WalkOrder::kPostOrder>(list, [](int64_t number) { return number; }); });
  EXPECT_EQ(error.kind(), "ValueError");
  // The ways to values inside itself are searched once.
  VisitErrorContext context = *VisitErrorContext::TryGetFromError(error);
  EXPECT_EQ(VisitErrorContext::FindAccessPaths(list, context).size(), 1u);
  list.clear();
}

TEST(StructuralVisit, VisitorsEndWithTheirVisit) {
  Function visit = global("ffi.StructuralVisit");
  Any held;
  Function keep = Function::FromTyped([&](AnyView, Any visitor) { held = visitor; });
  visit(Array<Any>{1}, Array<Any>{Tuple<int, Function>(kTVMFFIAny, keep)});
  Error error = errorOf([&] { global("ffi.StructuralVisitorVisit")(held, 1); });
  EXPECT_EQ(error.kind(), "RuntimeError");
  EXPECT_EQ(error.message(), "A visitor was used after its visit");

  Function keepMutator = Function::FromTyped([&](Any value, Any mutator) -> Any {
    held = mutator;
    return value;
  });
  global("ffi.StructuralMutate")(
      1, Array<Any>{Tuple<int, Function, bool>(kTVMFFIAny, keepMutator, false)});
  error = errorOf([&] { global("ffi.StructuralMutatorMutate")(held, 1); });
  EXPECT_EQ(error.message(), "A mutator was used after its mutation");
}

TEST(StructuralVisit, OrdersAndRegionsAreChecked) {
  for (const char *name : {"ffi.StructuralWalk", "ffi.StructuralMap"})
    for (int order : {-1, 2}) {
      Error error = errorOf([&] { global(name)(1, Array<Any>(), Array<Any>(), order); });
      EXPECT_EQ(error.kind(), "ValueError");
      EXPECT_NE(error.message().find("got " + std::to_string(order)), std::string::npos);
    }
  Function inRegion = Function::FromTyped([](AnyView, AnyView visitor) {
    global("ffi.StructuralVisitorWithDefRegionKind")(visitor, 3, Function::FromTyped([] {}));
  });
  Error error = errorOf([&] {
    global("ffi.StructuralVisit")(1, Array<Any>{Tuple<int, Function>(kTVMFFIAny, inRegion)});
  });
  EXPECT_EQ(error.kind(), "ValueError");
  EXPECT_NE(error.message().find("got 3"), std::string::npos);
}

TEST(StructuralVisit, CallbacksMayChangeListsUnderWay) {
  List<Any> list{1, 2, 3};
  int met = 0;
  StructuralWalk<WalkOrder::kPreOrder>(list, [&](int64_t) {
    ++met;
    list.clear();
    return WalkResult::Advance();
  });
  EXPECT_EQ(met, 1);
  Dict<Any, Any> dict{{1, 1}, {2, 2}};
  met = 0;
  StructuralWalk<WalkOrder::kPreOrder>(dict, [&](int64_t) {
    ++met;
    dict.clear();
    return WalkResult::Advance();
  });
  EXPECT_EQ(met, 2);
}

TEST(StructuralVisit, StandardExceptionsAreErrors) {
  Expected<Optional<VisitInterrupt>> result = StructuralWalkExpected<WalkOrder::kPreOrder>(
      AnyView(1), [](AnyView) -> WalkResult { throw std::runtime_error("plain"); });
  ASSERT_TRUE(result.is_err());
  EXPECT_EQ(result.error().kind(), "InternalError");
  EXPECT_EQ(result.error().message(), "plain");
}

TEST(StructuralMutate, FieldsKeepTheirTypes) {
  Error error = errorOf([&] {
    StructuralMap<WalkOrder::kPostOrder>(make<NumberObj>(1),
                                         [](int64_t) { return String("no number"); });
  });
  EXPECT_EQ(error.kind(), "TypeError");
}

TEST(StructuralMutate, ObjectsThatCannotBeCopiedSaySo) {
  Any fixed = make<FixedObj>(1);
  Any same = StructuralMap<WalkOrder::kPostOrder>(fixed, [](int64_t number) { return number; });
  EXPECT_TRUE(same.same_as(fixed));
  Error error = errorOf([&] {
    StructuralMap<WalkOrder::kPostOrder>(fixed, [](int64_t number) { return number + 1; });
  });
  EXPECT_EQ(error.kind(), "RuntimeError");
  EXPECT_NE(error.message().find("visit_test.Fixed"), std::string::npos);
}

TEST(StructuralMutate, MutatingTypesAreChecked) {
  auto typed = [](Expected<UnchangedOr<Any>> given) -> Expected<int> {
    TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<String>, text, std::move(given));
    return static_cast<int>(std::move(text).ValueOrUnchanged(String("four")).size());
  };
  EXPECT_EQ(typed(UnchangedOr<Any>(Any(String("two")))).value(), 3);
  EXPECT_EQ(typed(UnchangedOr<Any>(Unchanged())).value(), 4);
  EXPECT_EQ(typed(UnchangedOr<Any>(Any(1))).error().kind(), "TypeError");
  EXPECT_EQ(typed(Error("KeyError", "k", "")).error().kind(), "KeyError");
  auto unchecked = [](Expected<UnchangedOr<Any>> given) -> Expected<UnchangedOr<Any>> {
    TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<int>, number, std::move(given));
    return UnchangedOr<Any>(std::move(number).ValueOrUnchanged(5) + 1);
  };
  EXPECT_EQ(unchecked(UnchangedOr<Any>(Any(2))).value().ValueOrUnchanged(Any()).cast<int>(), 3);
}

TEST(StructuralMutate, NestedContainersOfOneOwnerChangeInPlace) {
  Array<Any> inner{1, 2};
  const Object *address = inner.get();
  Any root = Array<Any>{std::move(inner), Dict<Any, Any>{{"k", 3}}};
  Any result =
      StructuralMap<WalkOrder::kPreOrder>(std::move(root), [](int64_t number) { return -number; });
  Array<Any> items = result.cast<Array<Any>>();
  EXPECT_EQ(items[0].as<Object>(), address);
  EXPECT_EQ(items[0].cast<Array<int>>()[1], -2);
  EXPECT_EQ((items[1].cast<Dict<String, int>>()["k"]), -3);
}

} // namespace
} // namespace structural_visit_test
