/// Backtraces: frames, lines, their end, and frames that are left out. Built with line numbers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {

[[gnu::always_inline]] inline std::string takeTrace(bool cross = false) {
  const TVMFFIByteArray *trace = TVMFFIBacktrace(nullptr, 0, nullptr, cross);
  return std::string(trace->data, trace->size);
}

size_t countLines(const std::string &text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Each a frame of its own: neither inlined, nor left by a tail call, nor cloned for constant
// arguments.
#if defined(__clang__)
#define FRAME [[gnu::noinline]]
#else
#define FRAME [[gnu::noipa]]
#endif
#define KEEP_FRAME asm volatile("")

} // namespace

namespace backtrace_test {
FRAME std::string inner(bool cross) {
  std::string text = takeTrace(cross);
  KEEP_FRAME;
  return text;
}
constexpr int kMiddleLine = __LINE__ + 2;
FRAME std::string middle(bool cross) {
  std::string text = inner(cross);
  KEEP_FRAME;
  return text;
}
FRAME std::string outer(bool cross) {
  std::string text = middle(cross);
  KEEP_FRAME;
  return text;
}

/// A function of the C interface.
FRAME int packed(void *, const TVMFFIAny *args, int32_t, TVMFFIAny *result) {
  String text(inner(args[0].v_int64 != 0));
  *result = detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(text));
  return 0;
}
FRAME std::string caller(bool cross) {
  TVMFFIObjectHandle function = nullptr;
  EXPECT_EQ(TVMFFIFunctionCreate(nullptr, packed, nullptr, &function), 0);
  TVMFFIAny arg = AnyView(int64_t(cross)).CopyToTVMFFIAny(), result{};
  EXPECT_EQ(TVMFFIFunctionCall(function, &arg, 1, &result), 0);
  TVMFFIObjectDecRef(function);
  return detail::AnyUnsafe::MoveTVMFFIAnyToAny(&result).cast<String>();
}
FRAME void recurse(int depth, std::string *text) {
  if (depth == 0)
    *text = takeTrace();
  else
    recurse(depth - 1, text);
  KEEP_FRAME;
}
} // namespace backtrace_test

using namespace backtrace_test;

TEST(Backtrace, NamesFramesMostRecentFirst) {
  std::string text = outer(false);
  size_t first = text.find("in backtrace_test::inner[abi:cxx11](bool)\n");
  size_t second = text.find("BacktraceTest.cpp\", line " + std::to_string(kMiddleLine) +
                            ", in backtrace_test::middle[abi:cxx11](bool)\n");
  size_t third = text.find("in backtrace_test::outer[abi:cxx11](bool)\n");
  EXPECT_LT(first, second) << text;
  EXPECT_LT(second, third) << text;
  EXPECT_NE(third, std::string::npos) << text;
  EXPECT_EQ(text.find("  File \"/"), 0u) << text;
  // The second time from the table; it differs in the line of this function alone.
  std::string again = outer(false);
  EXPECT_EQ(text.substr(0, third), again.substr(0, third));
  EXPECT_EQ(countLines(text), countLines(again));
}

TEST(Backtrace, BeginsWithTheFrameItIsGiven) {
  const TVMFFIByteArray *trace = TVMFFIBacktrace("file.cc", 7, "here", 0);
  std::string text(trace->data, trace->size);
  EXPECT_EQ(text.find("  File \"file.cc\", line 7, in here\n"), 0u);
  // That frame is this function, which is not listed twice.
  EXPECT_EQ(text.find("TestBody"), std::string::npos) << text;
}

TEST(Backtrace, StopsWhereTheCallCameThroughTheFfi) {
  std::string text = caller(false);
  EXPECT_NE(text.find("backtrace_test::packed("), std::string::npos) << text;
  EXPECT_EQ(text.find("backtrace_test::caller"), std::string::npos) << text;
  EXPECT_EQ(text.find("TVMFFIFunctionCall"), std::string::npos) << text;
  text = caller(true);
  EXPECT_LT(text.find("backtrace_test::packed("), text.find("backtrace_test::caller")) << text;
}

TEST(Backtrace, LeavesMachineryOut) {
  Function function = Function::FromTyped([] { return outer(true); });
  std::string text = function().cast<std::string>();
  EXPECT_NE(text.find("TestBody"), std::string::npos) << text;
  for (const char *part :
       {"tvm::ffi::detail", "tvm::ffi::inner", "tvm::ffi::Function", "c++/", "TVMFFIBacktrace"})
    EXPECT_EQ(text.find(part), std::string::npos) << text;
}

TEST(Backtrace, IsTakenByErrors) {
  TVMFFIErrorSetRaisedFromCStr("ValueError", "text");
  Error error = detail::MoveFromSafeCallRaised();
  EXPECT_NE(error.backtrace().find("Backtrace_IsTakenByErrors_Test::TestBody"), std::string::npos)
      << error.backtrace();
}

TEST(Backtrace, WorksInEveryThread) {
  std::vector<std::thread> threads;
  std::string expected = outer(false).substr(0, 200);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j)
        ASSERT_NE(outer(false).find("backtrace_test::middle"), std::string::npos);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Backtrace, IsAsLongAsTheLimit) {
  std::string text;
  recurse(1000, &text);
  EXPECT_EQ(countLines(text), 512u);
}

// Run below with TVM_TRACEBACK_LIMIT, which is read once in a process.
TEST(Backtrace, DISABLED_WithALimit) {
  std::string text;
  recurse(1000, &text);
  std::printf("lines=%zu\n", countLines(text));
  std::printf("given=%zu\n", countLines(TVMFFIBacktrace("f", 1, "g", 0)->data));
}

TEST(Backtrace, ObeysTheEnvironment) {
  auto linesWith = [](const std::string &limit) {
    std::string self = std::filesystem::read_symlink("/proc/self/exe");
    std::string command = "TVM_TRACEBACK_LIMIT='" + limit + "' '" + self +
                          "' --gtest_also_run_disabled_tests "
                          "--gtest_filter=Backtrace.DISABLED_WithALimit";
    FILE *pipe = popen(command.c_str(), "r");
    std::string output;
    char buffer[256];
    while (pipe && std::fgets(buffer, sizeof(buffer), pipe))
      output += buffer;
    EXPECT_EQ(pclose(pipe), 0);
    return std::pair(std::atoi(output.c_str() + output.find("lines=") + 6),
                     std::atoi(output.c_str() + output.find("given=") + 6));
  };
  EXPECT_EQ(linesWith("3"), std::pair(3, 3));
  EXPECT_EQ(linesWith("0"), std::pair(0, 0));
  EXPECT_EQ(linesWith("1").second, 1);
  EXPECT_EQ(linesWith("700").first, 700);
  EXPECT_EQ(linesWith("-1").first, 512);
  EXPECT_EQ(linesWith("many").first, 512);
}
