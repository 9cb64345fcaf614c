/// Classes, overloads, enums and paths through reflection, printed. Compiled with either project's
/// headers and run with either library, it prints the same.
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/tvm_ffi.h>

#include <iostream>
#include <string>

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class PointObj : public Object {
public:
  int64_t x = 0, y = 0;
  String name;
  Optional<ObjectRef> next;

  PointObj() = default;
  PointObj(int64_t x, int64_t y) : x(x), y(y) {}
  int64_t sum(int64_t k) const { return x + y + k; }

  static constexpr bool _type_mutable = true;
  static constexpr uint32_t _type_child_slots = 2;
  TVM_FFI_DECLARE_OBJECT_INFO("interop.Point", PointObj, Object);
};

class Point3Obj : public PointObj {
public:
  int64_t z = 0;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("interop.Point3", Point3Obj, PointObj);
};

class TextObj : public Object {
public:
  String text;
  TextObj() = default;
  explicit TextObj(String text) : text(text) {}
  TextObj(String text, int64_t times) {
    for (int64_t i = 0; i < times; ++i)
      this->text = this->text + text;
  }
  String add(int64_t k) const { return text + std::to_string(k); }
  String add(String other) const { return text + other; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("interop.Text", TextObj, Object);
};

class ColorObj : public EnumObj {
public:
  using EnumObj::EnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("interop.Color", ColorObj, EnumObj);
};

template <typename F> void show(const char *label, F f) {
  std::cout << label << ": ";
  try {
    f();
    std::cout << "\n";
  } catch (const Error &error) {
    std::cout << error.kind() << ": " << error.message() << "\n";
  }
}

void print(const Any &value) { std::cout << ReprPrint(value); }

Function initOf(int32_t type) {
  return refl::TypeAttrColumn("__ffi_init__")[type].cast<Function>();
}

void define() {
  refl::ObjectDef<PointObj>("A point.")
      .def_rw("x", &PointObj::x, "The abscissa.",
              refl::Metadata{{"unit", "m/m"}, {"n", 3}, {"b", true}})
      .def_rw("y", &PointObj::y, refl::default_value(42))
      .def_ro("name", &PointObj::name, refl::default_value("p"), refl::kw_only(true),
              refl::compare(false))
      .def_ro("next", &PointObj::next, refl::init(false), refl::repr(false))
      .def("sum", &PointObj::sum)
      .def_static("make", [] { return ObjectRef(make_object<PointObj>(1, 2)); });
  refl::ObjectDef<Point3Obj>().def_ro("z", &Point3Obj::z);
  refl::OverloadObjectDef<TextObj>()
      .def_ro("text", &TextObj::text)
      .def("add", refl::overload_cast<int64_t>(&TextObj::add, refl::const_))
      .def("add", refl::overload_cast<String>(&TextObj::add, refl::const_))
      .def(refl::init<String>())
      .def(refl::init<String, int64_t>());
  refl::ObjectDef<ColorObj>(refl::init(false));
  refl::EnumDef<ColorObj>("Red").set_attr("hex", int64_t(0xFF0000));
  refl::EnumDef<ColorObj>("Green");
}

void describe(int32_t index) {
  const TVMFFITypeInfo *type = TVMFFIGetTypeInfo(index);
  auto text = [](const TVMFFIByteArray &bytes) {
    return std::string(bytes.data ? bytes.data : "", bytes.size);
  };
  std::cout << text(type->type_key) << " depth " << type->type_depth << " size "
            << type->metadata->total_size << " creator " << (type->metadata->creator != nullptr)
            << " doc " << text(type->metadata->doc) << "\n";
  for (int32_t i = 0; i < type->num_fields; ++i) {
    const TVMFFIFieldInfo &field = type->fields[i];
    std::cout << "  " << text(field.name) << " flags " << field.flags << " offset " << field.offset
              << " size " << field.size << " type " << field.field_static_type_index << " "
              << text(field.metadata) << " " << text(field.doc) << "\n";
  }
  for (int32_t i = 0; i < type->num_methods; ++i)
    std::cout << "  " << text(type->methods[i].name) << " flags " << type->methods[i].flags << " "
              << text(type->methods[i].metadata) << "\n";
}

void fieldsAndMethods() {
  ObjectPtr<PointObj> point = make_object<PointObj>(3, 4);
  show("get", [&] { print(refl::FieldGetter("interop.Point", "x")(point)); });
  show("set", [&] {
    refl::FieldSetter("interop.Point", "x")(point, 9);
    print(Any(point->x));
  });
  show("set wrong", [&] { refl::FieldSetter("interop.Point", "x")(point, "text"); });
  show("method", [&] { print(refl::GetMethod("interop.Point", "sum")(point, 5)); });
  show("method wrong", [&] { refl::GetMethod("interop.Point", "sum")(point, "text"); });
  show("method few", [&] { refl::GetMethod("interop.Point", "sum")(point); });
  show("static", [&] { print(refl::GetMethod("interop.Point", "make")()); });
  show("no field", [&] { refl::GetFieldInfo("interop.Point", "none"); });
  show("no method", [&] { refl::GetMethodInfo("interop.Point", "none"); });
  show("no attribute", [&] { refl::TypeAttrColumn column("__interop_none__"); });
  show("instance", [&] {
    ObjectRef object(make_object<Point3Obj>());
    std::cout << object->IsInstance<PointObj>() << object->IsInstance<TextObj>()
              << (object.as<Point3Obj>() != nullptr);
  });
}

void constructors() {
  Any kwargs = Function::GetGlobalRequired("ffi.GetKwargsObject")();
  Function point = initOf(PointObj::RuntimeTypeIndex()),
           point3 = initOf(Point3Obj::RuntimeTypeIndex());
  Function text = initOf(TextObj::RuntimeTypeIndex());
  show("init", [&] { print(point(1)); });
  show("init all", [&] { print(point3(1, 2, 3, kwargs, "name", "q")); });
  show("init missing", [&] { print(point3(1)); });
  show("init many", [&] { print(point(1, 2, 3)); });
  show("init unknown", [&] { print(point(1, kwargs, "next", 3)); });
  show("init twice", [&] { print(point(1, kwargs, "x", 3)); });
  show("init odd", [&] { print(point(1, kwargs, "y")); });
  show("init wrong", [&] { print(point("x")); });
  show("overload", [&] { print(text("ab")); });
  show("overload 2", [&] { print(text("ab", 3)); });
  show("overload none", [&] { print(text(nullptr)); });
  show("add", [&] { print(refl::GetMethod("interop.Text", "add")(text("ab"), 7)); });
  show("add none", [&] { print(refl::GetMethod("interop.Text", "add")(text("ab"), nullptr)); });
  show("create", [&] { print(refl::ObjectCreator("interop.Point")(Map<String, Any>{{"x", 5}})); });
  show("create missing", [&] { print(refl::ObjectCreator("interop.Point")(Map<String, Any>{})); });
  show("create unknown",
       [&] { print(refl::ObjectCreator("interop.Point")(Map<String, Any>{{"x", 1}, {"q", 5}})); });
  show("create wrong",
       [&] { print(refl::ObjectCreator("interop.Point")(Map<String, Any>{{"x", "text"}})); });
  show("create none", [&] { refl::ObjectCreator("ffi.Function"); });
}

void data() {
  Function make = initOf(PointObj::RuntimeTypeIndex());
  Any a = make(1), b = make(1), c = make(2);
  show("equal", [&] {
    std::cout << RecursiveEq(a, b) << RecursiveEq(a, c) << (RecursiveHash(a) == RecursiveHash(b));
  });
  show("order", [&] {
    std::cout << RecursiveLt(a, c) << RecursiveLe(a, b) << RecursiveGt(a, c) << RecursiveGe(a, b);
  });
  show("order of types", [&] { RecursiveLt(a, Any(1)); });
  show("copy", [&] { print(DeepCopy(Array<Any>{a, c})); });
  show("hook", [&] {
    std::cout
        << refl::TypeAttrColumn("__ffi_type_final__")[Point3Obj::RuntimeTypeIndex()].cast<bool>();
  });
  refl::AccessPath path =
      refl::AccessPath::Root()->Attr("a")->ArrayItem(3)->MapItem("k")->MapItemMissing(1.5);
  show("path", [&] { print(path); });
  show("path depth", [&] { std::cout << path->depth << path->ToSteps().size(); });
  show("paths", [&] {
    std::cout << refl::AccessPath::Root()->IsPrefixOf(path)
              << path->IsPrefixOf(refl::AccessPath::Root())
              << path->PathEqual(refl::AccessPath::FromSteps(path->ToSteps()));
  });
  auto state = refl::TypeAttrColumn("__ffi_enum__")[ColorObj::RuntimeTypeIndex()].cast<EnumState>();
  show("enum", [&] { print(state->entries); });
  show("enum indexes", [&] { print(state->indexes); });
  show("enum attrs", [&] { std::cout << state->attrs.size(); });
  show("enum defined", [&] {
    std::cout << refl::EnumDef<ColorObj>::IsDefined("Red")
              << refl::EnumDef<ColorObj>::IsDefined("Blue");
  });
}

} // namespace

int main() {
  define();
  for (int32_t index : {PointObj::RuntimeTypeIndex(), Point3Obj::RuntimeTypeIndex(),
                        TextObj::RuntimeTypeIndex(), ColorObj::RuntimeTypeIndex()})
    describe(index);
  fieldsAndMethods();
  constructors();
  data();
  return 0;
}
