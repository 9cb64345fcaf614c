#include "runtime/cpu/WorkPool.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "fairlead/Runtime.h"
#include "runtime/RaisedError.h"

namespace {

using namespace fairlead::cpu;

TEST(ThreadCount, Parses) {
  EXPECT_EQ(parseThreadCount(nullptr, 6), 6u);
  EXPECT_EQ(parseThreadCount("", 6), 6u);
  EXPECT_EQ(parseThreadCount("1", 6), 1u);
  EXPECT_EQ(parseThreadCount("1024", 6), 1024u);
  for (const char *bad :
       {"0", "1025", "-1", "+2", " 2", "2 ", "2.0", "two", "0x4", "99999999999999999999"})
    EXPECT_EQ(parseThreadCount(bad, 6), 0u) << bad;
}

TEST(ThreadCount, MachineHasCores) {
  EXPECT_GE(availableCores(), 1u);
  EXPECT_LE(availableCores(), kMaxThreads);
}

void emptyKernel(void *const *, const FairleadLaunch *, int32_t, int32_t, int32_t, void *) {}

/// Launches once in a process that has `value` in its environment; exits with 0 when the outcome is
/// `expected`.
[[noreturn]] void launchWith(const char *value, const std::string &expected) {
  setenv("FAIRLEAD_NUM_THREADS", value, 1);
  FairleadCallContext context{0, kDLCPU, 0, 0};
  FairleadLaunch launch{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0, 0, 0, nullptr};
  FairleadCpuLaunch(&context, "k", emptyKernel, nullptr, &launch);
  auto error = fairlead::test::takeRaised();
  std::string got = error.kind.empty() ? std::to_string(WorkPool::get().width())
                                       : error.kind + ": " + error.message;
  std::fprintf(stderr, "%s", got.c_str());
  std::exit(got == expected && (context.status == 0) == error.kind.empty() ? 0 : 1);
}

// The variable is read once in a process, so each value gets a process of its own.
class ThreadCountDeathTest : public testing::Test {
protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

TEST_F(ThreadCountDeathTest, GoodValueIsTheWidth) {
  EXPECT_EXIT(launchWith("3", "3"), testing::ExitedWithCode(0), "3");
}

TEST_F(ThreadCountDeathTest, BadValueRaises) {
  EXPECT_EXIT(
      launchWith("many",
                 "ValueError: Invalid value of the environment variable FAIRLEAD_NUM_THREADS, "
                 "expected an integer from 1 to 1024, but got `many`"),
      testing::ExitedWithCode(0), "many");
}

} // namespace
