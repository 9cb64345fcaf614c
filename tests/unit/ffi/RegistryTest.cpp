/// Global functions, the type table, attributes and reflection, also from many threads.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <thread>

#include "ThrownMessage.h"
#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {
TVMFFIByteArray byteArray(std::string_view text) { return {text.data(), text.size()}; }

int32_t newType(const std::string &key, int32_t slots = 0, bool overflow = true,
                int32_t parent = kTVMFFIObject, int32_t depth = 1) {
  TVMFFIByteArray name = byteArray(key);
  return TVMFFITypeGetOrAllocIndex(&name, -1, depth, slots, overflow, parent);
}
} // namespace

TEST(GlobalFunctions, AreSetFoundAndRemoved) {
  Function f = Function::FromTyped([](int x) { return x + 1; });
  EXPECT_FALSE(Function::GetGlobal("test.inc"));
  Function::SetGlobal("test.inc", f);
  EXPECT_TRUE(Function::GetGlobalRequired("test.inc").same_as(f));
  EXPECT_EQ(messageOf([&] { Function::SetGlobal("test.inc", f); }, "RuntimeError"),
            "Global Function `test.inc` is already registered");
  Function::SetGlobal("test.inc", Function::FromTyped([](int x) { return x + 2; }), true);
  EXPECT_EQ(Function::GetGlobalRequired("test.inc")(1).cast<int>(), 3);
  auto names = Function::ListGlobalNames();
  EXPECT_EQ(std::count(names.begin(), names.end(), "test.inc"), 1);
  Function::RemoveGlobal("test.inc");
  EXPECT_EQ(messageOf([] { Function::GetGlobalRequired("test.inc"); }, "ValueError"),
            "Function test.inc not found");
  EXPECT_EQ(f.use_count(), 1);
}

TEST(GlobalFunctions, CarryMetadata) {
  reflection::GlobalDef().def(
      "test.meta", [](int, String) { return 1.5; }, "A text.",
      reflection::Metadata{{"fast", true}, {"rank", 2}, {"by", "us"}});
  Function metadata = Function::GetGlobalRequired("ffi.GetGlobalFuncMetadata");
  EXPECT_EQ(metadata("test.meta").cast<String>(),
            "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{"
            "\\\"return\\\":[{\\\"type\\\":\\\"float\\\"}],\\\"params\\\":[{\\\"type\\\":"
            "\\\"int\\\"},{\\\"type\\\":\\\"ffi.String\\\"}]}}\",\"fast\":true,\"rank\":2,"
            "\"by\":\"us\"}");
  EXPECT_EQ(messageOf([&] { metadata("test.none"); }, "RuntimeError"),
            "Global Function is not found: test.none");
  testing::internal::CaptureStderr();
  std::string text =
      messageOf([] { reflection::GlobalDef().def("test.meta", [] {}); }, "RuntimeError");
  EXPECT_EQ(text.find("Global Function `test.meta` is already registered, possible causes:"), 0u);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("test.meta"), std::string::npos);
}

TEST(GlobalFunctions, RefuseOtherObjects) {
  String text("no function at all");
  TVMFFIByteArray name = byteArray("test.text");
  EXPECT_EQ(TVMFFIFunctionSetGlobal(&name, AnyView(text).CopyToTVMFFIAny().v_obj, 0), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().kind(), "TypeError");
}

TEST(Types, StaticOnesAreThere) {
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(kTVMFFITensor);
  EXPECT_STREQ(info->type_key.data, "ffi.Tensor");
  EXPECT_EQ(info->type_depth, 1);
  EXPECT_EQ(info->type_ancestors[0]->type_index, kTVMFFIObject);
  EXPECT_EQ(TVMFFIGetTypeInfo(kTVMFFIInt)->type_depth, 0);
  for (const auto &[key, index] : {std::pair<const char *, int>{"ffi.BigInt", 78},
                                   {"ffi.Unchanged", 13},
                                   {"ffi.VisitInterrupt", 77}})
    EXPECT_EQ(TypeKeyToIndex(key), index);
  EXPECT_EQ(messageOf([] { TypeKeyToIndex("test.Nothing"); }, "InternalError"),
            "Cannot find type `test.Nothing`");
}

TEST(Types, ReserveSlotsForChildren) {
  int32_t parent = newType("test.Parent", 2);
  int32_t next = newType("test.Next");
  EXPECT_EQ(next, parent + 3);
  EXPECT_EQ(newType("test.Parent", 7), parent); // known: the rest is ignored
  EXPECT_EQ(newType("test.ChildA", 0, true, parent, 2), parent + 1);
  EXPECT_EQ(newType("test.ChildB", 0, true, parent, 2), parent + 2);
  EXPECT_GT(newType("test.ChildC", 0, true, parent, 2), next);
  const TVMFFITypeInfo *child = TVMFFIGetTypeInfo(parent + 1);
  EXPECT_EQ(child->type_depth, 2);
  EXPECT_EQ(child->type_ancestors[0]->type_index, kTVMFFIObject);
  EXPECT_EQ(child->type_ancestors[1]->type_index, parent);
  EXPECT_EQ(newType("test.Unknown", 0, true, -2), -2);
}

