#include "tvm/ffi/extra/base64.h"

#include <gtest/gtest.h>

#include <string>

using namespace tvm::ffi;

namespace {

TEST(Base64, KnownTexts) { // RFC 4648, section 10
  const char *plain = "foobar";
  const char *coded[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (size_t size = 0; size <= 6; ++size) {
    EXPECT_EQ(Base64Encode(TVMFFIByteArray{plain, size}), coded[size]);
    EXPECT_EQ(std::string(Base64Decode(String(coded[size]))), std::string(plain, size));
  }
}

TEST(Base64, EveryByteComesBack) {
  std::string all;
  for (int i = 0; i < 256; ++i)
    all += static_cast<char>(i);
  EXPECT_EQ(std::string(Base64Decode(Base64Encode(Bytes(all)))), all);
}

TEST(Base64, RefusesWhatIsNot) {
  for (const char *text : {"Y", "YWI", "!!!!", "YQ==YQ==", "====", "Y===", "YW=I", "YWI=\n"})
    EXPECT_THROW(Base64Decode(String(text)), Error) << text;
}

} // namespace
