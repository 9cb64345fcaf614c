/// Memory for machine code: packed, given back, never written while it can be executed.
#include "link/CodeMemory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

namespace fairlead::link {
namespace {

#if defined(__x86_64__)
/// A function that returns `number`, as the last bytes of `size` (at least 6).
std::string codeOf(int32_t number, size_t size = 6) {
  std::string bytes(size, '\x90'); // nop
  unsigned char *at = reinterpret_cast<unsigned char *>(bytes.data()) + size - 6;
  at[0] = 0xb8; // mov eax, number
  std::memcpy(at + 1, &number, 4);
  at[5] = 0xc3; // ret
  return bytes;
}
#else
std::string codeOf(int32_t number, size_t size = 8) {
  const uint32_t words[] = {0x52800000u | static_cast<uint32_t>(number & 0xffff) << 5, 0xd65f03c0};
  std::string bytes((size + 3) / 4 * 4, 0);
  const uint32_t nop = 0xd503201f;
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4)
    std::memcpy(bytes.data() + at, &nop, 4);
  std::memcpy(bytes.data() + bytes.size() - 8, words, 8);
  return bytes;
}
#endif

int run(const CodeMemory &memory) {
  return reinterpret_cast<int (*)()>(reinterpret_cast<void *>(memory.code()))();
}

/// With the code that returns `number`.
CodeMemory make(int32_t number, size_t codeBytes = 8, size_t dataBytes = 0) {
  CodeMemory memory;
  const std::string code = codeOf(number, codeBytes);
  EXPECT_TRUE(memory.take(code.size(), dataBytes));
  EXPECT_TRUE(memory.write(code.data()));
  return memory;
}

size_t countMaps() {
  std::ifstream maps("/proc/self/maps");
  size_t lines = 0;
  for (std::string line; std::getline(maps, line);)
    ++lines;
  return lines;
}

TEST(CodeMemory, RunsAndIsGivenBack) {
  const auto before = CodeMemory::usage();
  {
    CodeMemory one = make(41), two = make(42, 10000, 100);
    EXPECT_EQ(run(one), 41);
    EXPECT_EQ(run(two), 42);
    EXPECT_EQ(two.data()[99], 0);
    std::memset(two.data(), 7, 100);
    EXPECT_GT(CodeMemory::usage().codeBytes, before.codeBytes + 10000);
    EXPECT_GT(CodeMemory::usage().dataBytes, before.dataBytes);
    CodeMemory moved = std::move(one);
    EXPECT_EQ(run(moved), 41);
  }
  EXPECT_EQ(CodeMemory::usage().codeBytes, before.codeBytes);
  EXPECT_EQ(CodeMemory::usage().dataBytes, before.dataBytes);
  CodeMemory again = make(43, 8, 100);
  EXPECT_EQ(run(again), 43);
  EXPECT_EQ(again.data()[99], 0) << "what others left there is gone";
}

TEST(CodeMemory, ManyTakeFewMaps) {
  const size_t before = countMaps();
  std::vector<CodeMemory> all;
  for (int i = 0; i < 10000; ++i)
    all.push_back(make(i, 8 + static_cast<size_t>(i % 3) * 5000, i % 2 ? 0 : 64));
  EXPECT_LT(countMaps(), before + 200);
  for (int i = 0; i < 10000; ++i)
    ASSERT_EQ(run(all[static_cast<size_t>(i)]), i);
  // Holes are used again.
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    const size_t at = random() % all.size();
    all[at].giveBack();
    all[at] = make(static_cast<int>(at), 8 + random() % 9000);
  }
  EXPECT_LT(countMaps(), before + 200);
  for (size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(run(all[i]), static_cast<int>(i));
  all.clear();
  EXPECT_LT(countMaps(), before + 10);
  EXPECT_LE(CodeMemory::usage().regions, 1u) << "one is kept for what comes next";
}

TEST(CodeMemory, IsNeverWritableAndExecutable) {
  std::vector<CodeMemory> all;
  for (int i = 0; i < 100; ++i)
    all.push_back(make(i, 8, 8));
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    EXPECT_EQ(line.find("rwx"), std::string::npos) << line;
}

TEST(CodeMemory, CodeRunsWhileOtherCodeComesAndGoes) {
  std::atomic<bool> ended = false;
  std::atomic<int> wrong = 0, turns = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      CodeMemory own = make(t);
      while (!ended) {
        wrong += run(own) != t;
        ++turns;
      }
    });
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 3000; ++i) {
        CodeMemory own = make(1000 + i * 3 + t, 8 + static_cast<size_t>(i % 5) * 3000);
        wrong += run(own) != 1000 + i * 3 + t;
      }
    });
  for (size_t t = 3; t < threads.size(); ++t)
    threads[t].join();
  ended = true;
  for (size_t t = 0; t < 3; ++t)
    threads[t].join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(turns, 0);
}

