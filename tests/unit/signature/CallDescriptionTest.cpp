#include "signature/CallDescription.h"

#include <gtest/gtest.h>

#include <limits>

#include "tvm/ffi/container/array.h"

namespace fairlead {
namespace {

using Kind = CallForm::Kind;

CallDescription sample() {
  CallForm tuple{
      .kind = Kind::Tuple,
      .children = {
          {}, {.kind = Kind::Omitted}, {.kind = Kind::None}, {.kind = Kind::Constant, .value = 4}}};
  CallForm fields{.kind = Kind::Fields, .fields = {"x", "y"}, .children = {tuple, {}}};
  return {{{"a", {}, {}}, {"b", 2.5, {}}, {"c", tvm::ffi::Any(nullptr), fields}}, 2};
}

TEST(CallDescription, Text) {
  EXPECT_EQ(sample().text(),
            R"({"names":["a","b","c"],"positional":2,"defaults":[[],[2.5],[null]],)"
            R"("forms":[0,0,{"f":["x","y"],"forms":[{"t":[0,1,null,{"=":4}]},0]}]})");
  CallDescription plain{{{"a", {}, {}}}, 1};
  EXPECT_EQ(plain.text(), R"({"names":["a"],"positional":1})");
}

TEST(CallDescription, ComesBackFromText) {
  std::string text = *sample().text();
  auto again = CallDescription::parse(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->text(), text);
  EXPECT_EQ(again->numPositional, 2u);
  EXPECT_FALSE(again->parameters[0].initial);
  EXPECT_EQ(again->parameters[2].form.fields, (std::vector<std::string>{"x", "y"}));
}

TEST(CallDescription, WhatTextCannotTell) {
  double infinite = std::numeric_limits<double>::infinity();
  CallDescription call{
      {{"a", infinite, {}}, {"b", tvm::ffi::Array<tvm::ffi::Any>{1, infinite}, {}}}, 2};
  EXPECT_EQ(call.text(), R"({"names":["a","b"],"positional":2})");
  call.parameters[0].form = {.kind = Kind::Constant, .value = infinite};
  EXPECT_FALSE(call.text());
  call.parameters[0].form = {.kind = Kind::Tuple, .children = {{.kind = Kind::Custom}}};
  EXPECT_FALSE(call.text());
}

TEST(CallDescription, OtherTextIsRefused) {
  for (const char *text : {"", "{", "[]", R"({"names":["a"]})", R"({"names":["a"],"positional":2})",
                           R"({"names":["a"],"positional":1,"defaults":[[1,2]]})",
                           R"({"names":["a"],"positional":1,"forms":[{"f":["x"],"forms":[]}]})"})
    EXPECT_FALSE(CallDescription::parse(text)) << text;
}

} // namespace
} // namespace fairlead
