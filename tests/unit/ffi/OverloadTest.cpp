/// Several functions under one name.
#include <gtest/gtest.h>

#include "tvm/ffi/reflection/overload.h"

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class ShapeMakerObj : public Object {
public:
  int64_t seed = 1;
  ShapeMakerObj() = default;
  explicit ShapeMakerObj(int64_t seed) : seed(seed) {}
  ShapeMakerObj(int64_t seed, String) : seed(seed + 100) {}
  int64_t add(int64_t k) const { return seed + k; }
  String add(String text) const { return text + "!"; }
  static int64_t make(int64_t) { return 1; }
  static int64_t make(String) { return 2; }
  TVM_FFI_DECLARE_OBJECT_INFO("test.overload.Maker", ShapeMakerObj, Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::OverloadObjectDef<ShapeMakerObj>()
      .def("add", refl::overload_cast<int64_t>(&ShapeMakerObj::add, refl::const_))
      .def("add", refl::overload_cast<String>(&ShapeMakerObj::add, refl::const_))
      .def_static("make", refl::overload_cast<int64_t>(&ShapeMakerObj::make))
      .def_static("make", refl::overload_cast<String>(&ShapeMakerObj::make))
      .def(refl::init<int64_t>())
      .def(refl::init<int64_t, String>());
}

TEST(Overload, TakesTheFirstThatFits) {
  auto maker = make_object<ShapeMakerObj>();
  Function add = refl::GetMethod("test.overload.Maker", "add");
  EXPECT_EQ(add(maker, 2).cast<int64_t>(), 3);
  EXPECT_EQ(add(maker, "a").cast<std::string>(), "a!");
  Function make = refl::GetMethod("test.overload.Maker", "make");
  EXPECT_EQ(make(2).cast<int64_t>(), 1);
  EXPECT_EQ(make("x").cast<int64_t>(), 2);
}

TEST(Overload, Constructors) {
  Function init =
      refl::TypeAttrColumn(type_attr::kInit)[ShapeMakerObj::RuntimeTypeIndex()].cast<Function>();
  EXPECT_EQ(init(7).cast<ObjectRef>().as<ShapeMakerObj>()->seed, 7);
  EXPECT_EQ(init(7, "s").cast<ObjectRef>().as<ShapeMakerObj>()->seed, 107);
}

TEST(Overload, SaysWhyNoneFits) {
  auto maker = make_object<ShapeMakerObj>();
  try {
    refl::GetMethod("test.overload.Maker", "add")(maker, nullptr);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), "TypeError");
    EXPECT_EQ(error.message(),
              "No matching overload found when calling: `test.overload.Maker.add` with 2 "
              "arguments:\nOverload #0: Mismatched type on argument #1 when calling: "
              "`test.overload.Maker.add (0: test.overload.Maker, 1: int) -> int`. Expected `int` "
              "but got `None`\nOverload #1: Mismatched type on argument #1 when calling: "
              "`test.overload.Maker.add (0: test.overload.Maker, 1: str) -> str`. Expected `str` "
              "but got `None`");
  }
}

} // namespace
