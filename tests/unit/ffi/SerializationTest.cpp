#include "tvm/ffi/extra/serialization.h"

#include <gtest/gtest.h>

#include <string>

#include "tvm/ffi/big_int.h"
#include "tvm/ffi/container/dict.h"
#include "tvm/ffi/container/list.h"
#include "tvm/ffi/container/shape.h"
#include "tvm/ffi/device.h"
#include "tvm/ffi/dtype.h"
#include "tvm/ffi/extra/dataclass.h"
#include "tvm/ffi/reflection/access_path.h"

using namespace tvm::ffi;

namespace {

std::string textOf(const Any &value, const Any &metadata = nullptr) {
  return std::string(json::Stringify(ToJSONGraph(value, metadata)));
}

std::string errorOf(const char *text) {
  try {
    FromJSONGraph(json::Parse(text));
  } catch (const Error &error) {
    return error.kind() + ": " + error.message();
  }
  return "no error";
}

TEST(Serialization, PlainValues) {
  EXPECT_EQ(textOf(nullptr), R"({"root_index":0,"nodes":[{"type":"None"}]})");
  EXPECT_EQ(textOf(true), R"({"root_index":0,"nodes":[{"type":"bool","data":true}]})");
  EXPECT_EQ(textOf("short"), R"({"root_index":0,"nodes":[{"type":"ffi.String","data":"short"}]})");
  EXPECT_EQ(textOf(Bytes("abc", 3)),
            R"({"root_index":0,"nodes":[{"type":"ffi.Bytes","data":"YWJj"}]})");
  EXPECT_EQ(textOf(DLDevice{kDLCUDA, 1}),
            R"({"root_index":0,"nodes":[{"type":"Device","data":[2,1]}]})");
  EXPECT_EQ(textOf(StringToDLDataType("float32x4")),
            R"({"root_index":0,"nodes":[{"type":"DataType","data":"float32x4"}]})");
  EXPECT_EQ(textOf(BigInt(1) << BigInt(70)),
            R"({"root_index":0,"nodes":[{"type":"ffi.BigInt","data":"1180591620717411303424"}]})");
  EXPECT_EQ(textOf(1, "about"),
            R"({"root_index":0,"nodes":[{"type":"int","data":1}],"metadata":"about"})");
}

TEST(Serialization, SharedObjectsStayShared) {
  Array<Any> inner{1, 2};
  Array<Any> outer{inner, inner, Array<Any>{1, 2}};
  EXPECT_EQ(textOf(outer),
            R"({"root_index":4,"nodes":[{"type":"int","data":1},{"type":"int","data":2},)"
            R"({"type":"ffi.Array","data":[0,1]},{"type":"ffi.Array","data":[0,1]},)"
            R"({"type":"ffi.Array","data":[2,2,3]}]})");
  auto back = FromJSONGraph(ToJSONGraph(outer)).cast<Array<Any>>();
  EXPECT_TRUE(back[0].same_as(back[1]));
  EXPECT_FALSE(back[0].same_as(back[2]));
}

TEST(Serialization, RoundTrip) {
  Any value = Array<Any>{Map<Any, Any>{{"k", Shape({1, 2, 3})}, {2, Bytes("\0x", 2)}},
                         Dict<Any, Any>{{"d", nullptr}}, List<Any>{1.5, false},
                         reflection::AccessPath::Root()->Attr("a")->ArrayItem(3),
                         -(BigInt(1) << BigInt(90))};
  Any back = FromJSONGraph(json::Parse(String(textOf(value))));
  EXPECT_TRUE(RecursiveEq(value, back)) << back;
}

TEST(Serialization, WhatHoldsItself) {
  List<Any> list{1};
  list.push_back(list);
  EXPECT_THROW(ToJSONGraph(list), Error);
  EXPECT_EQ(errorOf(R"({"root_index":0,"nodes":[{"type":"ffi.Array","data":[0]}]})"),
            "ValueError: Invalid JSON Object Graph: node 0 contains itself");
  list.clear();
}

TEST(Serialization, NoGraph) {
  EXPECT_EQ(errorOf("[]"), "ValueError: Invalid JSON Object Graph, expected an object");
  EXPECT_EQ(errorOf(R"({"root_index":0})"),
            "ValueError: Invalid JSON Object Graph, expected `nodes` array field");
  EXPECT_EQ(errorOf(R"({"root_index":5,"nodes":[]})"),
            "ValueError: Invalid JSON Object Graph: invalid node index 5");
  EXPECT_EQ(errorOf(R"({"root_index":0,"nodes":[{"type":"ffi.Map","data":[0]}]})"),
            "ValueError: Invalid JSON Object Graph: Map/Dict data must contain an even number of "
            "[key, value] entries, got 1");
  EXPECT_EQ(errorOf(R"({"root_index":0,"nodes":[{"type":"ffi.BigInt","data":"1x"}]})"),
            "ValueError: Invalid decimal string for ffi.BigInt");
  EXPECT_NE(errorOf(R"({"root_index":0,"nodes":[{"type":"ffi.Function","data":{}}]})"), "no error");
  EXPECT_THROW(ToJSONGraph(Function::FromTyped([] {})), Error);
}

} // namespace