TEST(TypesDeathTest, ConflictsEndTheProcess) {
  EXPECT_DEATH(
      {
        int32_t parent = newType("test.Full", 0, false);
        newType("test.TooMany", 0, true, parent, 2);
      },
      "Reach maximum number of sub-classes for test.Full");
  TVMFFIByteArray name = byteArray("test.Thief");
  EXPECT_DEATH(TVMFFITypeGetOrAllocIndex(&name, kTVMFFIStr, 1, 0, 0, kTVMFFIObject),
               "is already taken by `ffi.String`");
}

TEST(Types, UnknownOnesHaveAnEntryOfTheirOwn) {
  for (int32_t index : {-2, 14, 63, 100, 1000000, INT32_MAX, INT32_MIN}) {
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(index);
    EXPECT_STREQ(info->type_key.data, "<unknown type>") << index;
    EXPECT_EQ(info->type_depth, 0);
    EXPECT_EQ(info->num_fields + info->num_methods, 0);
  }
}

TEST(Types, FieldsAndMethodsAreKept) {
  int32_t type = newType("test.Fields");
  {
    std::string name = "x", doc = "the x";
    TVMFFIFieldInfo field{};
    field.name = byteArray(name);
    field.doc = byteArray(doc);
    field.offset = 24;
    Any value = String("a default on the heap");
    field.default_value_or_factory = AnyView(value).CopyToTVMFFIAny();
    field.flags = kTVMFFIFieldFlagBitMaskHasDefault;
    ASSERT_EQ(TVMFFITypeRegisterField(type, &field), 0);
    EXPECT_EQ(value.cast<ObjectRef>().use_count(), 3);
    EXPECT_EQ(TVMFFITypeRegisterField(type, &field), -1);
    EXPECT_EQ(detail::MoveFromSafeCallRaised().message(),
              "Duplicate field name \"x\" in type \"test.Fields\"");
  }
  for (int i = 0; i < 50; ++i) {
    std::string name = "y" + std::to_string(i);
    TVMFFIFieldInfo field{};
    field.name = byteArray(name);
    ASSERT_EQ(TVMFFITypeRegisterField(type, &field), 0);
  }
  const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
  ASSERT_EQ(info->num_fields, 51);
  EXPECT_STREQ(info->fields[0].doc.data, "the x");
  EXPECT_STREQ(info->fields[50].name.data, "y49");
  TVMFFIFieldInfo field{};
  EXPECT_EQ(TVMFFITypeRegisterField(987654, &field), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message(), "Cannot find a type of index 987654");
  TVMFFITypeMetadata metadata{};
  metadata.total_size = 32;
  ASSERT_EQ(TVMFFITypeRegisterMetadata(type, &metadata), 0);
  EXPECT_EQ(info->metadata->total_size, 32);
  testing::internal::CaptureStderr();
  EXPECT_EQ(TVMFFITypeRegisterMetadata(type, &metadata), -1);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message().find("Overriding test.Fields"), 0u);
}

TEST(Attributes, HaveOneColumnEach) {
  TVMFFIByteArray hash = byteArray("__any_hash__"), name = byteArray("__test_attr__");
  EXPECT_TRUE(TVMFFIGetTypeAttrColumn(&hash));
  EXPECT_EQ(TVMFFIGetTypeAttrColumn(&name), nullptr);
  TVMFFIAny none = {};
  ASSERT_EQ(TVMFFITypeRegisterAttr(kTVMFFINone, &name, &none), 0);
  const TVMFFITypeAttrColumn *column = TVMFFIGetTypeAttrColumn(&name);
  ASSERT_TRUE(column);
  EXPECT_EQ(column->size, 0);
  int32_t type = newType("test.Attr");
  Any value = 7;
  TVMFFIAny raw = AnyView(value).CopyToTVMFFIAny();
  ASSERT_EQ(TVMFFITypeRegisterAttr(type, &name, &raw), 0);
  EXPECT_EQ(TVMFFIGetTypeAttrColumn(&name), column);
  ASSERT_GT(column->size, type - column->begin_index);
  EXPECT_EQ(column->data[type - column->begin_index].v_int64, 7);
  EXPECT_EQ(column->data[type - column->begin_index - 1].type_index, kTVMFFINone);
  EXPECT_EQ(TVMFFITypeRegisterAttr(type, &name, &raw), -1);
  EXPECT_EQ(detail::MoveFromSafeCallRaised().message().find(
                "TypeAttr `__test_attr__` is already registered for type index"),
            0u);
}

TEST(Registry, IsSafeFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) {
        std::string own = "test.thread" + std::to_string(t) + "." + std::to_string(i);
        Function::SetGlobal(own, Function::FromTyped([i] { return i; }));
        EXPECT_EQ(Function::GetGlobalRequired(own)().cast<int>(), i);
        int32_t shared = newType("test.Shared" + std::to_string(i));
        int32_t mine = newType("test." + own);
        EXPECT_NE(shared, mine);
        EXPECT_EQ(TVMFFIGetTypeInfo(shared)->type_index, shared);
        TVMFFIByteArray column = byteArray("__test_threads__");
        TVMFFIAny value = AnyView(i).CopyToTVMFFIAny();
        EXPECT_EQ(TVMFFITypeRegisterAttr(mine, &column, &value), 0);
        Function::RemoveGlobal(own);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
