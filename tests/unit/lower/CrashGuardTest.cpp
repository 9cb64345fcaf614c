/// A crash that would end the process ends only the work.
#include "lower/machine/CrashGuard.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "llvm/Support/ErrorHandling.h"

namespace fairlead::lower {
namespace {

TEST(CrashGuard, WorkThatEnds) {
  int done = 0;
  EXPECT_FALSE(crashOf([&] { done = 1; }));
  EXPECT_EQ(done, 1);
}

TEST(CrashGuard, ExceptionsPass) {
  EXPECT_THROW(crashOf([] { throw std::runtime_error("mine"); }), std::runtime_error);
  EXPECT_FALSE(crashOf([] {}));
}

TEST(CrashGuard, FatalErrors) {
  std::optional<std::string> reason = crashOf([] { llvm::report_fatal_error("no such thing"); });
  ASSERT_TRUE(reason);
  EXPECT_NE(reason->find("no such thing"), std::string::npos);
}

TEST(CrashGuard, Aborts) {
  EXPECT_EQ(crashOf([] { std::abort(); }), "it aborted");
}

TEST(CrashGuard, IllegalAccess) {
  volatile int *nowhere = nullptr;
  EXPECT_EQ(crashOf([&] { *nowhere = 1; }), "an illegal access of memory");
}

#if defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((noinline)) int deeper(int depth) {
  volatile char bytes[4096];
  bytes[0] = static_cast<char>(depth);
  return deeper(depth + 1) + bytes[0];
}

TEST(CrashGuard, OverflowOfTheStack) {
  volatile int result = 0;
  EXPECT_EQ(crashOf([&] { result = deeper(0); }), "an illegal access of memory");
}
#endif

TEST(CrashGuard, OneInsideAnother) {
  std::optional<std::string> inner;
  EXPECT_FALSE(crashOf([&] { inner = crashOf([] { std::abort(); }); }));
  EXPECT_EQ(inner, "it aborted");
}

TEST(CrashGuard, ThreadsOfTheirOwn) {
  std::atomic<int> crashed = 0, done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round)
        if (i % 2)
          crashed += crashOf([] { std::abort(); }).has_value();
        else
          done += !crashOf([] {}).has_value();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(crashed, 200);
  EXPECT_EQ(done, 200);
}

TEST(CrashGuard, SignalsOfOthersAreTheirs) {
  EXPECT_EXIT(
      {
        crashOf([] {});
        std::raise(SIGSEGV);
      },
      testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(crashOf([] { std::thread([] { std::raise(SIGSEGV); }).join(); }),
              testing::KilledBySignal(SIGSEGV), "");
}

char *protectedPage;
void unprotect(int, siginfo_t *info, void *) {
  if (info->si_addr != protectedPage || mprotect(protectedPage, 4096, PROT_READ | PROT_WRITE))
    std::_Exit(1);
}

/// Virtual machines have such handlers: the thread goes on after the fault.
TEST(CrashGuard, HandlersOfOthersSeeTheFault) {
  EXPECT_EXIT(
      {
        protectedPage =
            static_cast<char *>(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        struct sigaction theirs = {};
        theirs.sa_sigaction = unprotect;
        theirs.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &theirs, nullptr);
        crashOf([] { std::thread([] { *protectedPage = 7; }).join(); });
        std::_Exit(*protectedPage == 7 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(CrashGuard, NothingIsLeftBehind) {
  struct sigaction before, after;
  sigaction(SIGSEGV, nullptr, &before);
  EXPECT_TRUE(crashOf([] { std::abort(); }));
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(CrashGuard, BrokenObjectsAreKept) {
  static int destroyed = 0;
  struct Counted {
    ~Counted() { ++destroyed; }
  };
  {
    Kept<Counted> whole;
  }
  EXPECT_EQ(destroyed, 1);
  {
    Kept<Counted> broken;
    crashOf([] { std::abort(); });
  }
  EXPECT_EQ(destroyed, 1);
}

} // namespace
} // namespace fairlead::lower
