#include "tvm/ffi/extra/json.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "tvm/ffi/container/list.h"
#include "tvm/ffi/error.h"
#include "tvm/ffi/function.h"

using namespace tvm::ffi;

// Libraries compiled with headers of apache-tvm-ffi call it in this way, up to 0.1.12 and from
// 0.1.13 on.
String stringifyBefore(const Any &value, const std::optional<int> &indent) __asm__(
    "_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE");
String stringifyNow(const Any &value, const Optional<int> &indent) __asm__(
    "_ZN3tvm3ffi4json9StringifyERKNS0_3AnyERKNS0_8OptionalIivEE");

namespace {

std::string errorOf(const std::string &text) {
  String message("unset");
  EXPECT_EQ(json::Parse(String(text), &message).type_index(), kTVMFFINone);
  return std::string(message);
}

TEST(Json, Integers) {
  EXPECT_EQ(json::Parse("9223372036854775807").cast<int64_t>(),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(json::Parse("-9223372036854775808").cast<int64_t>(),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(json::Parse("-0").type_index(), kTVMFFIInt);
  Any large = json::Parse("9223372036854775808");
  EXPECT_EQ(large.type_index(), kTVMFFIFloat);
  EXPECT_EQ(large.cast<double>(), 9223372036854775808.0);
}

TEST(Json, Floats) {
  EXPECT_EQ(json::Parse("1e3").type_index(), kTVMFFIFloat);
  EXPECT_TRUE(std::signbit(json::Parse("-0.0").cast<double>()));
  EXPECT_TRUE(std::isnan(json::Parse("NaN").cast<double>()));
  EXPECT_EQ(json::Parse("-Infinity").cast<double>(), -std::numeric_limits<double>::infinity());
  for (std::string tiny : {std::string("1e-400"), "0." + std::string(400, '0') + "1e5",
                           std::string("1e-99999999999999999999")})
    EXPECT_EQ(json::Parse(String(tiny)).cast<double>(), 0.0) << tiny;
  EXPECT_EQ(json::Parse(String("1" + std::string(400, '0') + "e-399")).cast<double>(), 10.0);
  for (std::string huge :
       {std::string("1e400"), std::string("0.01e500"), "1" + std::string(900, '0') + "e-5"})
    EXPECT_EQ(errorOf(huge), "Expecting value: line 1 column 1 (char 0)") << huge;
}

TEST(Json, Strings) {
  EXPECT_EQ(json::Parse(R"("\"\\\/\b\f\n\r\t")").cast<String>(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(json::Parse(R"("\u0041\u00e9\u20ac\ud83d\ude00")").cast<String>(),
            "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(json::Parse(R"("\u0000")").cast<String>().size(), 1u);
}

TEST(Json, Objects) {
  auto object = json::Parse(R"( {"b" : [1, {"c": null}], "a": 1, "b": 2} )").cast<json::Object>();
  EXPECT_EQ(object.size(), 2u);
  EXPECT_EQ(object[String("b")].cast<int>(), 2);
  EXPECT_EQ(json::Stringify(object), R"({"b":2,"a":1})");
}

TEST(Json, ErrorsSayWhere) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "Expecting value: line 1 column 1 (char 0)"},
      {"  ", "Expecting value: line 1 column 3 (char 2)"},
      {"[1", "Expecting ',' delimiter: line 1 column 3 (char 2)"},
      {"[1,", "Syntax error near: line 1 column 4 (char 3)"},
      {"[1,]", "Expecting value: line 1 column 4 (char 3)"},
      {"[1,\n 2,\n x]", "Expecting value: line 3 column 2 (char 9)"},
      {"{\"a\"", "Expecting ':' delimiter: line 1 column 5 (char 4)"},
      {"{\"a\":1,}", "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)"},
      {"\"abc", "Unterminated string starting at: line 1 column 1 (char 0)"},
      {"\"\\", "Unterminated string starting at: line 1 column 1 (char 0)"},
      {"\"\\x\"", "Invalid \\escape: line 1 column 3 (char 2)"},
      {"\"\\u12\"", "Invalid \\uXXXX escape: line 1 column 3 (char 2)"},
      {"\"\\ud800\"", "Invalid surrogate pair of \\uXXXX escapes: line 1 column 3 (char 2)"},
      {"\"\\ud800\\u0041\"",
       "Invalid surrogate pair of \\uXXXX escapes: line 1 column 10 (char 9)"},
      {"\"a\nb\"", "Invalid control character at: line 1 column 3 (char 2)"},
      {"1 2", "Extra data: line 1 column 3 (char 2)"},
      {"01", "Extra data: line 1 column 2 (char 1)"},
      {"1.", "Expecting value: line 1 column 1 (char 0)"},
      {"-", "Expecting value: line 1 column 1 (char 0)"},
      {"+1", "Expecting value: line 1 column 1 (char 0)"}};
  for (const auto &[text, message] : cases)
    EXPECT_EQ(errorOf(text), message) << text;
  String message("unset");
  EXPECT_EQ(json::Parse("1", &message).cast<int>(), 1);
  EXPECT_EQ(message, "");
  EXPECT_THROW(json::Parse("x"), Error);
}

TEST(Json, EveryPrefixIsRefused) {
  std::string text = R"({"a":[1.5e3,"\ud83d\ude00",true,{"b":null}]})";
  EXPECT_EQ(errorOf(text.substr(0, 0)).substr(0, 9), "Expecting");
  for (size_t size = 1; size < text.size(); ++size)
    EXPECT_THROW(json::Parse(String(text.substr(0, size))), Error) << size;
  json::Parse(String(text));
}

TEST(Json, DepthIsLimited) {
  auto nested = [](size_t n) { return String(std::string(n, '[') + std::string(n, ']')); };
  EXPECT_EQ(json::Stringify(json::Parse(nested(4096))), nested(4096));
  EXPECT_THROW(json::Parse(nested(4097)), Error);
  EXPECT_THROW(json::Parse(String(std::string(1000000, '['))), Error);
  List<Any> self;
  self.push_back(self);
  EXPECT_THROW(json::Stringify(self), Error);
  self.clear();
}

TEST(Json, TextOfValues) {
  EXPECT_EQ(json::Stringify(0.1), "0.10000000000000001");
  EXPECT_EQ(json::Stringify(1.0), "1.0");
  EXPECT_EQ(json::Stringify(1e22), "1e+22");
  EXPECT_EQ(json::Parse(json::Stringify(1e16)).type_index(), kTVMFFIFloat);
  EXPECT_EQ(json::Stringify(String("/\x01\x7f\"")), "\"\\/\\u0001\\u007f\\\"\"");
  Any value = json::Parse(R"([1,{"a":[],"b":2}])");
  EXPECT_EQ(json::Stringify(value, 2), "[\n  1,\n  {\n    \"a\": [\n    ],\n    \"b\": 2\n  }\n]");
  EXPECT_EQ(json::Stringify(value, 0), json::Stringify(value));
}

TEST(Json, FloatsDoNotFollowTheLocale) {
  std::string folder = testing::TempDir() + "fairlead-locale-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string command =
      "localedef -i de_DE -f UTF-8 " + folder + "/de_DE.UTF-8 >/dev/null 2>&1";
  const bool isMade = std::system(command.c_str()) == 0;
  setenv("LOCPATH", folder.c_str(), 1);
  const bool isSet = isMade && std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  char shown[16] = "";
  std::snprintf(shown, sizeof(shown), "%.1f", 0.5);
  const std::string texts = std::string(json::Stringify(0.5)) + " " +
                            std::string(json::Stringify(-1.25)) + " " +
                            std::string(json::Stringify(3.0));
  std::setlocale(LC_NUMERIC, "C");
  unsetenv("LOCPATH");
  std::filesystem::remove_all(folder);
  if (!isSet)
    GTEST_SKIP() << "localedef makes no German locale here";
  EXPECT_STREQ(shown, "0,5");
  EXPECT_EQ(texts, "0.5 -1.25 3.0");
}

TEST(Json, ValuesWithoutText) {
  EXPECT_THROW(json::Stringify(Bytes("x")), Error);
  EXPECT_THROW(json::Stringify(json::Object{{1, 2}}), Error);
}

TEST(Json, FunctionsOfPublishedHeaders) {
  Any value = json::Array{1};
  EXPECT_EQ(stringifyBefore(value, std::nullopt), "[1]");
  EXPECT_EQ(stringifyBefore(value, 2), "[\n  1\n]");
  EXPECT_EQ(stringifyNow(value, std::nullopt), "[1]");
  EXPECT_EQ(stringifyNow(value, 2), "[\n  1\n]");
}

TEST(Json, GlobalFunctions) {
  Any value = Function::GetGlobalRequired("ffi.json.Parse")(String("[1,2]"));
  EXPECT_EQ(Function::GetGlobalRequired("ffi.json.Stringify")(value, nullptr).cast<String>(),
            "[1,2]");
}

} // namespace