TEST(CodeMemory, AForkedProcessHasItsOwn) {
  CodeMemory mine = make(5);
  const pid_t child = fork();
  if (child == 0) {
    const bool same = run(mine) == 5;
    mine.giveBack();
    CodeMemory other = make(6);
    _exit(same && run(other) == 6 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(run(mine), 5);
}

/// The system's error if `limit` is all there is.
[[noreturn]] void takeAll(int resource, rlim_t limit, const char *expected) {
  rlimit both{limit, limit};
  setrlimit(resource, &both);
  std::vector<CodeMemory> all(100000);
  std::string problem;
  for (CodeMemory &memory : all)
    if (Result<void> taken = memory.take(size_t{1} << 20, 0); !taken) {
      problem = taken.reason();
      break;
    }
  const bool named = problem.find("the system refuses memory for code: mmap") == 0 &&
                     problem.find(expected) != std::string::npos;
  std::fprintf(stderr, "%s\n", problem.c_str());
  all.clear();
  CodeMemory small;
  _exit(named && small.take(100, 0) ? 0 : 1);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Under qemu (scripts/run_aarch64.sh) limits and maps are those of the emulator.
bool isEmulated() { return std::getenv("FAIRLEAD_EMULATED"); }

TEST(CodeMemoryDeathTest, ARefusalIsNamed) {
  if (isEmulated())
    GTEST_SKIP() << "an emulated process has no limit of its own";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(takeAll(RLIMIT_AS, rlim_t{1} << 30, "RLIMIT_AS"), testing::ExitedWithCode(0),
              "Cannot allocate memory");
}

/// Takes all maps that the process may have.
[[noreturn]] void takeMaps() {
  make(1);
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE)), pages = 200000;
  auto *memory = static_cast<char *>(
      mmap(nullptr, pages * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  size_t taken = 0;
  while (taken < pages && mprotect(memory + taken * page, page, PROT_READ) == 0)
    taken += 2;
  CodeMemory one, two;
  const std::string code = codeOf(3);
  // Two neighbours: the first is at the end of a map, the second amid two others.
  std::string problem;
  auto fails = [&](const Result<void> &result) {
    problem = result ? "" : result.reason();
    return !result;
  };
  bool failed = fails(one.take(code.size(), 0)) || fails(one.write(code.data())) ||
                fails(two.take(code.size(), 0)) || fails(two.write(code.data()));
  const bool named = problem.find("memory maps, and vm.max_map_count allows") != std::string::npos;
  munmap(memory, pages * page);
  std::fprintf(stderr, "%s\n", problem.c_str());
  CodeMemory after = make(4);
  _exit(failed && named && run(after) == 4 ? 0 : 1);
}

TEST(CodeMemoryDeathTest, TooManyMapsAreNamed) {
  if (isEmulated())
    GTEST_SKIP() << "an emulated process does not see its maps";
  std::ifstream file("/proc/sys/vm/max_map_count");
  size_t most = 0;
  if (!(file >> most) || most > 100000)
    GTEST_SKIP() << "this system allows " << most << " maps";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(takeMaps(), testing::ExitedWithCode(0), "memory maps");
}
#endif

} // namespace
} // namespace fairlead::link
