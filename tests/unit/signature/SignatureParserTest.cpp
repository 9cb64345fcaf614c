#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fairlead/Error.h"
#include "fairlead/Signature.h"

namespace fairlead {
namespace signature_parser_test {
namespace {

/// The message of the error that parsing raises; "" when it raises none.
std::string failure(std::string_view text) {
  try {
    Signature::parse(text);
    return "";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), "ValueError");
    return error.what();
  }
}

const TensorParam &tensor(const Signature &signature, int index) {
  return std::get<TensorParam>(signature.params[index].type);
}

TEST(SignatureParser, ReadsTheIssuesExample) {
  const char *text = "add_one(x: Tensor([n], float32), y: Tensor([n], float32), alpha: float32)";
  Signature signature = Signature::parse(text);
  EXPECT_EQ(signature.name, "add_one");
  EXPECT_EQ(signature.str(), text);
  EXPECT_EQ(signature.text(), text);
  ASSERT_EQ(signature.symbols.size(), 1u);
  EXPECT_EQ(signature.symbols[0].name, "n");
  EXPECT_EQ(signature.symbols[0].width, 64);
  EXPECT_EQ(tensor(signature, 1).strides, (std::vector<Extent>{{1, {}}}));
  EXPECT_EQ(std::get<ScalarParam>(signature.params[2].type).dtype, DType::Float32);
}

TEST(SignatureParser, StridesDefaultToRowMajor) {
  Signature signature = Signature::parse("f(x: Tensor([b, n, 4, m], int8))");
  EXPECT_EQ(tensor(signature, 0).strides,
            (std::vector<Extent>{{4, {1, 2}}, {4, {2}}, {1, {2}}, {1, {}}}));
  EXPECT_EQ(Signature::parse("f(x: Tensor([n, m], int8, strides=[m, 1]))").text(),
            "f(x: Tensor([n, m], int8))");
}

TEST(SignatureParser, TextIsReadBackAsItIs) {
  for (const char *text :
       {"f()", "f(s: Stream)", "f(x: Tensor([], bool))", "f(x: Tensor([_, _], float16))",
        "f(x: Tensor([n, m], float32, strides=[s, 1]))",
        "f(x: Tensor([n, 128], float32, strides=[1, n], align=16), k: int64, s: Stream)",
        "f(x: Tensor([n], uint8), y: Tensor([2*n*n], uint8)) where n % 8 == 0",
        "f(x: Tensor([n, m], T), a: U, y: Tensor([n], U)) where m % 4 == 0, T in {float16, "
        "bfloat16}, "
        "U in {float32, float64}"})
    EXPECT_EQ(Signature::parse(text).text(), text);
}

TEST(SignatureParser, DisplayHidesAlignmentsOfElements) {
  Signature signature = Signature::parse("f(x: Tensor([n, m], float32, strides=[s, 1], align=4), "
                                         "y: Tensor([n], int8, align=4)) where n % 8 == 0");
  EXPECT_EQ(signature.display(), "f(x: Tensor([n, m], float32, strides=[s, 1]), "
                                 "y: Tensor([n], int8, align=4)) where n % 8 == 0");
  EXPECT_EQ(signature.str(), "f(x: Tensor([n, m], float32), y: Tensor([n], int8))");
}

TEST(SignatureParser, AcceptsOtherSpellings) {
  EXPECT_EQ(Signature::parse("f( x :Tensor([n%8,],Float32,device=cuda,) , )\n").text(),
            "f(x: Tensor([n], float32)) where n % 8 == 0");
  EXPECT_EQ(Signature::parse("f(x: Tensor([n], int8)) where n % 16").text(),
            "f(x: Tensor([n], int8)) where n % 16 == 0");
}

TEST(SignatureParser, InstancesChooseDTypes) {
  Signature general = Signature::parse(
      "f(x: Tensor([n], T), a: U, y: Tensor([n], U)) where T in {float16, bfloat16}, U in {int8, "
      "float32}");
  ASSERT_EQ(general.numInstances(), 4);
  Signature third = general.instance(2);
  EXPECT_EQ(tensor(third, 0).dtype, DType::BFloat16);
  EXPECT_EQ(std::get<ScalarParam>(third.params[1].type).dtype, DType::Int8);
  EXPECT_EQ(tensor(third, 2).dtype, DType::Int8);
  EXPECT_EQ(third.str(), "f(x: Tensor([n], T), a: U, y: Tensor([n], U))");
}

TEST(SignatureParser, MarksTheColumn) {
  EXPECT_EQ(failure("f(x: Tensor([n] float32))"),
            "invalid signature: expected `,`, but got `float32`\n"
            "    f(x: Tensor([n] float32))\n"
            "                    ^");
  EXPECT_EQ(failure("f(x: Tensor([n], float32)"),
            "invalid signature: expected `,` or `)`, but got the end\n"
            "    f(x: Tensor([n], float32)\n"
            "                             ^");
  // A mark under characters, not bytes.
  EXPECT_EQ(failure("f(ä)"), "invalid signature: expected a parameter's name, but got `ä`\n"
                             "    f(ä)\n"
                             "      ^");
}

struct Mistake {
  const char *text, *problem;
};
class SignatureMistake : public testing::TestWithParam<Mistake> {};

TEST_P(SignatureMistake, IsNamed) {
  std::string message = failure(GetParam().text);
  EXPECT_NE(message.find(GetParam().problem), std::string::npos)
      << GetParam().text << ": " << message;
  EXPECT_NE(message.find("^"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    All, SignatureMistake,
    testing::Values(
        Mistake{"", "expected the function's name, but got the end"},
        Mistake{"f(x: Tensor([n], floot))", "unknown type `floot`"},
        Mistake{"f(x: quux)", "unknown type `quux`; known are Tensor, Stream, bool"},
        Mistake{"f(x: int32, x: int32)", "two parameters are called `x`"},
        Mistake{"f(s: Stream, t: Stream)", "takes one stream"},
        Mistake{"f(x: Tensor([2*n], int8))", "`n` stands only in products"},
        Mistake{"f(x: Tensor([4], int8, strides=[2*s]))", "`s` stands only in products"},
        Mistake{"f(x: Tensor([4, 4], int8, strides=[2*s, s]))", "before the stride that gives"},
        Mistake{"f(x: Tensor([4, n], int8, strides=[1]))", "expected 2 strides"},
        Mistake{"f(n: int32, x: Tensor([n], int8))", "is a symbol and a parameter"},
        Mistake{"f(x: Tensor([n], int8)) where m % 2 == 0", "`m` is not a symbol"},
        Mistake{"f(x: Tensor([n % 8], int8)) where n % 4 == 0", "multiple of 8 already"},
        Mistake{"f(x: Tensor([n], int8)) where n % 8 == 1", "as in `n % 8 == 0`"},
        Mistake{"f(x: Tensor([n], int8)) where n % 0 == 0", "a divisor of 1 or more"},
        Mistake{"f(x: Tensor([2*n % 8, n], int8))", "`%` follows a single symbol"},
        Mistake{"f(x: Tensor([n], int8, align=12))", "power of two"},
        Mistake{"f(x: Tensor([n], int8, device=cpu))", "expected `cuda`"},
        Mistake{"f(x: Tensor([n], int8, size=1))",
                "expected strides=, align=, no_alias or device="},
        Mistake{"f(x: T) where T in {int8, int16}", "no tensor has the dtype `T`"},
        Mistake{"f(x: Tensor([n], T)) where T in {int8, int8}", "given twice"},
        Mistake{"f(x: Tensor([n], T)) where T in {}", "a dtype such as float32"},
        Mistake{"f(x: Tensor([99999999999999999999], int8))", "at most 64 bits"},
        Mistake{"f(x: Tensor([4294967296*4294967296], int8))", "at most 64 bits"},
        Mistake{"f(min: int32)", "is a word of the language"},
        Mistake{"f() and more", "expected `where` or the end"},
        Mistake{"f(x: Tensor([-1], int8))", "an extent: an integer or a symbol"}));

// Any text is read or refused; a text that was read is written back the same.
TEST(SignatureParser, SurvivesRandomTexts) {
  const std::string words[] = {
      "f", "(",       ")",      "x",     ":",      "Tensor", "[",     "]",       ",",
      "n", "m",       "*",      "%",     "8",      "0",      "1",     "float32", "T",
      "U", "strides", "=",      "align", "device", "cuda",   "where", "in",      "{",
      "}", "==",      "Stream", "_",     "int8",   " ",      "-",     "\xc3",    "99999999999"};
  const std::string seed =
      "f(x: Tensor([n, 2*m, m % 4], T, strides=[s, 1, t], align=16), a: int32, b: T) "
      "where n % 8 == 0, T in {int8, float32}";
  std::mt19937 random(7);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = seed;
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits) {
      size_t at = random() % (text.size() + 1), cut = random() % 6;
      text.replace(at, std::min(cut, text.size() - at), words[random() % std::size(words)]);
    }
    try {
      std::string written = Signature::parse(text).text();
      EXPECT_EQ(Signature::parse(written).text(), written) << text;
      ++accepted;
    } catch (const Error &) {
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(SignatureParser, RefusesWhatIsTooLarge) {
  EXPECT_NE(failure(std::string(100000, 'x')).find("at most 65536 characters"), std::string::npos);
  std::string extents = "1";
  for (int i = 0; i < 32; ++i)
    extents += ", 1";
  EXPECT_NE(failure("f(x: Tensor([" + extents + "], int8))").find("at most 32"), std::string::npos);
  const char *all = "{bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64}";
  EXPECT_NE(failure("f(x: Tensor([n], T), y: Tensor([n], U)) where T in " + std::string(all) +
                    ", U in " + all)
                .find("at most 64 combinations"),
            std::string::npos);
}

} // namespace
} // namespace signature_parser_test
} // namespace fairlead
