/// Enums whose values are objects.
#include <gtest/gtest.h>

#include "tvm/ffi/reflection/enum_def.h"

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class ColorObj : public EnumObj {
public:
  using EnumObj::EnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.enum.Color", ColorObj, EnumObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ColorObj>(refl::init(false));
  refl::EnumDef<ColorObj>("Red").set_attr("hex", int64_t(0xFF0000));
  refl::EnumDef<ColorObj>("Green").set_attr("hex", int64_t(0x00FF00));
}

template <typename F> std::string errorOf(F f) {
  try {
    f();
  } catch (const Error &error) {
    return error.kind() + ": " + error.message();
  }
  return "no error";
}

TEST(Enum, ValuesByNumberAndName) {
  Enum red = EnumObj::Get<ColorObj>(Any(0));
  EXPECT_EQ(red->_str_index, "Red");
  EXPECT_TRUE(red.same_as(EnumObj::Get<ColorObj>(Any("Red"))));
  EXPECT_EQ(EnumObj::Get<ColorObj>(Any("Green"))->_int_index, 1);
  EXPECT_TRUE(refl::EnumDef<ColorObj>::IsDefined("Red"));
  EXPECT_FALSE(refl::EnumDef<ColorObj>::IsDefined("Blue"));
}

TEST(Enum, State) {
  std::optional<EnumState> state = EnumObj::State<ColorObj>();
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ((*state)->entries.size(), 2u);
  EXPECT_EQ((*state)->indexes.size(), 4u);
  ObjectRef green = EnumObj::Get<ColorObj>(Any("Green"));
  EXPECT_EQ((*state)->attrs.at("hex").at(green).cast<int64_t>(), 0x00FF00);
}

TEST(Enum, Errors) {
  EXPECT_EQ(errorOf([] { EnumObj::Get<ColorObj>(Any("Blue")); }),
            "KeyError: Enum `test.enum.Color` has no value named `Blue`");
  EXPECT_EQ(errorOf([] { refl::EnumDef<ColorObj> again("Red"); }),
            "ValueError: Enum `test.enum.Color` already has a value named `Red`");
  EXPECT_EQ(errorOf([] { refl::EnumDef<ColorObj> unnamed(""); }),
            "ValueError: A value of enum `test.enum.Color` needs a name");
}

} // namespace
