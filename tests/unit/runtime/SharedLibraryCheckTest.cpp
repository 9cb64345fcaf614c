#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fairlead/Runtime.h"
#include "runtime/RaisedError.h"

namespace {

using fairlead::test::takeRaised;

/// A folder for this test's files, removed afterwards.
class SharedLibraryCheck : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "fairlead-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// The message of a check that must fail.
  static std::string refusal(const std::string &path) {
    EXPECT_EQ(FairleadCheckSharedLibrary(path.c_str()), -1);
    auto error = takeRaised();
    EXPECT_EQ(error.kind, "RuntimeError");
    return error.message;
  }

  std::string folder;
};

TEST_F(SharedLibraryCheck, AcceptsALibrary) {
  EXPECT_EQ(FairleadCheckSharedLibrary(SAMPLE_LIBRARY), 0);
  EXPECT_EQ(takeRaised().kind, "");
}

TEST_F(SharedLibraryCheck, TellsBothLengthsOfATruncatedFile) {
  std::string path = folder + "/short.so";
  std::filesystem::copy_file(SAMPLE_LIBRARY, path);
  auto whole = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, whole - 100);
  EXPECT_EQ(refusal(path), "Cannot load `" + path + "`, the file is truncated: expected at least " +
                               std::to_string(whole) + " bytes (the section headers), but got " +
                               std::to_string(whole - 100));
}

TEST_F(SharedLibraryCheck, TellsToLinkAnObjectFile) {
  EXPECT_EQ(refusal(SAMPLE_OBJECT), "Cannot load `" SAMPLE_OBJECT
                                    "`, expected a shared library, but got an object file (.o); "
                                    "link it first: `gcc -shared -o lib.so file.o`");
}

TEST_F(SharedLibraryCheck, NamesWhatCannotBeRead) {
  EXPECT_EQ(refusal(folder + "/none.so"), "Cannot load `" + folder +
                                              "/none.so`, expected a readable file, but got: No "
                                              "such file or directory");
  EXPECT_NE(refusal(folder).find("not a regular file"), std::string::npos);
  EXPECT_NE(refusal("").find("an empty path"), std::string::npos);
  EXPECT_EQ(FairleadCheckSharedLibrary(nullptr), -1);
  EXPECT_EQ(takeRaised().kind, "RuntimeError");
}

TEST_F(SharedLibraryCheck, DoesNotWaitForAPipe) {
  std::string path = folder + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(refusal(path).find("not a regular file"), std::string::npos);
}

} // namespace
