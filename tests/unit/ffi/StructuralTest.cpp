#include <gtest/gtest.h>

#include <string>

#include "tvm/ffi/big_int.h"
#include "tvm/ffi/container/array.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/container/map.h"
#include "tvm/ffi/container/shape.h"
#include "tvm/ffi/extra/dataclass.h"
#include "tvm/ffi/extra/structural_key.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

namespace {

class VarObj : public Object {
public:
  String name;
  explicit VarObj(String name) : name(std::move(name)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("structural_test.Var", VarObj, Object);
};

class LambdaObj : public Object {
public:
  Any params, body;
  LambdaObj(Any params, Any body) : params(std::move(params)), body(std::move(body)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("structural_test.Lambda", LambdaObj, Object);
};

class NodeObj : public Object {
public:
  Any value;
  explicit NodeObj(Any value) : value(std::move(value)) {}
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindDAGNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("structural_test.Node", NodeObj, Object);
};

class OpaqueObj : public Object {
public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("structural_test.Opaque", OpaqueObj, Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  ObjectDef<VarObj>(init(false)).def_ro("name", &VarObj::name, AttachFieldFlag::SEqHashIgnore());
  ObjectDef<LambdaObj>(init(false))
      .def_ro("params", &LambdaObj::params, AttachFieldFlag::SEqHashDefPattern())
      .def_ro("body", &LambdaObj::body);
  ObjectDef<NodeObj>(init(false)).def_ro("value", &NodeObj::value);
  ObjectDef<OpaqueObj>(init(false));
}

template <typename T, typename... Args> Any make(Args &&...args) {
  return ObjectRef(make_object<T>(std::forward<Args>(args)...));
}
Any var(const char *name) { return make<VarObj>(String(name)); }
Any lambda(Any params, Any body) { return make<LambdaObj>(std::move(params), std::move(body)); }

/// Equality, which has to agree with the hashes and with the search for a mismatch.
bool same(const Any &a, const Any &b, bool mapFreeVars = false) {
  bool equal = StructuralEqual::Equal(a, b, mapFreeVars);
  if (equal) {
    EXPECT_EQ(StructuralHash::Hash(a, mapFreeVars), StructuralHash::Hash(b, mapFreeVars));
  }
  EXPECT_EQ(StructuralEqual::GetFirstMismatch(a, b, mapFreeVars).has_value(), !equal);
  return equal;
}

std::string mismatch(const Any &a, const Any &b) {
  auto found = StructuralEqual::GetFirstMismatch(a, b);
  return found.has_value() ? std::string(ReprPrint(Any(*found))) : "none";
}

TEST(Structural, Values) {
  EXPECT_TRUE(same("text that is long", String("text that is long")));
  EXPECT_FALSE(same(1, 1.0));
  EXPECT_FALSE(same("a", Bytes("a", 1)));
  EXPECT_TRUE(same(Array<Any>{1, "x"}, Array<Any>{1, "x"}));
  EXPECT_FALSE(same(Array<Any>{1}, List<Any>{1}));
  EXPECT_TRUE(same(Map<Any, Any>{{"a", 1}, {"b", 2}}, Map<Any, Any>{{"b", 2}, {"a", 1}}));
  EXPECT_TRUE(same(Shape({1, 2}), Shape({1, 2})));
  EXPECT_FALSE(same(Shape({1, 2}), Shape({1, 3})));
  EXPECT_TRUE(same(BigInt(1) << BigInt(70), BigInt(1) << BigInt(70)));
}

TEST(Structural, Variables) {
  Any x = var("x"), y = var("y"), z = var("z");
  EXPECT_TRUE(same(x, x));
  EXPECT_FALSE(same(x, y));
  EXPECT_TRUE(same(x, y, true));
  EXPECT_TRUE(same(lambda(x, x), lambda(y, y)));
  EXPECT_FALSE(same(lambda(x, x), lambda(y, x)));
  EXPECT_TRUE(same(lambda(x, z), lambda(y, z)));
  EXPECT_FALSE(same(Array<Any>{x, y}, Array<Any>{z, z}, true));
  EXPECT_TRUE(same(lambda(x, Map<Any, Any>{{x, 1}}), lambda(y, Map<Any, Any>{{y, 1}})));
}

TEST(Structural, GraphNodes) {
  Any a = make<NodeObj>(Any(1)), b = make<NodeObj>(Any(1));
  EXPECT_TRUE(same(Array<Any>{a, b}, Array<Any>{b, a}));
  EXPECT_FALSE(same(Array<Any>{a, a}, Array<Any>{a, b}));
  EXPECT_NE(StructuralHash::Hash(Array<Any>{a, a}), StructuralHash::Hash(Array<Any>{a, b}));
}

TEST(Structural, Mismatch) {
  EXPECT_EQ(mismatch(Array<Any>{1}, Array<Any>{1}), "none");
  EXPECT_EQ(mismatch(Array<Any>{1, 2}, Array<Any>{1, 2, 3}), "(<root>[<missing:2>], <root>[2])");
  EXPECT_EQ(mismatch(Map<Any, Any>{{"a", 1}}, Map<Any, Any>{{"a", 1}, {"b", 2}}),
            R"((<root>[<missing:"b">], <root>["b"]))");
  EXPECT_EQ(mismatch(lambda(1, Array<Any>{1}), lambda(1, Array<Any>{2})),
            "(<root>.body[0], <root>.body[0])");
}

TEST(Structural, NoStructure) {
  Any opaque = make<OpaqueObj>();
  EXPECT_THROW(StructuralEqual::Equal(opaque, opaque), Error);
  EXPECT_THROW(StructuralHash::Hash(opaque), Error);
  List<Any> list{1};
  list.push_back(list);
  EXPECT_THROW(StructuralHash::Hash(list), Error);
  list.clear();
}

TEST(Structural, Keys) {
  StructuralKey a(Array<Any>{1, 2}), b(Array<Any>{1, 2}), c(Array<Any>{1, 3});
  EXPECT_TRUE(a == b);
  EXPECT_TRUE(a != c);
  Map<Any, Any> map{{a, "value"}};
  EXPECT_EQ(map.count(b), 1u);
  EXPECT_EQ(map.count(c), 0u);
  Function equal = Function::GetGlobalRequired("ffi.StructuralKeyEqual");
  EXPECT_TRUE(equal(a, b).cast<bool>());
  EXPECT_THROW(equal(a, 3), Error);
}

} // namespace
