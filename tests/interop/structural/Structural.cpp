/// Visiting, walking, mapping and mutating values by their structure, printed. Compiled with either
/// project's headers and run with either library, it prints the same.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/structural_mutate.h>
#include <tvm/ffi/extra/structural_visit.h>
#include <tvm/ffi/extra/visit_error_context.h>
#include <tvm/ffi/tvm_ffi.h>

#include <iostream>
#include <string>

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class VarObj : public Object {
public:
  String name;
  Any type;
  VarObj(String name, Any type) : name(std::move(name)), type(std::move(type)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("structural.Var", VarObj, Object);
};
class Var : public ObjectRef {
public:
  explicit Var(String name, Any type = Any())
      : ObjectRef(make_object<VarObj>(std::move(name), std::move(type))) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Var, ObjectRef, VarObj);
};

class PairObj : public Object {
public:
  Any lhs, rhs;
  int64_t span = 0;
  PairObj(Any lhs, Any rhs) : lhs(std::move(lhs)), rhs(std::move(rhs)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("structural.Pair", PairObj, Object);
};
class Pair : public ObjectRef {
public:
  Pair(Any lhs, Any rhs) : ObjectRef(make_object<PairObj>(std::move(lhs), std::move(rhs))) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Pair, ObjectRef, PairObj);
};

