/// Objects made by key from values of their fields.
#include <gtest/gtest.h>

#include "tvm/ffi/reflection/creator.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

class PairObj : public Object {
public:
  int64_t a = 0, b = 0;
  PairObj() = default;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.creator.Pair", PairObj, Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PairObj>()
      .def_ro("a", &PairObj::a)
      .def_ro("b", &PairObj::b, refl::default_value(42));
}

std::string errorOf(const char *key, const Map<String, Any> &fields) {
  try {
    refl::ObjectCreator creator{std::string_view(key)};
    creator(fields);
  } catch (const Error &error) {
    return error.kind() + ": " + error.message();
  }
  return "no error";
}

TEST(Creator, MakesObjects) {
  refl::ObjectCreator creator("test.creator.Pair");
  auto pair = creator(Map<String, Any>{{"a", 5}}).cast<ObjectRef>();
  ASSERT_NE(pair.as<PairObj>(), nullptr);
  EXPECT_EQ(pair.as<PairObj>()->a, 5);
  EXPECT_EQ(pair.as<PairObj>()->b, 42);
  EXPECT_EQ(pair.use_count(), 1);
}

TEST(Creator, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf("test.creator.Pair", {}),
            "TypeError: Required field `a` not set in type `test.creator.Pair`");
  EXPECT_EQ(errorOf("test.creator.Pair", {{"a", 1}, {"c", 2}}),
            "TypeError: Type `test.creator.Pair` does not have field `c`");
  EXPECT_EQ(errorOf("test.creator.Pair", {{"a", "text"}}),
            "TypeError: Cannot convert from type `ffi.SmallStr` to `int`");
  EXPECT_EQ(errorOf("ffi.Function", {}),
            "RuntimeError: Type `ffi.Function` does not support default constructor, as a result "
            "cannot be created via reflection");
  EXPECT_EQ(errorOf("test.creator.None", {}),
            "InternalError: Cannot find type `test.creator.None`");
}

} // namespace
