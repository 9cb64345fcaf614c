/// Strings and bytes, small and on the heap.
#include <gtest/gtest.h>

#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {
int32_t indexOf(const AnyView &view) { return view.type_index(); }
} // namespace

TEST(Strings, AreSmallUpToSevenCharacters) {
  EXPECT_EQ(indexOf(String()), kTVMFFISmallStr);
  EXPECT_EQ(indexOf(String("1234567")), kTVMFFISmallStr);
  EXPECT_EQ(indexOf(String("12345678")), kTVMFFIStr);
  EXPECT_EQ(indexOf(String(std::string("ab"))), kTVMFFIStr); // adopted
  for (size_t n : {0, 1, 7, 8, 1000}) {
    String text(std::string_view(std::string(n, 'x')));
    EXPECT_EQ(text.size(), n);
    EXPECT_EQ(text.c_str()[n], '\0');
  }
}

TEST(Strings, CompareAcrossForms) {
  EXPECT_EQ(String("abc"), String(std::string("abc")));
  EXPECT_EQ(std::hash<String>()(String("abc")), std::hash<String>()(String(std::string("abc"))));
  EXPECT_LT(String("abc"), "abd");
  EXPECT_GT(String("b"), std::string("abc"));
  EXPECT_NE(String("a\0b", 3), "a");
  EXPECT_EQ(String("a") + "b" + std::string("c") + String("defgh"), "abcdefgh");
}

TEST(Strings, CopyAndMoveKeepCounts) {
  String text("a text on the heap");
  String copy = text, moved = std::move(copy);
  EXPECT_EQ(copy.size(), 0u);
  EXPECT_EQ(moved.data(), text.data());
  Any any = text;
  EXPECT_EQ(any.cast<ObjectRef>().use_count(), 4); // text, moved, any and the temporary
  text = "short";
  EXPECT_EQ(moved, "a text on the heap");
}

TEST(Strings, ComeOutOfTheCInterface) {
  TVMFFIAny out = {};
  TVMFFIByteArray small{"a\0b", 3}, large{"0123456789", 10};
  ASSERT_EQ(TVMFFIStringFromByteArray(&small, &out), 0);
  EXPECT_EQ(out.type_index, kTVMFFISmallStr);
  EXPECT_EQ(out.small_str_len, 3u);
  EXPECT_EQ(out.v_uint64 >> 24, 0u); // the rest is zero
  ASSERT_EQ(TVMFFIStringFromByteArray(&large, &out), 0);
  EXPECT_EQ(out.type_index, kTVMFFIStr);
  TVMFFIObjectDecRef(out.v_obj);
  ASSERT_EQ(TVMFFIBytesFromByteArray(&large, &out), 0);
  EXPECT_EQ(out.type_index, kTVMFFIBytes);
  Any bytes = detail::AnyUnsafe::MoveTVMFFIAnyToAny(&out);
  EXPECT_EQ(std::string(bytes.cast<Bytes>()), "0123456789");
}

TEST(StringClass, TakesWhateverConvertsToText) {
  String text = "first";
  const Bytes bytes("abc", 3);
  text = bytes;
  EXPECT_EQ(text, "abc");
  text = Bytes("a text of more than fifteen", 27);
  EXPECT_EQ(text, "a text of more than fifteen");
  const std::string other = "other";
  text = other;
  EXPECT_EQ(text, "other");
  text = "last";
  EXPECT_EQ(text, "last");
  static_assert(!std::is_assignable_v<String &, std::nullptr_t>, "no text");
  static_assert(std::is_nothrow_move_assignable_v<String>);
}

TEST(Strings, ViewsBecomeOwned) {
  std::string text = "a text that will go";
  TVMFFIAny view = {}, out = {};
  view.type_index = kTVMFFIRawStr;
  view.v_c_str = text.c_str();
  ASSERT_EQ(TVMFFIAnyViewToOwnedAny(&view, &out), 0);
  text.assign(text.size(), '-');
  Any owned = detail::AnyUnsafe::MoveTVMFFIAnyToAny(&out);
  EXPECT_EQ(owned.cast<String>(), "a text that will go");
  Any kept = String("another text on the heap");
  view = AnyView(kept).CopyToTVMFFIAny();
  ASSERT_EQ(TVMFFIAnyViewToOwnedAny(&view, &out), 0);
  EXPECT_EQ(reinterpret_cast<Object *>(out.v_obj)->use_count(), 2);
  TVMFFIObjectDecRef(out.v_obj);
}

TEST(Strings, HelpersWork) {
  String text("a,b,,c");
  EXPECT_EQ(text.Split(',').size(), 4u);
  EXPECT_TRUE(text.starts_with("a,") && text.ends_with(",c") && !text.ends_with("long,a,b,,c"));
  EXPECT_EQ(text.find("b"), 2u);
  EXPECT_EQ(text.substr(2, 1), "b");
  EXPECT_THROW(text.at(6), std::out_of_range);
  EXPECT_EQ(EscapeStringJSON(String("a/\"\n\x01\x7f", 6)), "\"a\\/\\\"\\n\\u0001\\u007f\"");
}
