/// Classes described by ObjectDef, and reading the description.
#include <gtest/gtest.h>

#include "tvm/ffi/container/array.h"
#include "tvm/ffi/extra/dataclass.h"
#include "tvm/ffi/reflection/creator.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace reflection_test {
namespace {

class PointObj : public Object {
public:
  int64_t x = 1;
  double y = 2;
  String name = "point";
  Any extra;

  int64_t sum(int64_t k) const { return x + k; }
  void setX(int64_t value) { x = value; }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("test.reflection.Point", PointObj, Object);
};

/// The header follows another base.
struct Before {
  int64_t before[3] = {7, 8, 9};
  virtual ~Before() = default;
};
class ShiftedObj : public Before, public Object {
public:
  int64_t value = 5;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.reflection.Shifted", ShiftedObj, Object);
};

class Point3Obj : public PointObj {
public:
  int64_t z = 3;
  TVM_FFI_DECLARE_OBJECT_INFO("test.reflection.Point3", Point3Obj, PointObj);
};

class NoDefaultObj : public Object {
public:
  int64_t value;
  explicit NoDefaultObj(int64_t value) : value(value) {}
  NoDefaultObj(const NoDefaultObj &) = delete;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.reflection.NoDefault", NoDefaultObj, Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PointObj>("A point.")
      .def_rw("x", &PointObj::x, "The abscissa.", refl::Metadata{{"unit", "mm"}})
      .def_ro("y", &PointObj::y, refl::default_value(2.5))
      .def_rw("name", &PointObj::name, refl::default_value("p"), refl::kw_only(true))
      .def_ro("extra", &PointObj::extra, refl::init(false), refl::compare(false), refl::repr(false))
      .def("sum", &PointObj::sum)
      .def("set_x", &PointObj::setX)
      .def_static("origin", [] { return ObjectRef(make_object<PointObj>()); });
  refl::ObjectDef<Point3Obj>().def_ro("z", &Point3Obj::z,
                                      refl::default_factory([] { return int64_t(33); }));
  refl::ObjectDef<ShiftedObj>(refl::Metadata{{"metadata", "of a class has no effect"}})
      .def_ro("value", &ShiftedObj::value);
  refl::ObjectDef<NoDefaultObj>().def_ro("value", &NoDefaultObj::value).def(refl::init<int64_t>());
}

template <typename F> std::string errorOf(F f) {
  try {
    f();
  } catch (const Error &error) {
    return error.kind() + ": " + error.message();
  }
  return "no error";
}

std::string text(const TVMFFIByteArray &bytes) { return std::string(bytes.data, bytes.size); }

Function initOf(const char *key) {
  return refl::TypeAttrColumn(type_attr::kInit)[TypeKeyToIndex(key)].cast<Function>();
}

TEST(Reflection, DescribesFields) {
  const TVMFFIFieldInfo *x = refl::GetFieldInfo("test.reflection.Point", "x");
  EXPECT_EQ(text(x->doc), "The abscissa.");
  EXPECT_EQ(text(x->metadata), R"({"type_schema":"{\"type\":\"int\"}","unit":"mm"})");
  EXPECT_EQ(x->offset, 24);
  EXPECT_EQ(x->size, 8);
  EXPECT_EQ(x->flags, kTVMFFIFieldFlagBitMaskWritable);
  EXPECT_EQ(x->field_static_type_index, kTVMFFIInt);
  const TVMFFIFieldInfo *name = refl::GetFieldInfo("test.reflection.Point", "name");
  EXPECT_EQ(name->field_static_type_index, kTVMFFIAny);
  EXPECT_EQ(name->flags, kTVMFFIFieldFlagBitMaskWritable | kTVMFFIFieldFlagBitMaskHasDefault |
                             kTVMFFIFieldFlagBitMaskKwOnly);
  EXPECT_EQ(errorOf([] { refl::GetFieldInfo("test.reflection.Point", "q"); }),
            "RuntimeError: Cannot find field  `q` in test.reflection.Point");
}

TEST(Reflection, DescribesTheClass) {
  const TVMFFITypeInfo *type = TVMFFIGetTypeInfo(PointObj::RuntimeTypeIndex());
  ASSERT_NE(type->metadata, nullptr);
  EXPECT_EQ(text(type->metadata->doc), "A point.");
  EXPECT_EQ(type->metadata->total_size, static_cast<int32_t>(sizeof(PointObj)));
  ASSERT_NE(type->metadata->creator, nullptr);
  EXPECT_EQ(TVMFFIGetTypeInfo(NoDefaultObj::RuntimeTypeIndex())->metadata->creator, nullptr);
  refl::TypeAttrColumn final(type_attr::kTypeFinal);
  EXPECT_EQ(type_attr::kTypeFinal.ValueFrom(final[PointObj::RuntimeTypeIndex()]), false);
  EXPECT_EQ(type_attr::kTypeFinal.ValueFrom(final[ShiftedObj::RuntimeTypeIndex()]), true);
  // A class that cannot be copied has no copy.
  EXPECT_TRUE(refl::TypeAttrColumn(type_attr::kShallowCopy)[NoDefaultObj::RuntimeTypeIndex()] ==
              nullptr);
}

TEST(Reflection, ReadsAndWritesFields) {
  ObjectPtr<PointObj> point = make_object<PointObj>();
  refl::FieldGetter getX("test.reflection.Point", "x");
  refl::FieldSetter setX("test.reflection.Point", "x");
  setX(point, 11);
  EXPECT_EQ(getX(point).cast<int64_t>(), 11);
  EXPECT_EQ(getX(ObjectRef(point)).cast<int64_t>(), 11);
  EXPECT_EQ(errorOf([&] { setX(point, "text"); }),
            "TypeError: Cannot convert from type `const char*` to `int`");
  EXPECT_EQ(point->x, 11);
  refl::FieldSetter("test.reflection.Point", "extra")(point, Array<Any>{1, "two"});
  EXPECT_EQ(refl::FieldGetter("test.reflection.Point", "extra")(point).cast<Array<Any>>().size(),
            2u);
}

TEST(Reflection, FieldsBehindAnotherBase) {
  ObjectPtr<ShiftedObj> object = make_object<ShiftedObj>();
  EXPECT_EQ(refl::FieldGetter("test.reflection.Shifted", "value")(object).cast<int64_t>(), 5);
  EXPECT_EQ(object->before[2], 9);
}

TEST(Reflection, CallsMethods) {
  ObjectPtr<PointObj> point = make_object<PointObj>();
  EXPECT_EQ(refl::GetMethod("test.reflection.Point", "sum")(point, 4).cast<int64_t>(), 5);
  refl::GetMethod("test.reflection.Point", "set_x")(point, 40);
  EXPECT_EQ(point->x, 40);
  EXPECT_EQ(refl::GetMethodInfo("test.reflection.Point", "origin")->flags,
            kTVMFFIFieldFlagBitMaskIsStaticMethod);
  EXPECT_EQ(errorOf([&] { refl::GetMethod("test.reflection.Point", "sum")(point, "x"); }),
            "TypeError: Mismatched type on argument #1 when calling: `test.reflection.Point.sum(0: "
            "test.reflection.Point, 1: int) -> int`. Expected `int` but got `const char*`");
  EXPECT_EQ(errorOf([] { refl::GetMethod("test.reflection.Point", "none"); }),
            "RuntimeError: Cannot find method none in test.reflection.Point");
}

TEST(Reflection, VisitsAncestorsFieldsFirst) {
  std::vector<std::string> names;
  refl::ForEachFieldInfo(TVMFFIGetTypeInfo(Point3Obj::RuntimeTypeIndex()),
                         [&](const TVMFFIFieldInfo *field) { names.push_back(text(field->name)); });
  EXPECT_EQ(names, (std::vector<std::string>{"x", "y", "name", "extra", "z"}));
}

TEST(Reflection, GeneratedConstructor) {
  static const Any kwargs = Function::GetGlobalRequired("ffi.GetKwargsObject")();
  Function make = initOf("test.reflection.Point3");
  auto point = make(1, 2.5).cast<ObjectRef>();
  ASSERT_NE(point.as<Point3Obj>(), nullptr);
  EXPECT_EQ(point.as<Point3Obj>()->z, 33);
  EXPECT_EQ(point.as<Point3Obj>()->name, "p");
  point = make(1, kwargs, "z", 5, "name", "q").cast<ObjectRef>();
  EXPECT_EQ(point.as<Point3Obj>()->z, 5);
  EXPECT_EQ(point.as<Point3Obj>()->name, "q");
  const std::string who = "TypeError: test.reflection.Point3.__ffi_init__() ";
  EXPECT_EQ(errorOf([&] { make(); }), who + "missing required argument: 'x'");
  EXPECT_EQ(errorOf([&] { make(1, 2, 3, 4); }),
            who + "takes at most 3 positional argument(s), but 4 were given");
  EXPECT_EQ(errorOf([&] { make(1, kwargs, "x", 2); }),
            who + "got multiple values for argument 'x'");
  EXPECT_EQ(errorOf([&] { make(1, kwargs, "extra", 2); }),
            who + "got an unexpected keyword argument 'extra'");
  EXPECT_EQ(errorOf([&] { make("x"); }),
            who + "field 'x':\n  Cannot convert from type `const char*` to `int`");
  EXPECT_EQ(initOf("test.reflection.NoDefault")(9).cast<ObjectRef>().as<NoDefaultObj>()->value, 9);
}

TEST(Reflection, ValuesAsData) {
  auto make = initOf("test.reflection.Point");
  Any a = make(1), b = make(1), c = make(2);
  EXPECT_EQ(std::string(ReprPrint(a)), R"(test.reflection.Point(x=1, y=2.5, name="p"))");
  EXPECT_TRUE(RecursiveEq(a, b));
  EXPECT_EQ(RecursiveHash(a), RecursiveHash(b));
  EXPECT_TRUE(RecursiveLt(a, c));
  EXPECT_FALSE(RecursiveEq(a, c));
  Any copy = DeepCopy(Array<Any>{a, a});
  auto items = copy.cast<Array<ObjectRef>>();
  EXPECT_TRUE(items[0].same_as(items[1]));
  EXPECT_FALSE(items[0].same_as(a.cast<ObjectRef>()));
  EXPECT_EQ(errorOf([] { RecursiveLt(Any(1), Any(1.5)); }),
            "TypeError: Cannot compare values of different types: int vs float");
  EXPECT_EQ(
      errorOf([] { DeepCopy(initOf("test.reflection.NoDefault")(9)); }),
      "RuntimeError: Cannot deep copy object of type \"test.reflection.NoDefault\" because it "
      "is not copy-constructible");
}

struct ArrayByKey : Object {
  TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP("ffi.Array", 1)
};
struct UnknownByKey : Object {
  TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP("test.reflection.Unknown", 1)
};

TEST(Reflection, TypesKnownByKey) {
  Any array = Array<Any>{1};
  EXPECT_EQ(ArrayByKey::RuntimeTypeIndex(), kTVMFFIArray);
  EXPECT_NE(array.as<ArrayByKey>(), nullptr);
  EXPECT_EQ(Any(Function::FromTyped([] {})).as<ArrayByKey>(), nullptr);
  EXPECT_EQ(array.as<UnknownByKey>(), nullptr);
}

TEST(Reflection, ReferencesFromPointers) {
  Function function = Function::FromTyped([] { return 3; });
  auto some = GetRef<Optional<Function>>(function.get());
  ASSERT_TRUE(some.has_value());
  EXPECT_TRUE(some.same_as(function));
  EXPECT_FALSE(GetRef<Optional<Function>>(static_cast<const FunctionObj *>(nullptr)).has_value());
}

int64_t nativeHash(const Any &value) {
  if (value == nullptr)
    TVM_FFI_THROW(ValueError) << "no hash";
  return 77;
}

TEST(Reflection, NativeFunctions) {
  using View = refl::NativeFunctionView<int64_t(const Any &)>;
  View view = View::FromNative<&nativeHash>();
  EXPECT_EQ(view(Any(1)), 77);
  EXPECT_EQ(errorOf([&] { view(Any()); }), "ValueError: no hash");
  EXPECT_EQ(view.CallExpected(Any(1)).value(), 77);
  EXPECT_EQ(view.CallExpected(Any()).error().message(), "no hash");
  refl::NativeFunction<int64_t(const Any &)> typed(
      TypedFunction<int64_t(const Any &)>([](const Any &) -> int64_t { return 5; }));
  EXPECT_EQ(typed(Any(1)), 5);
  static_assert(!std::is_default_constructible_v<View>, "a view is of something");
  static_assert(sizeof(View) == 16 && sizeof(typed) == 16, "layout of native functions");
  EXPECT_EQ(type_attr::kAnyHash.ValueFrom(Any(view))->operator()(Any(1)), 77);
  EXPECT_EQ(type_attr::kTypeFinal.ValueFrom(nullptr), std::nullopt);
  EXPECT_EQ(errorOf([] { type_attr::kTypeFinal.ValueFrom(1); }),
            "TypeError: Cannot treat type `int` as type `bool`");
}

} // namespace
} // namespace reflection_test