class FunctionNodeObj : public Object {
public:
  Array<Var> params;
  Any body;
  FunctionNodeObj(Array<Var> params, Any body) : params(std::move(params)), body(std::move(body)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("structural.Function", FunctionNodeObj, Object);
};

class LetObj : public Object {
public:
  Any var, value, body;
  LetObj(Any var, Any value, Any body)
      : var(std::move(var)), value(std::move(value)), body(std::move(body)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("structural.Let", LetObj, Object);
};

class SharedObj : public Object {
public:
  Any inside;
  explicit SharedObj(Any inside) : inside(std::move(inside)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindDAGNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("structural.Shared", SharedObj, Object);
};

/// A class with visiting and mutation of its own: of `second` alone.
class HookedObj : public Object {
public:
  Any first, second;
  HookedObj(Any first, Any second) : first(std::move(first)), second(std::move(second)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("structural.Hooked", HookedObj, Object);
};

Expected<Optional<VisitInterrupt>> visitHooked(StructuralVisitorObj *visitor,
                                               AnyView value) noexcept {
  const HookedObj *self = value.as<HookedObj>();
  std::cout << "<" << visitor->def_region_kind() << ">";
  TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN(visitor->WithDefRegionKind(
      kTVMFFIDefRegionKindSimple, [&] { return visitor->VisitExpected(self->second); }));
  return Optional<VisitInterrupt>(std::nullopt);
}
Expected<UnchangedOr<Any>> mutateHooked(StructuralMutatorObj *mutator, AnyView value) noexcept {
  const HookedObj *self = value.as<HookedObj>();
  TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<Any>, second,
                                    mutator->MutateExpected(self->second));
  if (second.UnchangedOrSameAs(self->second))
    return UnchangedOr<Any>(Unchanged());
  return UnchangedOr<Any>(Any(ObjectRef(
      make_object<HookedObj>(self->first, Any(std::move(second).ValueOrUnchanged(self->second))))));
}
Expected<UnchangedOr<Any>> mutateHookedText(StructuralMutatorObj *mutator, AnyView value) {
  TVM_FFI_S_MUTATE_ASSIGN_OR_RETURN(UnchangedOr<String>, text, mutator->MutateExpected(value));
  TVM_FFI_S_MUTATE_MAYBE_EARLY_RETURN(mutator->MutateExpected(value));
  return UnchangedOr<Any>(Any(std::move(text).ValueOrUnchanged(String("kept"))));
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<VarObj>(refl::init(false))
      .def_ro("name", &VarObj::name, refl::AttachFieldFlag::SEqHashIgnore())
      .def_ro("type", &VarObj::type);
  refl::ObjectDef<PairObj>(refl::init(false))
      .def_rw("lhs", &PairObj::lhs)
      .def_rw("rhs", &PairObj::rhs)
      .def_rw("span", &PairObj::span, refl::AttachFieldFlag::SEqHashIgnore());
  refl::ObjectDef<FunctionNodeObj>(refl::init(false))
      .def_ro("params", &FunctionNodeObj::params, refl::AttachFieldFlag::SEqHashDefPattern())
      .def_ro("body", &FunctionNodeObj::body);
  refl::ObjectDef<LetObj>(refl::init(false))
      .def_ro("var", &LetObj::var, refl::AttachFieldFlag::SEqHashDefSimple())
      .def_ro("value", &LetObj::value)
      .def_ro("body", &LetObj::body);
  refl::ObjectDef<SharedObj>(refl::init(false)).def_ro("inside", &SharedObj::inside);
  refl::ObjectDef<HookedObj>(refl::init(false))
      .def_ro("first", &HookedObj::first)
      .def_ro("second", &HookedObj::second);
  refl::TypeAttrDef<HookedObj>()
      .native_fn_attr<&visitHooked>(tvm::ffi::type_attr::kStructuralVisit)
      .native_fn_attr<&mutateHooked>(tvm::ffi::type_attr::kStructuralMutate);
}

std::string text(AnyView value) {
  if (value.type_index() < kTVMFFIStaticObjectBegin || value.type_index() == kTVMFFIStr)
    return std::string(ReprPrint(Any(value)));
  if (const VarObj *var = value.as<VarObj>())
    return std::string(var->name) + (var->type == nullptr ? "" : ":" + text(var->type));
  if (const PairObj *pair = value.as<PairObj>())
    return "(" + text(pair->lhs) + ", " + text(pair->rhs) + ")";
  if (const FunctionNodeObj *function = value.as<FunctionNodeObj>())
    return "fn" + text(function->params) + text(function->body);
  if (const LetObj *let = value.as<LetObj>())
    return "let " + text(let->var) + "=" + text(let->value) + ";" + text(let->body);
  if (const SharedObj *shared = value.as<SharedObj>())
    return "shared " + text(shared->inside);
  if (const HookedObj *hooked = value.as<HookedObj>())
    return "hooked " + text(hooked->first) + " " + text(hooked->second);
  std::string result = value.GetTypeKey() + "[";
  if (auto array = value.as<Array<Any>>())
    for (const Any &item : *array)
      result += text(item) + " ";
  if (auto list = value.as<List<Any>>())
    for (const Any &item : *list)
      result += text(item) + " ";
  if (auto map = value.as<Map<Any, Any>>())
    for (const auto &entry : *map)
      result += text(entry.first) + ":" + text(entry.second) + " ";
  if (auto dict = value.as<Dict<Any, Any>>())
    for (const auto &entry : *dict)
      result += text(entry.first) + ":" + text(entry.second) + " ";
  return result + "]";
}

Array<Any> samples() {
  Var x("x"), y("y"), z("z");
  Var typed("typed", Pair(x, 1));
  ObjectRef shared(make_object<SharedObj>(Any(Pair(5, 6))));
  return {
      Any(3),
      Any("a text that is long"),
      Any(Array<Any>{1, Any(), Array<Any>{2, "b"}}),
      Any(List<Any>{1, List<Any>{2}}),
      Any(Map<Any, Any>{{1, 2}, {"k", Array<Any>{3}}}),
      Any(Dict<Any, Any>{{"k", List<Any>{4}}}),
      Any(Pair(1, Pair(2, "deep"))),
      Any(ObjectRef(make_object<FunctionNodeObj>(
          Array<Var>{x, typed}, Any(ObjectRef(make_object<LetObj>(z, x, Any(Pair(z, typed)))))))),
      Any(ObjectRef(make_object<LetObj>(typed, y, Any(Pair(typed, x))))),
      Any(Pair(shared, shared)),
      Any(ObjectRef(make_object<HookedObj>(1, Any(Pair(x, 2))))),
      Any(Pair(typed, Any(ObjectRef(make_object<FunctionNodeObj>(Array<Var>{typed}, typed)))))};
}

template <typename F> void show(const std::string &label, F f) {
  std::cout << label << ": ";
  try {
    f();
  } catch (const Error &error) {
    std::cout << " !" << error.kind() << ": " << error.message();
    if (Optional<VisitErrorContext> context = VisitErrorContext::TryGetFromError(error))
      for (ObjectRef node : (*context)->reverse_visit_pattern)
        std::cout << " | " << text(node);
  }
  std::cout << "\n";
}

void show(const Optional<VisitInterrupt> &result) {
  std::cout << (result.has_value() ? " ended by " + text((*result)->value) : std::string(" done"));
}

template <WalkOrder order> void walks(const Any &value) {
  show("all", [&] {
    show(StructuralWalk<order>(value, [](AnyView item) -> WalkResult {
      std::cout << text(item) << "; ";
      return WalkResult::Advance();
    }));
  });
  show("by type", [&] {
    show(StructuralWalk<order>(
        value,
        [](int64_t number) -> Expected<WalkResult> {
          std::cout << "int " << number << "; ";
          return WalkResult::Advance();
        },
        [](const String &text) -> Expected<WalkResult> {
          std::cout << "text " << text << "; ";
          return WalkResult::Skip();
        },
        [](const Var &var, TVMFFIDefRegionKind kind) -> Expected<WalkResult> {
          std::cout << "var " << var->name << " in " << kind << "; ";
          return WalkResult::Advance();
        },
        [](const PairObj *pair) -> Expected<WalkResult> {
          std::cout << "pair " << text(pair->lhs) << "; ";
          return WalkResult::Skip();
        }));
  });
  show("until 2", [&] {
    show(StructuralWalk<order>(value, [](int64_t number) -> WalkResult {
      return number == 2 ? WalkResult::Interrupt(VisitInterrupt(Any("two")))
                         : WalkResult::Advance();
    }));
  });
  show("error", [&] {
    show(StructuralWalk<order>(value, [](int64_t number) -> Expected<WalkResult> {
      if (number == 2)
        return Error("ValueError", "two is wrong", "");
      return WalkResult::Advance();
    }));
  });
  show("throws", [&] {
    show(StructuralWalk<order>(value, [](const Pair &pair) -> WalkResult {
      if (pair->rhs.type_index() == kTVMFFIInt)
        TVM_FFI_THROW(IndexError) << "in " << text(pair);
      return WalkResult::Advance();
    }));
  });
  show("expected", [&] {
    Expected<Optional<VisitInterrupt>> result = StructuralWalkExpected<order>(
        value, [](AnyView) -> Expected<WalkResult> { return WalkResult::Interrupt(); });
    std::cout << result.is_ok();
    show(result.value());
  });
}

void visits(const Any &value) {
  show("visit pairs", [&] {
    show(StructuralVisit(
        value,
        [](const Pair &pair, StructuralVisitorObj *visitor) -> Expected<Optional<VisitInterrupt>> {
          std::cout << "pair in " << visitor->def_region_kind() << "; ";
          return visitor->WithDefRegionKind(kTVMFFIDefRegionKindPattern,
                                            [&] { return visitor->VisitExpected(pair->rhs); });
        },
        [](const Var &var, StructuralVisitorObj *visitor) -> Optional<VisitInterrupt> {
          std::cout << var->name << " in " << visitor->def_region_kind() << "; ";
          return visitor->DefaultVisitExpected(var).value();
        },
        [](int64_t number, StructuralVisitorObj *) -> Optional<VisitInterrupt> {
          std::cout << number << "; ";
          if (number == 6)
            return VisitInterrupt(Any(number));
          return std::nullopt;
        }));
  });
}

class CountingVisitorObj : public StructuralVisitorObj {
public:
  CountingVisitorObj() : StructuralVisitorObj(table()) {}
  int count = 0;

private:
  static TVMFFIAny visit(StructuralVisitorObj *visitor, AnyView value) noexcept {
    auto *self = static_cast<CountingVisitorObj *>(visitor);
    ++self->count;
    return detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(self->DefaultVisitExpected(value)));
  }
  static const StructuralVisitorVTable *table() {
    static const StructuralVisitorVTable result{&visit};
    return &result;
  }
};

template <WalkOrder order> void maps() {
  Array<Any> values = samples();
  for (int i = 0; i < static_cast<int>(values.size()); ++i) {
    Any value = values[i];
    show("ints", [&] {
      Any result = StructuralMap<order>(value, [](int64_t number) { return number + 1; });
      std::cout << text(result) << " same " << result.same_as(value);
    });
    show("nothing", [&] {
      Any result =
          StructuralMap<order>(value, [](int64_t) -> UnchangedOr<int> { return Unchanged(); });
      std::cout << text(result) << " same " << result.same_as(value);
    });
    show("vars", [&] {
      Any result = StructuralMap<order>(
          value, [](const Var &var, TVMFFIDefRegionKind kind) -> Expected<Any> {
            return Any(Var(var->name + std::to_string(static_cast<int>(kind)), var->type));
          });
      std::cout << text(result);
    });
    show("pairs", [&] {
      Any result = StructuralMap<order>(
          value, [](const Pair &pair) -> Any { return Pair(pair->rhs, pair->lhs); },
          [](const String &text) -> String { return text + "!"; });
      std::cout << text(result);
    });
    show("error", [&] {
      Any result = StructuralMap<order>(value, [](int64_t number) -> Expected<Any> {
        if (number == 2)
          return Error("ValueError", "two is wrong", "");
        return Any(number);
      });
      std::cout << text(result);
    });
    show("wrong field", [&] {
      Any result = StructuralMap<order>(value, [](const Var &) -> Any { return Any("no var"); });
      std::cout << text(result);
    });
  }
}

void mutates() {
  Array<Any> values = samples();
  for (int i = 0; i < static_cast<int>(values.size()); ++i) {
    Any value = values[i];
    show("mutate", [&] {
      Any result = StructuralMutate(
          value,
          [](const Pair &pair, StructuralMutatorObj *mutator) -> Expected<Any> {
            Expected<UnchangedOr<Any>> rhs = mutator->MutateExpected(pair->rhs);
            if (rhs.is_err())
              return rhs.error();
            return Any(Pair(std::move(rhs).value().ValueOrUnchanged(pair->rhs), pair->lhs));
          },
          [](int64_t number, StructuralMutatorObj *, InplaceMode mode) -> Any {
            return Any(number * 10 + static_cast<int>(mode));
          },
          [](const Var &var, StructuralMutatorObj *mutator) -> Expected<UnchangedOr<Any>> {
            std::cout << var->name << " in " << mutator->def_region_kind() << "; ";
            return mutator->DefaultMutateExpected(var);
          });
      std::cout << text(result);
    });
    show("remap", [&] {
      Any result = StructuralMutate(
          value, [](const Var &var, StructuralMutatorObj *mutator) -> Expected<UnchangedOr<Any>> {
            Expected<Any> before = mutator->VarRemapGetExpected(var);
            std::cout << text(before.value()) << "; ";
            if (before.value() == nullptr)
              mutator->VarRemapSetExpected(var, Any(Var(var->name + "'"))).value();
            return mutator->DefaultMutateExpected(var);
          });
      std::cout << text(result);
    });
  }
  show("moved", [&] {
    Any root = Array<Any>{1, Array<Any>{2}, Map<Any, Any>{{1, 2}}};
    const Object *before = root.as<Object>();
    Any result = StructuralMap<WalkOrder::kPostOrder>(std::move(root),
                                                      [](int64_t number) { return number + 1; });
    std::cout << text(result) << " in place " << (result.as<Object>() == before);
  });
  show("held", [&] {
    Any root = Array<Any>{1, Array<Any>{2}};
    Any result =
        StructuralMap<WalkOrder::kPostOrder>(root, [](int64_t number) { return number + 1; });
    std::cout << text(root) << " to " << text(result);
  });
  show("text", [&] {
    Any result = StructuralMutate(
        Any(Pair(Pair(1, 2), "text")),
        [](const String &text, StructuralMutatorObj *) -> Any { return text + "!"; },
        [](const Pair &pair, StructuralMutatorObj *mutator) -> Expected<UnchangedOr<Any>> {
          return mutateHookedText(mutator, pair->rhs);
        });
    std::cout << text(result);
  });
}

void contexts() {
  Pair leaf(7, 8);
  Pair middle(leaf, 1);
  Pair root(0, middle);
  auto visit = [](const ObjectRef &node, auto inner) {
    TVM_FFI_VISIT_BEGIN();
    inner();
    TVM_FFI_VISIT_END(node);
  };
  show("macros", [&] {
    try {
      visit(root,
            [&] { visit(middle, [&] { TVM_FFI_VISIT_THROW(ValueError, leaf) << "bad " << 7; }); });
    } catch (const Error &error) {
      VisitErrorContext context = *VisitErrorContext::TryGetFromError(error);
      std::cout << error.kind() << " " << error.message();
      for (refl::AccessPath path : VisitErrorContext::FindAccessPaths(root, context))
        std::cout << " " << ReprPrint(path);
      std::cout << " " << context->prev_error_context.has_value();
      throw;
    }
  });
  show("before", [&] {
    try {
      visit(root, [&] {
        throw Error("TypeError", "with context", "", std::nullopt, ObjectRef(Array<Any>{1}));
      });
    } catch (const Error &error) {
      VisitErrorContext context = *VisitErrorContext::TryGetFromError(error);
      std::cout << text(*context->prev_error_context);
      throw;
    }
  });
  show("returned", [&] {
    auto function = [&]() -> Expected<int> {
      TVM_FFI_VISIT_BEGIN();
      TVM_FFI_THROW(ValueError) << "returned";
      TVM_FFI_VISIT_END_RETURN_EXPECTED(root);
      return 1;
    };
    Expected<int> result = function();
    std::cout << result.is_err();
    result.value();
  });
  std::cout << VisitErrorContext::TryGetFromError(Error("A", "b", "")).has_value() << "\n";
}

} // namespace

int main() {
  int number = 0;
  for (const Any &value : samples()) {
    std::cout << "--- " << number++ << " " << text(value) << "\n";
    walks<WalkOrder::kPreOrder>(value);
    walks<WalkOrder::kPostOrder>(value);
    visits(value);
    ObjectPtr<CountingVisitorObj> visitor = make_object<CountingVisitorObj>();
    show(visitor->Visit(value));
    std::cout << " " << visitor->count << "\n";
  }
  maps<WalkOrder::kPreOrder>();
  maps<WalkOrder::kPostOrder>();
  mutates();
  contexts();
  std::cout << TypeTraits<WalkResult>::TypeStr() << TypeTraits<WalkResult>::TypeSchema()
            << TypeTraits<UnchangedOr<Any>>::TypeStr() << TypeTraits<UnchangedOr<Any>>::TypeSchema()
            << Any(Unchanged()).type_index() << VisitInterrupt()->value.type_index() << "\n";
  return 0;
}
